"""A batch of environments with its state inside: the one interface that adapters to other libraries are built on.

JAX environments get it from `JaxBatch` below; environments in other languages implement `Batch` themselves.
"""

import functools
import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import chance, execute
from envwright.core.env import Env, choose, restart
from envwright.core.errors import ActionError, EnvwrightError
from envwright.core.record import Record
from envwright.core.spaces import Discrete, Space


class BatchStep(NamedTuple):
    """A step of every environment; each leaf has a leading axis of environments."""

    obs: Any
    reward: Any  # (num_envs,) float32
    terminated: Any  # (num_envs,) bool
    truncated: Any  # (num_envs,) bool
    info: dict[str, Any]
    final_obs: Any  # what was seen before a restart; the same as `obs` where there was none


class Batch(Protocol):
    """`num_envs` environments that step together. Raw: an episode that ended goes on only when told to."""

    num_envs: int
    observation_space: Space
    action_space: Space

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> Any:
        """New episodes, everywhere or where `mask` says; seeds begin new streams of luck. Returns all observations."""
        ...

    def step(self, actions: Any, restart: Any = None) -> BatchStep:
        """Step. Environments in the mask `restart` begin a new episode instead: reward 0, both flags false."""
        ...

    def step_and_restart(self, actions: Any) -> BatchStep:
        """Step, and begin a new episode at once where one ended."""
        ...

    def save(self, index: int) -> bytes:
        """The whole state of one environment, its luck included."""
        ...

    def load(self, index: int, blob: bytes) -> None: ...

    def render(self, index: int) -> Any: ...


class Running(Record):
    """Everything a batch remembers."""

    keys: jax.Array  # (num_envs,) keys; environment i draws its luck of call t from fold_in(keys[i], t)
    calls: jax.Array  # (num_envs,) uint32, calls since the environment was seeded
    obs: Any
    state: Any


class JaxBatch:
    """A `Batch` of a JAX environment, spread over the devices there are.

    An environment's luck depends on its own seed alone, so it plays the same games in a batch of any size.
    """

    def __init__(self, env: Env[Any, Any], num_envs: int, *, params: Any = None, devices: int | None = None) -> None:
        over = execute.mesh(devices)
        execute.check_divides(num_envs, over.size, "devices")
        self.env = env
        self.num_envs = num_envs
        self.params = env.default_params if params is None else params
        self.observation_space = env.observation_space(self.params)
        self.action_space = env.action_space(self.params)
        self._sharding = execute.batch_sharding(over)
        self._running: Running | None = None

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> Any:
        if seeds is None and self._running is None:
            seeds = np.random.SeedSequence().generate_state(self.num_envs).tolist()
        before = self._running
        keys = before.keys if before is not None and seeds is None else self._keys(seeds)
        if before is None or mask is None:
            calls = jnp.zeros(self.num_envs, jnp.uint32) if seeds is not None or before is None else before.calls
            self._running = self._place(_begin(self.env, keys, calls, self.params))
        else:
            self._running = _begin_where(self.env, self._mask(mask), keys, seeds is not None, before, self.params)
        return self._running.obs

    def step(self, actions: Any, restart: Any = None) -> BatchStep:
        mask = np.zeros(self.num_envs, bool) if restart is None else self._mask(restart)
        self._running, step = _step(self.env, self._now(), self._actions(actions), mask, self.params)
        return step

    def step_and_restart(self, actions: Any) -> BatchStep:
        self._running, step = _step_and_restart(self.env, self._now(), self._actions(actions), self.params)
        return step

    def save(self, index: int) -> bytes:
        running = self._now()
        one = jax.tree.map(lambda leaf: np.asarray(leaf[index]), running.replace(keys=jax.random.key_data(running.keys)))
        return pickle.dumps(jax.tree.leaves(one))

    def load(self, index: int, blob: bytes) -> None:
        running = self._now()
        raw = running.replace(keys=jax.random.key_data(running.keys))
        one = jax.tree.unflatten(jax.tree.structure(raw), pickle.loads(blob))
        raw = jax.tree.map(lambda leaf, new: leaf.at[index].set(new), raw, one)
        keys = jax.random.wrap_key_data(raw.keys, impl=chance.FAST_PRNG)
        self._running = self._place(raw.replace(keys=keys))

    def render(self, index: int) -> Any:
        state = jax.tree.map(lambda leaf: np.asarray(leaf[index]), self._now().state)
        return self.env.render(state, self.params)

    def _now(self) -> Running:
        if self._running is None:
            raise EnvwrightError("Reset the batch before its first step.")
        return self._running

    def _keys(self, seeds: Sequence[int] | None) -> jax.Array:
        seeds = np.zeros(0) if seeds is None else np.asarray(seeds)
        if seeds.shape != (self.num_envs,):
            raise EnvwrightError(f"{self.num_envs} environments need as many seeds, but got an array of shape {seeds.shape}.")
        return jax.vmap(chance.key)(jnp.asarray(seeds.astype(np.uint32)))

    def _mask(self, mask: Any) -> Any:
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise EnvwrightError(
                f"A mask over {self.num_envs} environments is as many booleans, but got {mask.dtype} of shape {mask.shape}."
            )
        return mask

    def _actions(self, actions: Any) -> Any:
        """The actions, one for each environment, checked before they reach a compiled function."""
        space = self.action_space
        actions = actions if isinstance(actions, jax.Array) else np.asarray(actions)
        kind, name = (np.integer, "integers") if isinstance(space, Discrete) else (np.floating, "floats")
        wanted = (self.num_envs, *space.shape)
        if actions.shape != wanted or not np.issubdtype(actions.dtype, kind):
            raise ActionError(
                f"This batch takes {name} of shape {wanted} as actions, but got {actions.dtype} of shape {actions.shape}."
            )
        return actions.astype(space.dtype)

    def _place(self, running: Running) -> Running:
        return jax.tree.map(lambda leaf: jax.device_put(leaf, self._sharding), running)


def _luck(running_keys: jax.Array, calls: jax.Array) -> jax.Array:
    return jax.vmap(jax.random.fold_in)(running_keys, calls)


@functools.partial(jax.jit, static_argnums=0)
def _begin(env: Env[Any, Any], keys: jax.Array, calls: jax.Array, params: Any) -> Running:
    obs, state = jax.vmap(env.init, in_axes=(0, None))(_luck(keys, calls), params)
    return Running(keys, calls + 1, obs, state)


@functools.partial(jax.jit, static_argnums=(0, 3))
def _begin_where(
    env: Env[Any, Any], mask: jax.Array, keys: jax.Array, seeded: bool, before: Running, params: Any
) -> Running:
    calls = jnp.where(mask & seeded, jnp.uint32(0), before.calls)
    begun = _begin(env, keys, calls, params)
    begun = begun.replace(state=jax.vmap(env.inherit)(before.state, begun.state))
    return jax.vmap(choose)(mask, begun, before)


@functools.partial(jax.jit, static_argnums=0)
def _step(
    env: Env[Any, Any], running: Running, actions: jax.Array, mask: jax.Array, params: Any
) -> tuple[Running, BatchStep]:
    def one(key: jax.Array, state: Any, action: jax.Array, again: jax.Array) -> tuple[Any, BatchStep]:
        step_key, reset_key = chance.fork(key, 2)
        step = env.transition(step_key, state, action, params)
        obs, fresh = env.init(reset_key, params)
        fresh = env.inherit(state, fresh)
        obs, state = choose(again, (obs, fresh), (step.obs, step.state))
        reward = jnp.where(again, jnp.zeros_like(step.reward), step.reward)
        return state, BatchStep(obs, reward, step.terminated & ~again, step.truncated & ~again, step.info, obs)

    state, step = jax.vmap(one)(_luck(running.keys, running.calls), running.state, actions, mask)
    return running.replace(calls=running.calls + 1, obs=step.obs, state=state), step


@functools.partial(jax.jit, static_argnums=0)
def _step_and_restart(
    env: Env[Any, Any], running: Running, actions: jax.Array, params: Any
) -> tuple[Running, BatchStep]:
    def one(key: jax.Array, state: Any, action: jax.Array) -> tuple[Any, BatchStep]:
        step_key, reset_key = chance.fork(key, 2)
        step = restart(env, env.transition(step_key, state, action, params), env.init(reset_key, params))
        info = {name: value for name, value in step.info.items() if name != "final_observation"}
        final_obs = step.info["final_observation"]
        return step.state, BatchStep(step.obs, step.reward, step.terminated, step.truncated, info, final_obs)

    state, step = jax.vmap(one)(_luck(running.keys, running.calls), running.state, actions)
    return running.replace(calls=running.calls + 1, obs=step.obs, state=state), step
