"""Single steps put to both sides: which differ, who is to blame, and the smallest input that shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate, Columns
from envwright.verifier import regressions
from envwright.verifier.compare import Mismatch, any_column, mismatches, unequal
from envwright.verifier.domain import size
from envwright.verifier.drawn import of_both
from envwright.verifier.phases import first_parting
from envwright.verifier.record import Case, Transitions, record_transitions
from envwright.verifier.record_sensitivity import record_rounding, record_sensitivity
from envwright.verifier.rows import part, take
from envwright.verifier.sensitivity import MORE_ROUNDINGS, ROUNDINGS
from envwright.verifier.session import Session
from envwright.verifier.synthesis import rounded
from envwright.verifier.verdict import Check, Divergence

ROUNDS = 60  # of making an input smaller
AT_A_TIME = 200  # suspects that are asked whether rounding explains them


@dataclass(frozen=True)
class Precision:
    """The candidate in one precision, and the dtype in whose last bits the reference is nudged."""

    name: str
    candidate: Candidate
    nudge: str | None  # None: values must be equal


def precisions(session: Session) -> list[Precision]:
    """Exact environments have one; rounding ones are run in double precision too, if they can be."""
    if not session.rounds:
        return [Precision("exact", session.candidate, None)]
    found = [Precision("float32", session.candidate, "float32")]
    if session.double is not None:
        found.insert(0, Precision("float64", session.double, "float64"))
    return found


@dataclass
class StepTrial:
    """Steps taken by both sides from the same states with the same chance."""

    reference: Transitions
    got: Columns
    bad: dict[str, NDArray[np.bool_]]  # by column, which rows differ
    sensitivity: Columns | None = None  # how far the reference moves by itself, where that was asked
    unjudged: int = 0  # rows that may only be rounding, and were left when enough others were found wrong

    @property
    def rows(self) -> NDArray[np.intp]:
        """The rows in which anything differs."""
        if not self.bad:
            return np.zeros(0, np.intp)
        return np.flatnonzero(any_column(self.bad))


def attempt(session: Session, precision: Precision, cases: Sequence[Case]) -> StepTrial:
    """Take each step on both sides."""
    done = reference_steps(session, precision, cases)
    if not done.cases:
        return StepTrial(done, {}, {})
    got = _candidate_steps(precision.candidate, done)
    expected = {name: done.after[name] for name in session.contract.columns}
    trial = StepTrial(done, got, unequal(session.contract, expected, got, scales=scales_for(session)))
    return trial if precision.nudge is None else _judge(session, precision.nudge, expected, trial)


def reference_steps(session: Session, precision: Precision, cases: Sequence[Case]) -> Transitions:
    """Take each step on the reference, from states that the candidate can hold."""
    if precision.nudge is not None:
        dtype = np.dtype(precision.nudge)
        cases = [Case(rounded(c.snapshot, dtype), _rounded_action(c.action, dtype), c.tape) for c in cases]
    return session.host.run(record_transitions, session.contract, list(cases))


def scales_for(session: Session) -> Columns | None:
    """By which rounding is judged; exact environments have none, and need no recording to know."""
    return session.scales if session.rounds else None


def _judge(session: Session, dtype: str, expected: Columns, trial: StepTrial) -> StepTrial:
    """Of the rows that differ by more than a few units, those that rounding does not explain, some at a time."""
    suspects = _mixed(session, trial)
    bad = {name: np.zeros_like(rows) for name, rows in trial.bad.items()}
    by_rounding, by_moving = ({name: np.zeros(column.shape) for name, column in expected.items()} for _ in range(2))
    sensitivity = {name: np.zeros(column.shape) for name, column in expected.items()}
    # Rounding explains most, for a tenth of the time that it takes to move each number.
    ways = (
        (by_rounding, record_rounding, (dtype, ROUNDINGS)),
        (by_moving, record_sensitivity, (dtype, session.sizes)),
        (by_rounding, record_rounding, (dtype, MORE_ROUNDINGS)),
    )
    judged = 0
    while judged < len(suspects) and not any(rows.any() for rows in bad.values()):
        rows = suspects[judged : judged + AT_A_TIME]
        judged += len(rows)
        for farthest, way, how in ways:
            cases = [trial.reference.cases[row] for row in rows]
            learnt: Columns | None = session.host.run(way, session.contract, cases, *how)
            for name in expected:
                farthest[name][rows] = np.maximum(farthest[name][rows], learnt[name] if learnt else 0.0)
                sensitivity[name][rows] = by_rounding[name][rows] + by_moving[name][rows]
            found = unequal(
                session.contract, take(expected, rows), take(trial.got, rows), take(sensitivity, rows), session.scales
            )
            for name, wrong in found.items():
                bad[name][rows] = wrong
            rows = rows[any_column(found)]
            if not len(rows):
                break
    return StepTrial(trial.reference, trial.got, bad, sensitivity, len(suspects) - judged)


def _mixed(session: Session, trial: StepTrial) -> NDArray[np.intp]:
    """The rows that differ, modules taking turns, so that one's many faults do not hide another's few."""
    turns: dict[str, int] = {}
    order: list[tuple[int, int]] = []
    for row in trial.rows:
        module = owner(session, trial, int(row))
        order.append((turns.setdefault(module, 0), int(row)))
        turns[module] += 1
    return np.array([row for _, row in sorted(order)], np.intp)


def explain(session: Session, precision: Precision, trial: StepTrial, level: str) -> list[Divergence]:
    """One divergence for each module to blame, with the smallest input found."""
    chosen: dict[str, tuple[int, int]] = {}  # module -> its smallest row, how many rows
    for row in trial.rows[:2000]:
        module = owner(session, trial, int(row))
        best, count = chosen.get(module, (int(row), 0))
        smaller = _size(trial.reference.cases[row]) < _size(trial.reference.cases[best])
        chosen[module] = (int(row) if smaller else best, count + 1)
    found: dict[str, Divergence] = {}
    for row, count in chosen.values():
        found_one = explain_one(session, precision, trial, row, count, level)
        found.setdefault(found_one.module, found_one)
    return list(found.values())


def owner(session: Session, trial: StepTrial, row: int) -> str:
    """Whom the columns point to: a wrong state explains a wrong reward, and never the other way round."""
    wrong = [name for name, rows in trial.bad.items() if rows[row]]
    return session.contract.owner(min(wrong, key=lambda name: not name.startswith("state.")))


def explain_one(
    session: Session, precision: Precision, trial: StepTrial, row: int, count: int, level: str
) -> Divergence:
    """The smallest input that shows what this row shows, the module to blame, and what both sides drew."""
    case = trial.reference.cases[row]
    column = min((n for n, rows in trial.bad.items() if rows[row]), key=lambda name: not name.startswith("state."))
    case = shrink(session, precision, case, column)
    again = attempt(session, precision, [case])
    if not len(again.rows):  # cannot happen unless a side is not deterministic; the unshrunk case is still good
        case = trial.reference.cases[row]
        again = attempt(session, precision, [case])
    expected = {name: again.reference.after[name] for name in session.contract.columns}
    wrong = mismatches(session.contract, expected, again.got, 0, again.sensitivity, scales_for(session))
    first = next((m for m in wrong if m.column == column), wrong[0] if wrong else Mismatch(column, None, None, None))
    parting = first_parting(session, precision.candidate, again.reference, 0)
    notes = [f"in {precision.name}" if precision.nudge else "", f"they part after {parting.where}" if parting else ""]
    divergence = Divergence(
        module=parting.module(session.contract) if parting else session.contract.owner(first.column),
        column=first.column,
        expected=_json(first.expected),
        got=_json(first.got),
        allowed=first.allowed,
        input=as_input(case),
        smallest=True,
        differing=count,
        note="; ".join(filter(None, notes)),
        draws=of_both(precision.candidate, again.reference, 0),
    )
    return regressions.keep_step(session, divergence, case, precision.name, level)


def shown(session: Session, precision: Precision, trial: StepTrial, about: dict[str, Any]) -> Check:
    """A single step that was kept, tried again: the columns that differ, and where within the step."""
    expected = {name: trial.reference.after[name] for name in session.contract.columns}
    wrong = mismatches(session.contract, expected, trial.got, 0, trial.sensitivity, scales_for(session))
    parting = first_parting(session, precision.candidate, trial.reference, 0)
    module = parting.module(session.contract) if parting else owner(session, trial, 0) if wrong else ""
    case = trial.reference.cases[0]
    found = [
        Divergence(module, m.column, _json(m.expected), _json(m.got), m.allowed, input=as_input(case))
        for m in sorted(wrong, key=lambda m: m.column != about["column"])
    ]
    if not found and parting:
        found = [Divergence(module, *parting.shown, input=as_input(case))]
    detail = f"{len(expected)} columns equal after this step"
    return Check(about["level"], "step", "fail" if found else "pass", detail, 1, tuple(found))


def shrink(session: Session, precision: Precision, case: Case, column: str) -> Case:
    """The smallest input nearby in which the same column still differs."""
    for _ in range(ROUNDS):
        smaller = [case._replace(snapshot=state) for state in session.states.simpler(case.snapshot)]
        smaller += [case._replace(action=a) for a in _simpler_actions(case.action)]
        if not smaller:
            return case
        every = -(-len(smaller) // session.effort.smaller)
        trial = attempt(session, precision, smaller[::every])
        rows = [row for row in trial.rows if column in trial.bad and trial.bad[column][row]]
        if not rows:
            return case
        best = min((trial.reference.cases[row] for row in rows), key=_size)
        if _size(best) >= _size(case):  # a legal action was taken in place of a smaller one
            return case
        case = best
    return case


def _candidate_steps(candidate: Candidate, done: Transitions) -> Columns:
    chance = part(done.after, "chance.") if candidate.takes_chance else None
    return candidate.step(part(done.before, "state."), done.after["action"], chance)


def _simpler_actions(action: Any) -> list[Any]:
    if isinstance(action, int):
        return list(range(action))
    if isinstance(action, np.ndarray) and action.dtype.kind in "iu" and action.ndim == 1:  # one of each player
        lone = [np.where(np.arange(len(action)) == seat, 0, action) for seat in range(len(action))]
        return [*lone, *(np.minimum(action, most) for most in range(action.max()))]
    if isinstance(action, np.ndarray) and action.dtype.kind == "f":
        tries = [np.zeros_like(action), np.round(action, 1), np.clip(action, -1, 1)]
        return [t for t in tries if size(t) < size(action)]
    return []


def _rounded_action(action: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(action, np.ndarray) and action.dtype.kind == "f":
        return action.astype(dtype)  # double precision throughout means of the action too
    return action


def _size(case: Case) -> float:
    return size(case.snapshot) + size(case.action)


def as_input(case: Case) -> dict[str, Any]:
    """A step's input as a verdict shows it."""
    chance = {"chance": [[d.site, d.method, _json(d.value)] for d in case.tape]} if case.tape else {}
    return {**{name: _json(value) for name, value in case.snapshot.items()}, "action": _json(case.action), **chance}


def _json(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return value
