"""Noughts and crosses: a game for two with illegal moves, for testing what Pong and CartPole have not."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from envwright.core import Box, Discrete, Env, Space, Step
from envwright.core.record import Record
from envwright.core.registry import register, registered

LINES = jnp.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])
WAIT = 9  # what a player does when it is the other's turn


class State(Record):
    board: jax.Array  # (9,) int32: 0 empty, 1 the first player's, 2 the second's
    turn: jax.Array  # () int32, 0 or 1


class NoParams(Record):
    pass


@dataclass(frozen=True)
class Noughts(Env[State, NoParams]):
    @property
    def default_params(self) -> NoParams:
        return NoParams()

    @property
    def players(self) -> int:
        return 2

    def observation_space(self, params: NoParams) -> Space:
        return Box(0.0, 1.0, (19,))

    def action_space(self, params: NoParams) -> Space:
        return Discrete(10)

    def draw_start(self, key: jax.Array, params: NoParams) -> jax.Array:
        return jax.random.bits(key, (), jnp.uint32).astype(jnp.int32) & 1

    def start(self, chance: jax.Array, params: NoParams) -> tuple[jax.Array, State]:
        state = State(jnp.zeros(9, jnp.int32), chance)
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: NoParams) -> None:
        return None

    def legal_actions(self, state: State, params: NoParams) -> jax.Array:
        mover = jnp.append(state.board == 0, False)
        waiter = jnp.arange(10) == WAIT
        mover = jnp.where((state.board != 0).all(), True, mover)  # a full board is over; never nothing at all
        return jnp.where(state.turn == jnp.arange(2)[:, None], mover, waiter)

    def apply(self, state: State, action: jax.Array, chance: None, params: NoParams) -> Step:
        mark = state.turn + 1
        place = action[state.turn]
        board = jnp.where(jnp.arange(9) == place, mark, state.board)
        won = (board[LINES] == mark).all(axis=1).any()
        after = State(board, 1 - state.turn)
        reward = jnp.where(won, jnp.where(state.turn == jnp.arange(2), 1.0, -1.0), 0.0).astype(jnp.float32)
        return Step(observe(after), after, reward, won | (board != 0).all(), jnp.bool_(False), {})


def first_free(key: jax.Array, obs: jax.Array, legal: jax.Array) -> jax.Array:
    """An opponent: the first field that is free."""
    return legal.argmax().astype(jnp.int32)


def register_noughts() -> None:
    """Name the game, once a process, so that runs and commands find it."""
    if "Noughts-v0" not in {spec.id for spec in registered()}:
        register("Noughts-v0", "noughts:Noughts", opponents={"first": "noughts:first_free", "gone": "noughts:gone"})
        register("Noughts-v1", "noughts:Noughts", opponents={"first": "noughts:first_free"})


def observe(state: State) -> jax.Array:
    """Each player's own marks, the other's, and whether it is to move."""

    def of(player: int) -> jax.Array:
        marks = [state.board == player + 1, state.board == 2 - player, (state.turn == player)[None]]
        return jnp.concatenate(marks).astype(jnp.float32)

    return jnp.stack([of(0), of(1)])
