"""Writing to a place of an array, in each game of a batch in turn.

In a kernel of many games (`execute.one_kernel`), a vector holds one number of each of them. A write to a place that
differs from game to game has to look at all places of the array then, with a mask. For large ones it is faster to go
through the games and store a number in each: a board of 700 places takes 5 ns a game instead of 50 to 250.
Outside of a kernel each turn of such a loop is a call, so there it is masks again (`arrays.put`).
"""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

NAME = "write_in_lanes"
_write = Primitive(NAME)


def write(array: jax.Array, place: jax.Array, value: jax.Array, when: jax.Array) -> jax.Array:
    """`array` with `value` at `place` of its first axis, where `when` holds. The place is inside of it."""
    return _write.bind(array, place, value, when)


def masked(array: jax.Array, place: jax.Array, value: jax.Array, when: jax.Array) -> jax.Array:
    """The same, of one game, as a function that can be differentiated."""
    hit = when & (jnp.arange(len(array)) == place)
    return jnp.where(hit.reshape(-1, *[1] * value.ndim), value, array)


def _batched(args: Sequence[jax.Array], axes: Sequence[int | None]) -> tuple[jax.Array, int]:
    """Games come last. A place that is the same in all of them keeps an axis of one."""
    both = list(zip(args, axes, strict=True))
    games = next(arg.shape[axis] for arg, axis in both if axis is not None)
    moved = [arg[..., None] if axis is None else jnp.moveaxis(arg, axis, -1) for arg, axis in both]
    array, place, value, when = moved
    array, value = (jnp.broadcast_to(one, (*one.shape[:-1], games)) for one in (array, value))
    return _write.bind(array, place, value, when), array.ndim - 1


def _in_turn(array: jax.Array, place: jax.Array, value: jax.Array, when: jax.Array) -> jax.Array:
    batch = array.shape[array.ndim - place.ndim :]
    if math.prod(place.shape) == 1:  # the same in all games: a row of numbers is written at once
        at = place.reshape(())
        old = jax.lax.dynamic_index_in_dim(array, at, keepdims=False)
        return jax.lax.dynamic_update_index_in_dim(array, jnp.where(when, value, old), at, 0)
    games = math.prod(batch)
    places, whens = (jnp.broadcast_to(one, batch).reshape(games) for one in (place, when))
    # Without an axis of one number, for which XLA would find two layouts to be different, and copy the table.
    row = [-1] if value.ndim > place.ndim else []
    table, values = array.reshape(len(array), *row, games), value.reshape(1, *row, games)

    def one(game: jax.Array, table: jax.Array) -> jax.Array:
        at = (places[game], *[jnp.int32(0) for _ in row], game)
        old = jax.lax.dynamic_slice(table, at, (1, *table.shape[1:-1], 1))
        new = jax.lax.dynamic_slice_in_dim(values, game, 1, table.ndim - 1)
        return jax.lax.dynamic_update_slice(table, jnp.where(whens[game], new, old), at)

    return jax.lax.fori_loop(0, games, one, table).reshape(array.shape)


_write.def_impl(_in_turn)
_write.def_abstract_eval(lambda array, place, value, when: array)
batching.primitive_batchers[_write] = _batched
mlir.register_lowering(_write, mlir.lower_fun(_in_turn, multiple_results=False))
ad.primitive_jvps[_write] = lambda primals, tangents: jax.jvp(
    masked, primals, [ad.instantiate_zeros(t) for t in tangents]
)
