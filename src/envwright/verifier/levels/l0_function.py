"""L0, the candidate: is it a function of its arguments, alone, in a batch, compiled or not? Do its params matter?"""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from envwright.candidates.protocol import Candidate, Columns
from envwright.verifier.compare import unequal
from envwright.verifier.rows import part, take
from envwright.verifier.session import Session
from envwright.verifier.trial import Precision, attempt
from envwright.verifier.verdict import Check, Divergence

JUDGED = 24  # steps by which rounding is told from a fault
Given = tuple[Columns, Any, Columns | None]  # what a step is given: states, actions, chance
Way = Callable[[Candidate, Columns, Any, Columns | None], Columns]  # how it is taken


def check_repeatable(session: Session) -> list[Check]:
    """The same step twice gives the same; nothing is carried outside of the state."""
    state, actions, chance = some_steps(session, 64)
    first, second = (session.candidate.step(state, actions, chance) for _ in range(2))
    wrong = [
        name for name in first if not np.array_equal(first[name], second[name], equal_nan=first[name].dtype.kind == "f")
    ]
    faults = tuple(Divergence(session.contract.owner(n), n, "the same twice", "another result") for n in wrong)
    return [Check("L0", "the same step twice is the same", "fail" if faults else "pass", "", len(actions), faults)]


def check_alone(session: Session) -> list[Check]:
    """One game by itself is what it is among many, and a step by itself what it is in a row of steps."""
    name, candidate = "alone as in a batch", session.candidate
    if session.draws_own_chance:
        return [Check("L0", name, "skip", "the candidate draws by itself, something else for every place in a batch")]
    given = some_steps(session, 64)
    some = _some(given, [0, len(given[1]) // 2, len(given[1]) - 1])
    faults = _faults(session, candidate.step(*some), _one_by_one(candidate, *some), "alone", _one_by_one)
    many = candidate.step(*given)
    faults += _faults(session, many, _in_a_row(candidate, *given), "in a row of steps", _in_a_row)
    return [_check(name, faults, len(given[1]))]


def check_compiled(session: Session) -> list[Check]:
    """What the compiler made of a step is what was written."""
    given = some_steps(session, 4)
    compiled = session.candidate.step(*given)
    faults = _faults(session, _as_written(session.candidate, *given), compiled, "compiled", _as_written)
    return [_check("compiled or not, it is the same", faults, len(given[1]))]


def _one_by_one(candidate: Candidate, state: Columns, actions: Any, chance: Columns | None) -> Columns:
    rows = [candidate.step(*_some((state, actions, chance), [i])) for i in range(len(actions))]
    return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}


def _in_a_row(candidate: Candidate, state: Columns, actions: Any, chance: Columns | None) -> Columns:
    drawn = None if chance is None else {leaf: column[:, None] for leaf, column in chance.items()}
    played = candidate.play(state, actions[:, None], drawn)
    return {name: values[:, 0] for name, values in played.items()}


def _as_written(candidate: Candidate, state: Columns, actions: Any, chance: Columns | None) -> Columns:
    return candidate.step_uncompiled(state, actions, chance)


def _some(given: Given, rows: list[int]) -> Given:
    state, actions, chance = given
    which = np.array(rows)
    return take(state, which), actions[which], None if chance is None else take(chance, which)


def _faults(session: Session, expected: Columns, got: Columns, how: str, way: Way) -> list[Divergence]:
    """The columns that differ by more than a few units in the last place, another order of operations; none, if steps
    taken in that `way` are as near to the reference's as the contract wants them. A difference of large numbers shows
    how they were rounded, however small it is."""
    names = session.contract.columns
    scales = session.scales if session.rounds else None
    bad = unequal(session.contract, {name: expected[name] for name in names}, got, None, scales)
    wrong = [name for name, rows in bad.items() if rows.any()]
    if wrong and session.rounds and _near(session, way):
        return []
    found = ((name, expected[name].tolist(), got[name].tolist()) for name in wrong)
    return [Divergence(session.contract.owner(name), name, want, have, note=how) for name, want, have in found]


def _near(session: Session, way: Way) -> bool:
    cases = session.states.invent(session.actions, JUDGED, session.rng(5))
    candidate = session.candidate
    taken: Any = SimpleNamespace(step=partial(way, candidate), takes_chance=candidate.takes_chance)
    trial = attempt(session, Precision("float32", taken, "float32"), cases)
    return bool(trial.reference.cases) and not len(trial.rows)


def _check(name: str, faults: list[Divergence], count: int) -> Check:
    names = dict.fromkeys(fault.column for fault in faults)
    return Check("L0", name, "fail" if faults else "pass", ", ".join(names), count, tuple(faults))


def check_params_matter(session: Session) -> list[Check]:
    """Each number of the rules changes something; one that does not is either dead or tested by nothing."""
    params = session.candidate.params
    if not params or len(params) > 64:
        return [Check("L0", "every param matters", "skip", f"{len(params)} params")]
    state, actions, chance = some_steps(session, 256)
    before = session.candidate.step(state, actions, chance)
    first = session.candidate.init(np.arange(64, dtype=np.uint32))
    dead: list[str] = []
    for name, value in params.items():
        if value.dtype.kind not in "iuf":
            continue
        other = session.candidate.with_params({name: (value * 0.5 + 1).astype(value.dtype)})
        if _same(other.step(state, actions, chance), before) and _same(
            other.init(np.arange(64, dtype=np.uint32)), first
        ):
            dead.append(name)
    detail = f"{len(params)} params" + (f"; without effect on the steps tried: {', '.join(dead)}" if dead else "")
    return [Check("L0", "every param matters", "note" if dead else "pass", detail, len(params))]


def some_steps(session: Session, count: int) -> Given:
    """Steps of the trace: the states before them, their actions and their chance."""
    steps = session.trace.steps
    rows = np.arange(min(count, len(steps["action"])))
    chance = take(part(steps, "chance."), rows) if session.candidate.takes_chance else None
    return session.trace.states_before(rows), steps["action"][rows], chance


def _same(a: Columns, b: Columns) -> bool:
    return all(np.array_equal(a[n], b[n], equal_nan=a[n].dtype.kind == "f") for n in a)
