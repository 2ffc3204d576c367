"""Steps of a JAX environment whose speed is not known beforehand, as a thing to be timed."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from envwright.bench.job import Part


def batch_steps(one_step: Callable[[Any, jax.Array], Any], first: Any, num_envs: int) -> Part:
    """A call is a step of the batch, `carry = one_step(carry, key)`, and all calls of a turn are one program.

    How many is an argument of that program: libraries differ by a factor of a thousand in what a step takes, and a
    number that is compiled in would be too small for one and too large for the other.
    """

    @jax.jit
    def run(carry: Any, key: jax.Array, steps: jax.Array) -> Any:
        after = jax.lax.fori_loop(0, steps, lambda i, carry: one_step(carry, jax.random.fold_in(key, i)), carry)
        return _strong(after)

    # On a device all of it, as what a step returns is: a mixture would compile the second turn again.
    last = [jax.device_put(_strong(first), jax.devices()[0])]
    turns = [0]

    def go(calls: int) -> int:
        turns[0] += 1
        last[0] = run(last[0], jax.random.key(turns[0]), jnp.int32(calls))
        jax.block_until_ready(last[0])
        return calls * num_envs

    return go


def _strong(tree: Any) -> Any:
    """Without weak types: steps make weak ones strong and strong ones weak, and either would compile them again."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.asarray(leaf).dtype), tree)
