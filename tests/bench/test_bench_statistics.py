"""What is made of the rounds of a race."""

import numpy as np
import pytest

from envwright.bench.statistics import ratio, summary


def test_a_summary_is_the_median_and_the_extremes():
    found = summary([3.0, 1.0, 10.0])
    assert (found.median, found.low, found.high) == (3.0, 1.0, 10.0)


def test_a_ratio_is_taken_within_a_round_so_that_what_slows_both_cancels():
    busy = np.array([1.0, 0.2, 0.7, 0.9, 0.4])
    found = ratio(list(6 * busy), list(2 * busy))
    assert [found.median, found.low, found.high] == pytest.approx([3, 3, 3])


def test_the_interval_of_a_ratio_is_as_wide_as_theory_has_it():
    rounds, sd = 500, 0.3
    ratios = np.random.default_rng(1).normal(5, sd, rounds)
    found = ratio(list(ratios), [1.0] * rounds)
    width = 2 * 1.96 * np.sqrt(np.pi / 2) * sd / np.sqrt(rounds)  # of the median of normal values
    assert found.high - found.low == pytest.approx(width, rel=0.3)
    assert found.low < 5 < found.high


def test_one_round_has_no_spread_to_speak_of():
    found = ratio([4.0], [2.0])
    assert (found.median, found.low, found.high) == (2.0, 2.0, 2.0)


def test_rounds_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="3 rounds cannot be compared with 2"):
        ratio([1.0, 2.0, 3.0], [1.0, 2.0])
