"""What Gymnasium's environments charge for an action."""

from functools import reduce

import jax
import jax.numpy as jnp

from envwright.core.numerics import multiply


def control_cost(action: jax.Array, weight: jax.Array) -> jax.Array:
    """`weight` times the sum of squares, in the type of the action, as NumPy computes it."""
    squares = [multiply(a, a) for a in action]
    return multiply(weight.astype(action.dtype), reduce(jnp.add, squares))
