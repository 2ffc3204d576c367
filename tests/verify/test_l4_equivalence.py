"""TOST: known values, how often it errs, how often it tells, and what it leaves open."""

from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from envwright.verifier.transfer import curves
from envwright.verifier.transfer.equivalence import ALPHA, paired, unpaired

REPEATS = 1500
stats: Any = scipy_stats  # its types do not know the results' attributes


def luck(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_paired_test_is_two_t_tests_against_the_margin():
    rng = luck(0)
    there, here = rng.normal(5, 2, 40), rng.normal(5.3, 2, 40)
    found = paired(there, here, 1.2)
    above = stats.ttest_1samp(here - there, -1.2, alternative="greater").pvalue
    below = stats.ttest_1samp(here - there, 1.2, alternative="less").pvalue
    assert found.p == pytest.approx(max(above, below))
    assert found.interval == pytest.approx(stats.ttest_1samp(here - there, 0).confidence_interval(0.95))
    assert found.tost_interval == pytest.approx(stats.ttest_1samp(here - there, 0).confidence_interval(0.90))


def test_an_unpaired_test_is_welchs():
    rng = luck(1)
    there, here = rng.normal(5, 2, 30), rng.normal(5.3, 4, 50)
    found = unpaired(there, here, 2.5)
    above = stats.ttest_ind(here + 2.5, there, equal_var=False, alternative="greater").pvalue
    below = stats.ttest_ind(here - 2.5, there, equal_var=False, alternative="less").pvalue
    assert found.p == pytest.approx(max(above, below))
    assert found.interval == pytest.approx(stats.ttest_ind(here, there, equal_var=False).confidence_interval(0.95))


def test_the_smallest_margin_is_where_p_crosses_alpha():
    rng = luck(2)
    there, here = rng.normal(0, 1, 60), rng.normal(0.2, 1, 60)
    least = paired(there, here, 1.0).smallest_margin
    assert paired(there, here, least * 1.001).judgement == "equivalent"
    assert paired(there, here, least * 0.999).judgement != "equivalent"
    assert paired(there, here, least).p == pytest.approx(ALPHA)


@pytest.mark.parametrize(("test", "size"), [(paired, 30), (unpaired, 100)])
def test_means_a_margin_apart_are_called_equivalent_one_time_in_twenty(test, size):
    rng = luck(3)
    found = [test(rng.normal(0, 1, size), rng.normal(0.8, 1, size), 0.8).judgement for _ in range(REPEATS)]
    share = found.count("equivalent") / REPEATS
    assert 0.03 < share < 0.065  # the binomial's own noise is 0.005
    assert found.count("different") / REPEATS < 0.04


@pytest.mark.parametrize(("test", "margin"), [(paired, 0.45), (unpaired, 0.5)])
def test_power_is_how_often_equal_means_are_found_equivalent(test, margin):
    rng = luck(4)
    runs = [test(rng.normal(0, 1, 80), rng.normal(0, 1, 80), margin) for _ in range(REPEATS)]
    share = np.mean([run.judgement == "equivalent" for run in runs])
    assert 0.2 < share < 0.99
    assert np.mean([run.power for run in runs]) == pytest.approx(share, abs=0.03)


def test_pairs_that_share_their_luck_tell_what_others_cannot():
    rng = luck(5)
    games = rng.normal(0, 1, 100)
    there, here = games + rng.normal(0, 0.1, 100), games + rng.normal(0, 0.1, 100)
    assert paired(there, here, 0.2).judgement == "equivalent"
    assert paired(there, here, 0.2).power > 0.99
    assert unpaired(there, here, 0.2).judgement == "inconclusive"
    assert unpaired(there, here, 0.2).power < 0.1


@pytest.mark.parametrize(
    ("shift", "margin", "judgement"),
    [(0.0, 0.2, "equivalent"), (0.0, 0.0, "equivalent"), (0.25, 0.5, "equivalent"), (0.75, 0.5, "different")],
)
def test_pairs_that_all_differ_by_the_same_leave_nothing_open(shift, margin, judgement):
    there = np.arange(8.0)
    found = paired(there, there + shift, margin)
    assert found.judgement == judgement
    assert found.p == (0.0 if judgement == "equivalent" else 1.0)
    assert found.equal == (8 if shift == 0 else 0)


def test_a_difference_must_be_beyond_the_margin_for_certain_however_many_are_compared():
    rng = luck(6)
    there = rng.normal(0, 1, 50)
    here = there + 0.6 + rng.normal(0, 1, 50)
    assert paired(there, here, 0.2).judgement == "different"
    assert paired(there, here, 0.2, comparisons=1000).judgement == "inconclusive"
    assert paired(there, there - (here - there), 0.2).judgement == "different"


def test_curves_are_compared_by_their_end_and_their_area():
    steps = np.linspace(0, 1, 50)[:, None]
    rng = luck(7)
    there = 100 * steps + rng.normal(0, 5, (1, 3))
    slow = 100 * np.maximum(0, 2 * steps - 1) + rng.normal(0, 5, (1, 3))
    found = curves.compare(there, slow, 1.0)
    assert found["last tenth"].judgement == "inconclusive"  # both learn it in the end; three seeds cannot tell more
    assert found["last tenth"].power < 0.8
    assert found["whole run"].judgement == "different"
    assert {f.judgement for f in curves.compare(there, there, 40.0).values()} == {"equivalent"}


def test_updates_without_an_end_take_the_value_before_them():
    nan = np.nan
    curve = np.array([[nan, 1.0], [2.0, nan], [nan, nan], [4.0, 3.0]])
    assert curves.filled(curve).T.tolist() == [[2.0, 2.0, 2.0, 4.0], [1.0, 1.0, 1.0, 3.0]]
    assert curves.filled(np.full((3, 1), nan)).tolist() == [[0.0]] * 3
