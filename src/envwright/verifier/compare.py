"""Whether columns are equal: in value, or, where the contract allows for rounding, within what rounding explains."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.verifier.contract import Contract, ContractError
from envwright.verifier.nudges import unit

SLACK = 8.0
SLACK_REASON = (
    "eight units in the last place of a number's usual size, and eight times what the reference moves if each number "
    "it holds is moved by one and what it computes is rounded, up or down; a step rounds each number a few times, a "
    "nudge moves it once"
)

Sizes = Mapping[str, NDArray[Any]]


class Mismatch(NamedTuple):
    """A column that differs in a row."""

    column: str
    expected: Any
    got: Any
    allowed: float | None


def unequal(
    contract: Contract, expected: Columns, got: Columns, sensitivity: Sizes | None = None, scales: Sizes | None = None
) -> dict[str, NDArray[np.bool_]]:
    """For each column, which rows differ. `sensitivity` is how far the reference moves by itself, `scales` its size."""
    found: dict[str, NDArray[np.bool_]] = {}
    for name, want in expected.items():
        if name not in got:
            raise ContractError(f"The candidate has no {name}; correct the contract.")
        bad = differs(want, got[name], allowance(contract, name, want, got[name], sensitivity, scales))
        found[name] = by_row(bad)
    return found


def by_row(bad: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """In which rows anything is bad."""
    return np.asarray(bad.reshape(len(bad), -1).any(axis=1))


def any_column(bad: Mapping[str, NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """In which rows any column is bad."""
    return np.any(np.stack(list(bad.values())), axis=0)


def allowance(
    contract: Contract,
    name: str,
    want: NDArray[Any],
    have: NDArray[Any],
    sensitivity: Sizes | None,
    scales: Sizes | None,
) -> NDArray[Any] | None:
    """How far apart the two may be; None means not at all."""
    if have.dtype.kind != "f" or not contract.rounds(name):
        return None
    # A reference that shows float32 has rounded to it, whatever the candidate computes in.
    coarser = np.dtype(np.float32) if want.dtype == np.float32 else have.dtype
    units = unit(want, coarser)
    if scales is not None and name in scales:
        units = np.maximum(units, unit(np.asarray(scales[name], coarser), coarser))
    moved = 0.0 if sensitivity is None or name not in sensitivity else sensitivity[name]
    return SLACK * (moved + units)


def mismatches(
    contract: Contract, expected: Columns, got: Columns, row: int, sensitivity: Sizes | None, scales: Sizes | None
) -> list[Mismatch]:
    """Everything that differs in one row."""
    one = slice(row, row + 1)
    want, have = ({n: c[one] for n, c in columns.items() if n in expected} for columns in (expected, got))
    near = {n: c[one] for n, c in sensitivity.items()} if sensitivity else None
    bad = unequal(contract, want, have, near, scales)
    found: list[Mismatch] = []
    for name in expected:
        if bad[name][0]:
            room = allowance(contract, name, want[name], have[name], near, scales)
            found.append(Mismatch(name, want[name][0], have[name][0], None if room is None else float(np.max(room))))
    return found


def differs(want: NDArray[Any], have: NDArray[Any], room: NDArray[Any] | None = None) -> NDArray[np.bool_]:
    """Where two arrays are not the same, or farther apart than there is room; a whole row, if their shapes differ."""
    if want.shape != have.shape:
        return np.ones(len(have), bool)
    if room is not None:
        with np.errstate(invalid="ignore"):  # infinity from infinity
            close = np.abs(want.astype(np.float64) - have.astype(np.float64)) <= room
        return ~(close | _same(want.astype(have.dtype), have))
    if have.dtype.kind == "f":
        return ~_same(want.astype(have.dtype), have)
    if want.dtype.kind == "f":  # a fraction is no whole number, however it would be cut off
        return want != have.astype(np.float64)
    return want.astype(np.int64) != have.astype(np.int64)  # True is 1, whatever the width


def _same(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    return (a == b) | (np.isnan(a) & np.isnan(b))
