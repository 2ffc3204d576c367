"""What is made of the rounds of a race: medians, spreads, and ratios with an interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """Rates of all rounds."""

    median: float
    low: float  # the slowest round
    high: float  # the fastest


@dataclass(frozen=True)
class Ratio:
    """How many times as fast, with its bootstrap interval."""

    median: float
    low: float
    high: float


def summary(rates: Sequence[float]) -> Spread:
    return Spread(float(np.median(rates)), float(min(rates)), float(max(rates)))


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """The median of the rounds' ratios; a ratio is taken within a round, so that a busy machine slows both.

    The interval is that of the median when rounds are drawn again, with replacement, from those there were.
    """
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} rounds cannot be compared with {len(theirs)}.")
    ratios = np.asarray(ours) / np.asarray(theirs)
    drawn = np.random.default_rng(0).choice(ratios, (RESAMPLES, len(ratios)))
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(np.median(drawn, axis=1), [tail, 100 - tail])
    return Ratio(float(np.median(ratios)), float(low), float(high))
