"""Jumanji's environments as candidates. Their random key is in the state, so a step is a function of the state."""

import sys
from typing import Any

import jax.numpy as jnp
import numpy as np

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.candidates.outside import as_by_default, box, made, package, source
from envwright.candidates.rules import GameRules, Moment
from envwright.core.spaces import Discrete, Space


def jumanji_candidate(id: str, **options: Any) -> JaxCandidate:
    """`jumanji.make(id, **options)`; a last step with a discount of 0 terminates, one with another truncates."""
    jumanji = package("jumanji", "peers")
    known = jumanji.registered_environments()
    env = made("Jumanji", id, known, lambda: jumanji.make(id, **options))

    def init(key: Any, params: Any) -> tuple[Any, Any]:
        del params
        with as_by_default():  # BinPack warns of itself while it is traced
            state, seen = env.reset(key)
        return seen.observation, state

    def step(key: Any, state: Any, action: Any, params: Any) -> Moment:
        del key, params
        with as_by_default():
            state, seen = env.step(state, action)
        over = jnp.all(seen.discount == 0)  # a game of many has a discount for each player
        return Moment(seen.observation, state, seen.reward, seen.last() & over, seen.last() & ~over, seen.extras)

    return JaxCandidate(
        GameRules(
            name=f"jumanji:{id}",
            init=init,
            step=step,
            params=None,
            action_space=_space(package("jumanji.specs", "peers"), env.action_spec),
            functions=sys.modules[type(env).__module__],
            provenance=source("jumanji", options={name: repr(value) for name, value in options.items()}),
        )
    )


def _space(specs: Any, spec: Any) -> Space | None:
    if isinstance(spec, specs.DiscreteArray):
        return Discrete(int(spec.num_values))
    if isinstance(spec, specs.BoundedArray):  # several integers at once among them
        return box(np.asarray(spec.minimum), np.asarray(spec.maximum), spec.shape, spec.dtype)
    return None
