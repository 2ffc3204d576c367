"""Slow originals as batches, for learners: many of them side by side, stepped one after the other.

A learner wants speed, not evidence. So Gymnasium's environments are made plainly here, without anyone watching their
chance; whatever else is a `Reference` is stepped as one.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import BatchStep
from envwright.core.errors import missing_extra
from envwright.core.spaces import Box, Discrete, Space
from envwright.references.gymnasium_env import mask_of, players_of
from envwright.references.legality import seats


class Moved(NamedTuple):
    """A step of one environment."""

    obs: Any
    reward: Any  # a number; of several players one each
    terminated: bool
    truncated: bool


class Single(Protocol):
    """One environment."""

    @property
    def players(self) -> int: ...

    def reset(self, seed: int | None) -> Any: ...

    def step(self, action: Any) -> Moved: ...

    def legal(self) -> Any:
        """Which actions may be taken now; None: all."""
        ...


class Singles:
    """Environments that are stepped one after the other. Those that are not `masked` take every action."""

    def __init__(self, singles: Sequence[Single], observations: Space, actions: Space, masked: bool = False) -> None:
        self.num_envs, self.players = len(singles), singles[0].players
        self.observation_space, self.action_space = observations, actions
        self._singles, self._masked = tuple(singles), masked
        self._obs = np.zeros((self.num_envs, *seats(self.players), *observations.shape), observations.dtype)

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[Any]:
        where = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask)
        for i in np.flatnonzero(where).tolist():
            self._obs[i] = self._singles[i].reset(None if seeds is None else int(seeds[i]))
        return self._obs.copy()

    def step_and_restart(self, actions: Any) -> BatchStep:
        reward = np.zeros((self.num_envs, *seats(self.players)), np.float32)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        final = np.empty_like(self._obs)
        chosen = np.asarray(actions)
        chosen = chosen.tolist() if chosen.ndim == 1 and isinstance(self.action_space, Discrete) else chosen
        for i, single in enumerate(self._singles):
            final[i], reward[i], terminated[i], truncated[i] = single.step(chosen[i])
            self._obs[i] = single.reset(None) if terminated[i] or truncated[i] else final[i]
        return BatchStep(self._obs.copy(), reward, terminated, truncated, {}, final)

    def legal_actions(self) -> NDArray[np.bool_] | None:
        return np.stack([single.legal() for single in self._singles]).astype(bool) if self._masked else None


def gymnasium_batch(
    id: str, options: dict[str, Any], num_envs: int, observations: Space, actions: Space, masked: bool = False
) -> Singles:
    """`num_envs` times `gymnasium.make`, nobody watching."""
    try:
        import gymnasium as gym
    except ImportError:
        raise missing_extra("gymnasium", "reference") from None
    envs = [_Gymnasium(gym.make(id, disable_env_checker=True, **options)) for _ in range(num_envs)]
    return Singles(envs, observations, actions, masked)


def batch_of(
    name: str,
    options: dict[str, Any],
    num_envs: int,
    observations: Space,
    actions: Space,
    make: Callable[[], Single],
    masked: bool = False,
) -> Singles:
    """The reference called `name`: plain where it is one of Gymnasium's, otherwise as `make` makes one."""
    kind, _, id = name.partition(":")
    if kind == "gymnasium":
        return gymnasium_batch(id, options, num_envs, observations, actions, masked)
    return Singles([make() for _ in range(num_envs)], observations, actions, masked)


def seen_as(shape: tuple[int, ...]) -> Box:
    """Observations of which only the shape is known."""
    return Box(-np.inf, np.inf, shape)


class _Gymnasium:
    def __init__(self, env: Any) -> None:
        self.players = players_of(env)
        self._env, self._mask, self._info = env, mask_of(env), {}

    def reset(self, seed: int | None) -> Any:
        obs, self._info = self._env.reset(seed=seed)
        return obs

    def step(self, action: Any) -> Moved:
        obs, reward, terminated, truncated, self._info = self._env.step(action)
        return Moved(obs, reward, terminated, truncated)

    def legal(self) -> Any:
        return self._mask(self._env, self._info)
