"""An environment for Brax: for its wrappers, and for its trainers."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Box, Env, TimeLimit
from envwright.core.chance import fork, restart_key, typed
from envwright.core.errors import EnvwrightError, missing_extra
from envwright.core.native import check_jax
from envwright.core.pieces import in_pieces
from envwright.core.spaces import Space, check_kind, encode, size_of
from envwright.core.versus import check_one_player

try:
    from brax.envs import base  # pyright: ignore[reportMissingImports]
except ModuleNotFoundError as error:
    raise missing_extra(error.name or "brax", "brax") from None

# Names that Brax's wrappers give to metrics of their own.
TAKEN = ("reward", "sum_reward", "length")


class BraxEnv(base.Env):
    """A Brax environment. It never resets by itself: Brax's `AutoResetWrapper` does.

    A time limit around the environment is left to Brax as well. Its `EpisodeWrapper` overwrites any truncation but its
    own, and would take an episode that was cut short in here for one that the rules ended. `episode_length` is the
    limit to give to that wrapper, or to Brax's `train`.

    `sys` holds the params of the rules, so that Brax's domain randomisation varies them.
    """

    def __init__(self, env: Env[Any, Any], *, params: Any = None, dt: float | None = None) -> None:
        check_jax(env, "Brax")
        check_one_player(env.players, "Brax")
        params = env.default_params if params is None else params
        self.episode_length: int | None = None  # the time limit around the environment
        while isinstance(env, TimeLimit):
            limit = int(params.max_steps_in_episode)
            self.episode_length = min(limit, self.episode_length or limit)
            env, params = env.env, params.inner
        self.env, self.sys = env, params
        self.observation_space = env.observation_space(params)
        self.action_space = checked(env.action_space(params), type(env).__name__)
        self._dt = dt
        chance, metrics = jax.eval_shape(self._one_step, jax.random.key(0))
        self._draws = bool(jax.tree.leaves(chance))
        self._metrics = tuple(metrics)

    @property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return size_of(self.observation_space)

    @property
    def action_size(self) -> int:
        """How many numbers an action has."""
        return math.prod(self.action_space.shape)

    @property
    def backend(self) -> str:
        """Not one of Brax's physics pipelines."""
        return "envwright"

    @property
    def dt(self) -> float:
        """Seconds of simulated time a step."""
        if self._dt is None:
            name = type(self.env).__name__
            raise EnvwrightError(f"How long a step of {name} takes is not known; say so: BraxEnv(env, dt=0.05).")
        return self._dt

    def reset(self, rng: jax.Array) -> Any:
        """A new episode, the one that `env.init` begins with this key."""
        obs, state = in_pieces(self.env.init)(typed(rng), self.sys)
        zero = number(0)
        info: dict[str, Any] = {"truncation": zero, "time_out": zero}
        if self._draws:
            info["rng"] = as_given(restart_key(typed(rng)), rng)
        return base.State(state, self._seen(obs), zero, zero, dict.fromkeys(self._metrics, zero), info)

    def step(self, state: Any, action: Any) -> Any:
        """One step, which draws from `info["rng"]`, if it draws at all. Never resets.

        `info["truncation"]` and, for PPO's `bootstrap_on_timeout`, `info["time_out"]` are 1 where the environment
        itself cut the episode short. What wrappers have put into `info` and `metrics` stays there.
        """
        info, key = dict(state.info), jax.random.key(0)
        if self._draws:
            rng, key = fork(typed(state.info["rng"]), 2)
            info["rng"] = as_given(rng, state.info["rng"])
        step = in_pieces(self.env.transition)(key, state.pipeline_state, self._scaled(action), self.sys)
        info["truncation"] = info["time_out"] = number(step.truncated & ~step.terminated)
        return state.replace(
            pipeline_state=step.state,
            obs=self._seen(step.obs),
            reward=number(step.reward),
            done=number(step.done),
            metrics={**state.metrics, **metrics_of(step.info)},
            info=info,
        )

    def _seen(self, obs: Any) -> jax.Array:
        return encode(self.observation_space, jnp.asarray(obs), jnp.result_type(float))

    def _scaled(self, action: Any) -> jax.Array:
        """An action of Brax's, from -1 to 1, between the bounds of the environment, as far as these are finite."""
        action, space = jnp.asarray(action), self.action_space
        check_kind(Box(-1.0, 1.0, (self.action_size,)), action)
        action = action.astype(space.dtype).reshape(space.shape)
        low, high = (np.broadcast_to(np.asarray(bound, space.dtype), space.shape) for bound in (space.low, space.high))
        bounded = np.isfinite(low) & np.isfinite(high)
        low, high = np.where(bounded, low, -1), np.where(bounded, high, 1)
        if (low == -1).all() and (high == 1).all():
            return action
        return jnp.asarray((low + high) / 2, space.dtype) + jnp.asarray((high - low) / 2, space.dtype) * action

    def _one_step(self, key: jax.Array) -> tuple[Any, Any]:
        """What a step draws, and its metrics."""
        _, state = self.env.init(key, self.sys)
        action = jnp.zeros(self.action_space.shape, self.action_space.dtype)
        drawn = self.env.draw(key, state, action, self.sys)
        return drawn, metrics_of(self.env.apply(state, action, drawn, self.sys).info)


@contextmanager
def jax_for_brax() -> Iterator[None]:
    """Within this, Brax's trainers run under JAX 0.10, which no longer has a function that they call: Brax's issue 671.

    Older versions of JAX have it, and are left alone.
    """
    name = "device_put_replicated"
    if name in vars(jax) or jax.__version_info__ < (0, 10):
        yield
        return
    setattr(jax, name, _replicated)
    try:
        yield
    finally:
        delattr(jax, name)


def _replicated(tree: Any, devices: Sequence[Any]) -> Any:
    """A copy on each device, along a new first axis."""
    mesh = jax.sharding.Mesh(np.asarray(devices), ("devices",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("devices"))
    return jax.device_put(jax.tree.map(lambda leaf: jnp.stack([leaf] * len(devices)), tree), sharding)


def checked(space: Space, name: str) -> Box:
    """The action space, if Brax's policies can act in it."""
    if not isinstance(space, Box) or space.dtype.kind != "f":
        raise EnvwrightError(
            f"Brax's policies choose floating-point numbers, so an environment for Brax has a Box of floats as its "
            f"action space, but that of {name} is {space}; envwright.train takes it."
        )
    return space


def metrics_of(info: Any) -> dict[str, jax.Array]:
    """The single numbers in the info of a step, as Brax's wrappers add them up; one within another is `outer.inner`."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(info)
    named = {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves}
    single = {name: number(leaf) for name, leaf in named.items() if jnp.ndim(leaf) == 0}
    return {f"info.{name}" if name in TAKEN else name: value for name, value in single.items()}


def number(value: Any) -> jax.Array:
    """A value in the type of Brax's own numbers, which is float32 unless JAX is set to double precision."""
    return jnp.asarray(value, jnp.result_type(float))


def as_given(key: jax.Array, given: jax.Array) -> jax.Array:
    """A typed key in the form of the one that was given: Brax's wrappers pass words of uint32."""
    return key if jnp.issubdtype(given.dtype, jax.dtypes.prng_key) else jax.random.key_data(key)
