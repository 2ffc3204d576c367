"""Shuffles by sorting (R12.3), as there is no sort within a kernel: neighbours are compared in turn.

20 rounds for 20 cards, as a loop: a network of fewer comparisons, written out, takes ten times as long to compile.
"""

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.tcg_pocket.layout import CARDS

LAST = np.uint32(0xFFFFFFFF)  # sorted behind all keys, for a card of that key has a lower number
NUMBER = 5  # bits of a card; its number in the sort is above them
PLACE = np.arange(CARDS, dtype=np.int32)

Pairs = tuple[jax.Array, jax.Array, jax.Array, jax.Array]  # keys and cards at even places, then at odd ones


def shuffled(row: jax.Array, keys: jax.Array, n: jax.Array | int) -> jax.Array:
    """(20,) uint32: the first n of a row in the order of their keys, of equal keys as they lie; then anything."""
    keyed = jnp.where(n > PLACE, keys, LAST)
    cards = row + (PLACE.astype(np.uint32) << NUMBER)

    def two_rounds(_: jax.Array, pairs: Pairs) -> Pairs:
        even, even_cards, odd, odd_cards = pairs
        even, even_cards, odd, odd_cards = _ordered(even, even_cards, odd, odd_cards)
        low, low_cards, high, high_cards = _ordered(odd[:-1], odd_cards[:-1], even[1:], even_cards[1:])
        join = jnp.concatenate
        return (
            join([even[:1], high]),
            join([even_cards[:1], high_cards]),
            join([low, odd[-1:]]),
            join([low_cards, odd_cards[-1:]]),
        )

    start = keyed[0::2], cards[0::2], keyed[1::2], cards[1::2]
    _, even, _, odd = jax.lax.fori_loop(0, CARDS // 2, two_rounds, start)
    return jnp.stack([even, odd], axis=1).reshape(CARDS) & np.uint32((1 << NUMBER) - 1)


def _ordered(a: jax.Array, x: jax.Array, b: jax.Array, y: jax.Array) -> Pairs:
    """Keys a and b with cards x and y, the lower ones first."""
    wrong = (a > b) | ((a == b) & (x > y))
    return jnp.minimum(a, b), jnp.where(wrong, y, x), jnp.maximum(a, b), jnp.where(wrong, x, y)
