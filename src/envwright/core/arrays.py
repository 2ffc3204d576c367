"""Arrays changed without scatter, where they are small: it is slow on CPU and keeps a rollout from being one kernel.

Such as boards and hands of cards: the whole array is looked at.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import kernels, writes

# Places up to which a list is moved by comparing each place with each: of 16, 0.09 us against 0.13 by scatter; of 24,
# 0.96 against 0.26; of 64, 29 against 0.9 (two cores, 4,096 lists). Shifts by powers of two are slower than both.
SHORT = 16

SMALL = 32

Index = Any  # integers and slices, known or traced, one for each axis from the first


def put(array: jax.Array, index: Index, value: Any, when: Any = True) -> jax.Array:
    """`array` with `value` at `index`, where `when` holds. Negative integers count from the end; one that is outside
    changes nothing."""
    where = index if isinstance(index, tuple) else (index,)
    plain = jnp.ndim(when) == 0 and not any(isinstance(part, slice) for part in where)
    if plain and array.size > SMALL and kernels.is_traced():
        return _put_in_turn(array, where, value, when)
    mask = jnp.asarray(when)
    inside = [np.arange(size) for size in array.shape]  # the places that are written to, by axis
    for axis, (part, size) in enumerate(zip(where, array.shape, strict=False)):
        place = inside[axis].reshape([-1 if a == axis else 1 for a in range(array.ndim)])
        if isinstance(part, slice):
            inside[axis] = inside[axis][part]
            mask = mask & np.isin(place, inside[axis])
        else:
            mask = mask & (place == jnp.where(jnp.asarray(part) < 0, part + size, part))
    new = jnp.asarray(value, array.dtype)
    if new.ndim:
        axes = [axis for axis in range(array.ndim) if axis >= len(where) or isinstance(where[axis], slice)]
        new = jnp.broadcast_to(new, [len(inside[axis]) for axis in axes])
        for axis, places in enumerate(inside[axis] for axis in axes):
            new = _spread(new, axis, places, array.shape[axes[axis]])
        new = jnp.expand_dims(new, [axis for axis in range(array.ndim) if axis not in axes])
    return jnp.where(mask, new, array)


def _spread(values: jax.Array, axis: int, places: np.ndarray, size: int) -> jax.Array:
    """The values of an axis at these places of a longer one; what is between them is anything."""
    if np.array_equal(places, np.arange(size)):
        return values
    if len(places) and np.array_equal(places, np.arange(places[0], places[0] + len(places))):
        room = [(0, 0, 0)] * values.ndim
        room[axis] = (int(places[0]), size - int(places[-1]) - 1, 0)
        return jax.lax.pad(values, jnp.zeros((), values.dtype), room)
    back = np.zeros(size, np.int32)
    back[places] = np.arange(len(places))
    return jnp.take(values, back, axis=axis)


def _put_in_turn(array: jax.Array, where: tuple[Any, ...], value: Any, when: Any) -> jax.Array:
    shape, rest = array.shape[: len(where)], array.shape[len(where) :]
    place, inside = jnp.int32(0), jnp.asarray(when)
    for size, part in zip(shape, where, strict=True):
        part = jnp.where(jnp.asarray(part) < 0, part + size, part)
        inside = inside & (part >= 0) & (part < size)
        place = place * size + part
    place = jnp.where(inside, place, 0).astype(jnp.int32)
    new = jnp.broadcast_to(jnp.asarray(value, array.dtype), rest)
    return writes.write(array.reshape(-1, *rest), place, new, inside).reshape(array.shape)


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
