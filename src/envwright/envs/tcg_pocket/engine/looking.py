"""Looking at the table: what energy pays for, what Trainers and abilities require, what may be chosen."""

import jax
import jax.numpy as jnp

from envwright.core import Record
from envwright.envs.tcg_pocket.engine import encoding, rows
from envwright.envs.tcg_pocket.engine.encoding import FILTERS, bare
from envwright.envs.tcg_pocket.engine.rows import Fields, look_up, unpacked
from envwright.envs.tcg_pocket.engine.table import PlayerSide, as_set
from envwright.envs.tcg_pocket.engine.words import (
    Units,
    Word,
    any_of,
    bit,
    count,
    i32,
    plus,
    reaches,
    size,
    total,
    units_of,
)
from envwright.envs.tcg_pocket.layout import ASLEEP, PARALYZED, PLACES
from envwright.envs.tcg_pocket.tables import ENERGIES, Op

FIRST_EVOLUTION = 3  # neither player's first turn


class Paying(Record):
    """Effective energy of an Active (R6.2)."""

    doubled: jax.Array  # bool: units of DOUBLED count as two
    units: Units
    count: jax.Array


def paying(side: PlayerSide) -> Paying:
    doubled = any_of([mon.passive("double_energy") for mon in side.mons]) & side.active.fits(rows.DOUBLED_ON)
    low, high = side.active.energy
    units = jnp.where(doubled, low + (low & 255), low), high
    return Paying(doubled=doubled, units=units, count=count(units))


def cost(attack: jax.Array) -> Units:
    """Units by type that an attack needs."""
    return look_up(rows.COST_WORDS[0], attack), look_up(rows.COST_WORDS[1], attack)


def pays(energy: Paying, needed: Units, whole: jax.Array) -> jax.Array:
    """R6.3."""
    return reaches(energy.units, needed) & (energy.count >= whole)


def pays_and(energy: Paying, needed: Units, whole: jax.Array, more: Units, n: jax.Array) -> jax.Array:
    """R5.9: with n more units of a type."""
    return pays(energy, plus(needed, more), whole + n)


def attack_row(number: jax.Array) -> Fields:
    return unpacked(rows.ATTACK, look_up(rows.ATTACK_WORDS, number))


def cannot_move(side: PlayerSide) -> jax.Array:
    """R5.1, R4.12."""
    return (side.condition == ASLEEP) | (side.condition == PARALYZED)


def free_bench(side: PlayerSide) -> jax.Array:
    """R2.8: the free place with the lowest number; 4 if there is none."""
    first, second, third = (mon.there for mon in side.bench)
    return 1 + i32(first) + i32(first & second) + i32(first & second & third)


def any_benched(side: PlayerSide) -> jax.Array:
    return any_of([mon.there for mon in side.bench])


def fitting(side: PlayerSide, number: int) -> Word:
    """Cards of a player that pass a filter, outside of play."""
    return as_set(((look_up(rows.FILTER_WORDS, side.numbers) >> number) & 1) != 0)


# ---- what Trainers and abilities require (R4.5, R4.11) ----


def required(me: PlayerSide, foe: PlayerSide, revivable: Word) -> Word:
    """Which of `rows.REQUIRES` hold; `revivable` are the opponent's Basic Pokemon."""
    found = [_REQUIRES[condition["cond"]](me, foe, condition, revivable) for condition in rows.REQUIRES]
    return any_of([bit(jnp.uint32(i), holds) for i, holds in enumerate(found)])


def _zone(side: PlayerSide, condition: Op) -> list[jax.Array]:
    """The Pokemon of a zone that match."""
    wanted = condition.get("filter", {})
    mons = {"active": side.mons[:1], "bench": side.bench, "any": side.mons}[condition["zone"]]
    found = [mon.fits(FILTERS.index(bare(wanted))) for mon in mons]
    return [fits & (mon.damage > 0) for fits, mon in zip(found, mons, strict=True)] if "damaged" in wanted else found


def _in_play(me: PlayerSide, foe: PlayerSide, condition: Op, revivable: Word) -> jax.Array:
    del revivable
    found = _zone(_side(me, foe, condition), condition)
    return any_of(found) if condition["min"] == 1 else total([i32(one) for one in found]) >= condition["min"]


def _energy_on(me: PlayerSide, foe: PlayerSide, condition: Op, revivable: Word) -> jax.Array:
    del revivable
    side, type = _side(me, foe, condition), ENERGIES.index(condition["type"])
    mons = {"active": side.mons[:1], "bench": side.bench, "any": side.mons}[condition["zone"]]
    found = zip(_zone(side, condition), mons, strict=True)
    return total([jnp.where(fits, units_of(mon.energy, type), 0) for fits, mon in found]) >= condition["min"]


def _bench_free(me: PlayerSide, foe: PlayerSide, condition: Op, revivable: Word) -> jax.Array:
    del revivable
    side = _side(me, foe, condition)
    return total([i32(~mon.there) for mon in side.bench]) >= condition["min"]


def _deck(me: PlayerSide, foe: PlayerSide, condition: Op, revivable: Word) -> jax.Array:
    del revivable
    return size(_side(me, foe, condition).in_deck) >= condition["min"]


def _discard_has(me: PlayerSide, foe: PlayerSide, condition: Op, revivable: Word) -> jax.Array:
    if condition["side"] != "opponent" or FILTERS.index(condition["filter"]) != rows.REVIVED:
        raise encoding.CannotEncodeError(f"{dict(condition)}")
    return size(foe.in_discard & revivable) >= condition["min"]


def _side(me: PlayerSide, foe: PlayerSide, condition: Op) -> PlayerSide:
    return me if condition["side"] == "own" else foe


_REQUIRES = {
    "in_play": _in_play,
    "energy_on": _energy_on,
    "bench_free": _bench_free,
    "deck": _deck,
    "discard_has": _discard_has,
}


# ---- what may be chosen ----


def copyable(me: PlayerSide, foe: PlayerSide, energy: Paying, row: Fields) -> list[jax.Array]:
    """R5.3: which of the opponent's attacks an attack may copy, by place and then as printed."""
    found = []
    for place in range(PLACES):
        mon = foe.mons[place]
        for i in range(2):
            number = jnp.where(mon.there & (mon.rest.attacks > i), mon.rest.attack + i, 0)
            other = attack_row(number)
            paid = (row.copies_paid == 0) | pays(energy, cost(number), other.total)
            reached = (number > 0) & (other.copies == 0) & paid
            found.append(reached & (row.copies == 2) if place else reached & (row.copies > 0))
    return found


def aimable(me: PlayerSide, foe: PlayerSide, whom: jax.Array) -> tuple[list[jax.Array], list[jax.Array]]:
    """R5.4: the own and the opponent's places that an attack may be aimed at."""
    own = [jnp.bool_(False), *(mon.there & (whom == encoding.HIT_OWN_BENCH) for mon in me.bench)]
    any_, bench = whom == encoding.HIT_CHOSEN, whom == encoding.HIT_CHOSEN_BENCH
    opp = [foe.active.there & any_, *(mon.there & (any_ | bench) for mon in foe.bench)]
    return own, opp


def attachable(me: PlayerSide, number: jax.Array) -> list[jax.Array]:
    """R5.14: the own Benched Pokemon that energy of an attack may go to."""
    return [jnp.bool_(False), *(mon.fits(number) for mon in me.bench)]


def evolvable(me: PlayerSide, foe: PlayerSide, turn: jax.Array) -> list[tuple[jax.Array, jax.Array]]:
    """R4.3, R4.4: by place, whether the Pokemon may be evolved, and its name."""
    fixed = any_of([mon.passive("no_evolve_active") for mon in foe.mons])
    late = turn >= FIRST_EVOLUTION
    found = [(mon.there & ~mon.new & late, mon.rest.name) for mon in me.mons]
    return [(found[0][0] & ~fixed, found[0][1]), *found[1:]]


def options(me: PlayerSide, foe: PlayerSide, row: Fields) -> tuple[list[jax.Array], list[jax.Array]]:
    """R11.3: the own and the opponent's places that a Trainer or an ability lets choose."""
    ask, number = row.ask, row.ask_filter
    own = [
        mon.fits(number) & (ask == encoding.ASK_OWN) & ((row.ask_damaged == 0) | (mon.damage > 0)) for mon in me.mons
    ]
    energy = [
        mon.fits(number) & (ask == encoding.ASK_ENERGY) & (units_of(mon.energy, row.move_type) > 0) for mon in me.bench
    ]
    own = [own[0], *(a | b for a, b in zip(own[1:], energy, strict=True))]
    opp = [foe.active.there & (ask == encoding.ASK_FOE)]
    opp += [
        (mon.there & (ask == encoding.ASK_FOE)) | (mon.fits(number) & (ask == encoding.ASK_FOE_BENCH))
        for mon in foe.bench
    ]
    return own, opp


def is_locked(me: PlayerSide, foe: PlayerSide) -> jax.Array:
    """R4.6."""
    return (me.lock_left > 0) | foe.active.passive("lock_supporters")
