"""How far the reference moves by itself: its numbers moved by a last bit, and all that it computes rounded."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.references.protocol import Reference
from envwright.verifier.contract import Contract
from envwright.verifier.nudges import count_reals, nudge, nudge_one
from envwright.verifier.rows import Row

NUDGES = 4  # how often a step is repeated with all its numbers moved by a last bit
# And how often with all that it computes rounded: a few times, and where that does not explain a difference, so often
# that the farthest is hardly missed. The difference of two rounded numbers stays as it is in half of the runs, so of 16
# numbers one stays in all of four runs, and of 4,000 million one in all of 32.
ROUNDINGS, MORE_ROUNDINGS, ALL_ROUNDINGS = range(4), range(4, 32), range(32)
ONE_BY_ONE = 128  # so many numbers or fewer are moved one at a time

Sway = dict[str, NDArray[np.float64]]  # how far each number of a row moves


def farthest(usual: Row, rows: Iterable[Row | None]) -> Sway:
    """How far some rows get from the usual one; None is none."""
    found = {name: np.zeros(value.shape) for name, value in usual.items()}
    for row in rows:
        for name, value in (row or {}).items():
            found[name] = np.maximum(found[name], distance(value, usual[name]))
    return found


def added(parts: Iterable[Sway], usual: Row) -> Sway:
    """All of them together."""
    total = {name: np.zeros(value.shape) for name, value in usual.items()}
    for part in parts:
        total = {name: total[name] + part[name] for name in total}
    return total


def roundings(
    reference: Reference, contract: Contract, dtype: str | None, seeds: range
) -> Iterator[AbstractContextManager[None]]:
    """The reference as it computes in `dtype`, with each of these seeds; and, with the first of them, set as tolerances
    of the contract say. None, if that is not given: then nothing rounds."""
    if dtype is None:
        return
    if seeds.start == 0:
        yield from settings(reference, contract)
    for seed in seeds:
        if (way := reference.rounding(seed, dtype)) is not None:
            yield way


def settings(reference: Reference, contract: Contract) -> Iterator[AbstractContextManager[None]]:
    """The reference, set as tolerances of the contract say."""
    for name in dict.fromkeys(tolerance.setting for tolerance in contract.tolerances if tolerance.setting):
        if (way := reference.setting(contract.settings[name])) is not None:
            yield way


def moved(held: list[Any], sizes: list[Any], dtype: np.dtype[Any]) -> Iterator[list[Any]]:
    """For each number, all of them with that one moved up and down; or, if they are many, all of them moved, so often
    that no two that are subtracted from each other move alike every time."""
    many = count_reals(held)
    if many > ONE_BY_ONE:
        rng = np.random.default_rng(0)
        yield [nudge(held, sizes, dtype, rng) for _ in ALL_ROUNDINGS]
    else:
        yield from ([nudge_one(held, sizes, dtype, place, way) for way in (1.0, -1.0)] for place in range(many))


def distance(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    if a.shape != b.shape:
        return np.zeros(b.shape)
    with np.errstate(invalid="ignore"):  # infinity from infinity
        return np.nan_to_num(np.abs(a.astype(np.float64) - b.astype(np.float64)), nan=0.0, posinf=0.0)
