"""Who can be played against."""

import jax
import jax.numpy as jnp


def greedy(key: jax.Array, obs: jax.Array, legal: jax.Array) -> jax.Array:
    """Take as many pebbles as possible from the first pile that has that many."""
    del key, obs
    order = jnp.array([6, 3, 0, 7, 4, 1, 8, 5, 2, 9])  # worst first; index of a move -> how much it is liked
    liked = jnp.zeros(10, jnp.int32).at[order].set(jnp.arange(10, dtype=jnp.int32))
    return jnp.argmax(jnp.where(legal, liked, -1)).astype(jnp.int32)
