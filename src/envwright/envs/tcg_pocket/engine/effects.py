"""What an effect does to Pokemon behind its damage: conditions, energy, lasting effects (spec.md, section 5)."""

import jax
import jax.numpy as jnp

from envwright.envs.tcg_pocket.engine import encoding
from envwright.envs.tcg_pocket.engine.damage import Tossed
from envwright.envs.tcg_pocket.engine.deciding import Deed, StepDraws
from envwright.envs.tcg_pocket.engine.looking import any_benched, attachable
from envwright.envs.tcg_pocket.engine.playing import attach
from envwright.envs.tcg_pocket.engine.rows import Fields
from envwright.envs.tcg_pocket.engine.table import Mon, PlayerSide, PocketTable, each
from envwright.envs.tcg_pocket.engine.words import (
    Units,
    any_of,
    count,
    filled,
    i32,
    minus,
    plus,
    share,
    total,
    u32,
    unit,
    units_of,
    when,
)
from envwright.envs.tcg_pocket.layout import ENERGIES

ENDS_OF_TURN = 2  # this turn's and that of the opponent's next turn: R5.16


def heal(table: PocketTable, deed: Deed, row: Fields, dealt: jax.Array) -> PocketTable:
    """R5.13, R9.1."""
    me = table.me
    amount = jnp.where(row.drain > 0, dealt, row.heal * 10)
    self_, chosen = row.heal_whom == encoding.HEAL_SELF, row.heal_whom == encoding.HEAL_CHOSEN
    whole = row.heal_whom == encoding.HEAL_EACH
    place = jnp.where(self_, _own_place(deed), deed.place)

    def healed(at: int, mon: Mon) -> Mon:
        here = whole | ((self_ | chosen) & (place == at))
        return mon.replace(damage=jnp.where(here, jnp.maximum(mon.damage - amount, 0), mon.damage))

    return table.replace(me=me.replace(mons=each(me.mons, healed)))


def _own_place(deed: Deed) -> jax.Array:
    """Of the attacker, or of who has the ability."""
    return jnp.where(deed.strikes, 0, deed.holder)


def at_zero_hp(mon: Mon) -> jax.Array:
    return mon.there & (mon.damage >= mon.hp)


def status(table: PocketTable, row: Fields, protected: jax.Array) -> PocketTable:
    """R5.11."""
    foe = table.foe
    open_to_it = ~protected & foe.active.there & ~at_zero_hp(foe.active)
    poisons = row.status == encoding.STATUSES.index("poisoned")
    replaces = (row.status > 0) & ~poisons & open_to_it
    return table.replace(
        foe=foe.replace(
            condition=jnp.where(replaces, row.status, foe.condition), poisoned=foe.poisoned | (poisons & open_to_it)
        )
    )


def lasting(table: PocketTable, row: Fields, protected: jax.Array) -> PocketTable:
    """R5.16, R9.12."""
    me, foe = table.me, table.foe
    is_ = {name: row.lasting == number for number, name in enumerate(encoding.LASTING) if name}
    hits = {name: holds & ~protected for name, holds in is_.items()}
    amount = row.lasting_amount * 10
    turns = lambda holds, old: jnp.where(holds, ENDS_OF_TURN, old)  # noqa: E731
    foe = foe.replace(
        no_attack_left=turns(hits["no_attack"], foe.no_attack_left),
        no_retreat_left=turns(hits["no_retreat"], foe.no_retreat_left),
        needs_coin_left=turns(hits["needs_coin"], foe.needs_coin_left),
        dealt_less=jnp.where(hits["dealt_less"], amount, foe.dealt_less),
        dealt_less_left=turns(hits["dealt_less"], foe.dealt_less_left),
        lock_left=turns(row.lock > 0, foe.lock_left),
    )
    me = me.replace(
        prevent_left=turns(is_["prevent"], me.prevent_left),
        taken_less=jnp.where(is_["taken_less"], amount, me.taken_less),
        taken_less_left=turns(is_["taken_less"], me.taken_less_left),
        guard=jnp.where(is_["guard"], amount, me.guard),
        guard_left=turns(is_["guard"], me.guard_left),
    )
    return table.replace(me=me, foe=foe)


def this_turn(table: PocketTable, row: Fields, number: jax.Array) -> PocketTable:
    """R6.5, R9.11. `number` is of the Trainer."""
    boosts = row.boost > 0
    named = jnp.where(row.boost_named > 0, number, 0)
    return table.replace(
        boost=table.boost + row.boost * 10,
        boost_by=jnp.where(boosts, named, table.boost_by),
        retreat_change=table.retreat_change - row.retreat_less,
    )


def energies(
    table: PocketTable, deed: Deed, draws: StepDraws, tossed: Tossed, protected: jax.Array
) -> tuple[PocketTable, jax.Array]:
    """R3.4, R5.12, R5.14, R9.2, R9.5. Also how many units are to be attached by choice."""
    me, foe, row = table.me, table.foe, tossed.after
    # Attached.
    n = jnp.where(row.attach_heads > 0, tossed.heads, 1)
    asks = deed.strikes & (row.attach == encoding.TO_ASKED)
    asks = asks & any_of(attachable(me, row.attach_filter)) & (n > 0)
    active = (row.attach == encoding.TO_ACTIVE) & me.active.fits(row.attach_filter)
    to_self = row.attach == encoding.TO_SELF
    attaches = active | to_self | (row.attach == encoding.TO_CHOSEN)
    place = jnp.where(active, 0, jnp.where(to_self, _own_place(deed), deed.place))
    by_hand = deed.energizes | deed.attaches
    type = jnp.where(deed.energizes, me.zone_now - 1, jnp.where(deed.attaches, deed.attach_type, row.attach_type))
    units = unit(type & 7, jnp.where(by_hand, 1, n))
    mons = attach(me.mons, jnp.where(by_hand, deed.place, place), units, by_hand | attaches)
    me = me.replace(mons=mons, zone_now=jnp.where(deed.energizes, 0, me.zone_now))

    # Discarded by type.
    energy = me.active.energy
    some = row.discard == encoding.UNITS_SELF
    units = unit(row.discard_type, jnp.minimum(row.discard_n, units_of(energy, row.discard_type)))
    energy = when(some, minus(energy, units), energy)
    none = jnp.zeros_like(energy[0])
    energy = when(row.discard == encoding.ALL_SELF, (none, none), energy)
    me = me.replace(mons=(me.active.replace(energy=energy), *me.mons[1:]))

    me = _moved(me, deed, row)
    me, foe = _discard_random(me, foe, draws, row, protected)
    left = jnp.where(deed.attaches, table.units - 1, jnp.where(asks, n, 0))
    return table.replace(me=me, foe=foe), left


def _moved(me: PlayerSide, deed: Deed, row: Fields) -> PlayerSide:
    """R9.5: from the Bench to the Active."""
    one, every = row.move == encoding.MOVE_CHOSEN, row.move == encoding.MOVE_ALL
    mons, moved = [], []
    for place, mon in enumerate(me.bench, 1):
        n = jnp.where(every & mon.there, units_of(mon.energy, row.move_type), i32(one & (deed.place == place)))
        mons.append(mon.replace(energy=minus(mon.energy, unit(row.move_type, n))))
        moved.append(n)
    active = me.active.replace(energy=plus(me.active.energy, unit(row.move_type, total(moved))))
    return me.replace(mons=(active, *mons))


def _discard_random(
    me: PlayerSide, foe: PlayerSide, draws: StepDraws, row: Fields, protected: jax.Array
) -> tuple[PlayerSide, PlayerSide]:
    """R5.12: one unit, all equally likely: own places first, by place, then by type."""
    every = row.discard == encoding.RANDOM_ANY
    of_foe = (row.discard == encoding.RANDOM_FOE) & ~protected
    mons = (*me.mons, *foe.mons)
    taken = [jnp.where(mon.there & (every | of_foe if at == 4 else every), count(mon.energy), 0)
             for at, mon in enumerate(mons)]  # fmt: skip
    left = share(draws.pick, total(taken))
    word: Units = (jnp.zeros_like(draws.pick), jnp.zeros_like(draws.pick))
    found: list[tuple[jax.Array, jax.Array]] = []
    for n, mon in zip(taken, mons, strict=True):
        here = (left >= 0) & (left < n)
        word = when(here, mon.energy, word)
        found.append((here, left))
        left = left - n
    within = total([jnp.where(here, at, 0) for here, at in found])
    one = _unit_at(word, within)
    safe = protected & every
    after = []
    for at, ((here, _), mon) in enumerate(zip(found, mons, strict=True)):
        goes = here & ~safe if at == 4 else here
        after.append(mon.replace(energy=minus(mon.energy, (filled(goes, one[0]), filled(goes, one[1])))))
    return me.replace(mons=tuple(after[:4])), foe.replace(mons=tuple(after[4:]))


def _unit_at(units: Units, number: jax.Array) -> Units:
    """The unit of that number, by type."""
    found = [jnp.zeros_like(units[0]), jnp.zeros_like(units[0])]
    left = number
    for type in range(ENERGIES):
        n = units_of(units, type)
        here = (left >= 0) & (left < n)
        found[type // 4] = found[type // 4] | (u32(here) << (8 * (type % 4)))
        left = left - n
    return found[0], found[1]


def switching(table: PocketTable, row: Fields, protected: jax.Array) -> tuple[jax.Array, jax.Array]:
    """R5.15, R9.4: whether this player and the opponent have to choose whom to switch to."""
    me, foe = table.me, table.foe
    mine = (row.switch == encoding.SELF_SWITCHES) & any_benched(me) & ~at_zero_hp(me.active)
    theirs = (row.switch == encoding.FOE_SWITCHES) & ~protected & any_benched(foe) & ~at_zero_hp(foe.active)
    return mine, theirs
