"""A time limit on top of any environment. It truncates; it never terminates."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.env import Chance, Env, Obs, Step
from envwright.core.errors import EnvwrightError
from envwright.core.record import Record, scalar
from envwright.core.spaces import Space


class TimedParams(Record):
    """The inner environment's params and the limit."""

    inner: Any
    max_steps_in_episode: jax.Array  # () int32


class TimedState(Record):
    """The inner environment's state and the steps taken."""

    inner: Any
    time: jax.Array  # () int32


@dataclass(frozen=True)
class TimeLimit(Env[TimedState, TimedParams]):
    """`env`, truncated after `max_episode_steps` steps; the limit is a param and may change at run time."""

    env: Env[Any, Any]
    max_episode_steps: int

    def __post_init__(self) -> None:
        if self.max_episode_steps < 1:
            raise EnvwrightError(
                f"A time limit is at least one step, but max_episode_steps is {self.max_episode_steps}."
            )

    @property
    def default_params(self) -> TimedParams:
        return TimedParams(self.env.default_params, scalar(self.max_episode_steps, np.int32))

    def observation_space(self, params: TimedParams) -> Space:
        return self.env.observation_space(params.inner)

    def action_space(self, params: TimedParams) -> Space:
        return self.env.action_space(params.inner)

    @property
    def players(self) -> int:
        return self.env.players

    def legal_actions(self, state: TimedState, params: TimedParams) -> jax.Array | None:
        return self.env.legal_actions(state.inner, params.inner)

    def acting(self, state: TimedState, params: TimedParams) -> jax.Array | None:
        return self.env.acting(state.inner, params.inner)

    def summary(self, final: TimedState, params: TimedParams) -> dict[str, jax.Array]:
        return self.env.summary(final.inner, params.inner)

    def draw_start(self, key: jax.Array, params: TimedParams) -> Chance:
        return self.env.draw_start(key, params.inner)

    def start(self, chance: Chance, params: TimedParams) -> tuple[Obs, TimedState]:
        obs, inner = self.env.start(chance, params.inner)
        return obs, TimedState(inner, jnp.int32(0))

    def draw(self, key: jax.Array, state: TimedState, action: jax.Array, params: TimedParams) -> Chance:
        return self.env.draw(key, state.inner, action, params.inner)

    def apply(self, state: TimedState, action: jax.Array, chance: Chance, params: TimedParams) -> Step:
        step = self.env.apply(state.inner, action, chance, params.inner)
        time = state.time + 1
        return step._replace(
            state=TimedState(step.state, time),
            truncated=step.truncated | (time >= params.max_steps_in_episode),
        )

    def inherit(self, old: TimedState, new: TimedState) -> TimedState:
        return new.replace(inner=self.env.inherit(old.inner, new.inner))

    def phases(
        self, state: TimedState, action: jax.Array, chance: Chance, params: TimedParams
    ) -> dict[str, dict[str, jax.Array]]:
        return self.env.phases(state.inner, action, chance, params.inner)

    def draws(
        self, state: TimedState, action: jax.Array, chance: Chance, params: TimedParams
    ) -> dict[str, tuple[jax.Array, jax.Array]]:
        return self.env.draws(state.inner, action, chance, params.inner)

    def render(self, state: TimedState, params: TimedParams) -> Any:
        return self.env.render(state.inner, params.inner)
