"""Slow originals as batches, for learners: many of them side by side, stepped one after the other.

A learner wants speed, not evidence. So Gymnasium's environments are made plainly here, without anyone watching their
luck; whatever else is a `Reference` is stepped as one.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import BatchStep
from envwright.core.errors import missing_extra
from envwright.core.spaces import Box, Discrete, Space


class Moved(NamedTuple):
    """A step of one environment."""

    obs: Any
    reward: float
    terminated: bool
    truncated: bool


class Single(Protocol):
    """One environment."""

    def reset(self, seed: int | None) -> Any: ...

    def step(self, action: Any) -> Moved: ...


class Singles:
    """Environments that are stepped one after the other."""

    def __init__(self, singles: Sequence[Single], observations: Space, actions: Space) -> None:
        self.num_envs, self.players = len(singles), 1
        self.observation_space, self.action_space = observations, actions
        self._singles = tuple(singles)
        self._obs = np.zeros((self.num_envs, *observations.shape), observations.dtype)

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[Any]:
        where = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask)
        for i in np.flatnonzero(where).tolist():
            self._obs[i] = self._singles[i].reset(None if seeds is None else int(seeds[i]))
        return self._obs.copy()

    def step_and_restart(self, actions: Any) -> BatchStep:
        reward = np.zeros(self.num_envs, np.float32)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        final = np.empty_like(self._obs)
        chosen = np.asarray(actions).tolist() if isinstance(self.action_space, Discrete) else np.asarray(actions)
        for i, single in enumerate(self._singles):
            final[i], reward[i], terminated[i], truncated[i] = single.step(chosen[i])
            self._obs[i] = single.reset(None) if terminated[i] or truncated[i] else final[i]
        return BatchStep(self._obs.copy(), reward, terminated, truncated, {}, final)

    def legal_actions(self) -> None:
        """All actions may be taken at any time."""


def gymnasium_batch(id: str, options: dict[str, Any], num_envs: int, observations: Space, actions: Space) -> Singles:
    """`num_envs` times `gymnasium.make`, nobody watching."""
    try:
        import gymnasium as gym
    except ImportError:
        raise missing_extra("gymnasium", "reference") from None
    envs = [_Gymnasium(gym.make(id, disable_env_checker=True, **options)) for _ in range(num_envs)]
    return Singles(envs, observations, actions)


def batch_of(
    name: str,
    options: dict[str, Any],
    num_envs: int,
    observations: Space,
    actions: Space,
    make: Callable[[], Single],
) -> Singles:
    """The reference called `name`: plain where it is one of Gymnasium's, otherwise as `make` makes one."""
    kind, _, id = name.partition(":")
    if kind == "gymnasium":
        return gymnasium_batch(id, options, num_envs, observations, actions)
    return Singles([make() for _ in range(num_envs)], observations, actions)


def seen_as(shape: tuple[int, ...]) -> Box:
    """Observations of which only the shape is known."""
    return Box(-np.inf, np.inf, shape)


class _Gymnasium:
    def __init__(self, env: Any) -> None:
        self._env = env

    def reset(self, seed: int | None) -> Any:
        return self._env.reset(seed=seed)[0]

    def step(self, action: Any) -> Moved:
        obs, reward, terminated, truncated, _ = self._env.step(action)
        return Moved(obs, reward, terminated, truncated)
