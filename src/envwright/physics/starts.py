"""How an episode begins: at rest, with noise."""

import jax
import jax.numpy as jnp

from envwright.core.record import Record
from envwright.physics.integrate import Motion
from envwright.physics.model import Model


class Noise(Record):
    """The random draws of a start."""

    qpos: jax.Array  # (joints,) added to the positions at rest
    qvel: jax.Array  # (joints,) the velocities, or what these are made of


def draw_uniform(model: Model, key: jax.Array, scale: jax.Array) -> jax.Array:
    """A number for each joint, between `-scale` and `scale`."""
    return jax.random.uniform(key, (model.dofs,), jnp.result_type(scale), -scale, scale)


def draw_normal(model: Model, key: jax.Array, scale: jax.Array) -> jax.Array:
    """A standard normal number for each joint, of the type of `scale`."""
    return jax.random.normal(key, (model.dofs,), jnp.result_type(scale))


def begin(model: Model, noise: jax.Array, qvel: jax.Array) -> Motion:
    """A body at rest, moved by `noise`, at given velocities; the solver starts from no acceleration."""
    rest = jnp.asarray([joint.rest for joint in model.joints], noise.dtype)
    return Motion(rest + noise, qvel, jnp.zeros_like(qvel))
