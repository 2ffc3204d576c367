"""Coins and damage of an effect (spec.md, R5.5 to R5.9 and section 6), all damage at one moment."""

from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Record
from envwright.envs.tcg_pocket.engine import encoding, rows
from envwright.envs.tcg_pocket.engine.deciding import Deed, StepDraws
from envwright.envs.tcg_pocket.engine.looking import cost, paying, pays_and
from envwright.envs.tcg_pocket.engine.rows import EFFECT, Fields, look_up, unpacked
from envwright.envs.tcg_pocket.engine.table import Mon, PlayerSide, PocketTable, each
from envwright.envs.tcg_pocket.engine.words import (
    any_of,
    bit,
    filled,
    i32,
    nth,
    share,
    size,
    total,
    u32,
    unit,
)
from envwright.envs.tcg_pocket.layout import PLACES

MOST_COINS = 32
WEAKNESS = 20


class Tossed(Record):
    """An effect after its coins."""

    heads: jax.Array
    fails: jax.Array
    row: Fields  # what is done before and at the damage; 0 if the attack fails
    after: Fields  # what is done behind it; 0 if its coins say so
    single_heads: jax.Array
    all_heads: jax.Array
    single_tails: jax.Array


def toss(table: PocketTable, deed: Deed, draws: StepDraws) -> Tossed:
    """R5.7, R5.6."""
    row = Fields()
    for layout, word in zip(EFFECT, deed.words, strict=True):
        unpacked(layout, word, row)
    energy = jnp.minimum(paying(table.me).count, MOST_COINS)
    n = jnp.where(row.coins == encoding.TOSS_PER_ENERGY, energy, row.coins)
    until = row.coins == encoding.TOSS_UNTIL
    most = jnp.where(n > 0, jnp.uint32(0xFFFFFFFF) >> u32(MOST_COINS - n), jnp.uint32(0))
    streak = draws.coins & ~(draws.coins + 1)
    heads = size(jnp.where(until, streak, draws.coins & most))
    one = (n == 1) & ~until
    single_heads, single_tails = one & (heads == 1), one & (heads == 0)
    all_heads = (heads == n) & ~until
    fails = (row.fails > 0) & single_tails
    works = ~fails & (
        (row.when == encoding.ALWAYS)
        | ((row.when == encoding.HEADS) & single_heads)
        | ((row.when == encoding.ALL_HEADS) & all_heads)
        | ((row.when == encoding.TAILS) & single_tails)
    )
    before, after = Fields(), Fields()
    for layout, word in zip(EFFECT, deed.words, strict=True):
        unpacked(layout, filled(~fails, word), before)
        unpacked(layout, filled(works, word), after)
    return Tossed(
        heads=heads,
        fails=fails,
        row=before,
        after=after,
        single_heads=single_heads,
        all_heads=all_heads,
        single_tails=single_tails,
    )


def base_damage(table: PocketTable, deed: Deed, tossed: Tossed) -> jax.Array:
    """R5.8, R5.9: the printed number, replaced or added to; in tens."""
    me, foe, row = table.me, table.foe, tossed.row
    wanted = row.count_filter
    counted = {
        encoding.BENCHED_FOE: total([i32(mon.fits(wanted)) for mon in foe.bench]),
        encoding.BENCHED_OWN: total([i32(mon.fits(wanted)) for mon in me.bench]),
        encoding.ENERGY_FOE: paying(foe).count,
    }
    n = total([jnp.where(row.count == kind, value, 0) for kind, value in counted.items()])
    extra = pays_and(paying(me), cost(deed.attack), deed.row.total, unit(row.extra_type, row.extra), row.extra)
    conditions: dict[int, Any] = {
        encoding.ALWAYS: True,
        encoding.HEADS: tossed.single_heads,
        encoding.ALL_HEADS: tossed.all_heads,
        encoding.TAILS: tossed.single_tails,
        encoding.EXTRA_ENERGY: extra,
        encoding.DAMAGED_FOE: foe.active.damage > 0,
        encoding.DAMAGED_SELF: me.active.damage > 0,
        encoding.POISONED_FOE: foe.poisoned,
        encoding.EX_FOE: foe.active.card.ex > 0,
        encoding.AVENGED: me.avenged,
    }
    bonus = any_of([(row.bonus_if == kind) & holds for kind, holds in conditions.items()])
    printed = jnp.where(row.per_head > 0, row.per_head * tossed.heads, deed.row.damage)
    printed = jnp.where(row.per_count > 0, row.per_count * n, printed)
    return printed + jnp.where(bonus, row.bonus, 0) + row.bonus_per_count * n


def deal(table: PocketTable, deed: Deed, draws: StepDraws, tossed: Tossed) -> tuple[PocketTable, jax.Array]:
    """R6.4 to R6.10. Also the final damage to the opponent's Active."""
    me, foe, row = table.me, table.foe, tossed.row
    strikes = deed.strikes & ~tossed.fails
    base = jnp.where(strikes, base_damage(table, deed, tossed), 0)
    own, opp = _hits(me, foe, deed, draws, row, strikes)
    opp = [base + opp[0], *opp[1:]]

    active = foe.active
    boosted = _boost(table)
    amount = opp[0] * 10
    amount = jnp.where(amount > 0, jnp.maximum(amount + boosted - me.dealt_less, 0), 0)
    weak = active.card.weakness == me.active.card.type
    amount = jnp.where((amount > 0) & weak, amount + WEAKNESS, amount)
    amount = jnp.where(amount > 0, jnp.maximum(amount - _less(active) - foe.taken_less - foe.guard, 0), 0)
    dealt = jnp.where(foe.prevent_left > 0, 0, amount)

    benched = [jnp.maximum(n * 10 - me.dealt_less, 0) for n in opp[1:]]
    benched = [jnp.maximum(n - _less(mon) - foe.guard, 0) for n, mon in zip(benched, foe.bench, strict=True)]
    plain = jnp.where(deed.strikes, 0, row.hit * 10)  # of an ability: R6.10
    hurt = [dealt, *benched]
    foe = foe.replace(
        mons=each(
            foe.mons,
            lambda place, mon: mon.replace(damage=mon.damage + hurt[place] + jnp.where(deed.place == place, plain, 0)),
        )
    )
    recoil = jnp.where((row.recoil_tails == 0) | tossed.single_tails, row.recoil * 10, 0)
    counter = jnp.where((dealt > 0) & active.passive("damage_attacker"), active.card.counter * 10, 0)  # R6.9
    mine = [jnp.where(strikes, recoil + counter, 0), *(jnp.maximum(n * 10 - me.dealt_less, 0) for n in own[1:])]
    me = me.replace(mons=each(me.mons, lambda place, mon: mon.replace(damage=mon.damage + mine[place])))
    return table.replace(me=me, foe=foe), dealt


def _hits(
    me: PlayerSide, foe: PlayerSide, deed: Deed, draws: StepDraws, row: Fields, strikes: jax.Array
) -> tuple[list[jax.Array], list[jax.Array]]:
    """R6.7: what an attack's `damage_pokemon` is at each place, in tens."""
    whom = jnp.where(strikes, row.hit_whom, 0)
    chooses = (whom == encoding.HIT_CHOSEN) | (whom == encoding.HIT_CHOSEN_BENCH)
    there = any_of([bit(jnp.uint32(i), mon.there) for i, mon in enumerate(foe.mons)])
    n = size(there)
    drawn = [nth(there, share(draws.targets[hit], n)) for hit in range(encoding.HITS)]
    own, opp = [jnp.int32(0)], []
    for place, (mine, other) in enumerate(zip(me.mons, foe.mons, strict=True)):
        here = deed.place == place
        each_one = jnp.bool_(place > 0) & (whom == encoding.HIT_BENCH)
        times = i32(other.there & ((chooses & here & (deed.aimed)) | each_one))
        times = times + jnp.where(whom == encoding.HIT_RANDOM, total([i32(one == place) for one in drawn]), 0)
        opp.append(times * row.hit)
        if place:
            hit = mine.there & (whom == encoding.HIT_OWN_BENCH) & here & deed.aimed
            own.append(jnp.where(hit, row.hit, 0))
    assert len(opp) == PLACES
    return own, opp


def _boost(table: PocketTable) -> jax.Array:
    """R6.5."""
    number = look_up(rows.BOOST_FILTER, table.boost_by)
    return jnp.where(table.me.active.fits(number), table.boost, 0)


def _less(mon: Mon) -> jax.Array:
    """What its ability takes off damage."""
    return mon.card.less * 10
