"""A batch of environments for Stable-Baselines3."""

from typing import Any

import jax
import numpy as np

from envwright.adapters.gymnasium_env import check_render_mode
from envwright.adapters.gymnasium_infos import one
from envwright.adapters.gymnasium_spaces import to_gymnasium
from envwright.core import Batch
from envwright.core.errors import EnvwrightError, missing_extra
from envwright.core.versus import check_one_player

try:
    from stable_baselines3.common.vec_env import VecEnv  # pyright: ignore[reportMissingImports]
except ModuleNotFoundError as error:
    raise missing_extra(error.name or "stable_baselines3", "sb3") from None


class SB3VecEnv(VecEnv):
    """A Stable-Baselines3 `VecEnv` over any `Batch`. Wrap it in `VecMonitor` to log returns."""

    def __init__(self, batch: Batch, *, render_mode: str | None = None) -> None:
        check_render_mode(render_mode)
        check_one_player(batch.players, "Stable-Baselines3")
        self.batch = batch
        self.render_mode = render_mode
        self._actions: Any = None
        super().__init__(batch.num_envs, to_gymnasium(batch.observation_space), to_gymnasium(batch.action_space))

    def reset(self) -> Any:
        """New episodes everywhere, with the seeds of the last call to `seed`, if any."""
        # Stable-Baselines3 draws a first seed of 32 bits and counts up from it.
        seeds = [seed % 2**32 for seed in self._seeds if seed is not None] or None
        obs = self.batch.reset(seeds)
        self._reset_seeds()
        self._reset_options()
        return np.array(obs)

    def step_async(self, actions: Any) -> None:
        """Remember the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """One step with auto-reset; only the environments whose episode ended have anything in their info."""
        step = self.batch.step_and_restart(self._actions)
        terminated, truncated = np.asarray(step.terminated), np.asarray(step.truncated)
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if dones.any():
            final_obs, info = np.asarray(step.final_obs), jax.tree.map(np.asarray, step.info)
            for i in np.flatnonzero(dones).tolist():
                infos[i] = {
                    **one(info, i),
                    "terminal_observation": np.array(final_obs[i]),
                    "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                }
        # Copies, because PyTorch warns of read-only arrays and callers write into them.
        return np.array(step.obs), np.array(step.reward), dones, infos

    def close(self) -> None:
        """Nothing to close."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this object or of its batch, once for each environment asked about."""
        owner = self if attr_name == "render_mode" else self.batch
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the batch, for all environments."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise EnvwrightError(
                f"'{attr_name}' is shared by all {self.num_envs} environments of a batch; set it without indices."
            )
        setattr(self if attr_name == "render_mode" else self.batch, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the batch that takes an environment's number first: `render`, `save` or `load`."""
        method = getattr(self.batch, method_name)
        return [method(i, *method_args, **method_kwargs) for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False: a batch holds no Gymnasium environments that could be wrapped."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> list[Any]:
        """A picture of every environment, which `render` tiles."""
        return [self.batch.render(i) for i in range(self.num_envs)]
