"""What is written differently for a kernel of many games comes to the same there."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from lockstep import random_states, stacked

from envwright.core import execute, lanes
from envwright.envs.tcg_pocket.engine.laying import joined, laid
from envwright.envs.tcg_pocket.observation import observe

GAMES = 64


def in_a_kernel(function: Callable[..., Any], batch: Any) -> Any:
    """`function` of each game, compiled as one kernel; games are along the first axis outside."""
    last = jax.tree.map(lambda leaf: jnp.moveaxis(jnp.asarray(leaf), 0, -1), batch)

    def once(batch: Any) -> Any:
        shape = jax.eval_shape(lambda: lanes.each(function, batch))
        zero = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shape)
        return jax.lax.fori_loop(0, 2, lambda _, made: lanes.each(function, batch), zero)

    made = jax.jit(execute.one_kernel(once), compiler_options=execute.compiler_options())(last)
    return jax.tree.map(lambda leaf: np.moveaxis(np.asarray(leaf), -1, 0), made)


def test_observations_are_the_same_in_a_kernel() -> None:
    states = stacked(random_states(GAMES, np.random.default_rng(5)))
    assert np.array_equal(in_a_kernel(observe, states), jax.vmap(observe)(states))


def test_numbers_are_laid_at_their_places() -> None:
    rng = np.random.default_rng(6)
    numbers = rng.integers(0, 100, (GAMES, 7)).astype(np.int32)

    def lay(row: jax.Array) -> tuple[jax.Array, jax.Array]:
        return laid([row[3], row[0], row[6]], jnp.uint8), joined([row[1:4], row[0], row[4:]], jnp.int16)

    one, two = in_a_kernel(lay, numbers)
    assert np.array_equal(one, numbers[:, [3, 0, 6]])
    assert np.array_equal(two, numbers[:, [1, 2, 3, 0, 4, 5, 6]])
