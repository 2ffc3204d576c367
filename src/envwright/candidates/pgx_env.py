"""pgx's games as candidates: its MinAtar games with their chance handed in, the others by key.

pgx has one action a step, that of `current_player`, who alone is shown the game. Here everybody acts at once: all are
shown what pgx would show them, and whose turn it is not has one legal action, 0, which is thrown away.

pgx cuts chance out of its MinAtar games itself, to test them against the originals: `_step` draws and calls
`_step_det`, and `_init` draws and calls `_init_det`, where there is anything to draw. We use exactly that cut, by
calling pgx's own functions with one of the names they look up replaced; none of its code is written again here.
"""

import copy
import inspect
import sys
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import jax
import jax.numpy as jnp

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.candidates.outside import as_by_default, made, package, source
from envwright.candidates.rules import GameRules, Moment, Split
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Discrete

STICKY = "sticky"  # whether the last action is repeated instead of the one that was chosen
NOBODYS = -1  # an action that is none


def pgx_candidate(id: str, **options: Any) -> JaxCandidate:
    """`pgx.make(id)`; options go to its class.

    pgx never resets by itself, but it does not play on either: a step from an ended game changes nothing.
    """
    pgx = package("pgx", "peers")
    env = made("pgx", id, pgx.available_envs(), lambda: _make(pgx, id, options))
    several, minatar = env.num_players > 1, id.startswith("minatar-")

    def observed(state: Any) -> Any:
        if not several:
            return state.observation
        return jnp.stack([env._observe(state, jnp.int32(player)) for player in range(env.num_players)])

    def init(key: Any, params: Any) -> tuple[Any, Any]:
        del params
        state = env.init(key)
        return observed(state), state

    def step(key: Any, state: Any, action: Any, params: Any) -> Moment:
        del params
        state = env.step(state, action[state.current_player] if several else action, key)
        reward = state.rewards if several else state.rewards[0]
        return Moment(observed(state), state, reward, state.terminated, state.truncated, {})

    def acting(state: Any, params: Any) -> Any:
        del params
        return jnp.arange(env.num_players) == state.current_player if several else None

    def legal(state: Any, params: Any) -> Any:
        if not several:
            return None if minatar else state.legal_action_mask  # in MinAtar every action is legal
        waiting = jnp.arange(state.legal_action_mask.size) == 0
        return jnp.where(acting(state, params)[:, None], state.legal_action_mask, waiting)

    with as_by_default():
        actions = env.num_actions
    return JaxCandidate(
        GameRules(
            name=f"pgx:{id}",
            init=init,
            step=step,
            params=None,
            action_space=Discrete(actions),
            players=env.num_players,
            legal=legal,
            acting=acting,
            split=_split(env) if minatar else None,
            functions=sys.modules[type(env).__module__],
            provenance=source("pgx", env_version=env.version, options=options),
        )
    )


def _make(pgx: Any, id: str, options: dict[str, Any]) -> Any:
    env = pgx.make(id)
    if not options:
        return env
    changed = type(env)(**options)
    if changed.id != id:
        raise EnvwrightError(f"with these options it is {changed.id}.")
    return changed


def _split(env: Any) -> Split:
    game = sys.modules[type(env).__module__]
    random_start = "_init_det" in vars(game)
    with_chance = copy.copy(env)  # pgx hands the key on to _step and _init unseen, so chance may travel in its place

    def stick(state: Any, action: Any, drawn: dict[str, Any], probability: float) -> Any:
        del probability
        others = {name: value for name, value in drawn.items() if name != STICKY}
        return game._step_det(state, jnp.where(drawn[STICKY], state._last_action, action), **others)

    with_chance._step = MethodType(_with_names(type(env)._step, _step=stick), with_chance)
    if random_start:
        born = _with_names(type(env)._init, _init=lambda rng: game._init_det(**rng))
        with_chance._init = MethodType(born, with_chance)

    def draw_start(key: Any, params: Any) -> dict[str, Any]:
        del params
        return _with_names(game._init, _init_det=lambda **drawn: drawn)(key) if random_start else {}

    def start(chance: dict[str, Any], params: Any) -> tuple[Any, Any]:
        del params
        state = with_chance.init(chance if random_start else jax.random.PRNGKey(0))
        return state.observation, state

    def draw(key: Any, state: Any, action: Any, params: Any) -> dict[str, Any]:
        del action, params
        names = list(inspect.signature(game._step_det).parameters)

        def write_down(*given: Any, **by_name: Any) -> dict[str, Any]:
            drawn = {**dict(zip(names, given, strict=False)), **by_name}
            del drawn["state"]
            return {STICKY: drawn.pop("action") == NOBODYS, **drawn}

        last = state.replace(_last_action=jnp.int32(NOBODYS))
        return _with_names(game._step, _step_det=write_down)(last, jnp.int32(0), key, env.sticky_action_prob)

    def apply(state: Any, action: Any, chance: dict[str, Any], params: Any) -> Moment:
        del params
        state = with_chance.step(state, action, chance)
        return Moment(state.observation, state, state.rewards[0], state.terminated, state.truncated, {})

    return Split(draw_start, start, draw, apply)


def _with_names(function: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """A function of a module, the same but for what it finds under some global names."""
    assert isinstance(function, FunctionType)
    return FunctionType(function.__code__, {**function.__globals__, **names}, argdefs=function.__defaults__)
