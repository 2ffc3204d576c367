"""Gymnasium's environments divided over processes, each of which steps its part as a `SyncVectorEnv`.

Gymnasium's own `AsyncVectorEnv` has a process for every environment, which is more than a machine takes where there are
hundreds.
"""

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import BatchStep
from envwright.core.spaces import Space


class Processes:
    """A batch, as `HostTrainer` steps it."""

    players = 1

    def __init__(self, env: str, num_envs: int, processes: int, spaces: tuple[Space, Space]) -> None:
        self.observation_space, self.action_space = spaces
        self.num_envs, self._parts = num_envs, np.array_split(np.arange(num_envs), processes)
        context = multiprocessing.get_context("spawn")
        self._ends, self._workers = [], []
        for part in self._parts:
            mine, theirs = context.Pipe()
            worker = context.Process(target=_work, args=(theirs, env, len(part)), daemon=True)
            worker.start()
            self._ends.append(mine)
            self._workers.append(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for end, worker in zip(self._ends, self._workers, strict=True):
            end.send(None)
            worker.join()

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[Any]:
        assert mask is None, "a part of a vector environment is not reset by itself"
        (obs,) = self._ask("reset", lambda part: None if seeds is None else [int(seeds[i]) for i in part])
        return obs

    def step_and_restart(self, actions: Any) -> BatchStep:
        obs, reward, terminated, truncated, final = self._ask("step", lambda part: actions[part])
        return BatchStep(obs, reward, terminated, truncated, {}, final)

    def legal_actions(self) -> None:
        return None

    def _ask(self, what: str, argument: Callable[[NDArray[Any]], Any]) -> list[NDArray[Any]]:
        """All processes at once; what they answer, one after the other."""
        for end, part in zip(self._ends, self._parts, strict=True):
            end.send((what, argument(part)))
        return [np.concatenate(parts) for parts in zip(*(end.recv() for end in self._ends), strict=True)]


def _work(end: Connection, env: str, num_envs: int) -> None:
    import gymnasium
    from gymnasium.vector import AutoresetMode

    same_step = {"autoreset_mode": AutoresetMode.SAME_STEP}
    envs = gymnasium.make_vec(env, num_envs, vectorization_mode="sync", vector_kwargs=same_step)
    while (asked := end.recv()) is not None:
        what, argument = asked
        if what == "reset":
            end.send((envs.reset(seed=argument)[0].astype(np.float32),))
            continue
        obs, reward, terminated, truncated, info = envs.step(argument)
        obs = obs.astype(np.float32)
        final = obs.copy()
        for i in np.flatnonzero(terminated | truncated):
            final[i] = info["final_obs"][i]
        end.send((obs, reward.astype(np.float32), terminated, truncated, final))
