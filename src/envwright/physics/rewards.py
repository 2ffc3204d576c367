"""What Gymnasium's environments charge for an action."""

from functools import reduce

import jax
import jax.numpy as jnp

from envwright.core.numerics import multiply


def control_cost(action: jax.Array, weight: jax.Array) -> jax.Array:
    """`weight` times the sum of squares, in float32 throughout: NumPy computes it in the type of the action."""
    squares = [multiply(a, a) for a in action.astype(jnp.float32)]
    return multiply(weight.astype(jnp.float32), reduce(jnp.add, squares))
