"""Knock-outs, points, who wins, the end of a turn, checkup, the next turn (spec.md, sections 3, 7 and 8)."""

from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Record
from envwright.envs.tcg_pocket.engine.deciding import StepDraws
from envwright.envs.tcg_pocket.engine.piles import draw, pile_of, put_back
from envwright.envs.tcg_pocket.engine.table import Mon, PlayerSide, PocketTable, each
from envwright.envs.tcg_pocket.engine.words import Word, any_of, filled, i32, nth, share, size, u32
from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    CONDITIONS,
    IN_ENDING,
    KEPT,
    LOST,
    NOBODY_YET,
    NONE,
    PARALYZED,
    POINTS_TO_WIN,
    TIE,
    PocketFlags,
)

POISON = 10
# What ends when a Pokemon leaves the Active Spot or evolves there (R8.6).
OF_ACTIVE = ("condition", "no_attack_left", "no_retreat_left", "needs_coin_left", "prevent_left")
OF_ACTIVE += ("dealt_less", "dealt_less_left", "taken_less", "taken_less_left")
LASTING = ("no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left", "lock_left")
WITH_AMOUNT = ("dealt_less", "taken_less", "guard")


def leave_active_spot(side: PlayerSide, leaves: jax.Array) -> PlayerSide:
    """R8.6."""
    cleared = {name: jnp.where(leaves, 0, getattr(side, name)) for name in OF_ACTIVE}
    return side.replace(poisoned=side.poisoned & ~leaves, **cleared)


def remove(side: PlayerSide, place: int, leaves: jax.Array) -> PlayerSide:
    """A Pokemon leaves play; where its cards go is said elsewhere."""
    mon = side.mons[place]
    mons = list(side.mons)
    mons[place] = mon.replace(there=mon.there & ~leaves)
    return side.replace(mons=tuple(mons), in_play=side.in_play & ~filled(leaves, mon.bits))


def to_discard(side: PlayerSide, bits: Word) -> PlayerSide:
    return side.replace(in_discard=side.in_discard | bits)


class Fallen(Record):
    """Knock-outs of a side."""

    side: PlayerSide
    points: jax.Array  # for the other player
    any: jax.Array


def knock_out(side: PlayerSide, happens: jax.Array, places: tuple[int, ...] = (0, 1, 2, 3)) -> Fallen:
    """R8.1, of the places where it can be."""
    points, cards, any_, active = jnp.int32(0), jnp.uint32(0), jnp.bool_(False), side.active.there
    for place in places:
        mon = side.mons[place]
        falls = happens & mon.there & (mon.damage >= mon.hp)
        points = points + jnp.where(falls, 1 + mon.card.ex, 0)
        cards, any_ = cards | filled(falls, mon.bits), any_ | falls
        side = remove(side, place, falls)
    side = to_discard(side, cards)
    return Fallen(side=leave_active_spot(side, active & ~side.active.there), points=points, any=any_)


def knock_outs(table: PocketTable, happens: jax.Array, places: tuple[int, ...] = (0, 1, 2, 3)) -> PocketTable:
    """R8.1, R8.2: everybody at once."""
    mine, theirs = knock_out(table.me, happens, places), knock_out(table.foe, happens, places)
    avenged = theirs.any & (table.stage == IN_ENDING)
    me = mine.side.replace(points=mine.side.points + theirs.points)
    foe = theirs.side.replace(points=theirs.side.points + mine.points, avenged=theirs.side.avenged | avenged)
    return table.replace(me=me, foe=foe)


def winner(table: PocketTable, flags: PocketFlags) -> jax.Array:
    """R8.3 to R8.5, as in `State.winner`."""
    me, foe = table.me, table.foe
    enough = [side.points >= POINTS_TO_WIN for side in (me, foe)]
    there = [any_of([mon.there for mon in side.mons]) for side in (me, foe)]
    alone = [there[0] & ~there[1], there[1] & ~there[0]]
    if flags.simultaneous == CONDITIONS:
        scores = [i32(enough[side]) + i32(alone[side]) for side in (0, 1)]
    else:
        anyone = enough[0] | enough[1]
        scores = [i32(jnp.where(anyone, enough[side], alone[side])) for side in (0, 1)]
    mine = 1 + i32(table.turned)
    found = jnp.where(scores[0] == scores[1], TIE, jnp.where(scores[0] > scores[1], mine, TIE - mine))
    goes_on = ~enough[0] & ~enough[1] & there[0] & there[1]
    return jnp.where(goes_on, NOBODY_YET, found)


def end_turn(table: PocketTable, ends: jax.Array, flags: PocketFlags) -> PocketTable:
    """R3.6."""
    me, foe = _one_less(table.me, ends), _one_less(table.foe, ends)
    me = me.replace(avenged=me.avenged & ~ends)
    if flags.unused_energy == LOST:
        me = me.replace(zone_now=jnp.where(ends, 0, me.zone_now))
    return table.replace(
        me=me,
        foe=foe,
        boost=jnp.where(ends, 0, table.boost),
        boost_by=jnp.where(ends, 0, table.boost_by),
        retreat_change=jnp.where(ends, 0, table.retreat_change),
        supporter_used=table.supporter_used & ~ends,
        retreat_used=table.retreat_used & ~ends,
    )


def _one_less(side: PlayerSide, ends: jax.Array) -> PlayerSide:
    changes: dict[str, Any] = {}
    one = i32(ends)
    for name in (*LASTING, *(f"{name}_left" for name in WITH_AMOUNT)):
        changes[name] = jnp.maximum(getattr(side, name) - one, 0)
    for name in WITH_AMOUNT:
        gone = ends & (changes[f"{name}_left"] == 0)
        changes[name] = jnp.where(gone, 0, getattr(side, name))

    def plain(place: int, mon: Mon) -> Mon:
        return mon.replace(new=mon.new & ~ends, used=mon.used & ~ends)

    return side.replace(mons=each(side.mons, plain), **changes)


def checkup(table: PocketTable, happens: jax.Array, draws: StepDraws) -> PocketTable:
    """R7.1 to R7.3; knock-outs come after it."""
    sides = []
    for number, side in enumerate((table.me, table.foe)):
        poison = jnp.where(happens & side.poisoned, POISON, 0)
        wakes = happens & (side.condition == ASLEEP) & (((draws.wake >> number) & 1) != 0)
        recovers = happens & (side.condition == PARALYZED) if number == 0 else jnp.bool_(False)
        mons = (side.active.replace(damage=side.active.damage + poison), *side.bench)
        sides.append(side.replace(mons=mons, condition=jnp.where(wakes | recovers, NONE, side.condition)))
    return table.replace(me=sides[0], foe=sides[1])


def start_turn(table: PocketTable, starts: jax.Array, draws: StepDraws, flags: PocketFlags) -> PocketTable:
    """R3.1 to R3.3, of the player who was not on turn."""
    foe = table.foe
    turn = table.turn + i32(starts)
    draws_card = starts if flags.first_turn_draw else starts & (turn > 1)
    foe = put_back(foe, draw(pile_of(foe), i32(draws_card)))
    moves = starts & (turn > 1)
    if flags.unused_energy == KEPT:
        moves = moves & (foe.zone_now == 0)
    foe = foe.replace(
        zone_now=jnp.where(moves, foe.zone_next, foe.zone_now),
        zone_next=jnp.where(moves, next_energy(foe.types, draws.zone), foe.zone_next),
    )
    return table.replace(foe=foe, turn=turn)


def next_energy(types: jax.Array, word: Word) -> jax.Array:
    """R3.3: a type of the deck, plus 1."""
    bits = u32(types)
    return nth(bits, share(word, size(bits))) + 1
