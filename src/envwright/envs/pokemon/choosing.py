"""What the choices of an update mean, in which order they come, and the switches, which always come before moves."""

import jax
import jax.numpy as jnp

from envwright.core import Record
from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.events import Event, Tell, silent
from envwright.envs.pokemon.fighter import PLACES, Fighter, load, of_member, pick, residual
from envwright.envs.pokemon.moving import STRUGGLE
from envwright.envs.pokemon.prng import Seed
from envwright.envs.pokemon.state import ASLEEP, FIRST_SWITCH, FROZEN, MAX_HP, MOVE, SPEED, SWITCH, WAIT, State

Pair = tuple[jax.Array, jax.Array]  # one of each side


class Update(Record):
    """An update in the making."""

    state: State  # what it began with, but for what switches have changed
    sides: tuple[Fighter, Fighter]
    members: Pair  # which member is active
    moves: Pair  # bool: who moves
    first: jax.Array  # () int32: the side that comes first
    normal: jax.Array  # () bool: a turn, not a replacement
    goes_on: jax.Array  # () bool: nobody has fainted in it
    last_damage: jax.Array
    hints: jax.Array
    ordered: Seed  # when the order was known
    seed: Seed


def begin(state: State, actions: jax.Array, seed: jax.Array, tell: Tell = silent) -> Update:
    """Choices, their order, and switches, which always come before moves."""
    seed_ = (seed[0], seed[1])
    asked = [state.request[side] for side in (0, 1)]
    normal = (asked[0] == MOVE) | (asked[1] == MOVE)
    chosen = [actions[side].astype(jnp.int32) for side in (0, 1)]
    wants = [(asked[side] == SWITCH) | ((asked[side] == MOVE) & (chosen[side] >= FIRST_SWITCH)) for side in (0, 1)]
    incoming = [chosen[side] - FIRST_SWITCH for side in (0, 1)]
    speeds = [state.modified[side, SPEED].astype(jnp.int32) for side in (0, 1)]
    tie = speeds[0] == speeds[1]
    word, _ = prng.step(seed_)  # decides a tie, and is only drawn where there is one to decide
    later_first = (speeds[1] > speeds[0]) | (tie & (word >> 31 == 1))
    both_switch = wants[0] & wants[1]

    # Who faints on entering ends the turn, before the other side has switched.
    hurt, faints = zip(*(_entry(state, side, incoming[side], normal) for side in (0, 1)), strict=True)
    enters = [
        wants[0] & ~(both_switch & later_first & faints[1]),
        wants[1] & ~(both_switch & ~later_first & faints[0]),
    ]
    old = [state.order[side, 0].astype(jnp.int32) for side in (0, 1)]
    members = [jnp.where(enters[side], incoming[side], old[side]) for side in (0, 1)]
    sides = [load(state, side, members[side], enters[side]) for side in (0, 1)]
    # Who replaces a fainted member is as fast as it is; all others are looked up.
    sides = [quickened(state, fighter, side) for side, fighter in enumerate(sides)]

    # Moves.
    moves = [(asked[side] == MOVE) & ~wants[side] for side in (0, 1)]
    sides = [choose(fighter, action, m) for fighter, action, m in zip(sides, chosen, moves, strict=True)]
    priority = [tables.row(fighter.selected).priority for fighter in sides]
    even = moves[0] & moves[1] & (priority[0] == priority[1])
    ahead = (priority[1] > priority[0]) | (even & later_first)
    first = jnp.where(moves[0] & moves[1], ahead, jnp.where(both_switch, later_first, wants[1])).astype(jnp.int32)
    sorts = tie & (even | both_switch)
    seed_ = prng.skip(seed_, sorts)
    seed_ = prng.skip(seed_, normal & tie, 2)  # the event BeforeTurn, and Update after it
    ordered = seed_

    # Every action is followed by the event Update, which is drawn for where both are equally fast.
    replaced = both_switch & ~normal
    one = jnp.where(first == 0, enters[0], enters[1])  # the first to come enters
    other = enters[0] & enters[1]
    new = [jnp.where(enters[side], sides[side].modified[SPEED], speeds[side]) for side in (0, 1)]
    half = [jnp.where(first == side, new[side], speeds[side]) for side in (0, 1)]  # when the first one is in
    dies_one = jnp.where(first == 0, faints[0], faints[1])
    dies_other = jnp.where(first == 0, faints[1], faints[0])
    tie_one, tie_other = one & ~replaced & (half[0] == half[1]), other & (new[0] == new[1])
    seed_ = prng.skip(seed_, (tie_one & ~dies_one) | (replaced & tie_other), 2)
    seed_ = prng.skip(seed_, tie_other & ~dies_other, 2)
    seed_ = prng.skip(seed_, (tie_one & dies_one) | (tie_other & dies_other), 1)

    anybody = enters[0] | enters[1]
    of_hp = [fighter.hp for fighter in sides]
    sides = [
        fighter.replace(
            hp=jnp.where(enters[side], jnp.maximum(fighter.hp - hurt[side], 0), fighter.hp),
            last_move=jnp.where(anybody, 0, fighter.last_move),
        )
        for side, fighter in enumerate(sides)
    ]
    for second in (False, True):
        side = 1 - first if second else first
        of = lambda pair: jnp.where(side == 0, pair[0], pair[1])  # noqa: B023, E731
        status = of([fighter.status for fighter in sides])
        tell(of(enters), Event.SWITCH, side, of(members), of(of_hp), status)
        hp = of([fighter.hp for fighter in sides])
        tell(of(enters) & (of(hurt) > 0), Event.DAMAGE, side, hp, status, 2)
        tell(of(enters) & (hp == 0), Event.FAINT, side)
    state = _sent_out(state, members, enters)
    goes_on = (sides[0].hp > 0) & (sides[1].hp > 0)
    return Update(
        state=state,
        sides=(sides[0], sides[1]),
        members=(members[0], members[1]),
        moves=(moves[0], moves[1]),
        first=first,
        normal=normal,
        goes_on=goes_on,
        last_damage=state.last_damage,
        hints=state.hints.astype(jnp.int32),
        ordered=ordered,
        seed=seed_,
    )


def quickened(state: State, fighter: Fighter, side: int) -> Fighter:
    """Its speed is looked up anew, of all that stand when choices are committed: `Battle.updateSpeed`."""
    stands = state.request[side] != SWITCH
    going = (state.request[0] != WAIT) | (state.request[1] != WAIT)
    return fighter.replace(speed=jnp.where(stands & going, fighter.modified[SPEED], fighter.speed))


def _entry(state: State, side: int, member: jax.Array, normal: jax.Array) -> Pair:
    """What burn or poison takes of a member that enters, and whether it faints of it. Replacements are not hurt."""
    hurt = residual(of_member(state.stats[:, :, MAX_HP], side, member), of_member(state.status, side, member))
    hurt = jnp.where(normal, hurt, 0)
    return hurt, hurt >= jnp.maximum(of_member(state.hp, side, member), 1)


def _sent_out(state: State, members: list[jax.Array], enters: list[jax.Array]) -> State:
    """Showdown swaps the places of the one that leaves and the one that enters."""
    into, entering = jnp.stack(members).astype(state.order.dtype), jnp.stack(enters)
    old = state.order[:, :1]
    swapped = jnp.where(state.order == into[:, None], old, state.order)
    swapped = jnp.concatenate([into[:, None], swapped[:, 1:]], axis=1)
    here = into[:, None] == PLACES
    return state.replace(
        order=jnp.where(entering[:, None], swapped, state.order), seen=state.seen | (here & entering[:, None])
    )


def choose(me: Fighter, action: jax.Array, moves: jax.Array) -> Fighter:
    """A move is selected. Who is locked into one, asleep or frozen keeps what was selected last, be it by another
    member; the foe takes it for the move in the slot."""
    kept = me.recharging | me.charging | (me.status == ASLEEP) | (me.status == FROZEN)
    struggles = ~kept & (me.pp[0] + me.pp[1] + me.pp[2] + me.pp[3] == 0)
    free = moves & ~kept & ~struggles
    picked = pick(me.moves, action)
    slot = jnp.where(free, action, me.selected_slot)
    chosen = jnp.where(struggles, STRUGGLE, picked)
    selected = jnp.where(moves & ~kept, chosen, me.selected)
    return me.replace(
        selected=selected,
        selected_slot=slot,
        selected_for_foe=jnp.where(moves, jnp.where(kept, pick(me.moves, slot), selected), me.selected_for_foe),
        used=jnp.where(free, picked, me.used),
    )
