"""The table as its rules look at it: scalars of the player who acts (`me`) and of the other (`foe`); taken from a
`State` and put back.

Me is who is on turn, in setup who is asked. Sets of cards are bits of a word, energy is bytes of two words
(`words.py`), so that most rules are a few operations on scalars, of which each is a row with an entry for every game.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Record
from envwright.envs.tcg_pocket.engine import rows
from envwright.envs.tcg_pocket.engine.laying import laid
from envwright.envs.tcg_pocket.engine.rows import Fields, look_up, unpacked
from envwright.envs.tcg_pocket.engine.words import Units, Word, any_of, i32, u32, when
from envwright.envs.tcg_pocket.layout import (
    CARDS,
    HEIGHT,
    IN_DECK,
    IN_DISCARD,
    IN_HAND,
    IN_PLAY,
    PLACES,
    SETUP_ACTIVE,
    SETUP_BENCH,
)
from envwright.envs.tcg_pocket.state import State

K = np.arange(CARDS, dtype=np.uint32)
STACK_BITS = 5  # of each card of a stack, k + 1

SETS = ("in_hand", "in_discard", "in_play", "known")
# Scalars of a side and of the game, by the names of the state; numbers are int32 and flags booleans here.
OF_SIDE = (
    "seen_top", "condition", "poisoned", "no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left",
    "dealt_less", "dealt_less_left", "taken_less", "taken_less_left", "guard", "guard_left", "lock_left", "avenged",
    "points", "zone_now", "zone_next", "types",
)  # fmt: skip
OF_GAME = (
    "first", "player", "turn", "pending", "actor", "stage", "source", "attack", "units", "supporter_used",
    "retreat_used", "boost", "boost_by", "retreat_change", "winner",
)  # fmt: skip


class Mon(Record):
    """A place, and the Pokemon on it if `there`; otherwise the rest means nothing."""

    there: jax.Array  # bool
    stack: Word  # k + 1 of its cards, Basic lowest
    damage: jax.Array
    energy: Units
    new: jax.Array  # bool
    used: jax.Array  # bool
    pokemon: Word  # of the top card: rows.POKEMON
    more: Word  # rows.MORE
    filters: Word  # rows.FILTER_WORDS

    @property
    def card(self) -> Fields:
        return unpacked(rows.POKEMON, self.pokemon)

    @property
    def rest(self) -> Fields:
        return unpacked(rows.MORE, self.more)

    @property
    def hp(self) -> jax.Array:
        return self.card.hp * 10

    @property
    def bits(self) -> Word:
        """Its cards as a set."""
        return any_of([(jnp.uint32(1) << one) >> 1 for one in self.cards])

    @property
    def cards(self) -> list[Word]:
        return [(self.stack >> (STACK_BITS * i)) & jnp.uint32(31) for i in range(HEIGHT)]

    def fits(self, number: jax.Array | int) -> jax.Array:
        """Whether it is there and passes a filter."""
        return self.there & (((self.filters >> u32(number)) & 1) != 0)

    def passive(self, name: str) -> jax.Array:
        """Whether it is there and has this ability."""
        return self.there & (self.card.passive == rows.PASSIVE.index(name))


Mons = tuple[Mon, Mon, Mon, Mon]


class PlayerSide(Record):
    """One player."""

    numbers: jax.Array  # (20,) int32, of its cards
    words: jax.Array  # (20,) uint32, rows.CARD of them
    row: tuple[Word, ...]  # k + 1 of the deck, from the bottom; above its top they mean nothing
    in_deck: Word
    in_hand: Word
    in_discard: Word
    in_play: Word
    known: Word
    mons: Mons
    seen_top: jax.Array
    condition: jax.Array
    poisoned: jax.Array
    no_attack_left: jax.Array
    no_retreat_left: jax.Array
    prevent_left: jax.Array
    needs_coin_left: jax.Array
    dealt_less: jax.Array
    dealt_less_left: jax.Array
    taken_less: jax.Array
    taken_less_left: jax.Array
    guard: jax.Array
    guard_left: jax.Array
    lock_left: jax.Array
    avenged: jax.Array
    points: jax.Array
    zone_now: jax.Array
    zone_next: jax.Array
    types: jax.Array

    @property
    def active(self) -> Mon:
        return self.mons[0]

    @property
    def bench(self) -> tuple[Mon, ...]:
        return self.mons[1:]


class PocketTable(Record):
    """Both sides and the game."""

    turned: jax.Array  # bool: me is player 1
    me: PlayerSide
    foe: PlayerSide
    first: jax.Array
    player: jax.Array
    turn: jax.Array
    pending: jax.Array
    actor: jax.Array
    stage: jax.Array
    source: jax.Array
    attack: jax.Array
    units: jax.Array
    supporter_used: jax.Array
    retreat_used: jax.Array
    boost: jax.Array
    boost_by: jax.Array
    retreat_change: jax.Array
    winner: jax.Array


def number_of(array: jax.Array) -> jax.Array:
    """A number as the rules compute with it."""
    return array if array.dtype == jnp.bool_ else i32(array)


def load(state: State) -> PocketTable:
    """The table of a state."""
    pending = i32(state.pending)
    in_setup = (pending == SETUP_ACTIVE) | (pending == SETUP_BENCH)
    turned = jnp.where(in_setup, state.actor, state.player) == 1
    sets = _sets(state)
    sides = []
    for side in (0, 1):
        mine = lambda array, side=side: jnp.where(turned, array[1 - side], array[side])  # noqa: E731
        sides.append(_side(state, mine, [mine(one) for one in sets]))
    game = {name: number_of(getattr(state, name)) for name in OF_GAME}
    return PocketTable(turned=turned, me=sides[0], foe=sides[1], **game)


def _sets(state: State) -> list[jax.Array]:
    """(2,) each: deck, hand, discard pile, play, known."""
    flags = [state.where == place for place in (IN_DECK, IN_HAND, IN_DISCARD, IN_PLAY)]
    return [as_set(flag) for flag in (*flags, state.known)]


def as_set(flags: jax.Array) -> jax.Array:
    """Flags of cards, along the last axis, as a set."""
    bits = u32(flags) << K.reshape((1,) * (flags.ndim - 1) + K.shape)
    return any_of([bits[..., k] for k in range(CARDS)])


def _side(state: State, mine: Any, sets: list[Word]) -> PlayerSide:
    numbers, row = i32(mine(state.cards)), u32(mine(state.deck))
    stack, energy = u32(mine(state.stack)), u32(mine(state.energy))
    damage, new, used = i32(mine(state.damage)), mine(state.new), mine(state.used)
    mons = []
    for place in range(PLACES):
        cards = [stack[place, i] for i in range(HEIGHT)]
        top = jnp.where(cards[2] > 0, cards[2], jnp.where(cards[1] > 0, cards[1], cards[0]))
        there = cards[0] > 0
        number = jnp.where(there, look_up(numbers, jnp.maximum(top, 1) - 1), 0)
        units = [any_of([energy[place, at + i] << (8 * i) for i in range(4)]) for at in (0, 4)]
        mons.append(
            Mon(
                there=there,
                stack=any_of([card << (STACK_BITS * i) for i, card in enumerate(cards)]),
                damage=damage[place],
                energy=(units[0], units[1]),
                new=new[place],
                used=used[place],
                **printed(number),
            )
        )
    names = ("in_deck", "in_hand", "in_discard", "in_play", "known")
    return PlayerSide(
        numbers=numbers,
        words=look_up(rows.CARD_WORDS, numbers),
        row=tuple(row[i] for i in range(CARDS)),
        mons=(mons[0], mons[1], mons[2], mons[3]),
        **dict(zip(names, sets, strict=True)),
        **{name: number_of(mine(getattr(state, name))) for name in OF_SIDE},
    )


def printed(number: jax.Array) -> dict[str, jax.Array]:
    """What a Pokemon is by its top card."""
    return {
        "pokemon": look_up(rows.POKEMON_WORDS, number),
        "more": look_up(rows.MORE_WORDS, number),
        "filters": look_up(rows.FILTER_WORDS, number),
    }


def store(state: State, table: PocketTable) -> State:
    """The state of a table."""
    sides = table.me, table.foe
    ordered = lambda one, other: (jnp.where(table.turned, other, one), jnp.where(table.turned, one, other))  # noqa: E731

    def both(name: str, values: list[jax.Array]) -> jax.Array:
        return laid(ordered(*values), getattr(state, name).dtype)

    def of_places(name: str, value: Any) -> jax.Array:
        """What is 0 where there is nobody, of all eight places."""
        pairs = [ordered(*(_if_there(side.mons[place], value) for side in sides)) for place in range(PLACES)]
        return laid([pair[side] for side in (0, 1) for pair in pairs], getattr(state, name).dtype)

    tops = [jax.lax.population_count(side.in_deck) for side in sides]
    rows_ = [
        [jnp.where(i < top, one, 0) for i, one in enumerate(side.row)] for side, top in zip(sides, tops, strict=True)
    ]
    pairs = [ordered(a, b) for a, b in zip(*rows_, strict=True)]
    deck = laid([pair[side] for side in (0, 1) for pair in pairs], state.deck.dtype)
    sets = {name: laid(ordered(*(getattr(side, name) for side in sides)), jnp.uint32) for name in SETS}
    bits = {name: (word[:, None] >> K[None]) & 1 for name, word in sets.items()}
    where = bits["in_hand"] * IN_HAND + bits["in_discard"] * IN_DISCARD + bits["in_play"] * IN_PLAY
    stack = of_words([of_places_word(sides, ordered, lambda mon: mon.stack)], STACK_BITS, HEIGHT)
    energy = of_words([of_places_word(sides, ordered, lambda mon, i=i: mon.energy[i]) for i in (0, 1)], 8, 4)
    return state.replace(
        where=where.astype(state.where.dtype),
        deck=deck.reshape(state.deck.shape),
        known=bits["known"] != 0,
        stack=stack.astype(state.stack.dtype),
        damage=of_places("damage", lambda mon: mon.damage).reshape(2, PLACES),
        energy=energy.astype(state.energy.dtype),
        new=of_places("new", lambda mon: mon.new).reshape(2, PLACES),
        used=of_places("used", lambda mon: mon.used).reshape(2, PLACES),
        **{name: both(name, [getattr(side, name) for side in sides]) for name in OF_SIDE if name != "types"},
        **{name: getattr(table, name).astype(getattr(state, name).dtype) for name in OF_GAME if name != "first"},
    )


def _if_there(mon: Mon, value: Any) -> jax.Array:
    found = value(mon)
    return jnp.where(mon.there, found, jnp.zeros_like(found))


def of_places_word(sides: tuple[PlayerSide, PlayerSide], ordered: Any, value: Any) -> jax.Array:
    """(8,) uint32: a word of each place, 0 where there is nobody."""
    pairs = [ordered(*(_if_there(side.mons[place], value) for side in sides)) for place in range(PLACES)]
    return laid([pair[side] for side in (0, 1) for pair in pairs], jnp.uint32)


def of_words(words: list[jax.Array], bits: int, n: int) -> jax.Array:
    """(2, 4, fields): n fields of each word, and of the next one."""
    shifts = bits * np.arange(n, dtype=np.uint32)
    fields = [(word[:, None] >> shifts[None]) & ((1 << bits) - 1) for word in words]
    whole = fields[0] if len(fields) == 1 else jnp.stack(fields, axis=1)
    return whole.reshape(2, PLACES, -1)


def change(mons: Mons, place: jax.Array, condition: jax.Array, **fields: Any) -> Mons:
    """The Pokemon at a place with other values, where the condition holds."""
    found = []
    for at, mon in enumerate(mons):
        here = condition & (place == at)
        old = {name: getattr(mon, name) for name in fields}
        found.append(mon.replace(**when(here, fields, old)))
    return found[0], found[1], found[2], found[3]


def each(mons: Mons, of: Any) -> Mons:
    """Every place as it becomes."""
    return of(0, mons[0]), of(1, mons[1]), of(2, mons[2]), of(3, mons[3])
