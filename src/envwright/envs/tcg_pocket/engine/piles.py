"""Hands, decks and discard piles in an effect: what is shuffled, looked for, drawn (spec.md: R4.9, R5.17, R5.18, R9.6
to R9.10). One player's deck changes at most."""

import jax
import jax.numpy as jnp

from envwright.core import Record
from envwright.envs.tcg_pocket.engine import encoding, rows
from envwright.envs.tcg_pocket.engine.deciding import Deed, StepDraws
from envwright.envs.tcg_pocket.engine.looking import free_bench
from envwright.envs.tcg_pocket.engine.playing import copies, put_down
from envwright.envs.tcg_pocket.engine.rows import Fields, look_up
from envwright.envs.tcg_pocket.engine.shuffling import shuffled
from envwright.envs.tcg_pocket.engine.table import Mon, PlayerSide, PocketTable, as_set
from envwright.envs.tcg_pocket.engine.words import (
    Word,
    any_of,
    bit,
    filled,
    i32,
    index,
    lowest,
    nth,
    share,
    size,
    u32,
    when,
)
from envwright.envs.tcg_pocket.layout import CARDS, HAND_LIMIT, HEIGHT, PLACES


class Pile(Record):
    """A player's deck and hand."""

    row: tuple[Word, ...]
    in_deck: Word
    in_hand: Word
    known: Word
    seen_top: jax.Array


def pile_of(side: PlayerSide) -> Pile:
    return Pile(side.row, side.in_deck, side.in_hand, side.known, side.seen_top)


def put_back(side: PlayerSide, pile: Pile) -> PlayerSide:
    return side.replace(**vars(pile))


def from_top(row: tuple[Word, ...], n: jax.Array, m: jax.Array) -> Word:
    """The set of the m top cards of n."""
    return any_of([filled((n - m <= i) & (n > i), (jnp.uint32(1) << one) >> 1) for i, one in enumerate(row)])


def draw(pile: Pile, wanted: jax.Array) -> Pile:
    """R4.9, R11.7."""
    n = size(pile.in_deck)
    m = jnp.maximum(jnp.minimum(jnp.minimum(wanted, n), HAND_LIMIT - size(pile.in_hand)), 0)
    return _drawn(pile, from_top(pile.row, n, m), m)


def _drawn(pile: Pile, cards: Word, m: jax.Array) -> Pile:
    return pile.replace(
        in_deck=pile.in_deck & ~cards,
        in_hand=pile.in_hand | cards,
        seen_top=jnp.maximum(pile.seen_top - m, 0),
    )


def on_top(row: tuple[Word, ...], n: jax.Array, cards: Word, stack: Word) -> tuple[Word, ...]:
    """R12.3: cards come onto the n of a deck: of a hand in ascending k, of a stack from the Basic up."""
    found, left = [], cards
    for i, one in enumerate(row):
        behind = n <= i
        first = filled(behind, lowest(left))
        card = jnp.where(first != 0, u32(index(first)) + 1, jnp.uint32(0))
        left = left & ~first
        at = u32(jnp.clip(i - n, 0, HEIGHT)) * 5
        card = card | filled(behind, (stack >> at) & jnp.uint32(31))
        found.append(jnp.where(behind, card, one))
    return tuple(found)


def carry_out(
    table: PocketTable, deed: Deed, draws: StepDraws, row: Fields, gone: Mon, leaves: jax.Array
) -> PocketTable:
    """Everything of an effect that is about piles. `gone` is the opponent's Active that is shuffled into its deck, if
    it `leaves`."""
    me, foe = table.me, table.foe
    of_foe = (row.mix == encoding.FOE) | (row.draws == encoding.FOE) | leaves
    pile = when(of_foe, pile_of(foe), pile_of(me))
    mixes = row.mix > 0
    hand = filled(mixes, pile.in_hand)
    stack = filled(leaves, gone.stack)
    wanted = as_set(((look_up(rows.FILTER_WORDS, me.numbers) >> u32(row.wanted)) & 1) != 0)

    # What comes onto the deck, and what is taken out of it.
    n = size(pile.in_deck)
    added = on_top(pile.row, n, hand, stack)
    room = jnp.where(row.to_bench > 0, free_bench(me) < PLACES, size(me.in_hand) < HAND_LIMIT)
    found, place, some = _found(pile, n, wanted, draws)
    takes = (row.search > 0) & room & some
    taken = filled(takes, found)
    pile = pile.replace(
        row=_without(added, place, takes),
        in_deck=(pile.in_deck | hand | filled(leaves, gone.bits)) & ~taken,
        in_hand=(pile.in_hand & ~hand) | filled(row.to_bench == 0, taken),
        known=jnp.where(mixes, jnp.uint32(0), pile.known),
    )
    shuffles = mixes | leaves | (row.search > 0)
    mixed = shuffled(jnp.stack(pile.row), draws.keys, size(pile.in_deck))
    pile = pile.replace(
        row=when(shuffles, tuple(mixed[i] for i in range(CARDS)), pile.row),
        seen_top=jnp.where(shuffles, 0, pile.seen_top),
    )

    pile = _from_the_top(pile, me, foe, row, wanted)
    me, foe = put_back(me, when(of_foe, pile_of(me), pile)), put_back(foe, when(of_foe, pile, pile_of(foe)))
    bench = takes & (row.to_bench > 0)
    k = index(found)
    me = put_down(me, jnp.where(bench, k, deed.k), bench | deed.puts, ~deed.in_setup)
    me = me.replace(in_play=me.in_play | filled(bench, found))
    foe = _revived(foe, deed, row)
    return table.replace(me=me, foe=_seen_and_discarded(foe, draws, row))


def _found(pile: Pile, n: jax.Array, wanted: Word, draws: StepDraws) -> tuple[Word, jax.Array, jax.Array]:
    """R5.17: one of the cards of a deck that match, from bottom to top; its place, and whether there is one."""
    fits = any_of([bit(jnp.uint32(i), (n > i) & (((wanted << 1) >> one) & 1 != 0)) for i, one in enumerate(pile.row)])
    m = size(fits)
    place = nth(fits, share(draws.pick, m))
    card = any_of([filled(place == i, one) for i, one in enumerate(pile.row)])
    return (jnp.uint32(1) << card) >> 1, place, m > 0


def _without(row: tuple[Word, ...], place: jax.Array, condition: jax.Array) -> tuple[Word, ...]:
    """The cards above a place come down by one."""
    above = [*row[1:], row[-1]]
    return tuple(jnp.where(condition & (place <= i), b, a) for i, (a, b) in enumerate(zip(row, above, strict=True)))


def _from_the_top(pile: Pile, me: PlayerSide, foe: PlayerSide, row: Fields, wanted: Word) -> Pile:
    """R4.9, R9.7, R9.8."""
    n, held = size(pile.in_deck), size(pile.in_hand)
    sorts = (row.sort_top > 0) & (n > 0)
    asked = jnp.where(row.draw_hand > 0, size(foe.in_hand), row.draw)
    del me
    m = jnp.maximum(jnp.minimum(jnp.minimum(asked, n), HAND_LIMIT - held), 0)
    top = from_top(pile.row, n, jnp.where(sorts, 1, m))
    fits, full = (top & wanted) != 0, held >= HAND_LIMIT
    draws, under, stays = sorts & fits & ~full, sorts & ~fits, sorts & fits & full
    drawn = jnp.where(sorts, i32(draws), m)
    bottom = u32(index(top)) + 1
    below = (bottom, *pile.row[:-1])
    pile = pile.replace(
        row=tuple(jnp.where(under & (n > i), b, a) for i, (a, b) in enumerate(zip(pile.row, below, strict=True)))
    )
    pile = _drawn(pile, filled(~sorts | draws, top), drawn + i32(under))
    seen = jnp.maximum(jnp.minimum(row.look, n), i32(stays))
    return pile.replace(seen_top=jnp.maximum(pile.seen_top, seen))


def _revived(foe: PlayerSide, deed: Deed, row: Fields) -> PlayerSide:
    """R9.6, R11.4: the place of an own choice is the number of a card in the discard pile."""
    revives = row.revive > 0
    basics = as_set(((look_up(rows.FILTER_WORDS, foe.numbers) >> rows.REVIVED) & 1) != 0)
    k = nth(foe.in_discard & basics, deed.chosen_card)
    one = filled(revives, bit(k))
    foe = put_down(foe, k, revives, jnp.bool_(True))
    return foe.replace(in_discard=foe.in_discard & ~one, in_play=foe.in_play | one)


def _seen_and_discarded(foe: PlayerSide, draws: StepDraws, row: Fields) -> PlayerSide:
    """R9.9, R5.18."""
    discards = (row.discard_hand > 0) & (foe.in_hand != 0)
    k = nth(foe.in_hand, share(draws.pick, size(foe.in_hand)))
    one = filled(discards, bit(k))
    return foe.replace(
        in_hand=foe.in_hand & ~one,
        in_discard=foe.in_discard | one,
        known=jnp.where(row.reveal > 0, foe.in_hand, foe.known & ~filled(discards, copies(foe, k))),
    )
