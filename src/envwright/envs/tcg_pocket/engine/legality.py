"""What the player who is asked may do (spec.md, section 11)."""

import jax
import jax.numpy as jnp

from envwright.envs.tcg_pocket.engine import rows
from envwright.envs.tcg_pocket.engine.laying import joined
from envwright.envs.tcg_pocket.engine.looking import (
    aimable,
    any_benched,
    attachable,
    attack_row,
    cannot_move,
    copyable,
    cost,
    evolvable,
    fitting,
    free_bench,
    is_locked,
    options,
    paying,
    pays,
    required,
)
from envwright.envs.tcg_pocket.engine.rows import Fields, look_up, unpacked
from envwright.envs.tcg_pocket.engine.table import K, PocketTable
from envwright.envs.tcg_pocket.engine.words import Word, any_of, i32, kinds, pick, size, total
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    ACTIONS,
    ATTACH,
    CARDS,
    COPY,
    ENERGIES,
    EVOLVE,
    MAIN,
    OVER,
    PLACES,
    PROMOTE,
    RETREAT,
    SETUP_ACTIVE,
    SETUP_BENCH,
    SWITCH,
    TARGET,
    TRAINER,
    PocketFlags,
)


def legal(table: PocketTable, flags: PocketFlags) -> jax.Array:
    """(62,) bool, of the actor; when the game is over, to wait."""
    me, foe, pending = table.me, table.foe, table.pending
    asked = {what: pending == what for what in range(OVER + 1)}
    main = asked[MAIN]
    row = asked_effect(table)
    energy = paying(me)
    revivable = fitting(foe, rows.REVIVED)
    holds = required(me, foe, revivable)

    own, opp = options(me, foe, row)
    chosen = asked[TRAINER] | asked[ABILITY]
    own, opp = [one & chosen for one in own], [one & chosen for one in opp]
    own = _or(own, _evolutions(table), asked[EVOLVE])
    aimed = aimable(me, foe, row.hit_whom)
    own, opp = _or(own, aimed[0], asked[TARGET]), _or(opp, aimed[1], asked[TARGET])
    own = _or(own, attachable(me, row.attach_filter), asked[ATTACH])
    mine = table.actor == i32(table.turned)
    bench = [jnp.where(mine, a.there, b.there) for a, b in zip(me.bench, foe.bench, strict=True)]
    own = _or(own, [jnp.bool_(False), *bench], asked[SWITCH] | asked[PROMOTE])

    copied = copyable(me, foe, energy, attack_row(table.attack))
    types = kinds(me.active.energy)
    units = [((types[t // 4] >> (8 * (t % 4))) & 1) != 0 for t in range(ENERGIES)]
    zone = main & (me.zone_now > 0)
    away = main & can_retreat(table)
    scalars = [
        *(mon.there & zone for mon in me.mons),
        *(mon.there & away for mon in me.bench),
        *(_usable(table, place, holds) & main for place in range(PLACES)),
        *(_may_attack(table, i, flags) & main for i in range(2)),
        *(mon.there & (mon.card.fossil > 0) & main & _one_of_several(table) for mon in me.mons),
        *own,
        *opp,
        *(one & asked[RETREAT] for one in units),
        *(one & asked[COPY] for one in copied),
    ]
    waits = main | asked[SETUP_BENCH] | asked[OVER]
    cards = _cards(table, holds, revivable, row, flags)
    found = joined([waits, cards, *scalars], bool)
    assert found.shape == (ACTIONS,)
    return found


def _or(old: list[jax.Array], more: list[jax.Array], condition: jax.Array) -> list[jax.Array]:
    return [a | (b & condition) for a, b in zip(old, more, strict=True)]


def asked_effect(table: PocketTable) -> Fields:
    """The effect that a choice is about."""
    me = table.me
    number = look_up(me.numbers, table.source)
    card = unpacked(rows.MORE, look_up(rows.MORE_WORDS, number)).effect
    holder = pick([mon.rest.effect for mon in me.mons], table.source)
    attack = attack_row(table.attack).effect
    found = jnp.where(table.pending == TRAINER, card, jnp.where(table.pending == ABILITY, holder, attack))
    return rows.effect(found)


def _cards(table: PocketTable, holds: Word, revivable: Word, row: Fields, flags: PocketFlags) -> jax.Array:
    """(20,) bool: CARD k."""
    me, foe, pending = table.me, table.foe, table.pending
    card = unpacked(rows.CARD, me.words)
    first = jnp.concatenate([jnp.ones(1, bool), me.numbers[1:] != me.numbers[:-1]])
    held = ((me.in_hand >> K) & 1) != 0
    before = jnp.concatenate([jnp.zeros(1, bool), held[:-1]])
    copy = held & (first | ~before)  # R4.1: copies are neighbours, and no more than two
    free = free_bench(me) < PLACES
    supporter = ~table.supporter_used & ~is_locked(me, foe)
    if not flags.first_turn_supporter:
        supporter = supporter & (table.turn > 1)
    evolves = any_of([may & (card.evolves_from == name) for may, name in evolvable(me, foe, table.turn)])
    paid = (card.requires.astype(jnp.uint32) & ~holds) == 0
    playable = jnp.where(
        card.kind == rows.BASIC,
        free,
        jnp.where(card.kind == rows.EVOLUTION, evolves, paid & ((card.kind != rows.SUPPORTER) | supporter)),
    )
    setup = (pending == SETUP_ACTIVE) | (pending == SETUP_BENCH)
    hand = copy & jnp.where(setup, card.kind == rows.BASIC, playable & (pending == MAIN))
    revived = (pending == TRAINER) & (row.revive > 0) & (jnp.arange(CARDS) < size(foe.in_discard & revivable))
    return hand | revived


def _evolutions(table: PocketTable) -> list[jax.Array]:
    """The places that the card of EVOLVE may go to."""
    name = unpacked(rows.CARD, look_up(table.me.words, table.source)).evolves_from
    return [may & (name == other) for may, other in evolvable(table.me, table.foe, table.turn)]


def _usable(table: PocketTable, place: int, holds: Word) -> jax.Array:
    """R4.11."""
    mon = table.me.mons[place]
    card = mon.card
    needs = unpacked(rows.EFFECT[-1], look_up(rows.EFFECT_WORDS[-1], mon.rest.effect)).requires
    here = card.active_only == 0 if place else jnp.bool_(True)
    fresh = (card.once == 0) | ~mon.used
    return mon.there & (card.activated > 0) & here & fresh & ((needs.astype(jnp.uint32) & ~holds) == 0)


def can_retreat(table: PocketTable) -> jax.Array:
    """R4.12."""
    me = table.me
    able = ~table.retreat_used & ~cannot_move(me) & (me.no_retreat_left == 0) & (me.active.card.fossil == 0)
    return able & any_benched(me) & (paying(me).count >= retreat_cost(table))


def retreat_cost(table: PocketTable) -> jax.Array:
    return jnp.maximum(table.me.active.card.retreat + table.retreat_change, 0)


def _may_attack(table: PocketTable, i: int, flags: PocketFlags) -> jax.Array:
    """R5.1."""
    me = table.me
    rest = me.active.rest
    number = jnp.where(rest.attacks > i, rest.attack + i, 0)
    able = me.active.there & (number > 0) & ~cannot_move(me) & (me.no_attack_left == 0)
    if not flags.first_turn_attack:
        able = able & (table.turn > 1)
    return able & pays(paying(me), cost(number), attack_row(number).total)


def _one_of_several(table: PocketTable) -> jax.Array:
    """R4.8."""
    return total([i32(mon.there) for mon in table.me.mons]) > 1
