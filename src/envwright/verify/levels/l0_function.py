"""L0, the candidate: is it a function of its arguments, alone, in a batch, compiled or not? Do its params matter?"""

from typing import Any

import numpy as np

from envwright.candidates.protocol import Columns
from envwright.verify.compare import unequal
from envwright.verify.rows import part
from envwright.verify.session import Session
from envwright.verify.verdict import Check, Divergence


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
    """One game by itself is what it is among many, and steps one by one are what they are in a row."""
    state, actions, chance = some_steps(session, 64)
    many = session.candidate.step(state, actions, chance)
    faults: list[Divergence] = []
    for i in (0, len(actions) // 2, len(actions) - 1):
        one = slice(i, i + 1)
        alone = session.candidate.step(_rows(state, one), actions[one], None if chance is None else _rows(chance, one))
        for name, column in alone.items():
            if (
                not np.array_equal(column, many[name][one], equal_nan=column.dtype.kind == "f")
                and session.candidate.takes_chance
            ):
                faults.append(Divergence(session.contract.owner(name), name, _plain(many[name][i]), _plain(column[0])))
    played = session.candidate.play(
        state, actions[:, None], None if chance is None else {k: v[:, None] for k, v in chance.items()}
    )
    for name, column in played.items():
        exact = not session.contract.rounds(name) or column.dtype.kind != "f"
        same = np.array_equal(column[:, 0], many[name], equal_nan=column.dtype.kind == "f")
        near = not exact and np.allclose(column[:, 0], many[name], rtol=1e-5, atol=1e-6)
        if not same and not near and session.candidate.takes_chance:
            faults.append(
                Divergence(session.contract.owner(name), name, "as a single step", "another in a row of steps")
            )
    return [Check("L0", "alone as in a batch", "fail" if faults else "pass", "", len(actions), tuple(faults))]


def check_compiled(session: Session) -> list[Check]:
    """What the compiler made of a step is what was written."""
    state, actions, chance = some_steps(session, 4)
    scales = session.scales if session.rounds else None
    compiled = session.candidate.step(state, actions, chance)
    written = session.candidate.step_uncompiled(state, actions, chance)
    bad = unequal(session.contract, {name: written[name] for name in session.contract.columns}, compiled, None, scales)
    wrong = [name for name, rows in bad.items() if rows.any()]
    faults = tuple(
        Divergence(session.contract.owner(n), n, _plain(written[n]), _plain(compiled[n]), note="compiled")
        for n in wrong
    )
    return [Check("L0", "compiled or not, it is the same", "fail" if faults else "pass", "", len(actions), faults)]


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


def some_steps(session: Session, count: int) -> tuple[Columns, Any, Columns | None]:
    """States of the trace after a step, with the next action and its luck."""
    steps = session.trace.steps
    rows = np.arange(min(count, max(1, len(steps["action"]) - 1)))
    state = {name: column[rows] for name, column in part(steps, "state.").items()}
    following = np.minimum(rows + 1, len(steps["action"]) - 1)
    chance = {name: column[following] for name, column in part(steps, "chance.").items()}
    return state, steps["action"][following], chance if session.candidate.takes_chance else None


def _rows(columns: Columns, rows: slice) -> Columns:
    return {name: column[rows] for name, column in columns.items()}


def _same(a: Columns, b: Columns) -> bool:
    return all(np.array_equal(a[n], b[n], equal_nan=a[n].dtype.kind == "f") for n in a)


def _plain(value: Any) -> Any:
    return np.asarray(value).tolist()
