"""Pig in JAX: what pig.js is compared with."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Discrete, Env, Record, Step

HOLD = 0
TARGET = 60
TURNS = 8
LIMIT = 40
BUST = -0.5


class Params(Record):
    """Pig has none."""


class State(Record):
    """One player's table."""

    score: jax.Array  # () int32, points banked
    turn: jax.Array  # () int32, points at stake
    turns_left: jax.Array  # () int32
    clock: jax.Array  # () int32, steps so far
    luck: jax.Array  # () float32, what a banked point is worth
    counts: jax.Array  # (6,) int32, how often each face came up
    recent: jax.Array  # (3,) int32, the last faces, the newest first


class Luck(Record):
    """The luck of one step."""

    faces: jax.Array  # (2,) int32, 1 .. 6, of which as many count as dice are thrown
    coin: jax.Array  # (1,) int32, 0 warms the luck after a pair


def thrown(chance: Luck, dice: jax.Array) -> jax.Array:
    """The faces that lie on the table, 0 for a die that is not thrown."""
    return jnp.where(jnp.arange(2, dtype=jnp.int32) < dice, chance.faces, 0)


def is_pair(faces: jax.Array) -> jax.Array:
    return (faces[0] == faces[1]) & (faces[0] > 0)


def gain(faces: jax.Array) -> jax.Array:
    """Points for a throw without a 1; a pair counts twice."""
    total = jnp.sum(faces, dtype=jnp.int32)
    return jnp.where(is_pair(faces), 2 * total, total)


def worth(turn: jax.Array, luck: jax.Array) -> jax.Array:
    return turn.astype(jnp.float32) * luck


def warmed(luck: jax.Array) -> jax.Array:
    return jnp.minimum(2.0, luck + 0.25)


def cooled(luck: jax.Array) -> jax.Array:
    return jnp.maximum(0.25, luck / 2)


def remembered(recent: jax.Array, face: jax.Array) -> jax.Array:
    """The last three faces, the newest first; 0 is no face."""
    return jnp.where(face > 0, jnp.stack([face, recent[0], recent[1]]), recent)


def tallied(state: State, faces: jax.Array) -> State:
    """The dice lie on the table, and are counted."""
    counts = state.counts + jnp.sum(jax.nn.one_hot(faces - 1, 6, dtype=jnp.int32), axis=0, dtype=jnp.int32)
    return state.replace(counts=counts, recent=remembered(remembered(state.recent, faces[0]), faces[1]))


@dataclass(frozen=True)
class Pig(Env[State, Params]):
    """Throw one die or two to raise the turn's total, hold to bank it; a 1 loses the turn."""

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Box:
        return Box(0, 1000, (7,))

    def action_space(self, params: Params) -> Discrete:
        return Discrete(3)

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        return jax.random.randint(key, (), 0, 4, jnp.int32)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        state = State(
            score=chance.astype(jnp.int32),
            turn=jnp.int32(0),
            turns_left=jnp.int32(TURNS),
            clock=jnp.int32(0),
            luck=jnp.float32(1),
            counts=jnp.zeros(6, jnp.int32),
            recent=jnp.zeros(3, jnp.int32),
        )
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Luck:
        dice, coin = jax.random.split(key)
        faces = jax.random.randint(dice, (2,), 1, 7, jnp.int32)
        return Luck(faces=faces, coin=jax.random.randint(coin, (1,), 0, 2, jnp.int32))

    def apply(self, state: State, action: jax.Array, chance: Luck, params: Params) -> Step:
        faces = thrown(chance, action)
        tabled = tallied(state.replace(clock=state.clock + 1), faces)
        holds, busts = action == HOLD, jnp.any(faces == 1)
        lucky = is_pair(faces) & (chance.coin[0] == 0)
        luck = jnp.where(holds | lucky, warmed(state.luck), state.luck)
        state = tabled.replace(
            score=jnp.where(holds, state.score + state.turn, state.score),
            turn=jnp.where(holds | busts, 0, state.turn + gain(faces)),
            turns_left=jnp.where(holds | busts, state.turns_left - 1, state.turns_left),
            luck=jnp.where(busts, cooled(state.luck), luck),
        )
        banked = jnp.where(holds, worth(tabled.turn, tabled.luck), 0.0)
        return Step(
            obs=observe(state),
            state=state,
            reward=jnp.where(busts, BUST, banked).astype(jnp.float32),
            terminated=(state.score >= TARGET) | (state.turns_left == 0),
            truncated=state.clock >= LIMIT,
            info={},
        )

    def phases(self, state: State, action: jax.Array, chance: Luck, params: Params) -> dict[str, dict[str, Any]]:
        """What is known in the middle of a step, by phase."""
        faces = thrown(chance, action)
        tabled = tallied(state, faces)
        return {"throw": {"gained": gain(faces), "counts": tabled.counts, "recent": tabled.recent}}


def observe(state: State) -> jax.Array:
    """What the player sees, as one row of numbers."""
    ints = jnp.stack([state.score, state.turn, state.turns_left]).astype(jnp.float32)
    return jnp.concatenate([ints, state.luck[None], state.recent.astype(jnp.float32)])
