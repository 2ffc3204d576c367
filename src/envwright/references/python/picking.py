"""Which element a choice took: a translation is handed the index, for what is chosen from may change with the state.

A choice is drawn as an index into what it is made from, by the same method, so the generator goes on as it would have;
an element that is there twice could not be told from its twin afterwards.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Pick = tuple[int, int]  # the index, and the size of what was chosen from

# The real ones: while a reference is open, other classes stand under these names.
_NUMPY = (np.random.Generator.choice, np.random.RandomState.choice)
_PYTHON = random.Random.choice


def draw_one(draw: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Pick | None]:
    """A draw, and the pick, if it is a choice of one; `arguments` begin with the generator."""
    population = _population(draw, arguments, options)
    if population is None:
        return draw(*arguments, **options), None
    size = len(population)
    index = draw(arguments[0], range(size) if draw is _PYTHON else size, **options)
    value = index if isinstance(population, range) else population[index]
    return value, (int(index), size)


def find_again(
    draw: Callable[..., Any], value: Any, before: Pick | None, arguments: tuple[Any, ...], options: dict[str, Any]
) -> Pick | None:
    """Where a replayed element is in what is chosen from now: where it was, or else where it is first found."""
    population = _population(draw, arguments, options)
    if population is None:
        return None
    places = [before[0]] if before is not None and before[0] < len(population) else []
    for index in [*places, *range(len(population))]:
        if population[index] is value or _equal(population[index], value):
            return index, len(population)
    return None


def _equal(one: Any, two: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return np.array_equal(one, two)
    return bool(one == two)


def _population(
    draw: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Sequence[Any] | np.ndarray | None:
    """What a choice of one element is made from; None, if this is anything else."""
    if len(arguments) != 2:
        return None
    given = arguments[1]
    if draw is _PYTHON:
        return given if not options and isinstance(given, Sequence) and not isinstance(given, range) else None
    if draw not in _NUMPY or not options.keys() <= {"p"}:
        return None
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return range(int(given)) if given > 0 else None
    made = np.asarray(given)  # of rows, one is chosen
    return made if made.ndim >= 1 and made.size else None
