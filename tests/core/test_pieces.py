"""Long functions are compiled in pieces, and compute what they did."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core import kernels, pieces
from envwright.core.jaxprs import operations
from envwright.core.pieces import in_pieces

STEPS = 160


@pytest.fixture(autouse=True)
def soon_long(monkeypatch):
    monkeypatch.setattr(pieces, "LONG", 300)
    monkeypatch.setattr(pieces, "PIECE", 40)


def shared(x):
    """Each number is used by the two that follow it: 2 operations a step, nothing of which can be left out."""
    a, b = x, x + 1
    for i in range(STEPS):
        a, b = b, (a ^ b) * (2 * i + 1)
    return a, b, {"kept": x}


def numbers():
    return jnp.arange(64, dtype=jnp.uint32)


def calls(function, *arguments):
    text = jax.jit(jax.vmap(function)).lower(*arguments).compile().as_text()
    assert text
    return text.count(" call("), len(text.splitlines())


def test_a_long_function_is_compiled_in_pieces_and_gives_the_same():
    found = jax.jit(jax.vmap(in_pieces(shared)))(numbers())
    jax.tree.map(np.testing.assert_array_equal, found, shared(numbers()))
    pieces_, lines = calls(in_pieces(shared), numbers())
    assert pieces_ == pytest.approx(2 * STEPS / pieces.PIECE, abs=2)
    assert lines < 20 * STEPS  # XLA computes little again


def test_a_short_function_stays_whole():
    assert calls(in_pieces(lambda x: (x + 1, x * 2)), numbers())[0] == 0


def test_a_function_that_is_not_compiled_stays_whole():
    seen = []

    def function(x):
        seen.append(x)
        return shared(jnp.asarray(x))

    in_pieces(function)(np.uint32(1))
    assert seen == [np.uint32(1)]


def test_within_a_kernel_a_function_stays_whole():
    with kernels.traced():
        jaxpr = jax.make_jaxpr(in_pieces(shared))(numbers())
    assert "jit" not in operations(jaxpr.jaxpr)


def test_constants_and_results_that_are_inputs_or_literals_survive():
    table = jnp.arange(8)

    def function(x):
        return table[shared(x)[0] % 8], x, 3, shared(x)[1] % 5

    found = jax.jit(jax.vmap(in_pieces(function)))(numbers())
    for a, b in zip(found, jax.vmap(function)(numbers()), strict=True):
        np.testing.assert_array_equal(a, b)


def test_pieces_can_be_differentiated():
    def function(x):
        for _ in range(STEPS):
            x = jnp.sin(x) + x * 0.5 - 0.1
        return x

    assert jax.jit(jax.grad(in_pieces(function)))(0.3) == pytest.approx(float(jax.jit(jax.grad(function))(0.3)))
