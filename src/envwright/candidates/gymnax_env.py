"""gymnax's environments as candidates."""

import sys
from typing import Any

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.candidates.outside import box, made, package, source
from envwright.candidates.rules import GameRules, Moment
from envwright.core.spaces import Discrete, Space


def gymnax_candidate(id: str, **options: Any) -> JaxCandidate:
    """`gymnax.make(id, **options)`, raw: `step_env` and `is_truncated`, without the reset that `step` adds."""
    gymnax = package("gymnax", "gymnax")
    env, params = made("gymnax", id, gymnax.registered_envs, lambda: gymnax.make(id, **options))

    def step(key: Any, state: Any, action: Any, params: Any) -> Moment:
        obs, state, reward, terminated, info = env.step_env(key, state, action, params)
        return Moment(obs, state, reward, terminated, env.is_truncated(state, params), info)

    return JaxCandidate(
        GameRules(
            name=f"gymnax:{id}",
            init=env.reset_env,
            step=step,
            params=params,
            action_space=_space(gymnax, env.action_space(params)),
            functions=sys.modules[type(env).__module__],
            provenance=source("gymnax", options=options),
        )
    )


def _space(gymnax: Any, space: Any) -> Space | None:
    kinds = gymnax.environments.spaces
    if isinstance(space, kinds.Discrete):
        return Discrete(space.n)
    return box(space.low, space.high, space.shape, space.dtype) if isinstance(space, kinds.Box) else None
