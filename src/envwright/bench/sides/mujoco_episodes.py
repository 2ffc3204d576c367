"""What an engine needs of one of Gymnasium's MuJoCo environments to play its episodes without Gymnasium."""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.bench.peers import import_quietly

STARTS = 256
VISITED = 4000  # steps, of whole episodes


@dataclass(frozen=True)
class Episodes:
    """The physics, and what random episodes look like. States are MuJoCo's full physics: time, qpos, qvel, act."""

    model: Any  # mujoco.MjModel
    frame_skip: int  # steps of the physics in a step of the environment
    low: np.ndarray  # the least action
    high: np.ndarray
    starts: np.ndarray  # (STARTS, state)
    visited: np.ndarray  # (at least VISITED, state), one of every step of some random episodes
    length: int  # steps of a random episode, on average

    def positions(self, states: np.ndarray) -> np.ndarray:
        return states[:, 1 : 1 + self.model.nq]

    def velocities(self, states: np.ndarray) -> np.ndarray:
        return states[:, 1 + self.model.nq : 1 + self.model.nq + self.model.nv]


def sample_episodes(id: str, options: dict[str, Any]) -> Episodes:
    """Play Gymnasium's environment with random actions.

    What ends an episode (a fall, a time limit) is Python of the environment, which the engine cannot run. With episodes
    as long as random ones are on average, and batches that begin somewhere within them, it meets the same states.
    """
    import gymnasium

    env = gymnasium.make(id, **options)
    inner: Any = env.unwrapped
    space = env.action_space
    assert isinstance(space, gymnasium.spaces.Box)
    space.seed(0)
    env.reset(seed=0)
    starts = []
    for _ in range(STARTS):
        env.reset()
        starts.append(_state(inner))
    visited, episodes, ended = [], 0, False
    while not ended or len(visited) < VISITED:
        if ended:
            env.reset()
        _, _, terminated, truncated, _ = env.step(space.sample())
        ended = terminated or truncated
        episodes += ended
        visited.append(_state(inner))
    env.close()
    length = max(1, round(len(visited) / episodes))
    bounds = np.asarray(space.low, float), np.asarray(space.high, float)
    return Episodes(inner.model, inner.frame_skip, *bounds, np.array(starts), np.array(visited), length)


def warn_on_stderr() -> None:
    """MuJoCo writes its warnings to a file in the folder that it runs in, unless told otherwise."""
    import_quietly("mujoco").set_mju_user_warning(lambda text: print(text, file=sys.stderr))


def _state(env: Any) -> np.ndarray:
    mujoco = import_quietly("mujoco")
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(mujoco.mj_stateSize(env.model, kind))
    mujoco.mj_getState(env.model, env.data, state, kind)
    return state
