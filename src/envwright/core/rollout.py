"""Many steps of many environments under one policy, as fast as the machine allows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec

from envwright.core import execute
from envwright.core.autoreset import AutoReset, each, strategy, to_back, to_front
from envwright.core.chance import fork
from envwright.core.env import Env
from envwright.core.errors import BatchError
from envwright.core.native import check_jax
from envwright.core.record import Record

Policy = Callable[[jax.Array, Any], jax.Array]  # (keys, obs) -> actions, of a batch: a leading axis of environments

TILE = 256  # environments that step together: the state of Pong, twice, fits a first-level cache of 32 KiB
LARGEST_TILE = 4096  # XLA splits larger loops over threads, which it cannot do inside a kernel


class Last(Record):
    """What a batch of environments last returned, a leading axis of environments on every leaf."""

    obs: Any
    state: Any
    reward: jax.Array  # (num_envs,) float32
    terminated: jax.Array  # (num_envs,) bool
    truncated: jax.Array  # (num_envs,) bool


class Transition(Record):
    """One step of a batch as a learner wants it, a leading axis of environments on every leaf."""

    obs: Any  # what the policy saw
    action: Any
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    final_obs: Any  # what came of the action, before any auto-reset: bootstrap from it where truncated
    state: Any  # after the step and the auto-reset
    info: dict[str, Any]


@dataclass(frozen=True)
class Rollout:
    """`last = rollout.reset(key)`, then `last = rollout(key, last)` as often as you like; compiled at the first call.

    Every step writes observations, rewards and flags of all environments; those of the last step are handed out. With
    `collect`, the call returns a second value: what `collect` took of every step, with a leading axis of steps.
    """

    num_envs: int
    steps: int
    _reset: Callable[..., Any]
    _run: Callable[..., Any]
    _params: Any

    def reset(self, key: jax.Array) -> Last:
        return self._reset(key, self._params)

    def __call__(self, key: jax.Array, last: Last) -> Any:
        return self._run(key, last, self._params)


def rollout(
    env: Env[Any, Any],
    policy: Policy | None = None,
    *,
    num_envs: int,
    steps: int,
    params: Any = None,
    autoreset: str | AutoReset = "fresh",
    collect: Callable[[Transition], Any] | None = None,
    devices: int | None = None,
    fused: bool = True,
    tile: int = TILE,
) -> Rollout:
    """Prepare `steps` steps of `num_envs` environments under `policy` (random legal actions unless given).

    A policy gets a key and an observation for each environment and returns an action for each. What happens depends on
    the keys alone: the same ones give the same games in every layout, on any number of devices.

    `collect=lambda t: (t.obs, t.action, t.reward)` keeps that of every step. The batch is divided over `devices`, all
    unless told. On CPU, `fused` runs each share as one kernel, in which at most `tile` environments at a time take all
    their steps before the next ones do and stay in the fastest cache; turn it off for policies that multiply large
    matrices, which XLA does better in kernels of their own.
    """
    check_jax(env, "A rollout")
    params = env.default_params if params is None else params
    how = strategy(autoreset)
    over = execute.mesh(devices)
    if steps < 1:
        raise BatchError(f"A rollout takes at least one step, but steps is {steps}.")
    a_device = execute.check_divides(num_envs, over.size, "devices")
    # What is collected goes to main memory anyway, and tiles of it would have to be put together again.
    a_tile = _tile_size(a_device, LARGEST_TILE if collect else tile) if fused else None
    smaller = [a_tile // n for n in (1, 4) if a_tile and a_tile % n == 0 and not (collect and n > 1)]

    def one_step(last: Last, key: jax.Array, indices: jax.Array, params: Any) -> tuple[Last, Any]:
        """Environments along the last axis; the policy and `collect` see them along the first."""
        act_keys, step_keys = (jax.vmap(jax.random.fold_in, in_axes=(None, 0))(k, indices) for k in fork(key, 2))
        if policy is None:
            actions = random_actions(env, act_keys, how.now(last.state), params)
        else:
            actions = policy(act_keys, to_front(last.obs))
        step = how.step(env, step_keys, last.state, to_back(actions), params)
        flags = step.reward, step.terminated, step.truncated
        after = Last(step.obs, step.state, *flags)
        if collect is None:
            return after, None
        info = dict(step.info)
        final_obs = info.pop("final_observation")
        kept = to_front(Transition(last.obs, to_back(actions), *flags, final_obs, step.state, info))
        return after, collect(kept)

    def one_tile(key: jax.Array, indices: jax.Array, last: Last, params: Any) -> tuple[Last, Any]:
        def body(last: Last, t: jax.Array) -> tuple[Last, Any]:
            return one_step(last, jax.random.fold_in(key, t), indices, params)

        last, history = jax.lax.scan(body, to_back(last), jnp.arange(steps, dtype=jnp.uint32))
        return to_front(last), history

    def in_tiles(size: int) -> Callable[..., tuple[Last, Any]]:
        def all_tiles(key: jax.Array, indices: jax.Array, last: Last, params: Any) -> tuple[Last, Any]:
            tiles = a_device // size
            if tiles == 1:
                return one_tile(key, indices, last, params)
            cut = jax.tree.map(lambda leaf: leaf.reshape(tiles, -1, *leaf.shape[1:]), (indices, last))
            return _join(*jax.lax.map(lambda tile: one_tile(key, tile[0], tile[1], params), cut))

        return execute.one_kernel(all_tiles)

    ways = [*(in_tiles(size) for size in smaller), one_tile]
    run = execute.first_possible(*(_over_devices(way, over, num_envs) for way in ways))
    start = jax.jit(
        lambda key, params: _blank(to_front(how.reset(env, jax.random.split(key, num_envs), params)), env.players),
        out_shardings=execute.batch_sharding(over),
    )
    return Rollout(num_envs, steps, start, run if collect else lambda *args: run(*args)[0], params)


def random_policy(env: Env[Any, Any], params: Any) -> Policy:
    """Uniformly random actions."""
    space = env.action_space(params)
    return lambda keys, obs: jax.vmap(space.sample)(keys)


def random_actions(env: Env[Any, Any], keys: jax.Array, state: Any, params: Any) -> jax.Array:
    """Uniformly random legal actions, one of each player, in states that have environments along the last axis."""
    space, legal = env.action_space(params), to_front(each(env.legal_actions, state, params=params))
    draw = space.sample if legal is None else lambda key: jax.random.uniform(key, legal.shape[-1:])
    if env.players == 1:
        drawn = jax.vmap(draw)(keys)
    else:
        drawn = jax.vmap(lambda key: jax.vmap(draw)(jax.random.split(key, env.players)))(keys)
    return drawn if legal is None else jnp.where(legal, drawn, -1).argmax(axis=-1).astype(space.dtype)


def _tile_size(num_envs: int, at_most: int) -> int | None:
    """The largest part of a batch, up to `at_most`, that divides it; None if a kernel cannot hold a useful one."""
    if not 1 <= at_most <= LARGEST_TILE:
        raise BatchError(f"A tile holds 1 to {LARGEST_TILE} environments, but tile is {at_most}.")
    size = max(n for n in range(1, min(at_most, num_envs) + 1) if num_envs % n == 0)
    if size >= at_most / 4:
        return size
    return num_envs if num_envs <= LARGEST_TILE else None  # rather too large a tile than many tiny ones


def _over_devices(body: Callable[..., Any], over: Mesh, num_envs: int) -> Callable[..., Any]:
    """Run `body` on every device's share of the batch, which knows the indices of its environments."""
    batch, steps_then_batch, whole = PartitionSpec(execute.AXIS), PartitionSpec(None, execute.AXIS), PartitionSpec()
    shared = jax.shard_map(
        body, mesh=over, in_specs=(whole, batch, batch, whole), out_specs=(batch, steps_then_batch), check_vma=False
    )

    def run(key: jax.Array, last: Last, params: Any) -> tuple[Last, Any]:
        return shared(key, jnp.arange(num_envs, dtype=jnp.uint32), last, params)

    return jax.jit(run, compiler_options=execute.compiler_options())


def _join(last: Last, history: Any) -> tuple[Last, Any]:
    """Put the tiles of a batch side by side again."""
    last = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), last)
    # (tiles, steps, tile, ...) -> (steps, tiles * tile, ...)
    return last, jax.tree.map(lambda x: jnp.moveaxis(x, 0, 1).reshape(x.shape[1], -1, *x.shape[3:]), history)


def _blank(start: tuple[Any, Any], players: int) -> Last:
    obs, state = start
    num_envs = jax.tree.leaves(obs)[0].shape[0]
    no = jnp.zeros(num_envs, bool)
    return Last(obs, state, jnp.zeros(num_envs if players == 1 else (num_envs, players), jnp.float32), no, no)
