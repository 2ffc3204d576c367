"""What happens to the environments of a batch whose episode ended. One named strategy each, printed where it matters.

| name | next episode | cost | distribution of starts |
|---|---|---|---|
| fresh | drawn anew for each (default) | a start a step | exact |
| cached | the environment's own first start, for ever | a copy of the start kept | one start an environment |
| optimistic | drawn once a group, shared by those that end together | a start a group and step | exact, dependent |
"""

from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp

from envwright.core.chance import fork
from envwright.core.env import Env, Obs, Step, restart
from envwright.core.errors import BatchError
from envwright.core.record import Record


class AutoReset(Protocol):
    """A strategy works on whole batches: every leaf has a leading axis of environments."""

    def reset(self, env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Obs, Any]:
        """New episodes. The second value is what `step` wants to be given as `state`."""
        ...

    def step(self, env: Env[Any, Any], keys: jax.Array, state: Any, actions: jax.Array, params: Any) -> Step: ...


@dataclass(frozen=True)
class Fresh:
    """Every ended episode is followed by one of its own."""

    def reset(self, env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Obs, Any]:
        return jax.vmap(env.reset, in_axes=(0, None))(keys, params)

    def step(self, env: Env[Any, Any], keys: jax.Array, state: Any, actions: jax.Array, params: Any) -> Step:
        return jax.vmap(env.step, in_axes=(0, 0, 0, None))(keys, state, actions, params)


class CachedState(Record):
    """A state, and the start to go back to."""

    state: Any
    first_obs: Any
    first_state: Any


@dataclass(frozen=True)
class Cached:
    """Every episode of an environment begins as its first one did."""

    def reset(self, env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Obs, Any]:
        obs, state = jax.vmap(env.reset, in_axes=(0, None))(keys, params)
        return obs, CachedState(state, obs, state)

    def step(self, env: Env[Any, Any], keys: jax.Array, state: Any, actions: jax.Array, params: Any) -> Step:
        step = jax.vmap(env.transition, in_axes=(0, 0, 0, None))(keys, state.state, actions, params)
        step = jax.vmap(lambda *args: restart(env, args[0], args[1]))(step, (state.first_obs, state.first_state))
        return step._replace(state=state.replace(state=step.state))


@dataclass(frozen=True)
class Optimistic:
    """One new episode is drawn for each group of `group` environments; those of a group that end together share it."""

    group: int = 16

    def reset(self, env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Obs, Any]:
        if keys.shape[0] % self.group:
            raise BatchError(
                f"Optimistic auto-reset shares starts among {self.group}, but there are {len(keys)} environments."
            )
        return jax.vmap(env.reset, in_axes=(0, None))(keys, params)

    def step(self, env: Env[Any, Any], keys: jax.Array, state: Any, actions: jax.Array, params: Any) -> Step:
        step_keys, reset_keys = jax.vmap(lambda key: fork(key, 2))(keys)
        step = jax.vmap(env.transition, in_axes=(0, 0, 0, None))(step_keys, state, actions, params)
        starts = jax.vmap(env.init, in_axes=(0, None))(reset_keys[:: self.group], params)
        shared = jax.tree.map(lambda leaf: jnp.repeat(leaf, self.group, axis=0), starts)
        return jax.vmap(lambda *args: restart(env, args[0], args[1]))(step, shared)


STRATEGIES: dict[str, AutoReset] = {"fresh": Fresh(), "cached": Cached(), "optimistic": Optimistic()}


def strategy(how: str | AutoReset) -> AutoReset:
    """A strategy by name."""
    if not isinstance(how, str):
        return how
    if how not in STRATEGIES:
        raise BatchError(f"There is no auto-reset strategy '{how}'; choose one of {', '.join(STRATEGIES)}.")
    return STRATEGIES[how]
