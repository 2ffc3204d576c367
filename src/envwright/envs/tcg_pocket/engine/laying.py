"""Arrays out of numbers. In a kernel each number is stored at its place: where numbers are stacked, XLA writes all that
leads to each of them down once more, in a branch of its own (for units of energy alone, three quarters of the code)."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import kernels, writes
from envwright.core.arrays import put


def laid(values: Sequence[jax.Array], dtype: Any) -> jax.Array:
    """Numbers, or arrays of one shape, one after the other."""
    if not kernels.is_traced():
        return jnp.stack(values).astype(dtype)
    found = jnp.zeros((len(values), *values[0].shape), dtype)
    for place, value in enumerate(values):
        found = jax.lax.dynamic_update_slice_in_dim(found, value.astype(dtype)[None], place, 0)
    return found


def joined(parts: Sequence[jax.Array], dtype: Any) -> jax.Array:
    """Lists of any lengths, one after the other."""
    if not kernels.is_traced():
        return jnp.concatenate([jnp.ravel(part).astype(dtype) for part in parts])
    found, at = jnp.zeros(sum(part.size for part in parts), dtype), 0
    for part in parts:
        found = jax.lax.dynamic_update_slice_in_dim(found, part.reshape(-1).astype(dtype), at, 0)
        at += part.size
    return found


def to_front(numbers: Sequence[jax.Array], keep: Sequence[jax.Array]) -> list[jax.Array]:
    """Of each list those to keep, in their order, then 0."""
    lists = len(numbers)

    def turn(k: jax.Array, so_far: tuple[list[jax.Array], list[jax.Array]]) -> tuple[list[jax.Array], list[jax.Array]]:
        found, places = list(so_far[0]), list(so_far[1])
        for i in range(lists):
            number, kept = (jax.lax.dynamic_index_in_dim(one[i], k, keepdims=False) for one in (numbers, keep))
            if kernels.is_traced():
                found[i] = writes.write(found[i], places[i], number, kept)
            else:
                found[i] = put(found[i], places[i], number, kept)
            places[i] = places[i] + kept.astype(jnp.int32)
        return found, places

    start = [jnp.zeros_like(one) for one in numbers], [jnp.int32(0)] * lists
    return jax.lax.fori_loop(0, len(numbers[0]), turn, start)[0]
