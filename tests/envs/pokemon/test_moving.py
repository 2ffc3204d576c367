"""Rules that are easy to get wrong, each by itself; whole battles are compared in test_recorded.py."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.pokemon import effects, hitting, moving, rules, tables
from envwright.envs.pokemon.fighter import Fighter, load
from envwright.envs.pokemon.move_context import MoveContext, hurt_oneself
from envwright.envs.pokemon.state import (
    ATTACK,
    FROZEN,
    MOVE,
    SWITCH,
    TIE,
    WAIT,
    State,
    Team,
)
from envwright.envs.pokemon.tables import pool

YES, NO = jnp.bool_(True), jnp.bool_(False)


def state(**changes: Any) -> State:
    """A battle that has begun, with some fields changed."""
    teams = Team(**{name: jnp.asarray(field[:2]) for name, field in pool.teams().items()})
    begun = rules.start(teams, jnp.uint32([1, 2]))
    return begun.replace(**{name: jnp.asarray(value, getattr(begun, name).dtype) for name, value in changes.items()})


def fighter(**changes: Any) -> Fighter:
    return load(state(), 0, jnp.int32(0), NO).replace(**changes)


def moment(me: Fighter, foe: Fighter | None = None) -> MoveContext:
    seed = (jnp.uint32(7), jnp.uint32(8))
    return MoveContext(me, fighter() if foe is None else foe, seed, jnp.int32(30), jnp.int32(0))


def integers(*values: int) -> tuple[jax.Array, ...]:
    return tuple(jnp.int32(value) for value in values)


def test_pp_below_0_is_63() -> None:
    me = fighter(pp=integers(0, 5, 5, 5), selected_slot=jnp.int32(0))
    found = moving.change_pp(me, -1, YES)
    assert [int(pp) for pp in found.pp] == [63, 5, 5, 5]
    assert int(found.base_pp[0]) == 63
    assert int(moving.change_pp(me.replace(transformed=YES), -1, YES).base_pp[0]) == int(me.base_pp[0])


def test_a_stat_of_999_stays_and_the_boost_goes_back() -> None:
    sword_dance = tables.row(jnp.int32(tables.move("swordsdance")))
    me = fighter(modified=integers(999, 100, 100, 100), boosts=integers(2, 0, 0, 0, 0, 0))
    after, changed = effects.boost(moment(me), sword_dance, YES, NO)
    assert not changed
    assert int(after.me.boosts[ATTACK]) == 3
    assert int(after.me.modified[ATTACK]) == 999
    assert int(after.hints) == 1


def test_whoever_does_not_move_gets_its_drop_again() -> None:
    sword_dance = tables.row(jnp.int32(tables.move("swordsdance")))
    foe = fighter(status=jnp.int32(5), modified=integers(100, 100, 80, 100))
    after, _ = effects.boost(moment(fighter(), foe), sword_dance, YES, NO)
    assert int(after.foe.modified[2]) == 20


def test_confusion_hurts_the_foes_substitute_from_behind_ones_own() -> None:
    me, foe = fighter(substitute=jnp.int32(20)), fighter(substitute=jnp.int32(10))
    after = hurt_oneself(moment(me, foe), jnp.int32(12), YES)
    assert int(after.me.hp) == int(me.hp)
    assert int(after.foe.substitute) == 0
    assert after.foe.substitute_broke
    assert int(after.last_damage) == 12


def test_explosion_into_a_substitute_that_breaks_is_survived() -> None:
    number = jnp.int32(tables.move("explosion"))
    for substitute, survives in ((1, True), (0, False)):
        before = moment(fighter(), fighter(substitute=jnp.int32(substitute)))
        row = tables.row(number)
        row["accuracy"] = jnp.int32(0)
        after = hitting.try_move(before, row, number, YES)
        assert (int(after.me.hp) > 0) == survives


def test_masks_follow_the_request() -> None:
    begun = state()
    assert np.asarray(rules.legal(begun))[0].tolist() == [True] * 4 + [False] + [True] * 5
    locked = np.asarray(rules.legal(state(recharging=[True, False])))
    assert np.flatnonzero(locked[0]).tolist() == [0]
    hp = np.asarray(begun.hp).copy()
    hp[0, 0] = 0
    forced = np.asarray(rules.legal(state(hp=hp, request=[SWITCH, WAIT])))
    assert np.flatnonzero(forced[0]).tolist() == [5, 6, 7, 8, 9]
    assert np.flatnonzero(forced[1]).tolist() == [0]


def test_two_frozen_teams_tie() -> None:
    frozen = rules.next_turn(state(status=np.full((2, 6), FROZEN)))
    assert int(frozen.winner) == TIE
    assert int(rules.next_turn(state()).winner) == 0


def test_a_battle_of_a_thousand_turns_ties() -> None:
    assert int(rules.next_turn(state(turn=1000)).winner) == TIE
    assert int(rules.next_turn(state(turn=999)).request[0]) == MOVE
