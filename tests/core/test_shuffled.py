"""A shuffle without sorting: every number once, every place equally likely, another key another order."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import envwright
from envwright.core.chance import random_order, shuffled

P = 1e-6  # as in test_chance.py: a perfect shuffle fails one of the checks here for one choice of keys in 10,000
KEYS = jax.random.split(envwright.key(7), 20_000)


def orders(n: int, many: int) -> np.ndarray:
    """(many, n), the orders of as many keys."""
    return np.asarray(jax.jit(jax.vmap(lambda key: shuffled(key, n)))(KEYS[:many]))


FEW = [*range(1, 18), 31, 32, 33, 63, 64, 65, 1000, 4096, 5000]


@pytest.mark.parametrize("sizes", [FEW, pytest.param([*range(18, 71)], marks=pytest.mark.slow)], ids=["few", "all"])
def test_every_number_comes_once_whatever_the_size(sizes: list[int]) -> None:
    # One program for all sizes, compiled without care: nearly all of the time goes into compiling.
    lowered = jax.jit(jax.vmap(lambda key: [shuffled(key, n) for n in sizes])).lower(KEYS[:3])
    careless: dict[str, str | bool] = {"xla_backend_optimization_level": "0"}
    found = lowered.compile(compiler_options=careless)(KEYS[:3])
    for n, order in zip(sizes, found, strict=True):
        assert order.dtype == jnp.int32
        assert np.array_equal(np.sort(order, axis=1), np.tile(np.arange(n), (3, 1)))


@pytest.mark.parametrize("n", [2, 5, 12, 33])
def test_every_place_is_equally_likely_for_every_number(n: int) -> None:
    drawn = orders(n, len(KEYS))
    for place in range(n):
        assert stats.chisquare(np.bincount(drawn[:, place], minlength=n)).pvalue > P / n


def test_neighbours_fall_apart() -> None:
    """Where one number lands says nothing about where the next one does: its distance is that of two random places."""
    n = 33
    places = np.argsort(orders(n, len(KEYS)), axis=1)
    apart = (places[:, 1:] - places[:, :-1]) % n
    # Only one distance of each key: those of one order depend on each other.
    assert stats.chisquare(np.bincount(apart[:, 16], minlength=n)[1:]).pvalue > P


def test_different_keys_give_different_orders() -> None:
    assert len(np.unique(orders(100, 500), axis=0)) == 500


def test_the_order_is_the_same_under_jit_and_vmap() -> None:
    together = orders(21, 3)
    for key, order in zip(KEYS[:3], together, strict=True):
        assert np.array_equal(shuffled(key, 21), order)
        assert np.array_equal(jax.jit(shuffled, static_argnums=1)(key, 21), order)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 17, 52])
def test_every_order_is_equally_likely(n: int) -> None:
    drawn = np.asarray(jax.jit(jax.vmap(lambda key: random_order(key, n)))(KEYS))
    assert drawn.dtype == np.int32
    assert np.array_equal(np.sort(drawn, axis=1), np.tile(np.arange(n), (len(KEYS), 1)))
    few = np.argsort(drawn[:, :5], axis=1)  # of many numbers, in which order the first five come
    seen = np.bincount(few @ (5 ** np.arange(few.shape[1])), minlength=1)
    assert stats.chisquare(np.pad(seen[seen > 0], (0, math.factorial(min(n, 5)) - (seen > 0).sum()))).pvalue > P
    for place in range(n):
        assert stats.chisquare(np.bincount(drawn[:, place], minlength=n)).pvalue > P / n
