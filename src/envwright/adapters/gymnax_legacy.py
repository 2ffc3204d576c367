"""An environment for code written for gymnax 0.x: PureJaxRL, rejax and their kin."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.adapters.gymnax import Gymnax, GymnaxBase


@dataclass(frozen=True)
class GymnaxLegacy(GymnaxBase):
    """A gymnax 0.x environment: `step` returns five values, `done` in place of two flags."""

    @functools.partial(jax.jit, static_argnames="self")
    def step(
        self, key: jax.Array, state: Any, action: Any, params: Any = None
    ) -> tuple[Any, Any, jax.Array, jax.Array, dict[str, Any]]:
        """One step with auto-reset; `info` still holds `terminated`, `truncated` and `final_observation`."""
        space: Any = self.action_space(params)
        action, modern = _with_lost_axes(jnp.asarray(action), space.shape), Gymnax(self.env, self.max_steps_in_episode)
        obs, state, reward, terminated, truncated, info = modern.step(key, state, action, params)
        return obs, state, reward, terminated | truncated, info


def _with_lost_axes(action: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """The action in its own shape: rejax squeezes actions when it evaluates, so axes of length 1 go missing."""
    return action.reshape(shape) if action.size == math.prod(shape) else action
