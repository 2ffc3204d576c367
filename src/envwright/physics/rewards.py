"""What Gymnasium's environments reward and charge for."""

from functools import reduce

import jax
import jax.numpy as jnp

from envwright.core.numerics import multiply
from envwright.physics.integrate import Advance, Motion
from envwright.physics.model import Model


def control_cost(action: jax.Array, weight: jax.Array) -> jax.Array:
    """`weight` times the sum of squares, in the type of the action, as NumPy computes it."""
    squares = [multiply(a, a) for a in action]
    return multiply(weight.astype(action.dtype), reduce(jnp.add, squares))


def forward_velocity(model: Model, before: Motion, step: Advance) -> jax.Array:
    """Of the first joint, over a step: the difference of its positions, which is how the reference rounds in float64.
    In float32, where that would leave few digits far from the origin, the sum of its displacements."""
    exact = before.qpos.dtype == jnp.float64
    distance = step.motion.qpos[0] - before.qpos[0] if exact else step.moved[0]
    return distance / model.dt
