"""Hoard in JAX."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright import Box, Discrete, Env, Record, Step

WAIT, LIMIT = 9, 60
PILE, TAKEN = np.arange(WAIT) // 3, np.arange(WAIT) % 3 + 1


class State(Record):
    piles: jax.Array  # (3,) int32
    turn: jax.Array  # () int32
    moves: jax.Array  # () int32


class Params(Record):
    """None."""


class Start(Record):
    piles: jax.Array  # (3,) int32, 1 to 5
    turn: jax.Array  # () int32


@dataclass(frozen=True)
class Hoard(Env[State, Params]):
    """Two players, one of whom moves."""

    @property
    def players(self) -> int:
        return 2

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Box:
        return Box(0.0, 5.0, (4,))

    def action_space(self, params: Params) -> Discrete:
        return Discrete(WAIT + 1)

    def draw_start(self, key: jax.Array, params: Params) -> Start:
        piles, turn = jax.random.split(key)
        return Start(jax.random.randint(piles, (3,), 1, 6, jnp.int32), jax.random.randint(turn, (), 0, 2, jnp.int32))

    def start(self, chance: Start, params: Params) -> tuple[jax.Array, State]:
        state = State(chance.piles, chance.turn, jnp.int32(0))
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> jax.Array:
        return jax.random.randint(key, (), 0, 8, jnp.int32)

    def apply(self, state: State, action: jax.Array, chance: jax.Array, params: Params) -> Step:
        move = action[state.turn]
        taken = jnp.where(jnp.arange(3) == move // 3, move % 3 + 1, 0)
        piles = state.piles - taken
        empty = (piles == 0).all()
        back = (jnp.arange(3) == chance) & ~empty
        moved = State(jnp.where(back, jnp.minimum(5, piles + 1), piles), 1 - state.turn, state.moves + 1)
        won = jnp.where(jnp.arange(2) == state.turn, 1.0, -1.0)
        reward = jnp.where(empty, won, 0.0)
        return Step(observe(moved), moved, reward, empty, moved.moves >= LIMIT, {})

    def legal_actions(self, state: State, params: Params) -> jax.Array:
        moves = state.piles[PILE] >= TAKEN
        mine = jnp.append(moves, ~moves.any())
        waits = jnp.arange(WAIT + 1) == WAIT
        return jnp.where(self.acting(state, params)[:, None], mine, waits)

    def acting(self, state: State, params: Params) -> jax.Array:
        return jnp.arange(2) == state.turn

    def render(self, state: State, params: Params) -> Any:
        picture = np.full((40, 60, 3), 240, np.uint8)
        for pile, many in enumerate(np.asarray(state.piles).tolist()):
            for pebble in range(many):
                picture[32 - 7 * pebble : 37 - 7 * pebble, 8 + 18 * pile : 18 + 18 * pile] = (90, 90, 90)
        return picture


def observe(state: State) -> jax.Array:
    """What each player sees: the piles, and whether it is to move."""
    mine = (jnp.arange(2) == state.turn).astype(jnp.float32)
    piles = jnp.broadcast_to(state.piles.astype(jnp.float32), (2, 3))
    return jnp.concatenate([piles, mine[:, None]], axis=1)
