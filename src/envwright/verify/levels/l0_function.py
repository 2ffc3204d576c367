"""L0, the candidate: is it a function of its arguments, alone, in a batch, compiled or not? Do its params matter?"""

from typing import Any

import numpy as np

from envwright.candidates.protocol import Columns
from envwright.verify.compare import unequal
from envwright.verify.rows import part, take
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
    """One game by itself is what it is among many, and a step by itself what it is in a row of steps."""
    name = "alone as in a batch"
    if session.draws_own_luck:
        return [Check("L0", name, "skip", "the candidate draws its own luck, another for every place in a batch")]
    state, actions, chance = some_steps(session, 64)
    many = session.candidate.step(state, actions, chance)
    faults: list[Divergence] = []
    for i in (0, len(actions) // 2, len(actions) - 1):
        one = slice(i, i + 1)
        alone = session.candidate.step(take(state, one), actions[one], None if chance is None else take(chance, one))
        faults += _compared(session, take(many, one), alone, "alone")
    row = None if chance is None else {leaf: column[:, None] for leaf, column in chance.items()}
    played = session.candidate.play(state, actions[:, None], row)
    faults += _compared(session, many, {column: values[:, 0] for column, values in played.items()}, "in a row of steps")
    return [_check(name, faults, len(actions))]


def _compared(session: Session, expected: Columns, got: Columns, how: str) -> list[Divergence]:
    """The columns that differ, where rounding may by a few units in the last place, another order of operations."""
    names = session.contract.columns
    scales = session.scales if session.rounds else None
    bad = unequal(session.contract, {name: expected[name] for name in names}, got, None, scales)
    return [
        Divergence(session.contract.owner(name), name, expected[name].tolist(), got[name].tolist(), note=how)
        for name, rows in bad.items()
        if rows.any()
    ]


def check_compiled(session: Session) -> list[Check]:
    """What the compiler made of a step is what was written."""
    state, actions, chance = some_steps(session, 4)
    compiled = session.candidate.step(state, actions, chance)
    written = session.candidate.step_uncompiled(state, actions, chance)
    faults = _compared(session, written, compiled, "compiled")
    return [_check("compiled or not, it is the same", faults, len(actions))]


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


def some_steps(session: Session, count: int) -> tuple[Columns, Any, Columns | None]:
    """States of the trace after a step, with the next action and its luck."""
    steps = session.trace.steps
    rows = np.arange(min(count, max(1, len(steps["action"]) - 1)))
    state = {name: column[rows] for name, column in part(steps, "state.").items()}
    following = np.minimum(rows + 1, len(steps["action"]) - 1)
    chance = {name: column[following] for name, column in part(steps, "chance.").items()}
    return state, steps["action"][following], chance if session.candidate.takes_chance else None


def _same(a: Columns, b: Columns) -> bool:
    return all(np.array_equal(a[n], b[n], equal_nan=a[n].dtype.kind == "f") for n in a)
