"""Adam with a bound on the gradient's length."""

from typing import Any

import jax
import jax.numpy as jnp

from envwright.core.record import Record

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-5  # epsilon as in the PPO paper's code


class Moments(Record):
    """What Adam remembers of past gradients."""

    first: Any
    second: Any
    count: jax.Array  # () int32, steps taken


def no_moments(params: Any) -> Moments:
    return Moments(jax.tree.map(jnp.zeros_like, params), jax.tree.map(jnp.zeros_like, params), jnp.int32(0))


def length(tree: Any) -> jax.Array:
    """The length of all of a tree as one vector."""
    return jnp.sqrt(sum((leaf * leaf).sum() for leaf in jax.tree.leaves(tree)))


def step(
    params: Any, gradient: Any, moments: Moments, rate: jax.Array, max_norm: float
) -> tuple[Any, Moments, jax.Array]:
    """One step downhill; the third value is the length of the gradient before it was cut."""
    norm = length(gradient)
    scale = jnp.minimum(jnp.float32(1), max_norm / (norm + jnp.float32(1e-6)))
    count = moments.count + 1
    time = count.astype(jnp.float32)
    unbias1, unbias2 = 1 - jnp.float32(BETA1) ** time, 1 - jnp.float32(BETA2) ** time

    first = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * (g * scale), moments.first, gradient)
    second = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * (g * scale) ** 2, moments.second, gradient)
    params = jax.tree.map(
        lambda p, m, v: p - rate * (m / unbias1) / (jnp.sqrt(v / unbias2) + EPSILON), params, first, second
    )
    return params, Moments(first, second, count), norm
