"""Numbers moved by a last bit, as much as rounding would and no more."""

import numpy as np
import pytest

from envwright.verifier.nudges import count_reals, nudge, nudge_one, unit, usual

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
PLAIN = {"x": np.array([1.0, -4.0]), "n": 3, "pair": (0.5, [2.0, "word"]), "none": None, "flag": True}


def reals(value) -> np.ndarray:
    return np.array([*value["x"], value["pair"][0], value["pair"][1][0]])


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
def test_every_real_number_moves_by_a_unit_and_nothing_else_does(dtype):
    moved = nudge(PLAIN, None, dtype, np.random.default_rng(0))
    distance = np.abs(reals(moved) - reals(PLAIN))
    assert distance.tolist() == np.spacing(np.abs(reals(PLAIN)).astype(dtype)).astype(float).tolist()
    assert {k: moved[k] for k in ("n", "none", "flag")} == {k: PLAIN[k] for k in ("n", "none", "flag")}
    assert moved["pair"][1][1] == "word"
    assert type(moved["pair"]) is tuple


def test_up_is_up_and_down_is_down():
    rng = np.random.default_rng(0)
    assert (reals(nudge(PLAIN, None, DOUBLE, rng, (1.0,))) > reals(PLAIN)).all()
    assert (reals(nudge(PLAIN, None, DOUBLE, rng, (-1.0,))) < reals(PLAIN)).all()


@pytest.mark.parametrize("place", range(4))
def test_one_number_moves_alone(place):
    assert count_reals(PLAIN) == 4
    for way in (1.0, -1.0):
        change = reals(nudge_one(PLAIN, None, SINGLE, place, way)) - reals(PLAIN)
        assert np.flatnonzero(change).tolist() == [place]
        assert np.sign(change[place]) == way


def test_a_number_near_zero_moves_by_a_unit_of_its_usual_size():
    states = [{"x": np.array([value])} for value in (-1.0, 1.5, 1.0)]
    sizes = usual(states)
    assert sizes == {"x": np.array([1.0])}
    moved = nudge({"x": np.array([1e-9])}, sizes, SINGLE, np.random.default_rng(0), (1.0,))
    assert moved["x"][0] - 1e-9 == pytest.approx(np.spacing(np.float32(1)))
    zero = nudge({"x": np.array([0.0])}, None, SINGLE, np.random.default_rng(0))
    assert zero["x"][0] == 0  # zero is zero in every precision, unless it usually is not


def test_usual_is_the_median_of_everything_that_keeps_its_shape():
    states = [{"a": float(i), "b": [float(-i), 1], "c": list(range(i)), "d": (float(i),)} for i in (1, 2, 9)]
    assert usual(states) == {"a": 2.0, "b": [2.0, None], "c": None, "d": [2.0]}


def test_a_unit_is_that_of_the_coarser_of_the_two():
    assert unit(np.array([1.0], np.float32), DOUBLE)[0] == np.spacing(np.float32(1))
    assert unit(np.array([1.0]), SINGLE)[0] == np.spacing(np.float32(1))
    assert unit(np.array([1.0]), DOUBLE)[0] == np.spacing(1.0)
    assert unit(np.array([np.inf, np.nan]), DOUBLE).tolist() == [0.0, 0.0]
