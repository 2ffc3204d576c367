"""One environment for Gymnasium."""

from typing import Any

import jax
import numpy as np

from envwright.adapters.gymnasium_spaces import to_gymnasium
from envwright.core.errors import ActionError, EnvwrightError, missing_extra
from envwright.core.native import AnyEnv, batch_of
from envwright.core.spaces import check_kind
from envwright.core.versus import check_one_player

try:
    import gymnasium
except ModuleNotFoundError:
    raise missing_extra("gymnasium", "gymnasium") from None

METADATA = {"render_modes": ["rgb_array"], "render_fps": 30}


class GymnasiumEnv(gymnasium.Env[Any, Any]):
    """A `gymnasium.Env`: a batch of one. A seed means the same games as in a larger batch."""

    metadata: dict[str, Any] = METADATA

    def __init__(self, env: AnyEnv, *, params: Any = None, render_mode: str | None = None) -> None:
        check_render_mode(render_mode)
        self.env = env
        self.batch = batch_of(env, 1, params=params)
        check_one_player(self.batch.players, "Gymnasium")
        self.metadata = dict(METADATA)  # its own, because SyncVectorEnv writes into it
        self.render_mode = render_mode
        self.observation_space = to_gymnasium(self.batch.observation_space)
        self.action_space = to_gymnasium(self.batch.action_space)
        self._begun = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new episode. A seed begins a new random stream; without one the stream goes on. There are no options."""
        if seed is not None and not 0 <= seed < 2**32:
            raise EnvwrightError(f"A seed is a whole number from 0 to {2**32 - 1}, but is {seed}; take a smaller one.")
        super().reset(seed=seed)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(2**32))
        self._begun = True
        return self._seen(self.batch.reset(None if seed is None else [seed])), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step. Never resets."""
        if not self._begun:
            raise EnvwrightError("Reset the environment before its first step.")
        action = np.asarray(action)
        check_kind(self.batch.action_space, action)
        self._check_legal(action)
        step = self.batch.step(action[None])
        info = jax.tree.map(_scalar, step.info)
        reward, terminated, truncated = (
            np.asarray(x)[0].item() for x in (step.reward, step.terminated, step.truncated)
        )
        return self._seen(step.obs), reward, terminated, truncated, info

    def action_masks(self) -> Any:
        """Which actions are legal now, (n,) bool, as MaskablePPO asks for them; None where all always are."""
        legal = self.batch.legal_actions()
        return None if legal is None else np.asarray(legal)[0]

    def _check_legal(self, action: Any) -> None:
        legal = self.action_masks()
        if legal is not None and not legal[action]:
            allowed = ", ".join(map(str, np.flatnonzero(legal).tolist()))
            raise ActionError(f"Action {action} is not legal now; those that are: {allowed}.")

    def render(self) -> Any:
        """The state as a picture, if `render_mode` is "rgb_array"."""
        if self.render_mode is None:
            return None
        if not self._begun:
            raise EnvwrightError("Reset the environment before drawing it.")
        return self.batch.render(0)

    def _seen(self, obs: Any) -> Any:
        """What is observed, for the caller to write into; of a `Discrete` space a number, which can be a dict's key."""
        if isinstance(self.observation_space, gymnasium.spaces.Discrete):
            return np.int64(np.asarray(obs)[0])
        return jax.tree.map(lambda leaf: np.array(leaf)[0], obs)


def check_render_mode(render_mode: str | None) -> None:
    """Raise unless there is such a render mode."""
    if render_mode not in (None, *METADATA["render_modes"]):
        raise EnvwrightError(f"There is no render mode '{render_mode}'; choose 'rgb_array', or None for no pictures.")


def _scalar(leaf: Any) -> Any:
    """A value as Gymnasium's vector environments collect it best: a NumPy number, a Python bool, or an array."""
    leaf = np.asarray(leaf)[0]
    if leaf.shape:
        return leaf
    return bool(leaf) if leaf.dtype == bool else leaf
