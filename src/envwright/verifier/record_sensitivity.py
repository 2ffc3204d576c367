"""What is done where the reference lives to learn how far it moves by itself: the same again, moved a bit or rounded.

All are plain functions of a reference, as those of record.py are.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.protocol import Draw, Reference, ReferenceFailedError, TapeError
from envwright.verifier.clauses import Function
from envwright.verifier.contract import Contract
from envwright.verifier.expression import ExpressionError
from envwright.verifier.record import Beat, Case, FunctionCall, Plain, look_back, one_step, result_of
from envwright.verifier.rows import Row, stack, start_row
from envwright.verifier.sensitivity import ALL_ROUNDINGS, added, distance, farthest, moved, roundings


def record_sensitivity(
    reference: Reference, contract: Contract, cases: Sequence[Case], dtype: str, sizes: Plain, beat: Beat
) -> Columns:
    """How far each column can move if every number the reference holds, constants too, moves by a bit of `dtype`.

    Each number is moved alone, up and down, and the larger distances added up: together they cannot take it farther, as
    far as a step is smooth. Where there are too many numbers for that, all are moved at once, up or down at random.
    """
    rows: list[Row] = []
    for case in cases:
        beat()
        reference.restore(case.snapshot)
        constants = {n: v for n, v in reference.look().items() if n not in case.snapshot and _is_real(v)}
        _, after = one_step(reference, contract, case, look_back(reference, contract))
        each = (
            farthest(after, (_moved_again(reference, contract, case, constants, *way) for way in ways))
            for ways in moved([dict(case.snapshot), case.action, constants], [sizes, None, None], np.dtype(dtype))
        )
        rows.append(added(each, after))
    return stack(rows, "step")


def record_rounding(
    reference: Reference, contract: Contract, cases: Sequence[Case], dtype: str, seeds: range, beat: Beat
) -> Columns | None:
    """How far each column moves if all that the reference computes on the way is rounded to `dtype`, with each of the
    seeds; None if it cannot be asked to."""
    rows: list[Row] = []
    for case in cases:
        beat()
        ways = list(roundings(reference, contract, dtype, seeds))
        if not ways:
            return None
        reference.restore(case.snapshot)
        _, after = one_step(reference, contract, case, look_back(reference, contract))
        rounded: list[Row | None] = []
        for way in ways:
            with way:
                rounded.append(_again(reference, contract, case, case.snapshot, case.action))
        rows.append(farthest(after, rounded))
    return stack(rows, "step")


def record_start_sensitivity(
    reference: Reference, contract: Contract, begun: Sequence[tuple[int, tuple[Draw, ...]]], dtype: str, beat: Beat
) -> Columns:
    """The same of starts, by seed and chance: how far they move with the numbers that are drawn and with rounding."""
    rows: list[Row] = []
    for seed, tape in begun:
        beat()
        usual = _start(reference, contract, seed, tape)
        with_moved = (
            farthest(usual, (_start(reference, contract, seed, _with_values(tape, values)) for (values,) in ways))
            for ways in moved([[draw.value for draw in tape]], [None], np.dtype(dtype))
        )
        rounded: list[Row] = []
        for way in roundings(reference, contract, dtype, ALL_ROUNDINGS):
            with way:
                rounded.append(_start(reference, contract, seed, tape))
        rows.append(added((*with_moved, farthest(usual, rounded)), usual))
    return stack(rows, "start")


def _with_values(tape: tuple[Draw, ...], values: Sequence[Any]) -> tuple[Draw, ...]:
    return tuple(draw._replace(value=value) for draw, value in zip(tape, values, strict=True))


def _start(reference: Reference, contract: Contract, seed: int, tape: tuple[Draw, ...]) -> Row:
    return start_row(contract, reference, reference.reset(seed=seed, tape=tape))


def _moved_again(
    reference: Reference, contract: Contract, case: Case, usual: Plain, state: Plain, action: Any, constants: Plain
) -> Row | None:
    """The step once more with constants moved as well, which are put back."""
    row = _again(reference, contract, case, {**state, **constants}, action)
    reference.restore(usual)
    return row


def _again(reference: Reference, contract: Contract, case: Case, state: Plain, action: Any) -> Row | None:
    """The step once more, from a state that was moved a little; None if it fails."""
    try:
        reference.restore(state)
        return one_step(reference, contract, Case(state, action, case.tape), look_back(reference, contract))[1]
    except (ReferenceFailedError, ExpressionError, TapeError):
        return None


def record_call_sensitivity(
    reference: Reference,
    contract: Contract,
    function: Function,
    rows: Sequence[FunctionCall],
    dtype: str,
    sizes: Any,
    beat: Beat,
) -> NDArray[np.float64]:
    """How far each result moves if every number of the arguments is moved by a bit of `dtype`, and if all that is
    computed on the way is rounded to it, where the reference can be asked to."""
    sensitivities: list[NDArray[np.float64]] = []
    for row in rows:
        beat()
        total = np.zeros(row.result.shape)
        for ways in moved([dict(row.arguments)], [sizes], np.dtype(dtype)):
            distances = [distance(result_of(reference, function, other), row.result) for (other,) in ways]
            total += np.max(distances, axis=0)
        farther = np.zeros(row.result.shape)
        for way in roundings(reference, contract, dtype, ALL_ROUNDINGS):
            with way:
                farther = np.maximum(farther, distance(result_of(reference, function, row.arguments), row.result))
        sensitivities.append(total + farther)
    return np.stack(sensitivities)


def _is_real(value: Any) -> bool:
    return isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
