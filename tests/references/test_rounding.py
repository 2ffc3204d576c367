"""The reference as it would compute in float32: its functions round what they compute, and are themselves after it."""

import importlib.util
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from envwright.references.python.rounding import rounding

SOURCE = """
import numpy as np


class Base:
    def level(self):
        return self.large + 0.1


class Worth(Base):
    def __init__(self):
        self.large, self.rows = 1e4 / 3, np.arange(3) / 7

    def level(self):
        return super().level()

    @property
    def gain(self):
        return self.level() - self.large

    def grow(self):
        self.large += 1 / 3
        return self.large

    def same(self):
        return np.asarray(self.rows) is self.rows

    def scaled(self):
        return self.rows * 3

    def logs(self):
        return np.diff(np.log(self.rows + 7), prepend=np.log(self.rows[0] + 7))

    def single(self):
        return np.log(self.rows.astype(np.float32) + 7), np.sum(self.rows.astype(np.float32))

    def into(self):
        return np.exp(self.rows, out=self.rows) is self.rows

    @staticmethod
    def late(n, step=0.1):
        total = 0.0
        for _ in range(n):
            total += step
        return total


def whole(n):
    return n * 2 + 1
"""


@pytest.fixture
def module(tmp_path: Path):
    path = tmp_path / "worth_of_something.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    spec.loader.exec_module(made)
    yield made
    del sys.modules[path.stem]


def test_a_small_difference_of_large_numbers_shows_their_last_places(module):
    worth = module.Worth()
    exact = worth.gain
    seen = set()
    for seed in range(8):
        with rounding([module], seed):
            seen.add(worth.gain)
    assert worth.gain == exact
    assert len(seen) > 1  # up or down at random
    assert all(1e-5 < abs(gain - exact) < 4 * np.spacing(np.float32(1e4 / 3)) for gain in seen)


def test_arrays_that_numpy_computes_are_rounded_before_they_are_subtracted(module):
    worth = module.Worth()
    exact = worth.logs()
    moved = np.zeros(3)
    for seed in range(32):
        with rounding([module], seed):
            moved = np.maximum(moved, np.abs(worth.logs() - exact))
    assert np.all(moved > np.spacing(np.float32(1.9)) / 2)  # by the last places of logarithms, which are about 1.9
    assert np.array_equal(worth.logs(), exact)


def test_what_is_computed_in_float32_goes_to_the_next_ones(module):
    worth = module.Worth()
    logs, total = worth.single()
    seen = [set() for _ in range(4)]
    for seed in range(64):
        with rounding([module], seed):
            others, sums = worth.single()
        assert others.dtype == sums.dtype == np.float32
        for place, (a, b) in enumerate(zip([*others, sums], [*logs, total], strict=True)):
            seen[place].add(round((float(a) - float(b)) / float(np.spacing(b))))
    assert seen == [{-1, 0, 1}] * 4


def test_all_that_is_computed_is_a_float32(module):
    worth = module.Worth()
    with rounding([module], 0):
        values = [worth.grow(), module.Worth.late(30), *worth.scaled()]
    assert all(float(np.float32(value)) == value for value in values)
    assert module.Worth.late(30) == sum([0.1] * 30)


def test_what_is_no_real_number_stays_what_it_is(module):
    with rounding([module], 0):
        assert module.Worth().same()  # the array itself, not a copy
        assert module.Worth().into()
        assert module.whole(2**40) == 2**41 + 1


def test_functions_are_themselves_again_even_after_an_error(module):
    before = module.Worth.grow.__code__
    with suppress(ZeroDivisionError), rounding([module], 0):
        assert module.Worth.grow.__code__ is not before
        raise ZeroDivisionError
    assert module.Worth.grow.__code__ is before
