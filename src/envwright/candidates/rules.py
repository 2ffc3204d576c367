"""An environment written in JAX as pure functions of one game: what each library's adapter has to provide."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

import jax

from envwright.core.env import Env
from envwright.core.spaces import Space


class Moment(NamedTuple):
    """One game after a step."""

    obs: Any
    state: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Any


@dataclass(frozen=True, eq=False)
class Split:
    """A step cut into drawing chance and using it, as our own environments are."""

    draw_start: Callable[[Any, Any], Any]  # key, params
    start: Callable[[Any, Any], tuple[Any, Any]]  # chance, params
    draw: Callable[[Any, Any, Any, Any], Any]  # key, state, action, params
    apply: Callable[[Any, Any, Any, Any], Moment]  # state, action, chance, params


@dataclass(frozen=True, eq=False)
class GameRules:
    """An environment as pure functions of one game; no function resets."""

    name: str
    init: Callable[[Any, Any], tuple[Any, Any]]  # key, params -> obs, state
    step: Callable[[Any, Any, Any, Any], Moment]  # key, state, action, params
    params: Any
    action_space: Space | None
    players: int = 1
    legal: Callable[[Any, Any], Any] = lambda state, params: None  # a mask of actions; None: there is none
    acting: Callable[[Any, Any], Any] = lambda state, params: None  # which players choose; None: all
    fixed_params: bool = False  # its code looks at them while it is traced, so other params mean compiling again
    split: Split | None = None
    phases: Callable[[Any, Any, Any, Any], dict[str, Any]] | None = None  # state, action, chance, params
    draws: Callable[[Any, Any, Any, Any], dict[str, Any]] | None = None  # likewise
    inherit: Callable[[Any, Any], Any] = lambda old, new: new  # what a new game keeps of the one before it
    summary: Callable[[Any, Any], dict[str, Any]] = lambda final, params: {}  # what is reported of an ended game
    functions: ModuleType | None = None  # where its functions are found by name
    key: Callable[[Any], Any] = jax.random.PRNGKey  # from a seed
    env: Env[Any, Any] | None = None  # what these are the rules of, if it is in our own interface: it can be trained on
    provenance: dict[str, Any] = field(default_factory=dict)
