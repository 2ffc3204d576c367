"""What the environment's own encoder makes of Showdown's states, so that players see the same on both sides."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from envwright.envs.pokemon.columns import as_state
from envwright.envs.pokemon.env import Pokemon
from envwright.envs.pokemon.observation import observe as observe_one


def observe(state: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """Observations of many battles, (games, 2, features)."""
    return np.asarray(_compiled()(as_state(dict(state))))


def summaries(last: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """What the environment tells of battles that are over."""
    return {name: np.asarray(column) for name, column in _summary()(as_state(dict(last))).items()}


def acting(state: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Who is asked for a choice."""
    return state["request"] > 0


@cache
def _compiled() -> Any:
    return jax.jit(jax.vmap(observe_one))


@cache
def _summary() -> Any:
    env = Pokemon()
    return jax.jit(jax.vmap(lambda state: env.summary(state, env.default_params)))
