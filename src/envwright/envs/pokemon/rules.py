"""One update of a battle, as Pokemon Showdown plays it: a turn, or the switches after a faint.

    choose     what each side's choice means: `Side.commitChoices`
    order      who comes first, with the draw that decides a tie: `BattleQueue.sort`, and the event BeforeTurn
    switch     members that are called back and sent out, who may be hurt as they enter: `runAction` of every switch
    first      the first move: `runAction` of it
    second     the other one, unless somebody has fainted, which in generation 1 ends the turn
    end        flinches end, and the next turn begins, or fainted members are to be replaced, or the battle is over

These are the phases of `phases`, in this order; each names what of Showdown has run when it is taken.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Record
from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.fighter import Fighter, faint, load, of_member, residual, store, when
from envwright.envs.pokemon.moving import NOTHING_CHOSEN, STRUGGLE, Moment, act
from envwright.envs.pokemon.prng import Seed
from envwright.envs.pokemon.state import (
    ACTIONS,
    ASLEEP,
    FIRST,
    FIRST_SWITCH,
    FROZEN,
    MAX_HP,
    MEMBERS,
    MOVE,
    NOBODY_YET,
    SECOND,
    SLOTS,
    SPEED,
    SWITCH,
    TIE,
    WAIT,
    State,
    Team,
)

PHASES = ("choose", "order", "switch", "first", "second", "end")
LAST_TURN = 1000
TRANSFORM = tables.move("transform")
GHOST = tables.TYPES.index("Ghost")
_GHOSTS = [
    n
    for n in range(len(tables.SPECIES))
    if GHOST in (tables.SPECIES_ROWS["type"][n], tables.SPECIES_ROWS["second_type"][n])
]
_PLACES = np.arange(MEMBERS, dtype=np.uint8)[None]
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
    seed: Seed


def advance(state: State, actions: jax.Array, seed: jax.Array) -> State:
    """The battle after an update. `actions` are (2,) int, legal ones; `seed` is (2,) uint32, Showdown's before it."""
    update = begin(state, actions, seed)
    for phase in (first_move, second_move):
        update = phase(update)
    return end(update)


def phases(state: State, actions: jax.Array, seed: jax.Array) -> dict[str, State]:
    """The battle after each of `PHASES`."""
    raise NotImplementedError


def begin(state: State, actions: jax.Array, seed: jax.Array) -> Update:
    """Choices, their order, and switches, which always come before moves."""
    seed_ = (seed[0], seed[1])
    asked = [state.request[side] for side in (0, 1)]
    normal = (asked[0] == MOVE) | (asked[1] == MOVE)
    chosen = [actions[side].astype(jnp.int32) for side in (0, 1)]
    wants = [(asked[side] == SWITCH) | ((asked[side] == MOVE) & (chosen[side] >= FIRST_SWITCH)) for side in (0, 1)]
    incoming = [chosen[side] - FIRST_SWITCH for side in (0, 1)]
    speeds = [state.modified[side, SPEED].astype(jnp.int32) for side in (0, 1)]
    tie = speeds[0] == speeds[1]
    word, drawn = prng.draw(seed_, jnp.bool_(True))
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
    alive = [normal | (asked[side] == WAIT) & ((asked[0] == SWITCH) | (asked[1] == SWITCH)) for side in (0, 1)]
    sides = [s.replace(speed=jnp.where(a, s.modified[SPEED], s.speed)) for s, a in zip(sides, alive, strict=True)]

    # Moves.
    moves = [(asked[side] == MOVE) & ~wants[side] for side in (0, 1)]
    sides = [choose(fighter, action, m) for fighter, action, m in zip(sides, chosen, moves, strict=True)]
    priority = [tables.row(fighter.selected).priority for fighter in sides]
    even = moves[0] & moves[1] & (priority[0] == priority[1])
    ahead = (priority[1] > priority[0]) | (even & later_first)
    first = jnp.where(moves[0] & moves[1], ahead, jnp.where(both_switch, later_first, wants[1])).astype(jnp.int32)
    sorts = tie & (even | both_switch)
    seed_ = (jnp.where(sorts, drawn[0], seed_[0]), jnp.where(sorts, drawn[1], seed_[1]))
    seed_ = prng.skip(seed_, normal & tie, 2)  # the event BeforeTurn, and Update after it

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
    sides = [
        fighter.replace(
            hp=jnp.where(enters[side], jnp.maximum(fighter.hp - hurt[side], 0), fighter.hp),
            last_move=jnp.where(anybody, 0, fighter.last_move),
        )
        for side, fighter in enumerate(sides)
    ]
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
        seed=seed_,
    )


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
    here = _PLACES == into[:, None]
    return state.replace(
        order=jnp.where(entering[:, None], swapped, state.order), seen=state.seen | (here & entering[:, None])
    )


def choose(me: Fighter, action: jax.Array, moves: jax.Array) -> Fighter:
    """A move is selected. Who is locked into one, asleep or frozen keeps what was selected last, be it by another
    member; the foe takes it for the move in the slot."""
    kept = me.recharging | me.charging | (me.status == ASLEEP) | (me.status == FROZEN)
    struggles = ~kept & (me.pp[0] + me.pp[1] + me.pp[2] + me.pp[3] == 0)
    free = moves & ~kept & ~struggles
    picked = of_slot(me, action)
    slot = jnp.where(free, action, me.selected_slot)
    chosen = jnp.where(struggles, STRUGGLE, picked)
    selected = jnp.where(moves & ~kept, chosen, me.selected)
    return me.replace(
        selected=selected,
        selected_slot=slot,
        selected_for_foe=jnp.where(moves, jnp.where(kept, of_slot(me, slot), selected), me.selected_for_foe),
        used=jnp.where(free, picked, me.used),
    )


def of_slot(me: Fighter, slot: jax.Array) -> jax.Array:
    """The move in a slot."""
    found = me.moves[SLOTS - 1]
    for i in reversed(range(SLOTS - 1)):
        found = jnp.where(slot == i, me.moves[i], found)
    return found


def first_move(update: Update) -> Update:
    """The move of who comes first."""
    return _one_move(update, update.first)


def second_move(update: Update) -> Update:
    """The move of the other side."""
    return _one_move(update, 1 - update.first)


def _one_move(update: Update, side: jax.Array) -> Update:
    one, two = update.sides
    mine = side == 0
    acts = jnp.where(mine, *update.moves) & update.goes_on
    moment = Moment(when(mine, one, two), when(mine, two, one), update.seed, update.last_damage, update.hints)
    moment = act(moment, acts)
    me, foe, seed = moment.me, moment.foe, moment.seed
    goes_on = update.goes_on & (me.hp > 0) & (foe.hp > 0)
    seed = prng.skip(seed, acts & goes_on & (me.speed == foe.speed))
    return update.replace(
        sides=(when(mine, me, foe), when(mine, foe, me)),
        seed=seed,
        last_damage=moment.last_damage,
        hints=moment.hints,
        goes_on=goes_on,
    )


def end(update: Update) -> State:
    """The end of a turn in which nobody fainted, or what a faint leads to."""
    rests = update.normal & update.goes_on  # the residual action: it is cleared by a faint
    sides = [
        fighter.replace(
            flinched=fighter.flinched & ~rests, speed=jnp.where(rests, fighter.modified[SPEED], fighter.speed)
        )
        for fighter in update.sides
    ]
    seed = prng.skip(update.seed, rests & (sides[0].speed == sides[1].speed))
    state = store(update.state, [faint(fighter) for fighter in sides], update.members)
    over = state.winner != NOBODY_YET
    state = state.replace(last_damage=update.last_damage, hints=update.hints.astype(jnp.uint8), seed=jnp.stack(seed))
    state = jax.tree.map(lambda a, b: jnp.where(update.goes_on, a, b), next_turn(state), fainted(state))
    return jax.tree.map(lambda old, new: jnp.where(over, old, new), update.state, state)


def fainted(state: State) -> State:
    """Replacements are asked for, or a side has lost, or both have."""
    left = jnp.any(state.hp > 0, axis=1)
    standing = jnp.any((state.hp > 0) & active(state), axis=1)
    winner = jnp.where(left[1], jnp.where(left[0], NOBODY_YET, SECOND), jnp.where(left[0], FIRST, TIE))
    over = winner != NOBODY_YET
    request = jnp.where(standing | over, WAIT, SWITCH)
    return state.replace(winner=winner.astype(jnp.uint8), request=request.astype(jnp.uint8))


def next_turn(state: State) -> State:
    """The next turn begins, unless no side can make progress or the battle has lasted too long."""
    turn = state.turn + 1
    tie = stuck(state) | (turn > LAST_TURN)
    request = jnp.where(tie, WAIT, MOVE).astype(jnp.uint8)
    return state.replace(
        turn=turn.astype(state.turn.dtype),
        winner=jnp.where(tie, TIE, NOBODY_YET).astype(jnp.uint8),
        request=jnp.stack([request, request]),
    )


def active(state: State) -> jax.Array:
    """(2, 6) bool: which member is on the field."""
    return _PLACES == state.order[:, :1]


def stuck(state: State) -> jax.Array:
    """Endless Battle Clause, as far as generation 1 can come to it."""
    here = active(state)
    moves = jnp.where(here[:, :, None], state.active_moves[:, None, :], state.moves)
    pp = jnp.where(here[:, :, None], state.active_pp[:, None, :], state.pp)
    species_is_ghost = jnp.zeros(state.species.shape, bool)
    for number in _GHOSTS:
        species_is_ghost = species_is_ghost | (state.species == number)
    active_is_ghost = (state.types[:, 0] == GHOST) | (state.types[:, 1] == GHOST)
    ghost = jnp.where(here, active_is_ghost[:, None], species_is_ghost)
    out = state.hp == 0
    only_transform = jnp.all((moves == TRANSFORM) | (moves == 0), axis=2)
    all_ghosts, all_transform = jnp.all(out | ghost, axis=1)[::-1], jnp.all(out | only_transform, axis=1)[::-1]
    exhausted = jnp.all(pp == 0, axis=2)
    helpless = out | (state.status == FROZEN)
    helpless = helpless | (only_transform & all_transform[:, None]) | (exhausted & all_ghosts[:, None])
    return jnp.all(helpless)


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


assert ACTIONS == SLOTS + MEMBERS
_ = Callable
