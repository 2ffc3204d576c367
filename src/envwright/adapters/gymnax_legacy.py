"""An environment for code written for gymnax 0.x: PureJaxRL, rejax and their kin."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.adapters.gymnax import Gymnax
from envwright.core import Env
from envwright.core.native import check_jax


@dataclass(frozen=True)
class GymnaxLegacy:
    """A gymnax 0.x environment: `step` returns five values, `done` in place of two flags.

    One that has no time limit is truncated after `max_steps_in_episode` steps, which such code reads from the params.
    """

    env: Env[Any, Any]
    max_steps_in_episode: int = 10_000

    def __post_init__(self) -> None:
        check_jax(self.env, "gymnax")

    @property
    def modern(self) -> Gymnax:
        """The same environment for gymnax 1.0."""
        return Gymnax(self.env, self.max_steps_in_episode)

    @property
    def default_params(self) -> Any:
        """The run-time values of the rules; `max_steps_in_episode` is one of them."""
        return self.modern.default_params

    @property
    def name(self) -> str:
        """The environment's class, without time limits around it."""
        return self.modern.name

    @property
    def num_actions(self) -> int:
        """How many actions there are, or numbers in one."""
        return self.modern.num_actions

    def action_space(self, params: Any = None) -> Any:
        """The actions, as one of gymnax's spaces."""
        return self.modern.action_space(params)

    def observation_space(self, params: Any = None) -> Any:
        """The observations, as one of gymnax's spaces."""
        return self.modern.observation_space(params)

    @functools.partial(jax.jit, static_argnames="self")
    def reset(self, key: jax.Array, params: Any = None) -> tuple[Any, Any]:
        """A new episode."""
        return self.modern.reset(key, params)

    @functools.partial(jax.jit, static_argnames="self")
    def step(
        self, key: jax.Array, state: Any, action: Any, params: Any = None
    ) -> tuple[Any, Any, jax.Array, jax.Array, dict[str, Any]]:
        """One step with auto-reset; `info` still holds `terminated`, `truncated` and `final_observation`."""
        action = _with_lost_axes(jnp.asarray(action), self.action_space(params).shape)
        obs, state, reward, terminated, truncated, info = self.modern.step(key, state, action, params)
        return obs, state, reward, terminated | truncated, info


def _with_lost_axes(action: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """The action in its own shape: rejax squeezes actions when it evaluates, so axes of length 1 go missing."""
    return action.reshape(shape) if action.size == math.prod(shape) else action
