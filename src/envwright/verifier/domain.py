"""Which states there are: mined from recorded ones, then sampled far beyond them.

Longer rollouts find little that short ones do not; states off the beaten track do. So each part of a state gets the
domain it was seen in, and states are put together from independent draws, with a liking for the corners.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError

FEW = 12  # so many values or fewer are taken to be an enumeration
ENOUGH = 32  # numbers that are multiples of something before all are believed to be


class Domain(Protocol):
    """The values a part of a state may take."""

    def sample(self, rng: np.random.Generator) -> Any: ...

    def corners(self) -> list[Any]: ...

    def simpler(self, value: Any) -> list[Any]:
        """Values that are easier on the eye, the simplest first."""
        ...

    def describe(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class OneOf:
    """One of a few values."""

    values: tuple[Any, ...]

    def sample(self, rng: np.random.Generator) -> Any:
        return self.values[int(rng.integers(len(self.values)))]

    def corners(self) -> list[Any]:
        return list(self.values)

    def simpler(self, value: Any) -> list[Any]:
        return [v for v in self.values if size(v) < size(value)]

    def describe(self) -> dict[str, Any]:
        return {"values": [v if isinstance(v, bool | int | float | str) else repr(v) for v in self.values]}


@dataclass(frozen=True)
class Whole:
    """Whole numbers between bounds."""

    low: int
    high: int

    def sample(self, rng: np.random.Generator) -> int:
        return int(rng.integers(self.low, self.high, endpoint=True))

    def corners(self) -> list[int]:
        near = {self.low, self.low + 1, self.high - 1, self.high, 0, 1, -1}
        return sorted(v for v in near if self.low <= v <= self.high)

    def simpler(self, value: Any) -> list[Any]:
        value = int(value)
        nearest = min(max(0, self.low), self.high)
        nearer = [value - int((value - nearest) / 2**k) for k in range(1, 16)]  # half the way, a quarter, ... a step
        return list(dict.fromkeys(v for v in (nearest, *nearer) if size(v) < size(value)))

    def describe(self) -> dict[str, Any]:
        return {"low": self.low, "high": self.high}


@dataclass(frozen=True)
class Real:
    """Real numbers between bounds; `special` are numbers of the rules that they are likely compared with."""

    low: float
    high: float
    special: tuple[float, ...] = ()
    stated: bool = False  # by the contract, which is then not exceeded
    grid: float = 0.0  # all that were seen are multiples of it, so they are counted, and not computed

    def sample(self, rng: np.random.Generator) -> float:
        corners = self.corners()
        if rng.random() < 0.2:
            return corners[int(rng.integers(len(corners)))]
        value = float(rng.uniform(self.low, self.high))
        return round(value / self.grid) * self.grid if self.grid else value

    def corners(self) -> list[float]:
        wide = 0.0 if self.stated else (self.high - self.low) or 1.0
        inside = [s for s in self.special if self.low - wide <= s <= self.high + wide]
        near = [next_to(s, way) for s in inside for way in (-np.inf, np.inf)]
        found = [v for v in (self.low, self.high, 0.0, *inside, *near) if self.low - wide <= v <= self.high + wide]
        return [v for v in found if not self.grid or v % self.grid == 0]

    def simpler(self, value: Any) -> list[Any]:
        nearest = min(max(0.0, self.low), self.high)
        short = [float(f"{value:.{digits}g}") for digits in (1, 2, 3, 4)]
        return list(dict.fromkeys(v for v in (nearest, *short) if size(v) < size(value)))

    def describe(self) -> dict[str, Any]:
        return {"low": self.low, "high": self.high}


@dataclass(frozen=True)
class Grid:
    """Arrays of one shape, their elements from one domain."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    element: Domain
    by_place: tuple[Domain, ...] | None = None  # of small arrays, whose elements mean different things

    def sample(self, rng: np.random.Generator) -> Any:
        flat = np.empty(int(np.prod(self.shape)), self.dtype)
        if self.by_place is not None:
            flat[:] = [domain.sample(rng) for domain in self.by_place]
        else:  # mostly one value with some others, or all mixed
            density = rng.random()
            flat[:] = self.element.sample(rng)
            for i in np.flatnonzero(rng.random(flat.size) < density):
                flat[i] = self.element.sample(rng)
        return flat.reshape(self.shape)

    def corners(self) -> list[Any]:
        if self.by_place is not None:
            rows = zip(*map(_ends, self.by_place), strict=True)
            return [np.array(row, self.dtype).reshape(self.shape) for row in rows]
        return [np.full(self.shape, value, self.dtype) for value in self.element.corners()]

    def simpler(self, value: Any) -> list[Any]:
        flat = np.asarray(value).ravel()
        found: list[Any] = []
        plain = [d.corners() for d in (self.by_place or (self.element,) * flat.size)]
        least = np.array([min(c, key=size) for c in plain]).astype(self.dtype)
        width = flat.size
        while width >= 1 and len(found) < 64:  # all of it, then halves, then quarters ...
            for begin in range(0, flat.size, width):
                changed = flat.copy()
                changed[begin : begin + width] = least[begin : begin + width]
                found.append(changed.reshape(self.shape))
            width //= 2
        if self.by_place is not None:
            for place, domain in enumerate(self.by_place):
                for v in domain.simpler(flat[place].item()):
                    changed = flat.copy()
                    changed[place] = v
                    found.append(changed.reshape(self.shape))
        return [v for v in found if size(v) < size(value)]

    def describe(self) -> dict[str, Any]:
        return {"shape": list(self.shape), "dtype": str(self.dtype), **self.element.describe()}


@dataclass(frozen=True)
class Several:
    """Lists, tuples and the like, of any of the lengths seen."""

    kind: type
    lengths: tuple[int, ...]
    element: Domain | None
    by_place: tuple[Domain, ...] | None = None

    def sample(self, rng: np.random.Generator) -> Any:
        if self.by_place is not None:
            return self.kind([domain.sample(rng) for domain in self.by_place])
        length = int(rng.integers(min(self.lengths), max(self.lengths), endpoint=True))
        return self.kind([self.element.sample(rng) for _ in range(length)] if self.element else [])

    def corners(self) -> list[Any]:
        ends = self.element.corners() if self.element is not None else []
        if not ends or self.by_place is not None:
            return []
        return [self.kind([value] * length) for value in (ends[0], ends[-1]) for length in {*self.lengths} if length]

    def simpler(self, value: Any) -> list[Any]:
        items = list(value)
        found: list[Any] = []
        if self.by_place is None and len(items) > min(self.lengths):
            found += [self.kind(items[:i] + items[i + 1 :]) for i in range(len(items))]
        for place, item in enumerate(items):
            domain = self.by_place[place] if self.by_place is not None else self.element
            found += [
                self.kind([*items[:place], v, *items[place + 1 :]]) for v in (domain.simpler(item) if domain else ())
            ]
        return [v for v in found if size(v) < size(value)]

    def describe(self) -> dict[str, Any]:
        return {"lengths": [min(self.lengths), max(self.lengths)], **(self.element.describe() if self.element else {})}


@dataclass(frozen=True)
class Fixed:
    """Values that are only ever taken from those seen, because nothing is known of their inside."""

    seen: tuple[Any, ...]

    def sample(self, rng: np.random.Generator) -> Any:
        return self.seen[int(rng.integers(len(self.seen)))]

    def corners(self) -> list[Any]:
        return []

    def simpler(self, value: Any) -> list[Any]:
        return sorted((v for v in self.seen if size(v) < size(value)), key=size)[:8]

    def describe(self) -> dict[str, Any]:
        return {"seen": len(self.seen)}


def _ends(domain: Domain) -> tuple[Any, Any, Any]:
    """The least and the greatest of its values, and that nearest to zero."""
    if isinstance(domain, Whole | Real):
        return domain.low, domain.high, min(max(0, domain.low), domain.high)
    corners = domain.corners()
    return corners[0], corners[-1], 0


def next_to(value: float, way: float) -> float:
    """The next float32; next to zero the smallest that is not subnormal, for compilers may flush those to zero."""
    if value == 0:
        return float(np.copysign(np.finfo(np.float32).tiny, way))
    return float(np.nextafter(np.float32(value), np.float32(way)))


def size(value: Any) -> float:
    """How much there is to read in a value; 0, None and False are nothing."""
    if isinstance(value, np.ndarray):
        return float(sum(size(v) for v in value.ravel().tolist())) + 0.01 * value.size
    if isinstance(value, list | tuple | set):
        return 1.0 + sum(size(v) for v in value)
    if isinstance(value, dict):
        return 1.0 + sum(size(v) for v in value.values())
    if isinstance(value, str):
        return float(len(value))
    if value is None or not value:
        return 0.0
    if isinstance(value, int | np.integer):
        bits = abs(int(value)).bit_length()
        return 1.0 + bits + 0.4 * abs(int(value)) / 2**bits + (0.1 if value < 0 else 0.0)
    if isinstance(value, float | np.floating):
        return 1.0 + len(digits(abs(float(value))).replace(".", "").strip("0")) + (0.1 if value < 0 else 0.0)
    return 1.0


def digits(value: float) -> str:
    """A number as short as it can be written: float32's way for one that float32 holds."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return str(single) if float(single) == value else repr(float(value))


def mine(values: Sequence[Any], special: tuple[float, ...] = ()) -> Domain:
    """The domain of a part of a state, from the values it was seen with."""
    first = values[0]
    if all(isinstance(v, np.ndarray) and v.shape == first.shape and v.dtype.kind in "biuf" for v in values):
        return _mine_grid([*values], special)
    if all(isinstance(v, list | tuple | set) and type(v) is type(first) for v in values):
        return _mine_several([*values], special)
    if all(isinstance(v, bool | np.bool_ | str | None.__class__) for v in values):
        return OneOf(_distinct(values))
    if all(_is_whole(v) for v in values):
        distinct = _distinct(values)
        low, high = int(min(distinct)), int(max(distinct))
        return OneOf(distinct) if len(distinct) == 1 else Whole(low, high)
    if all(_is_whole(v) or isinstance(v, float | np.floating) for v in values):
        distinct = _distinct(values)
        if len(distinct) <= FEW and len(values) > 4 * len(distinct):
            return OneOf(distinct)
        return Real(float(min(values)), float(max(values)), special, grid=_grid(np.array(values, np.float64)))
    if (
        all(v is None or isinstance(v, bool | int | float | str | np.number) for v in values)
        and len(_distinct(values)) <= 64
    ):
        return OneOf(_distinct(values))
    return Fixed(tuple(values[:: max(1, len(values) // 64)]))


def mine_states(
    snapshots: Sequence[Mapping[str, Any]], special: tuple[float, ...], given: Mapping[str, Mapping[str, Any]]
) -> dict[str, Domain]:
    """The domain of every part of the state; `given` are those that the contract states."""
    found = {name: mine([s[name] for s in snapshots], special) for name in snapshots[0]}
    for name, table in given.items():
        if name not in found:
            raise EnvwrightError(f"[domain] {name}: the reference's state has no such part; it has {', '.join(found)}.")
        seen = snapshots[0][name]
        array = isinstance(seen, np.ndarray) and seen.dtype.kind in "biuf"
        found[name] = _given_array(name, table, special, seen) if array else _given(name, table, special)
    return found


def _given_array(name: str, table: Mapping[str, Any], special: tuple[float, ...], seen: NDArray[Any]) -> Domain:
    """Bounds or values of every element, or bounds of each: a list as long as the array, or nested like it."""
    if "values" in table or seen.dtype.kind == "b":
        return Grid(seen.shape, seen.dtype, _given(name, table, special))
    kind = float if seen.dtype.kind == "f" else int
    try:
        low, high = (np.broadcast_to(np.asarray(table[end]), seen.shape).ravel().tolist() for end in ("low", "high"))
    except (KeyError, ValueError):
        raise EnvwrightError(
            f"[domain] {name}: give `values`, or `low` and `high`, each a number or one for every element of the shape "
            f"{seen.shape}."
        ) from None
    ends = ({"low": kind(a), "high": kind(b)} for a, b in zip(low, high, strict=True))
    places = tuple(_given(name, table, special) for table in ends)
    return Grid(seen.shape, seen.dtype, places[0], places)


def _given(name: str, table: Mapping[str, Any], special: tuple[float, ...]) -> Domain:
    if "values" in table:
        return OneOf(tuple(table["values"]))
    if isinstance(table.get("low"), int | float) and table["low"] > table.get("high", np.inf):
        raise EnvwrightError(f"[domain] {name}: low, {table['low']:g}, is above high, {table['high']:g}.")
    if isinstance(table.get("low"), int) and isinstance(table.get("high"), int):
        return Whole(table["low"], table["high"])
    if isinstance(table.get("low"), float) and isinstance(table.get("high"), float):
        return Real(table["low"], table["high"], special, stated=True)
    raise EnvwrightError(f"[domain] {name}: give `values`, or `low` and `high` of one kind.")


def _mine_grid(values: list[Any], special: tuple[float, ...]) -> Domain:
    first = values[0]
    if first.size == 0:
        return Fixed((first,))
    stacked = np.stack(values)
    whole = mine(list(stacked.ravel()[:: max(1, stacked.size // 4096)]), special)
    by_place = None
    if first.size <= 16 and first.dtype.kind == "f":
        by_place = tuple(mine(list(column), special) for column in stacked.reshape(len(values), -1).T)
    return Grid(first.shape, first.dtype, whole, by_place)


def _mine_several(values: list[Any], special: tuple[float, ...]) -> Domain:
    kind = type(values[0])
    lengths = tuple(sorted({len(v) for v in values}))
    elements = [e for v in values for e in v]
    if len(lengths) == 1 and kind is not set and lengths[0]:
        return Several(kind, lengths, None, tuple(mine([v[i] for v in values], special) for i in range(lengths[0])))
    return Several(kind, lengths, mine(elements[:4096], special) if elements else None)


def _grid(values: NDArray[np.float64]) -> float:
    """The largest of 1, 1/2, 1/4, ..., 1/256 that all are multiples of; 0 if there is none, or too few to tell."""
    steps = [2.0**-n for n in range(9)] if len(values) >= ENOUGH and np.isfinite(values).all() else []
    return next((step for step in steps if not np.any(values % step)), 0.0)


def _distinct(values: Sequence[Any]) -> tuple[Any, ...]:
    plain = {v.item() if isinstance(v, np.generic) else v for v in values}
    return tuple(sorted(plain, key=lambda v: (v is not None, isinstance(v, str), v if v is not None else 0)))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
