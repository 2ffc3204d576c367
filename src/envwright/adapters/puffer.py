"""PufferLib's way of stepping: buffers that the caller owns, written in place; one agent an environment.

    env = PufferBuffers(envwright.batch("Orchard-v0", 64))
    env.reset(seed=0); env.actions[:] = ...; env.step(env.actions)

The attributes and calls are those of PufferLib 3's `PufferEnv`, so its vectorisation and trainers take it as they take
their own environments. PufferLib itself is not needed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import Batch
from envwright.core.errors import EnvwrightError


class PufferBuffers:
    """A batch behind PufferLib's interface. `buf` may bring the buffers, by their names in PufferLib."""

    def __init__(self, batch: Batch, buf: Mapping[str, NDArray[Any]] | None = None) -> None:
        if batch.players != 1:
            raise EnvwrightError(f"PufferLib's buffers are of one player an environment; this has {batch.players}.")
        self._batch = batch
        self.num_agents = many = batch.num_envs
        self.single_observation_space, self.single_action_space = batch.observation_space, batch.action_space
        seen, chosen = batch.observation_space, batch.action_space
        wanted = {
            "observations": ((many, *seen.shape), seen.dtype),
            "rewards": ((many,), np.dtype(np.float32)),
            "terminals": ((many,), np.dtype(bool)),
            "truncations": ((many,), np.dtype(bool)),
            "masks": ((many,), np.dtype(bool)),
            "actions": ((many, *chosen.shape), chosen.dtype),
        }
        given = buf or {}
        for name, (shape, dtype) in wanted.items():
            buffer = given[name] if name in given else np.zeros(shape, dtype)
            if buffer.shape != shape or buffer.dtype != dtype:
                raise EnvwrightError(
                    f"The buffer `{name}` has to be {dtype} of shape {shape}, but is {buffer.dtype} of {buffer.shape}."
                )
            setattr(self, name, buffer)
        self.observations: NDArray[Any]
        self.rewards: NDArray[Any]
        self.terminals: NDArray[Any]
        self.truncations: NDArray[Any]
        self.masks: NDArray[Any]
        self.actions: NDArray[Any]
        self.masks[:] = True

    def reset(self, seed: int | None = None) -> tuple[NDArray[Any], list[Any]]:
        """New episodes everywhere; environment i has the seed `seed` + i."""
        seeds = None if seed is None else range(seed, seed + self.num_agents)
        self.observations[:] = self._batch.reset(seeds)
        self.rewards[:], self.terminals[:], self.truncations[:] = 0, False, False
        return self.observations, []

    def step(self, actions: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], list[Any]]:
        """A step, and a new episode where one ended."""
        self.actions[:] = actions
        step = self._batch.step_and_restart(self.actions)
        self.observations[:], self.rewards[:] = step.obs, step.reward
        self.terminals[:], self.truncations[:] = step.terminated, step.truncated
        return self.observations, self.rewards, self.terminals, self.truncations, []

    def close(self) -> None:
        """Nothing to end."""
