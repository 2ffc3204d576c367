"""One update of a battle, as Pokemon Showdown plays it: a turn, or the replacement of who has fainted.

    choices    both sides have chosen, and what it means is known: after `Side.commitChoices`
    order      who comes first is known, with the draw that decides a tie: after `BattleQueue.sort` and, where a turn
               begins, the action beforeTurn
    switches   all that switch have entered, and may be hurt by it: after `runAction` of the last runSwitch
    first      the first of two moves has been made: after its `runAction`
    second     the second of two moves, or the only one, has been made: after its `runAction`
    end        Showdown asks again, or the battle is over

These are the phases of `phases`. A phase that an update does not have leaves the battle as it was. All functions are
pure, and computed in every battle: what does not happen is a condition, never a branch.
"""

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.alone import get_damage as get_damage  # which the contract looks for here
from envwright.envs.pokemon.choosing import Update, begin, choose, quickened
from envwright.envs.pokemon.ending import active, end, fainted, next_turn
from envwright.envs.pokemon.events import FOE, ME, Event, Events, Tell, of_side, silent
from envwright.envs.pokemon.fighter import faint, load, store, when
from envwright.envs.pokemon.move_context import MoveContext
from envwright.envs.pokemon.moving import NOTHING_CHOSEN, act
from envwright.envs.pokemon.state import (
    ASLEEP,
    FIRST_SWITCH,
    FROZEN,
    MAX_HP,
    MEMBERS,
    MOVE,
    NOBODY_YET,
    SLOTS,
    SPEED,
    SWITCH,
    WAIT,
    State,
    Team,
)

PHASES = ("choices", "order", "switches", "first", "second", "end")


def advance(state: State, actions: jax.Array, seed: jax.Array) -> State:
    """The battle after an update. `actions` are (2,) int, legal ones; `seed` is (2,) uint32, Showdown's before it.

    A battle that is over stays as it is.
    """
    update = begin(state, actions, seed)
    update = first_move(update)
    update = second_move(update)
    return end(update)


def advance_and_tell(state: State, actions: jax.Array, seed: jax.Array) -> tuple[State, jax.Array]:
    """The battle after an update, and what happened in it: (events, 5) int32, which `log.py` reads."""
    tell = Events()
    update = begin(state, actions, seed, tell)
    update = first_move(update, tell)
    update = second_move(update, tell)
    return end(update, tell), tell.stacked()


def draws(state: State, actions: jax.Array, seed: jax.Array) -> dict[str, tuple[jax.Array, jax.Array]]:
    """What an update draws, in order: the line, whether it draws, and the word."""
    with prng.listening() as heard:
        advance(state, actions, seed)
    going_on = state.winner == NOBODY_YET
    return {f"{place} #{i}": (happens & going_on, word) for i, (place, happens, word) in enumerate(heard)}


def phases(state: State, actions: jax.Array, seed: jax.Array) -> dict[str, State]:
    """The battle after each of `PHASES`."""
    begun = begin(state, actions, seed)
    first = first_move(begun)
    second = second_move(first)
    chosen = _committed(state, actions, seed)
    nobody = jnp.full_like(state.request, WAIT)
    ordered = chosen.replace(seed=jnp.stack(begun.ordered), request=nobody)
    found = {"choices": chosen, "order": ordered, "switches": _so_far(begun)}
    found |= {"first": _so_far(first), "second": _so_far(second), "end": end(second)}
    over = state.winner != NOBODY_YET
    return {name: jax.tree.map(lambda old, new: jnp.where(over, old, new), state, found[name]) for name in PHASES}


def _committed(state: State, actions: jax.Array, seed: jax.Array) -> State:
    members = [state.order[side, 0].astype(jnp.int32) for side in (0, 1)]
    sides = [quickened(state, load(state, side, members[side], jnp.bool_(False)), side) for side in (0, 1)]
    moves = [(state.request[side] == MOVE) & (actions[side] < FIRST_SWITCH) for side in (0, 1)]
    sides = [choose(sides[side], actions[side].astype(jnp.int32), moves[side]) for side in (0, 1)]
    return store(state, sides, members).replace(seed=seed)


def _so_far(update: Update) -> State:
    state = store(update.state, [faint(fighter) for fighter in update.sides], update.members)
    state = state.replace(
        last_damage=update.last_damage,
        hints=update.hints.astype(jnp.uint8),
        seed=jnp.stack(update.seed),
        request=jnp.full_like(state.request, WAIT),
    )
    return jax.tree.map(lambda a, b: jnp.where(update.goes_on, a, b), state, fainted(state))


def first_move(update: Update, tell: Tell = silent) -> Update:
    """The move of who comes first."""
    return _one_move(update, update.first, tell)


def second_move(update: Update, tell: Tell = silent) -> Update:
    """The move of the other side."""
    return _one_move(update, 1 - update.first, tell)


def _one_move(update: Update, side: jax.Array, tell: Tell) -> Update:
    one, two = update.sides
    mine = side == 0
    acts = jnp.where(mine, *update.moves) & update.goes_on
    moment = MoveContext(when(mine, one, two), when(mine, two, one), update.seed, update.last_damage, update.hints)
    tell = of_side(tell, side)
    moment = act(moment, acts, tell)
    me, foe, seed = moment.me, moment.foe, moment.seed
    goes_on = update.goes_on & (me.hp > 0) & (foe.hp > 0)
    tell(acts & (foe.hp == 0), Event.FAINT, FOE)
    tell(acts & (me.hp == 0), Event.FAINT, ME)
    seed = prng.skip(seed, acts & goes_on & (me.speed == foe.speed))
    return update.replace(
        sides=(when(mine, me, foe), when(mine, foe, me)),
        seed=seed,
        last_damage=moment.last_damage,
        hints=moment.hints,
        goes_on=goes_on,
    )


def legal(state: State) -> jax.Array:
    """(2, 10) bool: which actions Showdown's requests allow. Who is not asked may only wait, with action 0."""
    here = active(state)
    status = jnp.sum(jnp.where(here, state.status, 0), axis=1, dtype=jnp.uint8)
    trapped = state.recharging | state.charging
    exhausted = jnp.all(state.active_pp == 0, axis=1)
    only_one = trapped | (status == ASLEEP) | (status == FROZEN) | exhausted
    asked_to_move = state.request == MOVE
    first = np.arange(SLOTS)[None] == 0
    moves = jnp.where(only_one[:, None], first, state.active_pp > 0) & asked_to_move[:, None]
    moves = moves | ((state.request == WAIT)[:, None] & first)
    may_switch = (asked_to_move & ~trapped) | (state.request == SWITCH)
    switches = (state.hp > 0) & ~here & may_switch[:, None]
    return jnp.concatenate([moves, switches], axis=1)


def start(teams: Team, seed: jax.Array) -> State:
    """A battle of two teams, (2, ...) each, whose first members are sent out."""
    here = jnp.arange(MEMBERS) == 0
    base = teams.stats[:, 0, 1:]
    one, two = (tables.species(teams.species[side, 0].astype(jnp.int32)) for side in (0, 1))
    byte = lambda *values: jnp.array(values, jnp.uint8)  # noqa: E731
    none, no = byte(0, 0), jnp.zeros(2, bool)
    tie = base[0, SPEED] == base[1, SPEED]
    # Who is sent out first, and Update after the start and after each entry.
    seed_ = prng.skip((seed[0], seed[1]), tie, 4)
    state = State(
        species=teams.species,
        level=teams.level,
        stats=teams.stats,
        speed_points=teams.speed_points,
        moves=teams.moves,
        pp=teams.pp,
        hp=teams.stats[:, :, MAX_HP],
        status=jnp.zeros((2, MEMBERS), jnp.uint8),
        sleep=jnp.zeros((2, MEMBERS), jnp.uint8),
        rested=jnp.zeros((2, MEMBERS), bool),
        substitute_broke=jnp.zeros((2, MEMBERS), bool),
        seen=jnp.stack([here, here]),
        order=jnp.asarray(np.tile(np.arange(MEMBERS, dtype=np.uint8), (2, 1))),
        active_species=teams.species[:, 0],
        types=jnp.stack([jnp.stack(one[:2]), jnp.stack(two[:2])]).astype(jnp.uint8),
        active_moves=teams.moves[:, 0],
        active_pp=teams.pp[:, 0],
        stored=base,
        modified=base,
        boosts=jnp.zeros((2, 6), jnp.int8),
        speed=base[:, SPEED],
        substitute=none,
        confusion=none,
        transformed=no,
        recharging=no,
        charging=no,
        reflect=no,
        flinched=no,
        last_move=none,
        selected=byte(NOTHING_CHOSEN, NOTHING_CHOSEN),
        selected_slot=none,
        selected_for_foe=byte(NOTHING_CHOSEN, NOTHING_CHOSEN),
        used=none,
        used_for_foe=none,
        last_damage=jnp.int32(0),
        turn=jnp.int16(0),
        request=none,
        winner=jnp.uint8(NOBODY_YET),
        hints=jnp.uint8(0),
        seed=jnp.stack(seed_),
    )
    return next_turn(state)
