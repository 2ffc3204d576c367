"""L0, the candidate: is it a function of its arguments, alone, in a batch, compiled or not? Do its params matter?"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.verify.compare import unequal
from envwright.verify.nudges import unit
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
        luck = None if chance is None else take(chance, one)
        alone = session.candidate.step(take(state, one), actions[one], luck)
        faults += _compared(session, (take(state, one), actions[one], luck), take(many, one), alone, "alone")
    row = None if chance is None else {leaf: column[:, None] for leaf, column in chance.items()}
    played = session.candidate.play(state, actions[:, None], row)
    in_a_row = {column: values[:, 0] for column, values in played.items()}
    faults += _compared(session, (state, actions, chance), many, in_a_row, "in a row of steps")
    return [Check("L0", name, "fail" if faults else "pass", "", len(actions), tuple(faults))]


Given = tuple[Columns, Any, Columns | None]  # what a step is given: states, actions, luck


def _compared(session: Session, given: Given, expected: Columns, got: Columns, how: str) -> list[Divergence]:
    """The columns that differ by more than another order of operations explains."""
    wanted = {name: expected[name] for name in session.contract.columns}
    scales = session.scales if session.rounds else None
    bad = unequal(session.contract, wanted, got, None, scales)
    if session.rounds and any(rows.any() for rows in bad.values()):
        bad = unequal(session.contract, wanted, got, _sway(session, given), scales)
    return [
        Divergence(session.contract.owner(name), name, expected[name].tolist(), got[name].tolist(), note=how)
        for name, rows in bad.items()
        if rows.any()
    ]


def _sway(session: Session, given: Given) -> Columns:
    """How far the candidate moves if its real numbers move by a unit in the last place, column by column.

    Another order of operations rounds other numbers on the way: a difference of two large ones moves by their last
    places, however small it is.
    """
    before = session.candidate.step(*given)
    total = {name: np.zeros(column.shape) for name, column in before.items()}
    for ways in _nudged(given, session.rng(5)):
        moved = [session.candidate.step(*way) for way in ways]
        for name, column in before.items():
            total[name] += np.maximum(*(_apart(after[name], column) for after in moved))
    return total


def _apart(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):  # infinity from infinity
        return np.nan_to_num(np.abs(a.astype(np.float64) - b.astype(np.float64)), nan=0.0, posinf=0.0)


def _nudged(given: Given, rng: np.random.Generator) -> Iterator[list[Given]]:
    """What a step is given, with one column after the other moved, once the one way and once the other."""
    state, actions, chance = given
    luck = chance or {}
    for name, column in state.items():
        if column.dtype.kind == "f":
            yield [({**state, name: moved}, actions, chance) for moved in _both_ways(column, rng)]
    if np.asarray(actions).dtype.kind == "f":
        yield [(state, moved, chance) for moved in _both_ways(actions, rng)]
    for name, column in luck.items():
        if column.dtype.kind == "f":
            yield [(state, actions, {**luck, name: moved}) for moved in _both_ways(column, rng)]


def _both_ways(column: NDArray[Any], rng: np.random.Generator) -> list[NDArray[Any]]:
    steps = rng.choice(np.array([-1.0, 1.0]), np.shape(column)) * unit(column, column.dtype)
    return [(column + way).astype(column.dtype) for way in (steps, -steps)]


def check_compiled(session: Session) -> list[Check]:
    """What the compiler made of a step is what was written."""
    state, actions, chance = some_steps(session, 4)
    compiled = session.candidate.step(state, actions, chance)
    written = session.candidate.step_uncompiled(state, actions, chance)
    faults = tuple(_compared(session, (state, actions, chance), written, compiled, "compiled"))
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


def _same(a: Columns, b: Columns) -> bool:
    return all(np.array_equal(a[n], b[n], equal_nan=a[n].dtype.kind == "f") for n in a)
