"""Which parts of a state constrain each other, as far as recorded states can tell.

Only what holds exactly in every recorded state counts, and only where it would hardly hold by chance: two numbers that
happen to go together in play are still drawn apart, for states off the beaten track are where bugs are.

    a count and a number      marks on a board and moves made; cards in hand and in the deck; lists of one length
    whose turn it is          a number of few values that the counts on a board, with one other number, determine
    a sum or a collection     counts that always add up to the same, a deck that is only ever shuffled
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

ENOUGH = 64  # states, before anything is believed
VARIED = 5  # values of a count that goes with another
FEW = 8  # values of what determines something, and kinds of elements that are counted
CHOICES = 4  # values of what is determined
CHANCE = np.log(1e-9)  # that it would hold of parts that have nothing to do with each other

Column = NDArray[np.int64]


def groups(pool: Sequence[Mapping[str, Any]], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The parts that are only ever taken from one recorded state; a part by itself, if it is constrained in itself."""
    if len(pool) < ENOUGH:
        return ()
    columns = {name: [state[name] for state in pool] for name in names}
    lists = {name: rows for name, column in columns.items() if (rows := _lists(column)) is not None}
    numbers = {name: codes for name, column in columns.items() if (codes := _numbers(column)) is not None}
    counts = {name: list(_counts(rows)) for name, rows in lists.items()}
    together = [(name,) for name, rows in lists.items() if _is_kept(rows)]
    together += list(_counted(counts, numbers))
    together += [found for name in numbers if (found := _determined(name, lists, counts, numbers))]
    return joined(together)


def joined(together: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Groups that share a part are one."""
    found: list[set[str]] = []
    for names in together:
        apart = [group for group in found if not group & set(names)]
        found = [*apart, set(names).union(*(group for group in found if group & set(names)))]
    return tuple(tuple(sorted(group)) for group in found)


# ---- what is known of a part ----


def _lists(values: list[Any]) -> list[tuple[Any, ...]] | None:
    """Arrays and lists of whole numbers, flags or texts, flat; None, if they are anything else or never change."""
    rows: list[tuple[Any, ...]] = []
    for value in values:
        if isinstance(value, np.ndarray) and value.dtype.kind in "biu":
            rows.append(tuple(value.ravel().tolist()))
        elif isinstance(value, list | tuple | deque) and all(isinstance(item, bool | int | str) for item in value):
            rows.append(tuple(value))
        else:
            return None
    return rows if len(set(rows)) > 1 else None


def _numbers(values: list[Any]) -> Column | None:
    """Whole numbers and flags."""
    if not all(isinstance(value, bool | int | np.integer | np.bool_) for value in values):
        return None
    column = np.array([int(value) for value in values])
    return column if len(np.unique(column)) > 1 else None


def _counts(rows: list[tuple[Any, ...]]) -> Iterator[Column]:
    """How many elements there are, how many are not zero or empty, how many of each kind and how these differ; sums."""
    yield np.array([len(row) for row in rows])
    yield np.array([sum(bool(item) for item in row) for row in rows])
    if all(isinstance(item, int) for row in rows for item in row):
        yield np.array([sum(row) for row in rows])
    kinds = Counter(item for row in rows for item in row if item)
    if len(kinds) <= FEW:
        each = [np.array([row.count(kind) for row in rows]) for kind in sorted(kinds, key=repr)]
        yield from each
        for one, other in combinations(each[:CHOICES], 2):
            yield one - other


# ---- what constrains ----


def _is_kept(rows: list[tuple[Any, ...]]) -> bool:
    """Whether the elements only ever change places, or always add up to the same."""
    distinct = set(rows)
    if len(distinct) < 2 * FEW or len({len(row) for row in distinct}) > 1:
        return False
    if len({tuple(sorted(row, key=repr)) for row in distinct}) == 1:
        return True
    return all(isinstance(item, int) for item in rows[0]) and len({sum(row) for row in distinct}) == 1


def _counted(counts: Mapping[str, list[Column]], numbers: Mapping[str, Column]) -> Iterator[tuple[str, str]]:
    """Pairs of which a count of one and a number or a count of the other are equal but for a constant, or add up to
    one."""
    features = {**counts, **{name: [*counts.get(name, ()), column] for name, column in numbers.items()}}
    for one, other in combinations(features, 2):
        if one not in counts and other not in counts:
            continue  # two numbers: one may merely not have left the other's side yet
        pairs = ((a, b) for a in features[one] for b in features[other])
        if any(len(np.unique(a)) >= VARIED and (np.ptp(a - b) == 0 or np.ptp(a + b) == 0) for a, b in pairs):
            yield one, other


def _determined(
    name: str, lists: Mapping[str, list[Any]], counts: Mapping[str, list[Column]], numbers: Mapping[str, Column]
) -> tuple[str, ...] | None:
    """A number of few values, with the list whose counts, and the other number, if any, that determine it."""
    target = numbers[name]
    if len(np.unique(target)) > CHOICES:
        return None
    others: dict[str | None, Column] = {None: np.zeros_like(target)}
    others |= {other: column for other, column in numbers.items() if other != name and len(np.unique(column)) <= FEW}
    for listed, rows in lists.items():
        for count in counts[listed]:
            if not 1 < len(np.unique(count)) <= FEW:
                continue
            for other, column in others.items():
                if _determines(count, column, target, rows):
                    return (name, listed) if other is None else (name, listed, other)
    return None


def _determines(count: Column, other: Column, target: Column, rows: list[Any]) -> bool:
    """Whether the two determine a third, but not `other` alone. A list that is seen again is no further evidence: a
    game that stands still would be as good as many games."""
    distinct = list(dict.fromkeys(zip(rows, count.tolist(), other.tolist(), target.tolist(), strict=True)))
    cells: dict[tuple[int, int], set[int]] = {}
    sizes: Counter[tuple[int, int]] = Counter()
    alone: dict[int, set[int]] = {}
    for _, a, b, value in distinct:
        cells.setdefault((a, b), set()).add(value)
        alone.setdefault(b, set()).add(value)
        sizes[a, b] += 1
    if any(len(values) > 1 for values in cells.values()) or all(len(values) == 1 for values in alone.values()):
        return False
    share = np.array(list(Counter(value for *_, value in distinct).values())) / len(distinct)
    return bool(sum(np.log((share**size).sum()) for size in sizes.values()) < CHANCE)
