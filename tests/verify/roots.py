"""A number that is drawn to its square root: the slow one iterates until it is near enough, the fast one is exact."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Box, Env, Record, Space, Step


class SlowRoot(gym.Env):
    """By bisection, which stops at a tolerance."""

    observation_space = gym.spaces.Box(0.0, 100.0, (), np.float64)
    action_space = gym.spaces.Box(0.5, 2.0, (1,), np.float64)

    def __init__(self) -> None:
        self.solver = SimpleNamespace(tolerance=1e-3, start=np.array([0.0, 100.0]))
        self.x, self.left = 0.0, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.x, self.left = float(self.np_random.uniform(1.0, 9.0)), 9
        return np.float64(self.x), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        wanted = self.x * float(action[0]) + 2.0
        low, high = map(float, self.solver.start)
        for _ in range(200):
            if high - low <= self.solver.tolerance:
                break
            middle = (low + high) / 2
            low, high = (middle, high) if middle * middle < wanted else (low, middle)
        self.x, self.left = (low + high) / 2, self.left - 1
        return np.float64(self.x), self.x, self.left <= 0, False, {}


class Params(Record):
    """Nothing."""


class State(Record):
    """The number."""

    x: jax.Array  # ()
    left: jax.Array  # () int32, steps


@dataclass(frozen=True)
class FastRoot(Env[State, Params]):
    """Sound, unless told otherwise."""

    fault: float = 0.0

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        return Box(0.0, 100.0, ())

    def action_space(self, params: Params) -> Space:
        return Box(0.5, 2.0, (1,))

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        return jax.random.uniform(key, (), jnp.result_type(float), 1.0, 9.0)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        return chance, State(chance, jnp.int32(9))

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> None: ...

    def apply(self, state: State, action: jax.Array, chance: None, params: Params) -> Step:
        x = jnp.sqrt(state.x * action[0] + 2.0) + self.fault
        left = state.left - 1
        return Step(x, State(x, left), x, left <= 0, jnp.bool_(False), {})
