"""The counter with floating-point actions, and variants of it."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from counter import Counter, Params, State

from envwright.core import Box, Discrete, Space, Step


@dataclass(frozen=True)
class Dial(Counter):
    """The counter, with a number from `low` to `high` for its action, which is rounded."""

    low: float = 0.0
    high: float = 2.0
    size: int = 1

    def action_space(self, params: Params) -> Space:
        return Box(self.low, self.high, (self.size, 1))

    def apply(self, state: State, action: jax.Array, chance: jax.Array, params: Params) -> Step:
        step = super().apply(state, jnp.round(action[0, 0]).astype(jnp.int32), chance, params)
        info = {**step.info, "action": action, "length": state.steps, "first": action[0, 0]}
        return step._replace(info=info)


@dataclass(frozen=True)
class Numbered(Dial):
    """The dial, whose observation is one of ten numbers."""

    def observation_space(self, params: Params) -> Space:
        return Discrete(10)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        _, state = super().start(chance, params)
        return state.count, state

    def apply(self, state: State, action: jax.Array, chance: jax.Array, params: Params) -> Step:
        step = super().apply(state, action, chance, params)
        return step._replace(obs=step.state.count)


@dataclass(frozen=True)
class Pair(Dial):
    """The dial, for two."""

    @property
    def players(self) -> int:
        return 2
