"""Numbers in a Game Boy's memory, and what a game makes of them: rewards and ends. For many games at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = ("u8", "i8", "u16", "u16be", "u24be", "bcd", "bits")

Values = dict[str, NDArray[np.int64]]  # by name, one for each game


@dataclass(frozen=True)
class MemoryValue:
    """A number in memory."""

    at: int
    type: str = "u8"
    bytes: int = 1  # of `bcd` and `bits`; of the others their type says it
    mask: int = 0xFF  # of every byte

    @property
    def size(self) -> int:
        return {"u16": 2, "u16be": 2, "u24be": 3, "bcd": self.bytes, "bits": self.bytes}.get(self.type, 1)

    @property
    def addresses(self) -> list[int]:
        """The most significant byte last; of `bcd`, `bits` and those that end in `be` first."""
        return list(range(self.at, self.at + self.size))

    def read(self, ram: NDArray[np.uint8]) -> NDArray[np.int64]:
        """From this number's bytes (games, size)."""
        whole = (ram & self.mask).astype(np.int64)
        if self.type == "bits":
            return np.asarray(np.bitwise_count(whole).sum(axis=1, dtype=np.int64))
        if self.type == "bcd":
            whole = 10 * (whole >> 4) + (whole & 15)
        if self.type == "i8":
            return np.where(whole[:, 0] > 127, whole[:, 0] - 256, whole[:, 0])
        base = 100 if self.type == "bcd" else 256
        order = np.arange(self.size) if self.type == "u16" else np.arange(self.size)[::-1]
        return np.asarray((whole * base**order).sum(axis=1))


@dataclass(frozen=True)
class Pay:
    """What a change of a number is worth: `gain` for each by which it rises, `loss` for each by which it falls."""

    value: str
    gain: float = 0.0
    loss: float = 0.0

    def of(self, before: Values, now: Values) -> NDArray[np.float64]:
        change = now[self.value] - before[self.value]
        return self.gain * np.maximum(change, 0) + self.loss * np.maximum(-change, 0)


@dataclass(frozen=True)
class End:
    """An episode ends where a number is one of these, or less, or more."""

    value: str
    equals: tuple[int, ...] = ()
    below: int | None = None
    above: int | None = None

    def of(self, now: Values) -> NDArray[np.bool_]:
        number = now[self.value]
        found = np.isin(number, self.equals)
        if self.below is not None:
            found |= number < self.below
        if self.above is not None:
            found |= number > self.above
        return found


def addresses(values: Mapping[str, MemoryValue]) -> list[int]:
    """Where all of them lie, one after the other."""
    return [address for value in values.values() for address in value.addresses]


def read(values: Mapping[str, MemoryValue], ram: NDArray[np.uint8]) -> Values:
    """All of them, from the bytes at `addresses`: (games, bytes)."""
    found: Values = {}
    place = 0
    for name, value in values.items():
        found[name] = value.read(ram[:, place : place + value.size])
        place += value.size
    return found


def reward(pays: Sequence[Pay], before: Values, now: Values) -> NDArray[np.float32]:
    """What a step from one to the other is worth."""
    games = len(next(iter(now.values()), np.zeros(0)))
    total: NDArray[Any] = np.zeros(games)
    for pay in pays:
        total += pay.of(before, now)
    return total.astype(np.float32)


def ended(ends: Sequence[End], now: Values) -> NDArray[np.bool_]:
    """Which games are over."""
    found = np.zeros(len(next(iter(now.values()), np.zeros(0))), bool)
    for end in ends:
        found |= end.of(now)
    return found
