"""Environments in our own interface, registered or from a file, as candidates."""

import importlib
import sys
from typing import Any

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.candidates.rules import GameRules, Moment, Split
from envwright.core import Env
from envwright.core.chance import key as make_key
from envwright.core.timelimit import TimeLimit


def native_candidate(env: Env[Any, Any], name: str | None = None) -> JaxCandidate:
    """`env` as a candidate; its functions are those of the module that defines it and of the `rules` beside it."""

    def apply(state: Any, action: Any, chance: Any, params: Any) -> Moment:
        return Moment(*env.apply(state, action, chance, params))

    return JaxCandidate(
        GameRules(
            name=name or type(env).__name__,
            init=env.init,
            step=lambda key, state, action, params: Moment(*env.transition(key, state, action, params)),
            params=env.default_params,
            action_space=env.action_space(env.default_params),
            players=env.players,
            legal=env.legal_actions,
            acting=env.acting,
            split=Split(env.draw_start, env.start, env.draw, apply),
            phases=env.phases,
            draws=env.draws,
            inherit=env.inherit,
            summary=env.summary,
            functions=_home(env),
            key=make_key,
            env=env,
            provenance={"class": f"{type(env).__module__}.{type(env).__qualname__}", "options": repr(env)},
        )
    )


def _home(env: Env[Any, Any]) -> Any:
    """The module of an environment's rules: `rules` in its own package, or the file it is in."""
    while isinstance(env, TimeLimit):
        env = env.env
    home = type(env).__module__
    package, _, _ = home.rpartition(".")
    try:
        return importlib.import_module(f"{package}.rules") if package else sys.modules[home]
    except ImportError:
        return sys.modules[home]
