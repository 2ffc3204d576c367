"""All random draws (spec.md, section 12). Each kind has a method of its own, so that a tape tells them apart."""

from collections.abc import Sequence
from typing import Any

import numpy as np

WORDS = 2**32


class Dice:
    """Draws words of a generator."""

    def __init__(self, seed: int | None = None) -> None:
        self.generator = np.random.default_rng(seed)

    # ---- of a start (R12.4) ----

    def decks(self) -> Any:
        return self.generator.integers(WORDS, size=2)

    def first(self) -> Any:
        return self.generator.integers(WORDS)

    def opening(self) -> Any:
        return self.generator.integers(WORDS, size=2)

    def shuffles(self) -> Any:
        return self.generator.integers(WORDS, size=(2, 20))

    def zones(self) -> Any:
        return self.generator.integers(WORDS, size=2)

    # ---- of a step (R12.5) ----

    def smokescreen(self) -> Any:
        return self.generator.integers(WORDS)

    def coins(self) -> Any:
        return self.generator.integers(WORDS)

    def targets(self) -> Any:
        return self.generator.integers(WORDS, size=4)

    def pick(self) -> Any:
        return self.generator.integers(WORDS)

    def keys(self) -> Any:
        return self.generator.integers(WORDS, size=20)

    def wake(self) -> Any:
        return self.generator.integers(WORDS)

    def zone(self) -> Any:
        return self.generator.integers(WORDS)


def coin(word: int, number: int) -> bool:
    """R12.1: whether coin `number` of a word is heads."""
    return bool(int(word) >> number & 1)


def heads_of(word: int, n: int) -> int:
    """R12.1: heads among the first n coins of a word."""
    return sum(coin(word, number) for number in range(n))


def heads_until_tails(word: int) -> int:
    """R12.1: heads before the first tails, at most 32."""
    return next((number for number in range(32) if not coin(word, number)), 32)


def choose(word: int, n: int) -> int:
    """R12.2: one of n."""
    return int(word) * n // WORDS


def shuffled(cards: Sequence[int], keys: Sequence[int]) -> list[int]:
    """R12.3: cards from bottom to top, after a shuffle."""
    order = sorted(range(len(cards)), key=lambda number: (int(keys[number]), number))
    return [cards[number] for number in order]
