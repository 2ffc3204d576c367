"""Arrays changed without scatter, where they are small: it is slow on CPU and keeps a rollout from being one kernel.

Such as boards and hands of cards: the whole array is looked at.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

# Places up to which a list is moved by comparing each place with each: of 16, 0.09 us against 0.13 by scatter; of 24,
# 0.96 against 0.26; of 64, 29 against 0.9 (two cores, 4,096 lists). Shifts by powers of two are slower than both.
SHORT = 16

Index = Any  # integers and slices, known or traced, one for each axis from the first


def put(array: jax.Array, index: Index, value: Any, when: Any = True) -> jax.Array:
    """`array` with `value` at `index`, where `when` holds. Negative integers count from the end; one that is outside
    changes nothing."""
    where = index if isinstance(index, tuple) else (index,)
    mask, axes, whole = jnp.asarray(when), [], True
    for axis, part in enumerate(where):
        size = array.shape[axis]
        place = np.arange(size).reshape([-1 if a == axis else 1 for a in range(array.ndim)])
        if isinstance(part, slice):
            axes.append(axis)
            if part != slice(None):  # backwards, it is not whole: values go in the other way round
                inside = np.zeros(size, bool)
                inside[part] = True
                whole = whole and part.step in (None, 1) and bool(inside.all())
                mask = mask & inside[place]
        else:
            part = jnp.where(jnp.asarray(part) < 0, part + size, part)
            mask = mask & (place == part)
    axes += range(len(where), array.ndim)
    new = jnp.asarray(value, array.dtype)
    if new.ndim:
        if not whole:
            return jnp.where(when, array.at[index].set(new), array)
        new = jnp.broadcast_to(new, [array.shape[axis] for axis in axes])
        new = jnp.expand_dims(new, [axis for axis in range(array.ndim) if axis not in axes])
    return jnp.where(mask, new, array)


def select(conditions: Sequence[Any], values: Sequence[Any], otherwise: Any) -> jax.Array:
    """The value of the first condition that holds, or else `otherwise`; of no more than a few. `jnp.select` asks which
    is first by a reduction, at which XLA dies in some rollouts of one kernel."""
    found = otherwise
    for condition, value in zip(reversed(conditions), reversed(values), strict=True):
        found = jnp.where(condition, value, found)
    return found


def compact(values: jax.Array, keep: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The values to keep, moved to the front in their order with zeros behind them, and how many they are."""
    room, count = len(values), jnp.sum(keep, dtype=jnp.int32)
    place = jnp.cumsum(keep) - 1
    if room > SHORT:
        outside = jnp.where(keep, place, room)
        return jnp.zeros_like(values).at[outside].set(values, mode="drop"), count
    hit = keep[None, :] & (place[None, :] == jnp.arange(room)[:, None])  # row i: which value comes to place i
    hit = hit.reshape(hit.shape + (1,) * (values.ndim - 1))
    return jnp.sum(jnp.where(hit, values, 0), axis=1, dtype=values.dtype), count
