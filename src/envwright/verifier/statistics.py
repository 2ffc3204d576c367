"""Whether two samples come from one distribution. Scipy comes with JAX."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

ALARM = 1e-6  # how often all tests of a verdict together may cry wolf (Holm's correction shares it out)
FEW = 64  # so many distinct values or fewer are counted; more are compared by their distribution function


def same_distribution(a: NDArray[np.generic], b: NDArray[np.generic]) -> tuple[str, float]:
    """The name of the test and its p-value: chi-square for a few values, Kolmogorov-Smirnov for many."""
    a, b = np.asarray(a).ravel(), np.asarray(b).ravel()
    values = np.unique(np.concatenate([a, b]))
    if len(values) == 1:
        return "constant", 1.0
    if len(values) > FEW:
        return "KS", float(stats.ks_2samp(a, b)[1])  # pyright: ignore[reportArgumentType]
    table = np.array([[np.sum(side == value) for value in values] for side in (a, b)])
    pooled = _pooled(table)
    if pooled.shape[1] < 2:
        return "chi-square", 1.0
    return "chi-square", float(stats.chi2_contingency(pooled, correction=False)[1])  # pyright: ignore[reportArgumentType]


def holm(p_values: list[float], alarm: float = ALARM) -> list[bool]:
    """Which of several tests fail, all of them together giving a false alarm at most as often as `alarm`."""
    order = np.argsort(p_values)
    failed = [False] * len(p_values)
    for rank, i in enumerate(order):
        if p_values[i] > alarm / (len(p_values) - rank):
            break
        failed[i] = True
    return failed


def _pooled(table: NDArray[np.integer]) -> NDArray[np.integer]:
    """Rare values counted together, for the chi-square approximation wants about five of each."""
    total = table.sum()
    expected = table.sum(axis=0) * table.sum(axis=1).min() / total
    rare = expected < 5
    if not rare.any():
        return table
    return np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
