"""One environment for Gymnasium."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.adapters.gymnasium_spaces import to_gymnasium
from envwright.core import Env, Step, chance
from envwright.core.errors import EnvwrightError, missing_extra

try:
    import gymnasium
except ModuleNotFoundError:
    raise missing_extra("gymnasium", "gymnasium") from None

METADATA = {"render_modes": ["rgb_array"], "render_fps": 30}


class GymnasiumEnv(gymnasium.Env[Any, Any]):
    """A `gymnasium.Env`. A seed means the same games as in a batch."""

    metadata: dict[str, Any] = METADATA

    def __init__(self, env: Env[Any, Any], *, params: Any = None, render_mode: str | None = None) -> None:
        check_render_mode(render_mode)
        self.env = env
        self.params = env.default_params if params is None else params
        self.metadata = dict(METADATA)  # its own, because SyncVectorEnv writes into it
        self.render_mode = render_mode
        self.observation_space = to_gymnasium(env.observation_space(self.params))
        self.action_space = to_gymnasium(env.action_space(self.params))
        self._key: jax.Array | None = None
        self._calls = 0  # since the last seed
        self._state: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new episode. A seed begins a new stream of luck; without one the stream goes on. There are no options."""
        if seed is not None and not 0 <= seed < 2**32:
            raise EnvwrightError(f"A seed is a whole number from 0 to {2**32 - 1}, but is {seed}; take a smaller one.")
        super().reset(seed=seed)
        if seed is None and self._key is None:
            seed = int(self.np_random.integers(2**32))
        if seed is not None:
            self._key, self._calls, self._state = chance.key(jnp.uint32(seed)), 0, None
        obs, self._state = _begin(self.env, self._key, self._call(), self._state, self.params)
        return self._sight(obs), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step. Never resets."""
        if self._state is None:
            raise EnvwrightError("Reset the environment before its first step.")
        # As an array, because JAX compiles once more for a plain int.
        step = _step(self.env, self._key, self._call(), self._state, np.asarray(action), self.params)
        self._state = step.state
        info = jax.tree.map(_scalar, step.info)
        return self._sight(step.obs), float(step.reward), bool(step.terminated), bool(step.truncated), info

    def render(self) -> Any:
        """The state as a picture, if `render_mode` is "rgb_array"."""
        if self.render_mode is None:
            return None
        if self._state is None:
            raise EnvwrightError("Reset the environment before drawing it.")
        return self.env.render(jax.tree.map(np.asarray, self._state), self.params)

    def _sight(self, obs: Any) -> Any:
        """What is observed, for the caller to keep; of a `Discrete` space a number, which can be a key of a table."""
        return np.int64(obs) if isinstance(self.observation_space, gymnasium.spaces.Discrete) else _own(obs)

    def _call(self) -> np.uint32:
        self._calls += 1
        return np.uint32(self._calls - 1)


def check_render_mode(render_mode: str | None) -> None:
    """Raise unless there is such a render mode."""
    if render_mode not in (None, *METADATA["render_modes"]):
        raise EnvwrightError(f"There is no render mode '{render_mode}'; choose 'rgb_array', or None for no pictures.")


# Luck is drawn as core.batch does, so that a seed means the same games in both.
@functools.partial(jax.jit, static_argnums=0)
def _begin(env: Env[Any, Any], key: jax.Array, call: jax.Array, before: Any, params: Any) -> tuple[Any, Any]:
    obs, state = env.init(jax.random.fold_in(key, call), params)
    return obs, state if before is None else env.inherit(before, state)


@functools.partial(jax.jit, static_argnums=0)
def _step(env: Env[Any, Any], key: jax.Array, call: jax.Array, state: Any, action: jax.Array, params: Any) -> Step:
    return env.transition(jax.random.fold_in(key, call), state, action, params)


def _own(obs: Any) -> Any:
    """Arrays that the caller may write into."""
    return jax.tree.map(np.array, obs)


def _scalar(leaf: Any) -> Any:
    """A value as Gymnasium's vector environments collect it best: a NumPy number, a Python bool, or an array."""
    leaf = np.asarray(leaf)
    if leaf.shape:
        return leaf
    return bool(leaf) if leaf.dtype == bool else leaf[()]
