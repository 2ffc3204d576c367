"""Distributions: the same ones pass, different ones fail, and many tests together do not cry wolf."""

import numpy as np
import pytest

from envwright.verifier.statistics import ALARM, holm, same_distribution

COUNT = 4000


def p(a, b) -> tuple[str, float]:
    return same_distribution(np.asarray(a), np.asarray(b))


def luck(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(5))
def test_the_same_passes(seed):
    name, value = p(luck(seed).integers(6, size=COUNT), luck(seed + 100).integers(6, size=COUNT))
    assert (name, value > ALARM) == ("chi-square", True)
    name, value = p(luck(seed).normal(size=COUNT), luck(seed + 100).normal(size=COUNT))
    assert (name, value > ALARM) == ("KS", True)


@pytest.mark.parametrize("seed", range(5))
def test_the_different_fails(seed):
    name, value = p(luck(seed).integers(6, size=COUNT), luck(seed + 100).integers(7, size=COUNT))
    assert (name, value < ALARM) == ("chi-square", True)
    name, value = p(luck(seed).random(COUNT), luck(seed + 100).random(COUNT) * 0.85)
    assert (name, value < ALARM) == ("KS", True)
    assert p(luck(seed).random(COUNT) < 0.3, luck(seed + 100).random(COUNT) < 0.4)[1] < ALARM


def test_a_value_that_never_comes_is_missed():
    assert p(luck(0).integers(4, size=COUNT), luck(1).integers(3, size=COUNT))[1] < ALARM
    assert p(np.zeros(COUNT), np.ones(COUNT))[1] < ALARM


def test_constants_have_nothing_to_test():
    assert p(np.full(9, 3), np.full(5, 3)) == ("constant", 1.0)


def test_rare_values_are_counted_together():
    """Twenty values of one each say nothing of themselves."""
    a, b = np.zeros(1000), np.zeros(1000)
    a[:20], b[:20] = np.arange(20) + 1, np.arange(20) + 21
    assert p(a, b)[1] > 0.1
    assert p(np.arange(20), np.arange(20) + 20) == ("chi-square", 1.0)  # too few for any word


def test_unequal_numbers_of_draws_are_no_difference():
    assert p(luck(0).integers(6, size=100), luck(1).integers(6, size=COUNT))[1] > ALARM


def test_holm_shares_the_alarm_out():
    assert holm([0.01, 0.04, 0.03, 0.5], 0.05) == [True, False, False, False]
    assert holm([0.012, 0.013, 0.02, 0.04], 0.05) == [True, True, True, True]
    assert holm([0.02, 0.001], 0.05) == [True, True]
    assert holm([1.0], 0.05) == [False]
    assert holm([]) == []


def test_false_alarms_are_as_rare_as_promised():
    draws = luck(3)
    alarms = sum(any(holm(list(draws.random(10)), 0.05)) for _ in range(2000))
    assert 0.03 < alarms / 2000 < 0.07
