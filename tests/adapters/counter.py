"""An environment whose every value can be told by heart: it counts."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from envwright.core import BatchStep, Box, Discrete, Env, Record, Space, Step, fork


class Params(Record):
    """When an episode ends."""

    terminate_at: ArrayLike = np.int32(5)  # the count
    truncate_at: ArrayLike = np.int32(7)  # the steps


class State(Record):
    """What is counted."""

    count: jax.Array  # () int32
    steps: jax.Array  # () int32


@dataclass(frozen=True)
class Counter(Env[State, Params]):
    """Action `a` adds `a`. `lucky` draws where to start, from 0 to 99, and whether a step's reward is 1 more."""

    lucky: bool = False

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        return Box(0.0, 1000.0, (1,))

    def action_space(self, params: Params) -> Space:
        return Discrete(3)

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        return jax.random.randint(key, (), 0, 100, jnp.int32) if self.lucky else jnp.int32(0)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        state = State(chance, jnp.int32(0))
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> jax.Array:
        _, key = fork(key, 2)
        return jax.random.bernoulli(key).astype(jnp.int32) if self.lucky else jnp.int32(0)

    def apply(self, state: State, action: jax.Array, chance: jax.Array, params: Params) -> Step:
        state = State(state.count + action, state.steps + 1)
        return Step(
            obs=observe(state),
            state=state,
            reward=(action + chance).astype(jnp.float32),
            terminated=state.count >= params.terminate_at,
            truncated=state.steps >= params.truncate_at,
            info={"steps": state.steps, "odd": state.count % 2 == 1, "inner": {"half": observe(state) / 2}},
        )

    def render(self, state: State, params: Params) -> Any:
        return np.full((8, 8, 3), np.asarray(state.count), np.uint8)


def observe(state: State) -> jax.Array:
    """The count, as (1,) float32."""
    return state.count.astype(jnp.float32).reshape(1)


BOTH_AT_ONCE = Params(np.int32(3), np.int32(3))  # under action 1 an episode terminates and truncates together
ENDLESS = Params(np.int32(10**6), np.int32(10**6))


def traced() -> tuple[type[Counter], list[State]]:
    """A counter of a class of its own, and a list that grows whenever JAX traces its rules."""
    traces: list[State] = []

    class Traced(Counter):
        def apply(self, state: State, action: jax.Array, chance: jax.Array, params: Params) -> Step:
            traces.append(state)
            return super().apply(state, action, chance, params)

    return Traced, traces


class NumpyBatch:
    """The counter as a batch with no JAX inside, as an environment in another language would be."""

    observation_space: Space = Box(0.0, 1000.0, (1,))
    action_space: Space = Discrete(3)

    def __init__(self, num_envs: int) -> None:
        self.num_envs, self.players = num_envs, 1
        self.count, self.steps = np.zeros((2, num_envs), np.int32)

    def legal_actions(self) -> None:
        pass

    def reset(self, seeds: Any = None, mask: Any = None) -> Any:
        mask = np.ones(self.num_envs, bool) if mask is None else mask
        self.count[mask] = self.steps[mask] = 0
        return self._obs()

    def step(self, actions: Any, restart: Any = None) -> BatchStep:
        restart = np.zeros(self.num_envs, bool) if restart is None else restart
        self.count, self.steps = self.count + np.asarray(actions, np.int32), self.steps + 1
        self.reset(mask=restart)
        info = {"steps": self.steps.copy(), "odd": self.count % 2 == 1, "inner": {"half": self._obs() / 2}}
        reward = np.where(restart, 0, actions).astype(np.float32)
        obs, params = self._obs(), Params()
        ended = self.count >= params.terminate_at, self.steps >= params.truncate_at
        return BatchStep(obs, reward, *ended, info, obs)

    def step_and_restart(self, actions: Any) -> BatchStep:
        step = self.step(actions)
        return step._replace(obs=self.reset(mask=step.terminated | step.truncated))

    def save(self, index: int) -> bytes:
        raise NotImplementedError

    def load(self, index: int, blob: bytes) -> None:
        raise NotImplementedError

    def render(self, index: int) -> Any:
        return np.full((8, 8, 3), self.count[index], np.uint8)

    def _obs(self) -> Any:
        return self.count[:, None].astype(np.float32)
