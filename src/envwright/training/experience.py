"""What was seen, done and got in a rollout, and what it was worth. The same whoever stepped the environments."""

from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import execute
from envwright.core.record import Record


class Experience(Record):
    """A rollout: every leaf has a leading axis of steps, then one of seats (an environment has a seat a player)."""

    seen: jax.Array  # (steps, seats, inputs) as the environment showed it
    memory: jax.Array  # (steps, seats, memory) what the network remembered after that look
    fresh: jax.Array  # bool, the first look of an episode: nothing was remembered before it
    legal: jax.Array | None  # bool (steps, seats, actions)
    raw: Any  # the actions, as chosen
    log_prob: jax.Array  # of choosing them
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    final: jax.Array  # (steps, seats, inputs) what came of the action, before any auto-reset


class Totals(Record):
    """Sums over the episodes that ended in a rollout, a number each."""

    episodes: jax.Array
    returns: jax.Array
    squares: jax.Array  # of returns
    lengths: jax.Array


def to_seats(per_game: Any, players: int) -> Any:
    """(envs, players, ...) -> (envs * players, ...), of JAX or of NumPy."""
    return per_game if players == 1 else per_game.reshape(-1, *per_game.shape[2:])


def to_games(per_seat: Any, players: int) -> Any:
    """(envs * players, ...) -> (envs, players, ...)"""
    return per_seat if players == 1 else per_seat.reshape(-1, players, *per_seat.shape[1:])


def each_seat(per_game: Any, players: int) -> Any:
    """What holds for a game, for each of its players."""
    return per_game if players == 1 else per_game.repeat(players)


def no_totals() -> Totals:
    zero = jnp.float32(0)
    return Totals(zero, zero, zero, zero)


def advantages(
    values: jax.Array,
    next_values: jax.Array,
    reward: jax.Array,
    terminated: jax.Array,
    truncated: jax.Array,
    gamma: float,
    gae_lambda: float,
) -> jax.Array:
    """Generalised advantage estimates, (steps, seats).

    `next_values` is what the observation after each step is worth: where a time limit cut an episode off, the one it
    ended with, so that the limit does not look like a death. Nothing is worth anything after a true end.
    """
    delta = reward + gamma * jnp.where(terminated, 0, next_values) - values
    carried = jnp.where(terminated | truncated, 0, jnp.float32(gamma * gae_lambda))

    def back(later: jax.Array, step: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        delta, carried = step
        now = delta + carried * later
        return now, now

    # A loop over tiny rows: as one kernel, because calling a kernel a row would take longer than the sums.
    scan = execute.one_kernel(lambda d, c: jax.lax.scan(back, jnp.zeros_like(d[0]), (d, c), reverse=True)[1])
    return scan(delta, carried)
