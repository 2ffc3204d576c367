"""Domains: what is mined from values, what is drawn from it, and what counts as simpler."""

from typing import Any

import numpy as np
import pytest

from envwright.core.errors import EnvwrightError
from envwright.verifier.domain import Fixed, Grid, OneOf, Real, Several, Whole, digits, mine, mine_states, size

RNG = np.random.default_rng(0)
REALS = [float(x) for x in np.random.default_rng(1).normal(size=50)]


def test_real_numbers_that_are_counted_stay_on_their_grid():
    values = [n / 4 for n in range(40)]
    domain = mine(values, (2.5, 2.6))
    assert isinstance(domain, Real)
    assert domain.grid == 0.25
    drawn = [domain.sample(np.random.default_rng(seed)) for seed in range(200)]
    assert all(v % 0.25 == 0 for v in drawn)
    assert 2.5 in domain.corners()
    assert 2.6 not in domain.corners()
    assert len(set(drawn)) > 20
    assert mine([*values, 0.3]).grid == 0.0  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("values", "domain"),
    [
        ([True, False, True], OneOf((False, True))),
        (["b", "a", None], OneOf((None, "a", "b"))),
        ([3, 9, 4], Whole(3, 9)),
        ([np.int64(3), 9], Whole(3, 9)),
        ([4, 4, 4], OneOf((4,))),
        ([1.0, 2.5] * 20, OneOf((1.0, 2.5))),
        ([1, 2.5, -1.0], Real(-1.0, 2.5, (7.0,))),
        ([None, 3, 4], OneOf((None, 3, 4))),
        ([(1, True), (2, False)], Several(tuple, (2,), None, (Whole(1, 2), OneOf((False, True))))),
        ([[1], [2, 3]], Several(list, (1, 2), Whole(1, 3))),
        ([[], []], Several(list, (0,), None)),
        ([{"a": 1}, {"a": 2}], Fixed(({"a": 1}, {"a": 2}))),
        ([np.array([1, 2]), np.array([3, 4])], Grid((2,), np.dtype(np.int64), Whole(1, 4))),
    ],
)
def test_what_is_mined(values, domain):
    assert mine(values, (7.0,)) == domain


def test_small_vectors_of_reals_are_mined_place_by_place():
    values = [np.array([x, 100 + x]) for x in REALS]
    domain = mine(values)
    assert isinstance(domain, Grid)
    assert domain.by_place == (Real(min(REALS), max(REALS)), Real(100 + min(REALS), 100 + max(REALS)))
    samples = np.array([domain.sample(RNG) for _ in range(50)])
    assert (np.abs(samples[:, 0]) < 10).all()


@pytest.mark.parametrize(
    "values",
    [[3, 9, 4], REALS, [[1], [2, 3, 4]], [(1, 2.5), (2, 1.5)], [np.eye(3), np.ones((3, 3))], [True, False], [{"a": 1}]],
    ids=str,
)
def test_samples_and_corners_are_of_the_kind_that_was_seen(values):
    domain = mine(values)
    first: Any = values[0]
    for value in [*(domain.sample(RNG) for _ in range(20)), *domain.corners()]:
        assert type(value) is type(first)
        assert np.shape(value) == np.shape(first) or isinstance(first, list)


def test_samples_go_to_both_ends():
    drawn = {Whole(0, 3).sample(RNG) for _ in range(100)}
    assert drawn == {0, 1, 2, 3}
    lengths = {len(Several(list, (1, 3), Whole(0, 1)).sample(RNG)) for _ in range(100)}
    assert lengths == {1, 2, 3}


def test_corners_are_where_rules_change():
    assert Whole(-5, 9).corners() == [-5, -4, -1, 0, 1, 8, 9]
    near = Real(-1.0, 1.0, (0.5, 99.0)).corners()
    assert {-1.0, 1.0, 0.0, 0.5} < set(near)
    assert 99.0 not in near
    assert any(0.5 < x < 0.5001 for x in near)
    assert any(0.4999 < x < 0.5 for x in near)
    grid = mine([np.array([1.0, 5.0]), np.array([2.0, 7.0]), np.array([3.0, 6.0])])
    assert [1.0, 5.0] in [corner.tolist() for corner in grid.corners()]


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (Whole(-5, 900), 817),
        (Whole(10, 90), 85),
        (Real(-10.0, 10.0), 3.14159265),
        (OneOf((0, 1, 7)), 7),
        (Several(list, (0, 4), Whole(0, 9)), [9, 8, 7, 9]),
        (Several(tuple, (2,), None, (Whole(0, 9), Real(0.0, 1.0))), (8, 0.123456)),
        (Grid((2, 2), np.dtype(np.int64), Whole(0, 9)), np.array([[5, 6], [7, 8]])),
        (Grid((2,), np.dtype(np.float64), Real(-1.0, 1.0), (Real(-1.0, 1.0),) * 2), np.array([0.1234567, 0.7654321])),
    ],
    ids=str,
)
def test_what_is_simpler_is_smaller_and_leads_to_the_least(domain, value):
    seen = 0
    while tries := domain.simpler(value):
        assert all(size(new) < size(value) for new in tries)
        value, seen = min(tries, key=size), seen + 1
        assert seen < 100
    assert np.all(np.equal(value, 10 if domain == Whole(10, 90) else 0))


@pytest.mark.parametrize(("domain", "limit"), [(Whole(0, 10_000), 617), (Whole(-900, 900), -301), (Whole(10, 99), 10)])
def test_whole_numbers_shrink_to_the_very_limit(domain, limit):
    value = domain.high if limit > 0 else domain.low
    for _ in range(60):  # as many rounds as there are
        tries = [v for v in domain.simpler(value) if (v >= limit if limit > 0 else v <= limit)]
        value = min([*tries, value], key=size)
    assert value == limit


def test_nothing_is_simpler_than_what_nothing_is_known_of():
    assert Fixed(({"a": 1},)).simpler({"a": 1}) == []


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (0, 1),
        (1, 5),
        (3, -3),
        (50, 61),
        (63, 64),
        (0.5, 0.123),
        (0.1, 0.12),
        (None, 1),
        ([0], [0, 0, 1]),
        (np.zeros(3), np.ones(3)),
        ("", "a"),
        ({}, {"a": 1}),
    ],
)
def test_size_is_how_much_there_is_to_read(small, large):
    assert size(small) < size(large)


def test_numbers_are_written_as_short_as_they_can_be():
    assert digits(float(np.float32(0.1))) == "0.1"
    assert digits(0.1) == "0.1"
    assert digits(1e300) == "1e+300"


def test_the_contract_may_give_a_domain_and_must_give_it_right():
    states = [{"a": 1, "b": 0.5}, {"a": 2, "b": 1.5}]
    given = {"a": {"low": 0, "high": 9}, "b": {"values": [1.0, 2.0]}}
    assert mine_states(states, (), given) == {"a": Whole(0, 9), "b": OneOf((1.0, 2.0))}
    stated = mine_states(states, (7.0,), {"b": {"low": 0.0, "high": 1.0}})["b"]
    assert all(0 <= value <= 1 for value in [*stated.corners(), *(stated.sample(RNG) for _ in range(50))])
    with pytest.raises(EnvwrightError, match=r"\[domain\] c: the reference's state has no such part; it has a, b"):
        mine_states(states, (), {"c": {"values": [1]}})
    with pytest.raises(EnvwrightError, match=r"\[domain\] a: give `values`, or `low` and `high` of one kind"):
        mine_states(states, (), {"a": {"low": 0, "high": 1.0}})


def test_bounds_of_arrays_are_stated_for_all_elements_or_for_each():
    states = [{"q": np.array([0.0, 1.0, 2.0]), "n": np.array([[1, 2], [3, 4]]), "on": np.array([True, False])}]
    given = {
        "q": {"low": [-1, -2.5, 0.5], "high": [1, 2.5, 3.0]},
        "n": {"low": 0, "high": [[1, 2], [3, 4]]},
        "on": {"values": [True]},
    }
    domains = mine_states(states, (0.25,), given)
    samples = np.array([domains["q"].sample(RNG) for _ in range(400)])
    assert samples.dtype == np.float64
    assert (samples >= [-1, -2.5, 0.5]).all()
    assert (samples <= [1, 2.5, 3.0]).all()
    assert (samples.min(axis=0) == [-1, -2.5, 0.5]).all()
    assert (samples == 0.25).any(axis=0).tolist() == [True, True, False]
    assert [row.tolist() for row in domains["q"].corners()] == [[-1, -2.5, 0.5], [1, 2.5, 3.0], [0, 0, 0.5]]
    counts = np.array([domains["n"].sample(RNG) for _ in range(200)])
    assert counts.max(axis=0).tolist() == [[1, 2], [3, 4]]
    assert domains["on"].sample(RNG).tolist() == [True, True]
    for simpler in domains["q"].simpler(np.array([0.7, -1.3, 2.9])):
        assert simpler[2] >= 0.5


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"low": [0, 1], "high": 3.0}, r"q: give `values`, or `low` and `high`, .* of the shape \(3,\)"),
        ({"low": 0.0}, r"q: give `values`, or `low` and `high`"),
        ({"low": [0.0, 2.0, 0.0], "high": 1.0}, r"q: low, 2, is above high, 1"),
    ],
)
def test_bounds_that_fit_no_array_are_refused(table: dict[str, Any], sentence: str):
    with pytest.raises(EnvwrightError, match=sentence):
        mine_states([{"q": np.zeros(3)}], (), {"q": table})
