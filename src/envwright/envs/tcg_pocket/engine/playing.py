"""The main phase: cards from the hand, energy, retreat, fossils (spec.md, section 4), and setup's cards (R2.7)."""

import jax
import jax.numpy as jnp

from envwright.envs.tcg_pocket.engine.deciding import Deed
from envwright.envs.tcg_pocket.engine.legality import retreat_cost
from envwright.envs.tcg_pocket.engine.looking import free_bench, paying
from envwright.envs.tcg_pocket.engine.rows import DOUBLED, look_up
from envwright.envs.tcg_pocket.engine.table import STACK_BITS, Mon, Mons, PlayerSide, PocketTable, change, each, printed
from envwright.envs.tcg_pocket.engine.words import (
    Units,
    Word,
    bit,
    count,
    filled,
    i32,
    kinds,
    minus,
    plus,
    size,
    u32,
    unit,
    when,
)
from envwright.envs.tcg_pocket.layout import CARDS


def copies(side: PlayerSide, k: jax.Array) -> Word:
    """A card and the other ones of its number, which are its neighbours."""
    number = look_up(side.numbers, k)
    after, before = jnp.minimum(k + 1, CARDS - 1), jnp.maximum(k - 1, 0)
    found = [bit(one, look_up(side.numbers, one) == number) for one in (before, after)]
    return bit(k) | found[0] | found[1]


def hands(table: PocketTable, deed: Deed) -> PocketTable:
    """R4.1, R4.5: the card leaves the hand; R11.6: its copies are no longer known."""
    me = table.me
    down, gone = deed.puts | deed.evolves, deed.trainer
    one = bit(deed.k)
    leaves = filled(down | gone, one)
    me = me.replace(
        in_hand=me.in_hand & ~leaves,
        in_play=me.in_play | filled(down, one),
        in_discard=me.in_discard | filled(gone, one),
        known=me.known & ~filled(down | gone, copies(me, deed.k)),
    )
    return table.replace(me=me, supporter_used=table.supporter_used | deed.supporter)


def put_down(side: PlayerSide, k: jax.Array, condition: jax.Array, new: jax.Array) -> PlayerSide:
    """R2.8: a card comes into play on the free place with the lowest number; in setup the Active Spot is free as well.
    The card itself is moved elsewhere."""
    place = jnp.where(side.active.there, free_bench(side), 0)
    none = jnp.zeros_like(side.in_play)
    mons = change(
        side.mons,
        place,
        condition,
        there=jnp.bool_(True),
        stack=u32(k) + 1,
        damage=jnp.int32(0),
        energy=(none, none),
        new=new,
        used=jnp.bool_(False),
        **printed(look_up(side.numbers, k)),
    )
    return side.replace(mons=mons)


def evolve(table: PocketTable, deed: Deed) -> PocketTable:
    """R4.3."""
    me = table.me
    fresh = printed(look_up(me.numbers, deed.k))

    def grown(place: int, mon: Mon) -> Mon:
        here = deed.evolves & (deed.place == place)
        at = jnp.where(mon.stack >> STACK_BITS == 0, jnp.uint32(STACK_BITS), jnp.uint32(2 * STACK_BITS))
        new = mon.replace(
            stack=mon.stack | (u32(deed.k) + 1) << at, new=jnp.bool_(True), used=jnp.bool_(False), **fresh
        )
        return when(here, new, mon)

    return table.replace(me=me.replace(mons=each(me.mons, grown)))


def retreat(table: PocketTable, deed: Deed) -> tuple[PocketTable, jax.Array, jax.Array]:
    """R4.12: units are paid. Then whether the Pokemon retreats, and what is left to be paid if it asks."""
    me = table.me
    doubled = paying(me).doubled
    chosen = deed.pays & doubled & (deed.type == DOUBLED)
    left = jnp.where(deed.pays, table.units - 1 - i32(chosen), retreat_cost(table))
    under_way = deed.retreats | deed.pays
    energy = _spent(me.active.energy, unit(deed.type & 7, jnp.int32(1)), deed.pays)
    there = kinds(energy)
    several = count(there) > 1
    asks = under_way & (left > 0) & several
    # In the only type there is, unit by unit until the cost is reached.
    worth = doubled & ((there[DOUBLED // 4] >> (8 * (DOUBLED % 4)) & 1) != 0)
    n = u32(jnp.where(worth, (left + 1) >> 1, left))
    pays = under_way & (left > 0) & ~several
    energy = _spent(energy, (there[0] * n, there[1] * n), pays)
    mons = (me.active.replace(energy=energy), *me.mons[1:])
    after = table.replace(me=me.replace(mons=mons), retreat_used=table.retreat_used | deed.retreats)
    return after, under_way & ~asks, jnp.where(asks, left, 0)


def _spent(energy: Units, units: Units, condition: jax.Array) -> Units:
    return when(condition, minus(energy, units), energy)


def attach(mons: Mons, place: jax.Array, units: Units, condition: jax.Array) -> Mons:
    """Units onto a Pokemon."""
    zero = jnp.zeros_like(units[0])

    def more(at: int, mon: Mon) -> Mon:
        here = condition & (place == at)
        return mon.replace(energy=plus(mon.energy, (jnp.where(here, units[0], zero), jnp.where(here, units[1], zero))))

    return each(mons, more)


def mark_used(table: PocketTable, deed: Deed) -> PocketTable:
    """R4.11."""
    me = table.me
    mons = each(
        me.mons,
        lambda place, mon: mon.replace(used=mon.used | (deed.uses & (deed.place == place) & (mon.card.once > 0))),
    )
    return table.replace(me=me.replace(mons=mons))


def swap(side: PlayerSide, place: jax.Array, condition: jax.Array) -> PlayerSide:
    """R4.13: the Active and a Benched Pokemon change places; also promotion, with nobody in the Active Spot."""
    old, found = side.active, side.active
    mons = []
    for at, mon in enumerate(side.bench, 1):
        here = condition & (place == at)
        found = when(here, mon, found)
        mons.append(when(here, old, mon))
    return side.replace(mons=(found, mons[0], mons[1], mons[2]))


def placeable(side: PlayerSide, basics: Word) -> jax.Array:
    """R2.7: whether there is another Basic Pokemon in hand, and a free place."""
    return (size(side.in_hand & basics) > 0) & (free_bench(side) <= len(side.bench))
