"""What happens to the environments of a batch whose episode ended. One named strategy each, printed where it matters.

| name | next episode | cost | distribution of starts |
|---|---|---|---|
| fresh | drawn anew for each (default) | a start a step; a dear one only where it is needed | exact |
| cached | the environment's own first start, for ever | a copy of the start kept | one start an environment |
| optimistic | drawn once a group, shared by those that end together | a start a group and step | exact, dependent |
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp

from envwright.core import lanes
from envwright.core.chance import restart_key
from envwright.core.cost import cost
from envwright.core.env import Env, Obs, Step, choose, go_on
from envwright.core.errors import BatchError
from envwright.core.observation_function import observation_function
from envwright.core.record import Record

# Simple operations of a start, in all and for each of its numbers, up to which it is computed at every step rather than
# only where it is needed: to find out where, and to move it there, takes time as well. Million steps a second, needed
# against always (two cores, 4,096 games): CartPole of 93 operations and 9 numbers 120 and 221,
# Breakout of 2,744 and 509 2.9 and 4.5, Acrobot of 175 and 10 26 and 25, four normal numbers of 341 and 9 27 and 11, a
# shuffled deck of 14,122 and 161 7.2 and 2.9, a fleet of ships placed by trial, 30,938 and 133, 38 and 0.8.
CHEAP, CHEAP_FOR_EACH = 150, 8
PARTS = 16  # of a batch; so many starts are made at a time
MOST_COMPARED = 512  # games among which those that ended are found by comparing each with each
Begin = Callable[[jax.Array, Any], tuple[Obs, Any]]  # of a key and params: a new episode
LAST = -1  # the axis of environments: the last of every leaf, along which a CPU's vector instructions run


class AutoReset(Protocol):
    """A strategy works on whole batches, the environments along the last axis of every leaf."""

    def reset(self, env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Obs, Any]:
        """New episodes. The second value is what `step` wants to be given as `state`."""
        ...

    def step(self, env: Env[Any, Any], keys: jax.Array, state: Any, actions: jax.Array, params: Any) -> Step: ...

    def now(self, state: Any) -> Any:
        """The environments' own states."""
        ...


class _PlainStates:
    """Of a strategy that keeps nothing beside the states."""

    def now(self, state: Any) -> Any:
        return state


@dataclass(frozen=True)
class Fresh(_PlainStates):
    """Every ended episode is followed by one of its own."""

    def reset(self, env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Obs, Any]:
        return each(env.init, keys, params=params)

    def step(self, env: Env[Any, Any], keys: jax.Array, state: Any, actions: jax.Array, params: Any) -> Step:
        step = each(env.transition, keys, state, actions, params=params)
        again = jax.vmap(restart_key)(keys)
        one = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[:LAST], leaf.dtype), (keys, state, actions))
        see = observation_function(env, one[0], one[1], one[2], params)
        if see is None:
            return _go_on(env, step, again, env.init, params)
        # To the same result: states are chosen first, and looked at once.
        unseen = _go_on(env, step._replace(obs=()), again, lambda key, params: ((), env.init(key, params)[1]), params)
        info = {**unseen.info, "final_observation": step.obs}
        return unseen._replace(obs=each(see, unseen.state, params=params), info=info)


def _go_on(env: Env[Any, Any], step: Step, keys: jax.Array, begin: Begin, params: Any) -> Step:
    if _is_cheap(begin, jax.ShapeDtypeStruct((), keys.dtype), params):
        return _restart(env, step, each(begin, keys, params=params))
    return _restart_where_needed(env, step, keys, begin, params)  # to the same result


def _is_cheap(begin: Begin, key: jax.ShapeDtypeStruct, params: Any) -> bool:
    start = cost(begin, key, params)
    return start.operations <= CHEAP + CHEAP_FOR_EACH * start.numbers


def _restart_where_needed(env: Env[Any, Any], step: Step, keys: jax.Array, begin: Begin, params: Any) -> Step:
    """Some new episodes at a time, until all that ended have one."""
    games, some = len(keys), max(1, len(keys) // PARTS)
    ended = jnp.cumsum(step.done, dtype=jnp.int32)  # up to and with each
    look = "compare_all" if games <= MOST_COMPARED else "scan"

    def go(carry: tuple[jax.Array, Any, Any]) -> tuple[jax.Array, Any, Any]:
        before, obs, state = carry
        nth = before + jnp.arange(some, dtype=jnp.int32)
        who = jnp.minimum(jnp.searchsorted(ended, nth, side="right", method=look), games - 1)
        new_obs, new_state = each(begin, keys[who], params=params)
        old = jax.tree.map(lambda leaf: leaf[..., who], state)
        new_state = _inherited(env, old, new_state)
        place = ended - 1 - before
        mine = step.done & (place >= 0) & (place < some)
        made = jax.tree.map(lambda leaf: leaf[..., jnp.clip(place, 0, some - 1)], (new_obs, new_state))
        return before + some, *choose(mine, made, (obs, state))

    def all_of_them(obs: Obs, state: Any) -> tuple[Obs, Any]:
        return jax.lax.while_loop(lambda carry: carry[0] < ended[-1], go, (jnp.int32(0), obs, state))[1:]

    # A loop of no turns is not free: XLA computes before it what is the same in all turns.
    obs, state = jax.lax.cond(ended[-1] > 0, all_of_them, lambda *same: same, step.obs, step.state)
    return step._replace(obs=obs, state=state, info={**step.info, "final_observation": step.obs})


class CachedState(Record):
    """A state, and the start to go back to."""

    state: Any
    first_obs: Any
    first_state: Any


@dataclass(frozen=True)
class Cached:
    """Every episode of an environment begins as its first one did."""

    def reset(self, env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Obs, Any]:
        obs, state = each(env.init, keys, params=params)
        return obs, CachedState(state, obs, state)

    def step(self, env: Env[Any, Any], keys: jax.Array, state: Any, actions: jax.Array, params: Any) -> Step:
        step = each(env.transition, keys, state.state, actions, params=params)
        step = _restart(env, step, (state.first_obs, state.first_state))
        return step._replace(state=state.replace(state=step.state))

    def now(self, state: Any) -> Any:
        return state.state


@dataclass(frozen=True)
class Optimistic(_PlainStates):
    """One new episode is drawn for each group of `group` environments; those of a group that end together share it."""

    group: int = 16

    def reset(self, env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Obs, Any]:
        return each(env.init, keys, params=params)

    def step(self, env: Env[Any, Any], keys: jax.Array, state: Any, actions: jax.Array, params: Any) -> Step:
        if len(keys) % self.group:
            raise BatchError(f"Optimistic auto-reset shares starts among {self.group}, but {len(keys)} step together.")
        step = each(env.transition, keys, state, actions, params=params)
        starts = each(env.init, jax.vmap(restart_key)(keys[:: self.group]), params=params)
        return _restart(env, step, jax.tree.map(lambda leaf: jnp.repeat(leaf, self.group, axis=LAST), starts))


STRATEGIES: dict[str, AutoReset] = {"fresh": Fresh(), "cached": Cached(), "optimistic": Optimistic()}


def strategy(how: str | AutoReset) -> AutoReset:
    """A strategy by name."""
    if not isinstance(how, str):
        return how
    if how not in STRATEGIES:
        raise BatchError(f"There is no auto-reset strategy '{how}'; choose one of {', '.join(STRATEGIES)}.")
    return STRATEGIES[how]


def each(function: Callable[..., Any], *batch: Any, params: Any) -> Any:
    """`function` of every environment of the batch, with the same params."""
    return lanes.each(lambda *one: function(*one, params), *batch)


def to_back(batch: Any) -> Any:
    """Environments from the first axis of every leaf to the last."""
    return jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, LAST), batch)


def to_front(batch: Any) -> Any:
    """Environments from the last axis of every leaf to the first."""
    return jax.tree.map(lambda leaf: jnp.moveaxis(leaf, LAST, 0), batch)


def _restart(env: Env[Any, Any], step: Step, fresh: tuple[Obs, Any]) -> Step:
    fresh_obs, fresh_state = fresh
    return go_on(step, (fresh_obs, _inherited(env, step.state, fresh_state)))


def _inherited(env: Env[Any, Any], old: Any, new: Any) -> Any:
    if not jax.tree.leaves((old, new)):  # a game that remembers nothing
        return new
    return jax.vmap(env.inherit, in_axes=LAST, out_axes=LAST)(old, new)
