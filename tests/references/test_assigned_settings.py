"""Attributes of an original, set by their dotted names."""

from types import SimpleNamespace

import numpy as np
import pytest

from envwright.core.errors import EnvwrightError
from envwright.references.python.settings import assign, assigned


def thing() -> SimpleNamespace:
    return SimpleNamespace(x=1, solver=SimpleNamespace(tolerance=1e-3, gravity=np.array([0.0, -9.8])))


def test_values_take_the_type_of_those_they_replace() -> None:
    made = thing()
    assign(made, {"x": 2, "solver.tolerance": 0, "solver.gravity": [0, 1]})
    assert (made.x, made.solver.tolerance) == (2, 0.0)
    assert isinstance(made.solver.tolerance, float)
    assert made.solver.gravity.dtype == np.float64


def test_everything_is_put_back() -> None:
    made, before = thing(), thing().solver.gravity
    with assigned(made, {"solver.gravity": [1, 2], "solver.tolerance": 0}):
        assert made.solver.gravity.tolist() == [1.0, 2.0]
    assert np.array_equal(made.solver.gravity, before)
    assert made.solver.tolerance == 1e-3


def test_nothing_is_set_if_anything_is_wrong() -> None:
    made = thing()
    with pytest.raises(EnvwrightError, match="did you mean gravity"):
        assign(made, {"x": 2, "solver.gravty": [0, 1]})
    assert made.x == 1
    with pytest.raises(EnvwrightError, match=r"solver.gravity is an array of the shape \(2,\), not \(3,\)"):
        assign(made, {"solver.gravity": [0, 1, 2]})


def test_a_fraction_is_not_cut_off() -> None:
    made = thing()
    assign(made, {"x": 2.5})
    assert made.x == 2.5
