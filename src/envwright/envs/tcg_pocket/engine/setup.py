"""A new game (spec.md, section 2), given its draws."""

from math import comb

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Record
from envwright.envs.tcg_pocket.decks import Deck
from envwright.envs.tcg_pocket.engine.ending import next_energy
from envwright.envs.tcg_pocket.engine.rows import look_up
from envwright.envs.tcg_pocket.engine.shuffling import shuffled
from envwright.envs.tcg_pocket.engine.table import K
from envwright.envs.tcg_pocket.engine.words import Word, any_of, ascending, bit, filled, i32, nth, share, size, u32
from envwright.envs.tcg_pocket.layout import (
    BASIC_FIRST,
    CARDS,
    FIELDS,
    IN_HAND,
    OPENING,
    SETUP_ACTIVE,
    PocketFlags,
)
from envwright.envs.tcg_pocket.state import State


class StartDraws(Record):
    """The random words of a start (R12.4)."""

    decks: jax.Array  # (2,) uint32
    first: jax.Array  # () uint32
    opening: jax.Array  # (2,) uint32
    shuffles: jax.Array  # (2, 20) uint32
    zones: jax.Array  # (2,) uint32


class Pool(Record):
    """Decks to draw from, a row each."""

    cards: np.ndarray  # (n, 20) uint16
    types: np.ndarray  # (n,) uint8
    basics: np.ndarray  # (n,) uint32, the set of its Basic Pokemon


def pool_of(decks: tuple[Deck, ...]) -> Pool:
    return Pool(
        cards=np.array([deck.cards for deck in decks], np.uint16),
        types=np.array([sum(1 << type for type in deck.types) for deck in decks], np.uint8),
        basics=np.array([sum(1 << k for k in deck.basics) for deck in decks], np.uint32),
    )


def start(draws: StartDraws, pool: Pool, flags: PocketFlags) -> State:
    """R2.3 to R2.6: both have a hand, and who is first puts an Active down."""
    first = 1 - i32(draws.first & 1)
    number = share(draws.decks, jnp.int32(len(pool.types)))
    types = look_up(pool.types, number)
    dealt = [_dealt(look_up(pool.basics, number[player]), draws.opening[player], draws.shuffles[player], flags)
             for player in (0, 1)]  # fmt: skip
    made = {
        "cards": look_up(pool.cards, number),
        "types": types,
        "where": jnp.stack([((hand >> K) & 1) * IN_HAND for hand, _ in dealt]),
        "deck": jnp.stack([deck for _, deck in dealt]),
        "zone_next": next_energy(types, draws.zones),
    }
    zero = {name: jnp.zeros(shape, dtype) for name, (shape, dtype) in FIELDS.items()}
    game = {"first": first, "player": first, "actor": first, "pending": jnp.int32(SETUP_ACTIVE)}
    return State(
        **zero
        | {name: both.astype(zero[name].dtype) for name, both in made.items()}
        | {name: one.astype(zero[name].dtype) for name, one in game.items()}
    )


def _dealt(basics: Word, opening: Word, keys: jax.Array, flags: PocketFlags) -> tuple[Word, jax.Array]:
    """The hand as a set, and the deck."""
    if flags.opening_hand == BASIC_FIRST:
        certain, n = bit(nth(basics, share(opening, size(basics)))), 1  # R2.4
    else:
        certain, n = _any_hand(basics, opening), OPENING  # R2.5
    whole, top = CARDS - n, CARDS - OPENING
    row = shuffled(ascending(~certain), keys, whole)
    drawn = [row[i] for i in range(top, whole)]
    hand = any_of([certain, *((jnp.uint32(1) << card) >> 1 for card in drawn)])
    return hand, jnp.where(np.arange(CARDS) < top, row, jnp.uint32(0))


def _any_hand(basics: Word, word: Word) -> Word:
    """R2.5: one of the sets of five with a Basic Pokemon, in lexicographic order of a list with those first. Counted
    down: behind it come those that leave the first card out."""
    b = size(basics)
    whole = np.array([comb(CARDS, OPENING) - comb(CARDS - n, OPENING) for n in range(CARDS + 1)], np.int32)
    number = share(word, look_up(whole, b))
    ways = np.array([[comb(left, need) for need in range(OPENING + 1)] for left in range(CARDS)], np.int32)
    need, chosen = jnp.full_like(number, OPENING), jnp.zeros_like(basics)
    for at in range(CARDS):
        # Of the hands so far, those that take the card at this place of the list come first.
        with_it = jnp.where(need > 0, look_up(ways[CARDS - 1 - at], jnp.maximum(need - 1, 0)), 0)
        takes = (need > 0) & (number < with_it)
        chosen = chosen | filled(takes, jnp.uint32(1 << at))
        number = jnp.where(takes, number, number - with_it)
        need = need - i32(takes)
    hand, before = jnp.zeros_like(basics), jnp.zeros_like(number)
    for k in range(CARDS):
        basic = ((basics >> k) & 1) != 0
        place = jnp.where(basic, before, b + k - before)
        hand = hand | (((chosen >> u32(place)) & 1) << k)
        before = before + i32(basic)
    return hand
