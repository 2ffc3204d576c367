"""States of battles for tests: some updates of random play, compiled once for all tests of a process."""

import functools
from typing import Any

import jax
import numpy as np

from envwright.core import JaxBatch
from envwright.envs.pokemon import Pokemon, State
from envwright.envs.pokemon.observation import observe

BATTLES = 32


@functools.cache
def batch() -> JaxBatch:
    return JaxBatch(Pokemon(), BATTLES)


def legal_at_random(legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.argmax(legal * rng.random(legal.shape), axis=-1).astype(np.int32)


@functools.cache
def states(updates: int = 20) -> State:
    """The battles after some updates, as NumPy arrays with a leading axis of battles."""
    games, rng = batch(), np.random.default_rng(updates)
    games.reset(list(range(BATTLES)))
    for _ in range(updates):
        games.step_and_restart(legal_at_random(np.asarray(games.legal_actions()), rng))
    return jax.tree.map(np.array, games._now().state)


@functools.cache
def _observing() -> Any:
    return jax.jit(jax.vmap(observe))


def seen(state: State) -> np.ndarray:
    """(battles, 2, features)"""
    return np.asarray(_observing()(state))
