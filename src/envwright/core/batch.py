"""A batch of environments with its state inside: the one interface that adapters to other libraries are built on.

JAX environments get it from `JaxBatch` below; environments in other languages implement `Batch` themselves. Arrays that
a batch has handed out are never written into again: callers keep them.
"""

import functools
import io
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import chance, execute
from envwright.core.env import Env, choose, restart
from envwright.core.errors import ActionError, EnvwrightError
from envwright.core.pieces import in_pieces
from envwright.core.record import Record
from envwright.core.spaces import Discrete, Space, check_numbers


class BatchStep(NamedTuple):
    """A step of every environment; each leaf has a leading axis of environments."""

    obs: Any
    reward: Any  # (num_envs, [players]) float32
    terminated: Any  # (num_envs,) bool
    truncated: Any  # (num_envs,) bool
    info: dict[str, Any]
    final_obs: Any  # what was seen before a restart; the same as `obs` where there was none


class Stepping(Protocol):
    """`num_envs` environments that step together: all that a learner asks for."""

    num_envs: int
    players: int  # with two or more, observations, actions, rewards and legal actions have a second axis of players
    observation_space: Space  # of one player
    action_space: Space

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> Any:
        """New episodes, everywhere or where `mask` says; seeds begin new random streams. Returns all observations."""
        ...

    def step_and_restart(self, actions: Any) -> BatchStep:
        """Step, and begin a new episode at once where one ended."""
        ...

    def legal_actions(self) -> Any:
        """Which actions may be taken now, booleans (num_envs, [players,] n); None: all."""
        ...


class Batch(Stepping, Protocol):
    """The same for everybody else. Raw: an episode that ended goes on only when told to."""

    def step(self, actions: Any, restart: Any = None) -> BatchStep:
        """Step. Environments in the mask `restart` begin a new episode instead: reward 0, both flags false."""
        ...

    def save(self, index: int) -> bytes:
        """The whole state of one environment, its random stream included."""
        ...

    def load(self, index: int, blob: bytes) -> None: ...

    def render(self, index: int) -> Any: ...


class Running(Record):
    """Everything a batch remembers."""

    keys: jax.Array  # (num_envs,) keys; environment i draws for call t from fold_in(keys[i], t)
    calls: jax.Array  # (num_envs,) uint32, calls since the environment was seeded
    obs: Any
    state: Any


class JaxBatch:
    """A `Batch` of a JAX environment, on one device unless told; `devices=None` spreads it over all.

    An environment's random draws depend on its own seed alone, so it plays the same games in a batch of any size.
    Stepped from Python, one CPU device is the fastest: arrays spread over two have to be put together after every step.
    """

    def __init__(self, env: Env[Any, Any], num_envs: int, *, params: Any = None, devices: int | None = 1) -> None:
        over = execute.mesh(devices)
        execute.check_divides(num_envs, over.size, "devices")
        self.env = env
        self.num_envs = num_envs
        self.players = env.players
        self.params = env.default_params if params is None else params
        self.observation_space = env.observation_space(self.params)
        self.action_space = env.action_space(self.params)
        self._sharding = execute.batch_sharding(over)
        self._running: Running | None = None

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> Any:
        running = self._running
        if running is None and mask is not None:
            raise EnvwrightError("The first reset begins an episode in every environment; leave the mask out.")
        if running is None or (mask is None and seeds is not None):
            keys = self._keys(self._unpredictable() if seeds is None else seeds)
            running = self._place(_begin(self.env, keys, self.params))
        else:
            where = np.ones(self.num_envs, bool) if mask is None else self._mask(mask)
            if seeds is not None:
                running = _reseed(running, self._keys(seeds), where)
            running = _begin_where(self.env, running, where, seeds is not None, self.params)
        self._running = running
        return running.obs

    def step(self, actions: Any, restart: Any = None) -> BatchStep:
        mask = np.zeros(self.num_envs, bool) if restart is None else self._mask(restart)
        self._running, step = _step(self.env, self._now(), self._actions(actions), mask, self.params)
        return step

    def step_and_restart(self, actions: Any) -> BatchStep:
        self._running, step = _step_and_restart(self.env, self._now(), self._actions(actions), self.params)
        return step

    def legal_actions(self) -> Any:
        return _legal(self.env, self._now().state, self.params)

    def save(self, index: int) -> bytes:
        raw = _without_key_type(self._now())
        index = self._index(index)
        file = io.BytesIO()
        np.savez(file, *(np.asarray(leaf[index]) for leaf in jax.tree.leaves(raw)))
        return file.getvalue()

    def load(self, index: int, blob: bytes) -> None:
        raw = _without_key_type(self._now())
        index = self._index(index)
        leaves, structure = jax.tree.flatten(raw)
        try:
            saved = list(np.load(io.BytesIO(blob)).values())
        except (OSError, ValueError) as error:
            raise EnvwrightError(f"This is not a saved environment: {error}.") from None
        if [(x.shape, x.dtype) for x in saved] != [(leaf.shape[1:], leaf.dtype) for leaf in leaves]:
            raise EnvwrightError(f"This was saved from another environment than {self.env}.")
        changed = [leaf.at[index].set(new) for leaf, new in zip(leaves, saved, strict=True)]
        raw = jax.tree.unflatten(structure, changed)
        keys = jax.random.wrap_key_data(raw.keys, impl=chance.FAST_PRNG)
        self._running = self._place(raw.replace(keys=keys))

    def render(self, index: int) -> Any:
        index = self._index(index)
        state = jax.tree.map(lambda leaf: np.asarray(leaf[index]), self._now().state)
        return self.env.render(state, self.params)

    def _index(self, index: int) -> int:
        """The index, checked: JAX itself would take the last environment for one out of range."""
        if not 0 <= index < self.num_envs:
            raise EnvwrightError(f"There is no environment {index} in a batch of {self.num_envs}; they count from 0.")
        return index

    def _now(self) -> Running:
        if self._running is None:
            raise EnvwrightError("Reset the batch before its first step.")
        return self._running

    def _unpredictable(self) -> list[int]:
        return np.random.SeedSequence().generate_state(self.num_envs).tolist()

    def _keys(self, seeds: Sequence[int]) -> jax.Array:
        values = np.asarray(seeds)
        if values.shape != (self.num_envs,):
            raise EnvwrightError(f"{self.num_envs} environments need as many seeds, but got {values.shape}.")
        if values.dtype.kind not in "iu" or (values < 0).any() or (values >= 2**32).any():
            raise EnvwrightError(f"Seeds are whole numbers from 0 to {2**32 - 1}; got {values[:3].tolist()}...")
        return _keys_of(values.astype(np.uint32))

    def _mask(self, mask: Any) -> Any:
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise EnvwrightError(
                f"A mask is {self.num_envs} booleans here, but got {mask.dtype} of shape {mask.shape}."
            )
        return mask

    def _actions(self, actions: Any) -> Any:
        """The actions, one for each environment, checked before they reach a compiled function."""
        space = self.action_space
        actions = actions if isinstance(actions, jax.Array) else np.asarray(actions)
        kind, name = (np.integer, "integers") if isinstance(space, Discrete) else (np.floating, "floats")
        wanted = (self.num_envs, *((self.players,) if self.players > 1 else ()), *space.shape)
        if actions.shape != wanted or not np.issubdtype(actions.dtype, kind):
            raise ActionError(
                f"This batch takes {name} of shape {wanted}, but got {actions.dtype} of shape {actions.shape}."
            )
        if not isinstance(actions, jax.Array):  # looking at those would wait for the device
            check_numbers(actions)
        return actions.astype(space.dtype)

    def _place(self, running: Running) -> Running:
        return jax.tree.map(lambda leaf: jax.device_put(leaf, self._sharding), running)


def _without_key_type(running: Running) -> Running:
    """The same with keys as plain numbers, which can be indexed, written and read."""
    return running.replace(keys=jax.random.key_data(running.keys))


@jax.jit
def _keys_of(seeds: jax.Array) -> jax.Array:
    return jax.vmap(chance.key)(seeds)


def _call_keys(running_keys: jax.Array, calls: jax.Array) -> jax.Array:
    return jax.vmap(jax.random.fold_in)(running_keys, calls)


@functools.partial(jax.jit, static_argnums=0)
def _begin(env: Env[Any, Any], keys: jax.Array, params: Any) -> Running:
    calls = jnp.zeros(keys.shape, jnp.uint32)
    obs, state = jax.vmap(in_pieces(env.init), in_axes=(0, None))(_call_keys(keys, calls), params)
    return Running(keys, calls + 1, obs, state)


@functools.partial(jax.jit, static_argnums=0)
def _legal(env: Env[Any, Any], state: Any, params: Any) -> Any:
    return jax.vmap(env.legal_actions, in_axes=(0, None))(state, params)


@jax.jit
def _reseed(running: Running, keys: jax.Array, mask: jax.Array) -> Running:
    calls = jnp.where(mask, jnp.uint32(0), running.calls)
    return running.replace(keys=jnp.where(mask, keys, running.keys), calls=calls)


@functools.partial(jax.jit, static_argnums=(0, 3))
def _begin_where(env: Env[Any, Any], running: Running, mask: jax.Array, seeded: bool, params: Any) -> Running:
    """Only the environments in the mask make a call, so the random streams of the others go on undisturbed."""

    def one(key: jax.Array, obs: Any, state: Any, again: jax.Array) -> tuple[Any, Any]:
        fresh_obs, fresh = env.init(key, params)
        fresh = fresh if seeded else env.inherit(state, fresh)  # a seed promises the same episode whatever came before
        return choose(again, (fresh_obs, fresh), (obs, state))

    obs, state = jax.vmap(in_pieces(one))(_call_keys(running.keys, running.calls), running.obs, running.state, mask)
    return running.replace(calls=running.calls + mask.astype(jnp.uint32), obs=obs, state=state)


@functools.partial(jax.jit, static_argnums=0)
def _step(
    env: Env[Any, Any], running: Running, actions: jax.Array, mask: jax.Array, params: Any
) -> tuple[Running, BatchStep]:
    def one(key: jax.Array, state: Any, action: jax.Array, again: jax.Array) -> tuple[Any, BatchStep]:
        # One key for both, because only one of them happens.
        step = env.transition(key, state, action, params)
        obs, fresh = env.init(key, params)
        fresh = env.inherit(state, fresh)
        obs, state = choose(again, (obs, fresh), (step.obs, step.state))
        reward = jnp.where(again, jnp.zeros_like(step.reward), step.reward)
        return state, BatchStep(obs, reward, step.terminated & ~again, step.truncated & ~again, step.info, obs)

    state, step = jax.vmap(in_pieces(one))(_call_keys(running.keys, running.calls), running.state, actions, mask)
    return running.replace(calls=running.calls + 1, obs=step.obs, state=state), step


@functools.partial(jax.jit, static_argnums=0)
def _step_and_restart(
    env: Env[Any, Any], running: Running, actions: jax.Array, params: Any
) -> tuple[Running, BatchStep]:
    def one(key: jax.Array, next_key: jax.Array, state: Any, action: jax.Array) -> tuple[Any, BatchStep]:
        step = restart(env, env.transition(key, state, action, params), env.init(next_key, params))
        info = {name: value for name, value in step.info.items() if name != "final_observation"}
        final_obs = step.info["final_observation"]
        return step.state, BatchStep(step.obs, step.reward, step.terminated, step.truncated, info, final_obs)

    keys, next_keys = _call_keys(running.keys, running.calls), _call_keys(running.keys, running.calls + 1)
    state, step = jax.vmap(in_pieces(one))(keys, next_keys, running.state, actions)
    # A restart is a call of its own, so that the same games are played whenever it happens.
    calls = running.calls + 1 + (step.terminated | step.truncated).astype(jnp.uint32)
    return running.replace(calls=calls, obs=step.obs, state=state), step
