"""Hoard in C, behind envwright's batch interface."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envwright import Box, Discrete, NativeEnv
from envwright.core import BatchStep, Space
from envwright.references import c_library


@dataclass(frozen=True)
class NativeHoard(NativeEnv):
    """The configuration: there is nothing to choose."""

    @property
    def players(self) -> int:
        return 2

    @property
    def observation_space(self) -> Box:
        return Box(0.0, 5.0, (4,))

    @property
    def action_space(self) -> Discrete:
        return Discrete(10)

    def batch(self, num_envs: int) -> "HoardBatch":
        return HoardBatch(self, num_envs)


class HoardBatch:
    """`num_envs` games in one block of memory."""

    def __init__(self, env: NativeHoard, num_envs: int) -> None:
        self.num_envs, self.players = num_envs, env.players
        self.observation_space: Space = env.observation_space
        self.action_space: Space = env.action_space
        source = Path(__file__).with_name("hoard.c")
        self._c = c_library.load(c_library.build("hoard", source, (), ("-O2",)))
        self._c.seed.argtypes = (ctypes.c_void_p, ctypes.c_uint64)
        self._games = np.zeros((num_envs, self._c.game_size()), np.uint8)
        self._obs = np.zeros((num_envs, 2, 4), np.float32)
        self._legal = np.zeros((num_envs, 2, 10), bool)

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> Any:
        for i in range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist():
            if seeds is not None:
                self._c.seed(_at(self._games[i]), int(seeds[i]))
            self._c.reset(_at(self._games[i]))
            self._look(i)
        return self._obs.copy()

    def step(self, actions: Any, restart: Any = None) -> BatchStep:
        chosen = np.ascontiguousarray(actions, np.int32)
        reward = np.zeros((self.num_envs, 2), np.float32)
        ends = np.zeros(self.num_envs, np.int32)
        for i in range(self.num_envs):
            if restart is not None and restart[i]:
                self._c.reset(_at(self._games[i]))
            else:
                ends[i] = self._c.step(_at(self._games[i]), _at(chosen[i]), _at(reward[i]))
            self._look(i)
        obs = self._obs.copy()
        return BatchStep(obs, reward, (ends & 1) > 0, (ends & 2) > 0, {}, obs)

    def step_and_restart(self, actions: Any) -> BatchStep:
        step = self.step(actions)
        return step._replace(obs=self.reset(mask=step.terminated | step.truncated))

    def legal_actions(self) -> Any:
        return self._legal.copy()

    def save(self, index: int) -> bytes:
        return self._games[index].tobytes()

    def load(self, index: int, blob: bytes) -> None:
        self._games[index] = np.frombuffer(blob, np.uint8)
        self._look(index)

    def render(self, index: int) -> Any:
        picture = np.full((40, 60, 3), 240, np.uint8)
        for pile, many in enumerate(self._obs[index, 0, :3].astype(int).tolist()):
            for pebble in range(many):
                picture[32 - 7 * pebble : 37 - 7 * pebble, 8 + 18 * pile : 18 + 18 * pile] = (90, 90, 90)
        return picture

    def _look(self, i: int) -> None:
        self._c.observe(_at(self._games[i]), _at(self._obs[i]), _at(self._legal[i]))


def _at(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
