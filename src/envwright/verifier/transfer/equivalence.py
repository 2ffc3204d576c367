"""Whether two means are the same, up to a margin: two one-sided t-tests (TOST), with all that they leave open.

equivalent      both one-sided tests reject: the difference is smaller than the margin
different       the whole confidence interval of the difference is beyond the margin
inconclusive    neither; more games would tell
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

ALPHA = 0.05  # how often two means that are a margin apart may be called equivalent
CLEAR = 20.0  # margins of so many standard errors are never missed; scipy's noncentral t fails far beyond it

Sample = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Equivalence:
    """What a TOST says about candidate minus reference."""

    reference: float  # means
    candidate: float
    difference: float
    margin: float
    error: float  # standard error of the difference
    freedom: float  # degrees of it
    p: float  # of a difference this small, were it a margin large
    tost_interval: tuple[float, float]  # at 1 - 2 alpha; within the margin just if p < alpha
    interval: tuple[float, float]  # at 95 %
    judged: tuple[float, float]  # by which a difference is called one: 95 % for all comparisons together
    power: float  # how often this would have been enough, were there no difference
    smallest_margin: float  # that would have passed
    pairs: int  # 0: unpaired
    equal: int  # pairs that are equal

    @property
    def judgement(self) -> str:
        if self.p < ALPHA:
            return "equivalent"
        low, high = self.judged
        return "different" if low > self.margin or high < -self.margin else "inconclusive"

    def numbers(self) -> dict[str, Any]:
        """As a verdict's file has it."""
        return {**vars(self), "judgement": self.judgement, "alpha": ALPHA}


def paired(reference: Sample, candidate: Sample, margin: float, comparisons: int = 1) -> Equivalence:
    """The same games on both sides."""
    apart = np.asarray(candidate, float) - np.asarray(reference, float)
    error = float(apart.std(ddof=1)) / math.sqrt(len(apart))
    means = float(np.mean(reference)), float(np.mean(candidate))
    equal = int((apart == 0).sum())
    return _tost(means, float(apart.mean()), margin, error, len(apart) - 1.0, comparisons, (len(apart), equal))


def unpaired(reference: Sample, candidate: Sample, margin: float, comparisons: int = 1) -> Equivalence:
    """Games of their own on each side (Welch: each side has a variance of its own)."""
    parts = [float(np.var(side, ddof=1)) / len(side) for side in (reference, candidate)]
    error = math.sqrt(sum(parts))
    weights = sum(part**2 / (len(side) - 1) for part, side in zip(parts, (reference, candidate), strict=True))
    freedom = error**4 / weights if weights else len(reference) + len(candidate) - 2.0
    means = float(np.mean(reference)), float(np.mean(candidate))
    return _tost(means, means[1] - means[0], margin, error, freedom, comparisons, (0, 0))


def _tost(
    means: tuple[float, float],
    difference: float,
    margin: float,
    error: float,
    freedom: float,
    comparisons: int,
    pairs: tuple[int, int],
) -> Equivalence:
    def interval(alpha: float) -> tuple[float, float]:
        reach = float(stats.t.ppf(1 - alpha / 2, freedom)) * error
        return difference - reach, difference + reach

    if error == 0:  # every pair differs by the same; equal ones are equivalent whatever the margin
        p = 0.0 if difference == 0 or abs(difference) < margin else 1.0
    else:
        p = float(stats.t.sf((margin - abs(difference)) / error, freedom))
    return Equivalence(
        *means,
        difference=difference,
        margin=margin,
        error=error,
        freedom=freedom,
        p=p,
        tost_interval=interval(2 * ALPHA),
        interval=interval(0.05),
        judged=interval(0.05 / comparisons),
        power=power(margin, error, freedom),
        smallest_margin=max(map(abs, interval(2 * ALPHA))),
        pairs=pairs[0],
        equal=pairs[1],
    )


def power(margin: float, error: float, freedom: float) -> float:
    """How often a TOST finds two equal means equivalent."""
    if error == 0 or margin > CLEAR * error:
        return 1.0
    beyond = float(stats.t.ppf(1 - ALPHA, freedom))
    return max(0.0, 2 * float(stats.nct.sf(beyond, freedom, margin / error)) - 1)
