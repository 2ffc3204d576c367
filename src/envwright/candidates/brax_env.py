"""Brax's environments as candidates."""

import sys
from typing import Any

import jax.numpy as jnp

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.candidates.outside import as_by_default, made, package, source
from envwright.candidates.rules import GameRules, Moment
from envwright.core.spaces import Box


def brax_candidate(id: str, **options: Any) -> JaxCandidate:
    """`brax.envs.get_environment(id, **options)`: no wrapper, hence no time limit and no reset.

    `done` becomes `terminated`, unless the environment itself says in `info["truncation"]` that it was cut short.
    """
    envs = package("brax.envs", "peers")
    env = made("Brax", id, envs._envs, lambda: envs.get_environment(id, **options))

    def init(key: Any, params: Any) -> tuple[Any, Any]:
        del params
        with as_by_default():  # it warns of itself while it is traced
            state = env.reset(key)
        return state.obs, state

    def step(key: Any, state: Any, action: Any, params: Any) -> Moment:
        del key, params
        with as_by_default():
            state = env.step(state, action)
        done = jnp.asarray(state.done) != 0
        cut = jnp.asarray(state.info.get("truncation", 0)) != 0
        info = {**state.info, **{f"metrics.{name}": value for name, value in state.metrics.items()}}
        return Moment(state.obs, state, state.reward, done & ~cut, done & cut, info)

    return JaxCandidate(
        GameRules(
            name=f"brax:{id}",
            init=init,
            step=step,
            params=None,
            action_space=Box(-1.0, 1.0, (env.action_size,)),
            functions=sys.modules[type(env).__module__],
            provenance=source("brax", backend=vars(env).get("_backend"), options=options),
        )
    )
