"""Single operations of a batch whose games are along the last axis, where `jax.vmap` would move them to the first.

A rule gets the operation, its values and which of them have an axis of games; or None if it leaves it to `jax.vmap`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import JaxprEqn
from jax.lax import GatherDimensionNumbers, GatherScatterMode

from envwright.core import kernels

Values = list[Any]
Flags = list[bool]  # which of the values differ from game to game, and have an axis of games
Join = Callable[[Any, Any], jax.Array]
MANY = 32  # places of an array from which on a sum of them goes through all games at once; Seaquest's lists of 8 do not
LONGEST_SORTED = 64  # numbers that are sorted by comparing each with each
Rule = Callable[[JaxprEqn, Values, Flags, int], jax.Array | list[jax.Array] | None]


def wide(value: Any, games: int) -> jax.Array:
    """The same in all games, with an axis of them."""
    value = jnp.asarray(value)
    return jnp.broadcast_to(value[..., None], (*value.shape, games))


def widened(values: Values, flags: Flags, wanted: Flags, games: int) -> Values:
    """With an axis of games where it is wanted."""
    return [wide(v, games) if want and not has else v for v, has, want in zip(values, flags, wanted, strict=True)]


def _reshape(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array:
    return values[0].reshape(*equation.params["new_sizes"], games)


def _broadcast(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array | None:
    if len(values) > 1:  # of a size that is known only later
        return None
    shape, axes = equation.params["shape"], equation.params["broadcast_dimensions"]
    return jax.lax.broadcast_in_dim(values[0], (*shape, games), (*axes, len(shape)))


def _concatenate(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array:
    return jax.lax.concatenate(widened(values, flags, [True] * len(values), games), equation.params["dimension"])


def _select(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array:
    which, *cases = widened(values, flags, [True] * len(values), games)
    return jax.lax.select_n(jnp.broadcast_to(which, cases[0].shape), *cases)


def _of_each_number(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array:
    """Of two arrays, or of a number and an array, such as `x + 1` of a board."""
    first, second = widened(values, flags, [True, True], games)
    shape = jnp.broadcast_shapes(first.shape, second.shape)
    return equation.primitive.bind(*(jnp.broadcast_to(v, shape) for v in (first, second)), **equation.params)


def _of_one(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array:
    """Of each number by itself. `jax.vmap` finds the same, but takes most of the time that tracing a step takes."""
    return equation.primitive.bind(values[0], **equation.params)


def _slice(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array:
    params = equation.params
    strides = params["strides"] or (1,) * len(params["start_indices"])
    return jax.lax.slice(values[0], (*params["start_indices"], 0), (*params["limit_indices"], games), (*strides, 1))


def _squeeze(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array:
    return jax.lax.squeeze(values[0], equation.params["dimensions"])


def _gather(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array:
    """A look into a table, into an array of each game at the same places, or at places of its own."""
    array, places = values
    numbers, sizes, rank = equation.params["dimension_numbers"], equation.params["slice_sizes"], array.ndim - flags[0]
    if flags[1]:
        places = jnp.moveaxis(places, -1, -2)  # behind them is only which axis a place is on
    if flags == [True, True]:
        numbers = numbers._replace(
            operand_batching_dims=(*numbers.operand_batching_dims, rank),
            start_indices_batching_dims=(*numbers.start_indices_batching_dims, places.ndim - 2),
        )
        sizes = (*sizes, 1)
    elif flags[0]:
        behind = len(numbers.offset_dims) + places.ndim - 1  # the last axis of what is found
        numbers = numbers._replace(offset_dims=(*numbers.offset_dims, behind))
        sizes = (*sizes, games)
    rest = {name: equation.params[name] for name in ("indices_are_sorted", "unique_indices", "mode", "fill_value")}
    return jax.lax.gather(array, places, numbers, sizes, **rest)


def _dynamic_slice(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array | None:
    array, *starts = values
    sizes = equation.params["slice_sizes"]
    if len(starts) != len(sizes) or not flags[0]:
        return None
    if not any(flags[1:]):
        return jax.lax.dynamic_slice(array, [*starts, jnp.zeros_like(starts[0])], [*sizes, games])
    axes = tuple(range(len(sizes)))
    numbers = GatherDimensionNumbers(
        axes, (), axes, operand_batching_dims=(len(sizes),), start_indices_batching_dims=(0,)
    )
    places = jnp.stack(widened(starts, flags[1:], [True] * len(starts), games), axis=-1)
    return jax.lax.gather(array, places, numbers, (*sizes, 1), mode=GatherScatterMode.CLIP)


def _dynamic_update_slice(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array | None:
    array, part, *starts = widened(values, flags, [True, True, *flags[2:]], games)
    if not any(flags[2:]):
        return jax.lax.dynamic_update_slice(array, part, [*starts, jnp.zeros_like(starts[0])])
    if not kernels.is_traced():
        return None
    each = jnp.stack(widened(starts, flags[2:], [True] * len(starts), games))

    def of_one(game: jax.Array, array: jax.Array) -> jax.Array:
        mine = jax.lax.dynamic_slice_in_dim(part, game, 1, axis=-1)
        return jax.lax.dynamic_update_slice(array, mine, [*each[:, game], game.astype(each.dtype)])

    return jax.lax.fori_loop(0, games, of_one, array)


_JOINS: dict[str, Join] = {
    "reduce_sum": jax.lax.add,
    "reduce_prod": jax.lax.mul,
    "reduce_max": jax.lax.max,
    "reduce_min": jax.lax.min,
    "reduce_or": jax.lax.bitwise_or,
    "reduce_and": jax.lax.bitwise_and,
}


def _reduce(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array | None:
    (array,), axes = values, equation.params["axes"]
    if not kernels.is_traced() or math.prod(array.shape[axis] for axis in axes) < MANY:
        return None
    return _fold(_JOINS[equation.primitive.name], array, axes)


def _fold(join: Join, array: jax.Array, axes: Sequence[int]) -> jax.Array:
    """A sum, a largest, a smallest of each game: place after place, of all games at once.

    In a kernel, XLA goes through the places of one game, then of the next, in steps as long as there are games, and
    without vectors: the count of bricks in Breakout took half of a step. The order of the places is XLA's, so that sums
    of real numbers are. Written out, by halves of halves, they are computed again wherever they are used.
    """
    front = jnp.moveaxis(array, axes, range(len(axes)))
    rows = front.reshape(-1, *front.shape[len(axes) :])
    at = lambda i: jax.lax.dynamic_index_in_dim(rows, i, keepdims=False)  # noqa: E731
    return jax.lax.fori_loop(1, len(rows), lambda i, so_far: join(so_far, at(i)), rows[0])


def _first(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> jax.Array | None:
    """`argmax` and `argmin`, at which XLA dies in some kernels: the first place that holds the best."""
    if not kernels.is_traced():
        return None
    (array,), (axis,) = values, equation.params["axes"]
    best = (jnp.max if equation.primitive.name == "argmax" else jnp.min)(array, axis=axis, keepdims=True)
    hit = (array == best) | (array != array)  # what is not a number comes before all others
    places = jax.lax.broadcasted_iota(equation.params["index_dtype"], array.shape, axis)
    return jnp.min(jnp.where(hit, places, array.shape[axis]), axis=axis)


def _sort(equation: JaxprEqn, values: Values, flags: Flags, games: int) -> list[jax.Array] | None:
    """Of a short array, for XLA has no sort within a kernel: it is counted how many come before each."""
    axis, keys = equation.params["dimension"], equation.params["num_keys"]
    arrays = [jnp.moveaxis(v, axis, 0) for v in widened(values, flags, [True] * len(values), games)]
    if not kernels.is_traced() or len(arrays[0]) > LONGEST_SORTED:
        return None
    place = jnp.arange(len(arrays[0])).reshape(-1, *[1] * (arrays[0].ndim - 1))
    before = place[:, None] < place[None]  # the first before the second: of equal ones, as they stand
    for key in reversed(arrays[:keys]):
        first, second = key[:, None], key[None]
        less = (first < second) | ((second != second) & (first == first))  # what is not a number comes last
        same = (first == second) | ((second != second) & (first != first))
        before = less | (same & before)
    rank = jnp.sum(before, axis=0, dtype=jnp.int32)
    order = jnp.sum(jnp.where(rank[None] == place[:, None], place[None], 0), axis=1)
    return [jnp.moveaxis(jnp.take_along_axis(array, order, 0), 0, axis) for array in arrays]


PAIRS = (
    *("add", "sub", "mul", "div", "rem", "max", "min", "pow", "atan2"),
    *("and", "or", "xor", "eq", "ne", "lt", "le", "gt", "ge"),
    *("shift_left", "shift_right_logical", "shift_right_arithmetic"),
)
SINGLES = ("not", "neg", "abs", "sign", "convert_element_type", "population_count", "clz")

RULES: dict[str, Rule] = {
    **dict.fromkeys(PAIRS, _of_each_number),
    **dict.fromkeys(SINGLES, _of_one),
    **dict.fromkeys(_JOINS, _reduce),
    "sort": _sort,
    "argmax": _first,
    "argmin": _first,
    "reshape": _reshape,
    "broadcast_in_dim": _broadcast,
    "concatenate": _concatenate,
    "select_n": _select,
    "slice": _slice,
    "squeeze": _squeeze,
    "gather": _gather,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
