"""Numbers moved by a last bit: how a reference is asked what rounding does to it.

A number is moved by one unit in the last place of its usual size, not of its present one: what happens to be near zero
came about by adding numbers that were not.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Move = Callable[[NDArray[Any], NDArray[Any], int], NDArray[Any]]  # numbers, their units, how many came before


def usual(values: Sequence[Any]) -> Any:
    """The usual size of every real number in plain data, from many states of it; None where there is none."""
    first = values[0]
    if all(isinstance(v, np.ndarray) and v.dtype.kind == "f" and v.shape == first.shape for v in values):
        return np.median(np.abs(np.stack(values)), axis=0)
    if all(isinstance(v, float | np.floating) for v in values):
        return float(np.median(np.abs(values)))
    if all(isinstance(v, list | tuple) and len(v) == len(first) for v in values):
        return [usual([v[i] for v in values]) for i in range(len(first))]
    if all(isinstance(v, dict) and v.keys() == first.keys() for v in values):
        return {key: usual([v[key] for v in values]) for key in first}
    return None


def count_reals(value: Any) -> int:
    """How many real numbers there are in plain data."""
    if isinstance(value, np.ndarray):
        return value.size if value.dtype.kind == "f" else 0
    if isinstance(value, float | np.floating):
        return 1
    if isinstance(value, dict):
        return sum(count_reals(v) for v in value.values())
    return sum(count_reals(v) for v in value) if isinstance(value, list | tuple) else 0


def nudge(
    value: Any, sizes: Any, dtype: np.dtype[Any], rng: np.random.Generator, ways: tuple[float, ...] = (1.0, -1.0)
) -> Any:
    """Plain data with every real number moved, up or down, or only one of them."""
    return _move(value, sizes, dtype, lambda array, units, _: array + units * rng.choice(ways, array.shape), 0)


def nudge_one(value: Any, sizes: Any, dtype: np.dtype[Any], place: int, way: float) -> Any:
    """Plain data with one of its real numbers, counted from the front, moved up (`way` 1) or down (-1)."""

    def move(array: NDArray[Any], units: NDArray[Any], before: int) -> NDArray[Any]:
        if not before <= place < before + array.size:
            return array
        step = np.zeros(array.size)
        step[place - before] = way * units.ravel()[place - before]
        return array + step.reshape(array.shape)

    return _move(value, sizes, dtype, move, 0)


def unit(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """One unit in the last place of each number, as `dtype` or the coarser array holds it; none if it is not finite."""
    dtype = array.dtype if array.dtype == np.float32 else dtype
    spacing = np.spacing(np.abs(array.astype(dtype))).astype(np.float64)
    return np.where(np.isfinite(spacing), spacing, 0.0)


def _move(value: Any, sizes: Any, dtype: np.dtype[Any], move: Move, before: int) -> Any:
    """`move` on every array of reals in plain data."""
    if isinstance(value, np.ndarray):
        return _moved(value, sizes, dtype, move, before) if value.dtype.kind == "f" else value
    if isinstance(value, float | np.floating):
        return type(value)(_moved(np.asarray(value), sizes, dtype, move, before))
    if isinstance(value, dict):
        parts = [sizes.get(key) if isinstance(sizes, dict) else None for key in value]
        return dict(zip(value, _move(list(value.values()), parts, dtype, move, before), strict=True))
    if isinstance(value, list | tuple):
        parts = sizes if isinstance(sizes, list) and len(sizes) == len(value) else [None] * len(value)
        changed = []
        for item, part in zip(value, parts, strict=True):
            changed.append(_move(item, part, dtype, move, before))
            before += count_reals(item)
        return type(value)(changed)
    return value


def _moved(array: NDArray[Any], size: Any, dtype: np.dtype[Any], move: Move, before: int) -> NDArray[Any]:
    units = np.where(array == 0, 0.0, unit(array, dtype))  # zero is zero in every precision
    if size is not None and np.shape(size) == array.shape:
        units = np.maximum(units, unit(np.asarray(size, array.dtype), dtype))
    return move(array, units, before).astype(array.dtype)
