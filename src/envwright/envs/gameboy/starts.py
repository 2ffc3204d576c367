"""How episodes begin: some ticks with some buttons, their number left to chance; the same start is played only once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.gameboy.game import Press

Start = tuple[int, ...]  # ticks for each entry of the game's `start`

_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def draw(script: Sequence[Press], seeds: NDArray[np.uint64], episodes: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The ticks of each entry, (games, entries): by splitmix64 from a game's seed and how many it has begun."""
    low = np.array([press.low for press in script], np.uint64)
    many = np.array([press.high - press.low + 1 for press in script], np.uint64)
    with np.errstate(over="ignore"):
        place = np.arange(1, len(script) + 1, dtype=np.uint64)
        z = (seeds[:, None] * _MIX[1] + episodes[:, None]) * _MIX[2] + place * _MIX[0]
        z = (z ^ (z >> np.uint64(30))) * _MIX[1]
        z = (z ^ (z >> np.uint64(27))) * _MIX[2]
        z ^= z >> np.uint64(31)
    return (low + (z >> np.uint64(32)) % many).astype(np.int32)


def buttons(script: Sequence[Press], start: Sequence[int]) -> NDArray[np.uint8]:
    """The buttons held in each tick of a start."""
    return np.repeat(np.array([press.buttons for press in script], np.uint8), np.asarray(start, np.int64))


class StartPool:
    """The starts that were played so far, each as a state in the emulator's own pool."""

    def __init__(self, script: Sequence[Press], workshop: Any, pool: Any) -> None:
        """Starts are played in `workshop`, a batch of one, and kept in `pool`."""
        self._script, self._workshop, self._pool = script, workshop, pool
        self._known: dict[Start, int] = {}

    def slots(self, starts: NDArray[np.int32]) -> list[int]:
        """Where the pool has these."""
        return [self._slot(tuple(start)) for start in starts.tolist()]

    def _slot(self, start: Start) -> int:
        if start not in self._known:
            self._known[start] = self._pool.add_start(played(self._workshop, buttons(self._script, start)))
        return self._known[start]


def played(one: Any, held: NDArray[np.uint8]) -> bytes:
    """The state after these ticks from power-on, its last frame drawn."""
    one.reset(starts=0)
    obs = np.empty((1, *one.observation_shape), np.uint8)
    if len(held) > 1:
        one.step(held[None, :-1].copy(), ticks=len(held) - 1)
    if len(held):
        one.step(held[-1:].copy(), obs, ticks=1)
    return one.save(0)
