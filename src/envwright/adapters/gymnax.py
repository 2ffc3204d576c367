"""An environment for gymnax 1.0."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Discrete, Env, Space, TimeLimit
from envwright.core.chance import typed
from envwright.core.errors import missing_extra
from envwright.core.native import check_jax

try:
    from gymnax.environments import spaces
except ModuleNotFoundError as error:
    raise missing_extra(error.name or "gymnax", "gymnax") from None

LIMIT = "max_steps_in_episode"  # the param that gymnax's rollouts and rejax's evaluations read


@dataclass(frozen=True)
class GymnaxBase:
    """All but the step. Equal environments are equal and hash alike, so they share one compilation.

    gymnax wants every environment to have a time limit. One that has none of its own is truncated after
    `max_steps_in_episode` steps; like every limit, it is a param as well.
    """

    env: Env[Any, Any]
    max_steps_in_episode: int = 10_000

    def __post_init__(self) -> None:
        check_jax(self.env, "gymnax")

    @property
    def limited(self) -> Env[Any, Any]:
        """The environment, with a time limit."""
        return self.env if hasattr(self.env.default_params, LIMIT) else TimeLimit(self.env, self.max_steps_in_episode)

    @property
    def default_params(self) -> Any:
        """The run-time values of the rules; `max_steps_in_episode` is one of them."""
        return self.limited.default_params

    @property
    def name(self) -> str:
        """The environment's class, without time limits around it."""
        env = self.env
        while isinstance(env, TimeLimit):
            env = env.env
        return type(env).__name__

    @property
    def num_actions(self) -> int:
        """How many actions there are, or numbers in one."""
        space = self.limited.action_space(self.default_params)
        return space.n if isinstance(space, Discrete) else math.prod(space.shape)

    def action_space(self, params: Any = None) -> spaces.Space:
        """The actions, as one of gymnax's spaces."""
        return to_gymnax(self.limited.action_space(self.default_params if params is None else params))

    def observation_space(self, params: Any = None) -> spaces.Space:
        """The observations, as one of gymnax's spaces."""
        return to_gymnax(self.limited.observation_space(self.default_params if params is None else params))

    @functools.partial(jax.jit, static_argnames="self")
    def reset(self, key: jax.Array, params: Any = None) -> tuple[Any, Any]:
        """A new episode."""
        return self.limited.reset(typed(key), params)


@dataclass(frozen=True)
class Gymnax(GymnaxBase):
    """A gymnax 1.0 environment."""

    @functools.partial(jax.jit, static_argnames="self")
    def step(
        self, key: jax.Array, state: Any, action: Any, params: Any = None
    ) -> tuple[Any, Any, jax.Array, jax.Array, jax.Array, dict[str, Any]]:
        """One step; where the episode ended, a new one begins and `info["final_observation"]` keeps its last
        observation."""
        step = self.limited.step(typed(key), state, action, params)
        info = {**step.info, "terminated": step.terminated, "truncated": step.truncated}
        return step.obs, step.state, step.reward, step.terminated, step.truncated, info


def to_gymnax(space: Space) -> spaces.Space:
    """The same space, as one of gymnax's."""
    if isinstance(space, Discrete):
        return spaces.Discrete(space.n)
    # One bound stays a number: networks keep action bounds as static values, which have to be hashable.
    low, high = (jnp.asarray(b, space.dtype) if isinstance(b, tuple) else b for b in (space.low, space.high))
    return spaces.Box(low, high, space.shape, jnp.dtype(space.dtype))
