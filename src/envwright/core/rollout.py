"""Many steps of many environments under one policy, as fast as the machine allows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec

from envwright.core import execute
from envwright.core.autoreset import AutoReset, strategy
from envwright.core.chance import fork
from envwright.core.env import Env
from envwright.core.record import Record

Policy = Callable[[jax.Array, Any], jax.Array]  # (key, obs) -> action, for one environment

TILE = 256  # environments that step together: the state of Pong, twice, fits a first-level cache of 32 KiB


class Last(Record):
    """What a batch of environments last returned, a leading axis of environments on every leaf."""

    obs: Any
    state: Any
    reward: jax.Array  # (num_envs,) float32
    terminated: jax.Array  # (num_envs,) bool
    truncated: jax.Array  # (num_envs,) bool


def random_policy(env: Env[Any, Any], params: Any) -> Policy:
    """Uniformly random actions."""
    space = env.action_space(params)
    return lambda key, obs: space.sample(key)


@dataclass(frozen=True)
class Rollout:
    """A compiled rollout: `last = rollout.reset(key)`, then `last = rollout(key, last)` as often as you like.

    Every step writes observations, rewards and flags of all environments. They are handed out after the last step;
    with `collect` they are stacked and returned too, as a second value with a leading axis of steps.
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
    devices: int | None = None,
    tile: int | None = TILE,
    collect: bool = False,
) -> Rollout:
    """Compile `steps` steps of `num_envs` environments under `policy` (random unless given).

    `tile` environments at a time take all their steps before the next tile does, in one kernel, so that they stay in
    the fastest cache. `None` steps the whole batch together in XLA's ordinary kernels: the layout for policies with
    large matrix products.
    """
    params = env.default_params if params is None else params
    policy = policy or random_policy(env, params)
    how = strategy(autoreset)
    over = execute.mesh(devices)
    a_device = execute.check_divides(num_envs, over.size, "devices")
    a_tile = min(tile or a_device, a_device)
    tiles = execute.check_divides(a_device, a_tile, f"tiles of {a_tile}") if a_device % a_tile else a_device // a_tile

    def one_step(key: jax.Array, last: Last, params: Any) -> Last:
        act_keys, step_keys = (jax.random.split(half, a_tile) for half in fork(key, 2))
        actions = jax.vmap(policy)(act_keys, last.obs)
        step = how.step(env, step_keys, last.state, actions, params)
        return Last(step.obs, step.state, step.reward, step.terminated, step.truncated)

    def one_tile(key: jax.Array, last: Last, params: Any) -> Any:
        def body(last: Last, t: jax.Array) -> tuple[Last, Any]:
            last = one_step(jax.random.fold_in(key, t), last, params)
            return last, last if collect else None

        last, history = jax.lax.scan(body, last, jnp.arange(steps, dtype=jnp.uint32))
        return (last, history) if collect else last

    def one_device(keys: jax.Array, last: Last, params: Any) -> Any:
        if tiles == 1:
            return one_tile(keys[0], last, params)
        cut = jax.tree.map(lambda leaf: leaf.reshape(tiles, a_tile, *leaf.shape[1:]), last)
        done = jax.lax.map(lambda tile: one_tile(tile[0], tile[1], params), (keys, cut))
        return _join(done, collect)

    body = execute.one_kernel(one_device) if tile else one_device
    run = _over_devices(body, over, tiles, collect)
    start = jax.jit(
        lambda key, params: _blank(how.reset(env, jax.random.split(key, num_envs), params)),
        out_shardings=execute.batch_sharding(over),
    )
    return Rollout(num_envs, steps, start, run, params)


def _over_devices(body: Callable[..., Any], over: Mesh, tiles: int, collect: bool) -> Callable[..., Any]:
    """Run `body` on every device's share of the batch, with a key for each tile."""
    batch, steps_then_batch, whole = PartitionSpec(execute.AXIS), PartitionSpec(None, execute.AXIS), PartitionSpec()

    def run(key: jax.Array, last: Last, params: Any) -> Any:
        keys = jax.random.split(key, over.size * tiles)
        shared = jax.shard_map(
            body,
            mesh=over,
            in_specs=(batch, batch, whole),
            out_specs=(batch, steps_then_batch) if collect else batch,
            check_vma=False,
        )
        return shared(keys, last, params)

    return jax.jit(run, compiler_options=execute.compiler_options())


def _join(done: Any, collect: bool) -> Any:
    """Put the tiles of a batch side by side again."""
    last, history = done if collect else (done, None)
    last = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), last)
    if not collect:
        return last
    # (tiles, steps, tile, ...) -> (steps, tiles * tile, ...)
    return last, jax.tree.map(lambda x: jnp.moveaxis(x, 0, 1).reshape(x.shape[1], -1, *x.shape[3:]), history)


def _blank(start: tuple[Any, Any]) -> Last:
    obs, state = start
    num_envs = jax.tree.leaves(obs)[0].shape[0]
    no = jnp.zeros(num_envs, bool)
    return Last(obs, state, jnp.zeros(num_envs, jnp.float32), no, no)
