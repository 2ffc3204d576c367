"""The end of an update: the next turn, replacements for who has fainted, or the end of the battle."""

import jax
import jax.numpy as jnp

from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.choosing import Update
from envwright.envs.pokemon.events import Event, Tell, silent
from envwright.envs.pokemon.fighter import PLACES, faint, store
from envwright.envs.pokemon.state import (
    FIRST,
    FROZEN,
    MOVE,
    NOBODY_YET,
    SECOND,
    SPEED,
    SWITCH,
    TIE,
    WAIT,
    State,
)

LAST_TURN = 1000
TRANSFORM = tables.move("transform")
GHOST = tables.TYPES.index("Ghost")
_KINDS = (tables.SPECIES_ROWS["type"], tables.SPECIES_ROWS["second_type"])
_GHOSTS = [number for number in range(len(tables.SPECIES)) if GHOST in (_KINDS[0][number], _KINDS[1][number])]


def end(update: Update, tell: Tell = silent) -> State:
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
    tell(rests, Event.UPKEEP)
    tell(update.goes_on & stuck(state), Event.NO_PROGRESS)
    state = jax.tree.map(lambda a, b: jnp.where(update.goes_on, a, b), next_turn(state), fainted(state))
    tell(update.goes_on, Event.TURN, 0, state.turn)
    tell(state.winner != NOBODY_YET, Event.OVER, 0, state.winner)
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
    return state.order[:, :1] == PLACES


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
