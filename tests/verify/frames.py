"""A ball pushed up and down under a ceiling, several frames a step: the slow game and its translation."""

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Box, Discrete, Env, Record, Space, Step

CEILING, FLOOR = 20, -40


class SlowBall(gym.Env):
    """Python, frame by frame; a ball that falls through the floor does not move on."""

    observation_space = gym.spaces.Box(-1000, 1000, (2,), np.int64)
    action_space = gym.spaces.Discrete(3)

    def __init__(self, frames: int = 4) -> None:
        self.frames, self.at, self.speed = frames, 0, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at, self.speed = int(self.np_random.integers(-5, 6)), 0
        return np.array([self.at, self.speed]), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        push = int(action) - 1
        for _ in range(self.frames):
            self.speed += push
            self.at += self.speed
            if self.at > CEILING:
                self.at, self.speed = CEILING, -self.speed
            if self.at < FLOOR:
                break
        reward = float(self.at)
        return np.array([self.at, self.speed]), reward, self.at < FLOOR, False, {}


class Params(Record):
    """Nothing."""


class State(Record):
    """The ball."""

    at: jax.Array  # () int32
    speed: jax.Array  # () int32


@dataclass(frozen=True)
class FastBall(Env[State, Params]):
    """Sound, unless told otherwise."""

    frames: int = 4
    fault: str = ""

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        return Box(-1000, 1000, (2,), jnp.int32)

    def action_space(self, params: Params) -> Space:
        return Discrete(3)

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        return jax.random.randint(key, (), -5, 6)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        state = State(at=chance, speed=jnp.int32(0))
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> None: ...

    def apply(self, state: State, action: jax.Array, chance: None, params: Params) -> Step:
        state, _ = self.play(state, action)
        return Step(observe(state), state, state.at.astype(float), state.at < FLOOR, jnp.bool_(False), {})

    def phases(self, state: State, action: jax.Array, chance: None, params: Params) -> Any:
        after, frames = self.play(state, action)
        if self.fault == "flat":
            frames = jax.tree.map(lambda values: values[-1], frames)
        return {"push": {"push": action - 1}, **frames, "reward": {"reward": after.at.astype(float)}}

    def play(self, state: State, action: jax.Array) -> tuple[State, Any]:
        return jax.lax.scan(lambda state, n: self.frame(state, action - 1, n), state, jnp.arange(self.frames))

    def frame(self, state: State, push: jax.Array, n: jax.Array) -> tuple[State, Any]:
        push = jnp.where(n < 2, push, 2 * push) if self.fault == "late" else push
        pushed = state.replace(speed=state.speed + push)
        moved = pushed.replace(at=pushed.at + pushed.speed)
        hit = moved.at > CEILING
        back = -moved.speed + (1 if self.fault == "bounce" else 0)
        bounced = State(at=jnp.where(hit, CEILING, moved.at), speed=jnp.where(hit, back, moved.speed))
        seen = {
            "speed": {"speed": pushed.speed},
            "move": {"at": moved.at},
            "hit": {"speed": moved.speed},
            "bounce": {"at": bounced.at, "speed": bounced.speed},
        }
        return jax.tree.map(lambda now, then: jnp.where(state.at < FLOOR, now, then), state, bounced), seen


def observe(state: State) -> jax.Array:
    return jnp.stack([state.at, state.speed])
