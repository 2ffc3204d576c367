"""Sets of cards as bits of a word, energy as bytes of two words, and choices among them."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.tcg_pocket.layout import CARDS

Word = jax.Array  # () uint32
EVERY_LOW, EVERY_HIGH = (
    np.uint32(0x7F7F7F7F),
    np.uint32(0x80808080),
)  # of each byte, all bits but the highest, and that one


def u32(value: Any) -> Word:
    return jnp.asarray(value).astype(jnp.uint32)


def i32(value: Any) -> jax.Array:
    return jnp.asarray(value).astype(jnp.int32)


def when(condition: jax.Array, new: Any, old: Any) -> Any:
    """`new` or `old`, leaf by leaf; a leaf that is the same in both leaves no operation."""
    return jax.tree.map(lambda a, b: b if a is b else jnp.where(condition, a, b), new, old)


def any_of(flags: Sequence[jax.Array]) -> jax.Array:
    found = flags[0]
    for flag in flags[1:]:
        found = found | flag
    return found


def total(values: Sequence[jax.Array]) -> jax.Array:
    found = values[0]
    for value in values[1:]:
        found = found + value
    return found


def pick(values: Sequence[jax.Array], index: jax.Array) -> jax.Array:
    """The value at `index`; the last one if there is none."""
    found = values[-1]
    for i in reversed(range(len(values) - 1)):
        found = jnp.where(index == i, values[i], found)
    return found


def share(word: Word, n: jax.Array) -> jax.Array:
    """R12.2: one of n < 65536, floor(word * n / 2**32)."""
    n = u32(n)
    high, low = word >> 16, word & jnp.uint32(0xFFFF)
    return i32((high * n + (low * n >> 16)) >> 16)


def size(bits: Word) -> jax.Array:
    """How many are in a set."""
    return i32(jax.lax.population_count(bits))


def bit(k: jax.Array, there: jax.Array | bool = True) -> Word:
    """The set of one card, or none."""
    return u32(there) << u32(k)


def has(bits: Word, k: jax.Array | int) -> jax.Array:
    return ((bits >> u32(k)) & 1) != 0


def filled(there: jax.Array, bits: Word) -> Word:
    """A set, or none."""
    return jnp.where(there, bits, jnp.uint32(0))


def nth(bits: Word, n: jax.Array) -> jax.Array:
    """The n-th of a set in ascending order, from 0: by halves of what is left."""
    at = jnp.int32(0)
    for half in (16, 8, 4, 2, 1):
        before = size((bits >> u32(at)) & jnp.uint32((1 << half) - 1))
        beyond = n >= before
        n = jnp.where(beyond, n - before, n)
        at = jnp.where(beyond, at + half, at)
    return at


def lowest(bits: Word) -> Word:
    """The lowest one of a set, as a set."""
    return bits & (jnp.uint32(0) - bits)


def index(one: Word) -> jax.Array:
    """The card of a set of one; 32 of none."""
    return size(one - jnp.uint32(1))


def ascending(bits: Word) -> jax.Array:
    """(20,) uint32: k + 1 of the cards of a set, ascending; behind them anything."""
    found, left = [], bits
    for _ in range(CARDS):
        one = lowest(left)
        left = left & ~one
        found.append(u32(index(one)) + 1)
    return jnp.stack(found)


# ---- energy: bytes by type, 0 to 3 in the first word and 4 to 7 in the second ----

Units = tuple[Word, Word]


def unit(type: jax.Array, n: jax.Array) -> Units:
    """n units of a type."""
    first, second = u32(n) << (u32(type & 3) << 3), type < 4
    return filled(second, first), filled(~second, first)


def plus(one: Units, other: Units) -> Units:
    return one[0] + other[0], one[1] + other[1]


def minus(one: Units, other: Units) -> Units:
    return one[0] - other[0], one[1] - other[1]


def units_of(units: Units, type: jax.Array | int) -> jax.Array:
    """How many of a type there are."""
    if isinstance(type, int):
        return i32((units[type // 4] >> (8 * (type % 4))) & jnp.uint32(255))
    return i32((jnp.where(type < 4, units[0], units[1]) >> (u32(type & 3) << 3)) & jnp.uint32(255))


def count(units: Units) -> jax.Array:
    """How many of all types; of two bytes added, no sum is cut off."""
    pairs = [(word & jnp.uint32(0x00FF00FF)) + ((word >> 8) & jnp.uint32(0x00FF00FF)) for word in units]
    both = pairs[0] + pairs[1]
    return i32((both & jnp.uint32(0xFFFF)) + (both >> 16))


def kinds(units: Units) -> Units:
    """1 in each byte that is not 0."""
    return tuple((((word & EVERY_LOW) + EVERY_LOW | word) & EVERY_HIGH) >> 7 for word in units)  # pyright: ignore


def _at_most_127(word: Word) -> Word:
    high = (word & EVERY_HIGH) >> 7
    return (word | high * jnp.uint32(127)) & EVERY_LOW


def reaches(units: Units, needed: Units) -> jax.Array:
    """Whether there is as much of every type; what is needed is below 128."""
    enough = [
        (((_at_most_127(have) | EVERY_HIGH) - need) & EVERY_HIGH) == EVERY_HIGH
        for have, need in zip(units, needed, strict=True)
    ]
    return enough[0] & enough[1]
