"""The noughts and crosses of slow_noughts.py, translated, and what can go wrong with it."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from envwright.core import Box, Discrete, Env, Record, Space, Step

LINES = jnp.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])
WAIT = 9


class Params(Record):
    """None."""


class State(Record):
    """The game."""

    board: jax.Array  # (9,) int32: 0 empty, 1 the first seat's, 2 the second's
    turn: jax.Array  # () int32, the seat that is to move
    first: jax.Array  # () int32, the seat that began
    moves: jax.Array  # () int32, marks on the board


@dataclass(frozen=True)
class Noughts(Env[State, Params]):
    """Sound, unless told otherwise."""

    fault: str = ""

    @property
    def default_params(self) -> Params:
        return Params()

    @property
    def players(self) -> int:
        return 2

    def observation_space(self, params: Params) -> Space:
        return Box(0.0, 1.0, (19,))

    def action_space(self, params: Params) -> Space:
        return Discrete(10)

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        return Discrete(2).sample(key)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        state = State(jnp.zeros(9, jnp.int32), chance, chance, jnp.int32(0))
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> None: ...

    def legal_actions(self, state: State, params: Params) -> jax.Array:
        free = state.board == 0
        if self.fault == "mask":
            free = jnp.roll(free, 1)
        if self.fault == "opening":
            free = free & ((state.moves > 0) | (jnp.arange(9) != 4))
        mover = jnp.append(free, ~free.any())
        return jnp.where(self.acting(state, params)[:, None], mover, jnp.arange(10) == WAIT)

    def acting(self, state: State, params: Params) -> jax.Array:
        return jnp.arange(2) == state.turn

    def apply(self, state: State, action: jax.Array, chance: None, params: Params) -> Step:
        mover, place = state.turn, action[state.turn]
        illegal = jnp.append(state.board != 0, (state.board == 0).any())[place]
        after = self.put(state, place)
        won = (after.board[LINES] == mover + 1).all(axis=1).any()
        after = jax.tree.map(lambda new, old: jnp.where(illegal, old, new), after, state)
        winner = jnp.where(illegal & (self.fault != "illegal"), 1 - mover, mover)
        if self.fault == "reward":
            winner = jnp.where(illegal, winner, state.first)
        reward = jnp.where(jnp.arange(2) == winner, 1.0, -1.0) * (won | illegal)
        over = illegal | won | (after.moves == 9)
        return Step(observe(after), after, reward.astype(jnp.float32), over, jnp.bool_(False), {})

    def put(self, state: State, place: jax.Array) -> State:
        board = jnp.where(jnp.arange(9) == place, state.turn + 1, state.board)
        turn = 1 - state.turn
        if self.fault == "turn":
            turn = jnp.where(state.moves == 5, state.turn, turn)
        return State(board, turn, state.first, state.moves + (place != WAIT))


def observe(state: State) -> jax.Array:
    """Each player's own marks, the other's, and whether it is to move."""

    def of(player: int) -> jax.Array:
        marks = [state.board == player + 1, state.board == 2 - player, (state.turn == player)[None]]
        return jnp.concatenate(marks).astype(jnp.float32)

    return jnp.stack([of(0), of(1)])
