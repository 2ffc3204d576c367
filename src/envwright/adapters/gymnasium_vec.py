"""A batch of environments for Gymnasium, in all three of its auto-reset modes."""

import operator
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from envwright.adapters import gymnasium_infos, handover
from envwright.adapters.gymnasium_env import METADATA, check_render_mode
from envwright.adapters.gymnasium_spaces import to_gymnasium
from envwright.core import Batch, BatchStep
from envwright.core.errors import EnvwrightError, missing_extra
from envwright.core.versus import check_one_player

try:
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError:
    raise missing_extra("gymnasium", "gymnasium") from None


class GymnasiumVectorEnv(VectorEnv[Any, Any, Any]):
    """A `gymnasium.vector.VectorEnv` over any `Batch`.

    | autoreset_mode | where an episode ended |
    |---|---|
    | NEXT_STEP (default) | the next step ignores the action and begins a new episode, reward 0 |
    | SAME_STEP | the same step begins a new episode; `infos["final_obs"]` keeps the last observation of the old one |
    | DISABLED | nothing; `reset(options={"reset_mask": mask})` begins new episodes |

    Arrays come out as `output` says: "numpy" (read-only), "jax" or "torch", without a copy where memory can be shared.
    For the last two, `infos` of SAME_STEP is the same tree at every step, `final_obs` an array of all environments.
    `legacy_info` gives `final_observation` and `final_info` the form of Gymnasium 0.29, which CleanRL reads.
    """

    def __init__(
        self,
        batch: Batch,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        output: str = "numpy",
        legacy_info: bool = False,
    ) -> None:
        check_render_mode(render_mode)
        check_one_player(batch.players, "Gymnasium")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        if legacy_info and (self.autoreset_mode != AutoresetMode.SAME_STEP or output != "numpy"):
            raise EnvwrightError(
                f"legacy_info needs autoreset_mode=AutoresetMode.SAME_STEP and output='numpy', but they are "
                f"{self.autoreset_mode} and '{output}'; change them, or leave legacy_info out."
            )
        self.batch = batch
        self.num_envs = batch.num_envs
        self.metadata = {**METADATA, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.single_observation_space = to_gymnasium(batch.observation_space)
        self.single_action_space = to_gymnasium(batch.action_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._output = handover.check_output(output)
        self._totals = gymnasium_infos.EpisodeTotals(self.num_envs) if legacy_info else None
        self._ended = np.zeros(self.num_envs, bool)  # by the last step

    def action_masks(self) -> Any:
        """Which actions are legal now, (num_envs, n) bool; None where all always are."""
        legal = self.batch.legal_actions()
        return None if legal is None else np.asarray(legal)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """New episodes, everywhere or where `options["reset_mask"]` says. Environment i gets the seed `seed + i`."""
        mask = (options or {}).get("reset_mask")
        obs = self.batch.reset(self._seeds(seed), mask)
        self._ended = np.zeros(self.num_envs, bool) if mask is None else self._ended & ~np.asarray(mask)
        return self._hand_over(obs), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One step of every environment."""
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            step = self.batch.step_and_restart(actions)
            infos = self._same_step_infos(step)
        else:
            self._refuse_ended()
            step = self.batch.step(actions, restart=self._ended)
            infos = gymnasium_infos.masked(step.info, ~self._ended)
            self._ended = np.asarray(step.terminated) | np.asarray(step.truncated)
        obs, reward, terminated, truncated = map(self._hand_over, step[:4])
        return obs, reward, terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """A picture of every environment, if `render_mode` is "rgb_array"."""
        return None if self.render_mode is None else tuple(self.batch.render(i) for i in range(self.num_envs))

    def _same_step_infos(self, step: BatchStep) -> dict[str, Any]:
        if self._output != "numpy":
            # Whether any episode ended is not asked, because the answer would have to be waited for.
            ended = self._hand_over(step.terminated) | self._hand_over(step.truncated)
            return {**self._hand_over(step.info), "final_obs": self._hand_over(step.final_obs), "_final_obs": ended}
        ended = np.asarray(step.terminated) | np.asarray(step.truncated)
        info = jax.tree.map(np.asarray, step.info)
        infos = gymnasium_infos.masked(info, ~ended)
        if ended.any():
            infos |= gymnasium_infos.finals(np.asarray(step.final_obs), info, ended)
        if self._totals:
            self._totals.add(np.asarray(step.reward), begun=self._ended)
            infos |= gymnasium_infos.legacy_finals(infos, info, self._totals, ended)
        self._ended = ended
        return infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int] | None:
        if seed is None:
            return None
        if isinstance(seed, int | np.integer):
            super().reset(seed=operator.index(seed))
            return [operator.index(seed) + i for i in range(self.num_envs)]
        return [int(self.np_random.integers(2**32)) if one is None else one for one in seed]

    def _refuse_ended(self) -> None:
        if self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any():
            raise EnvwrightError(
                f"The episode of environment {self._ended.argmax()} has ended and autoreset_mode is DISABLED; "
                "call reset(options={'reset_mask': terminations | truncations}) before the next step."
            )

    def _hand_over(self, tree: Any) -> Any:
        return jax.tree.map(lambda leaf: handover.to(self._output, leaf), tree)
