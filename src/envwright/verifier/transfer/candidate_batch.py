"""A candidate of any kind as a batch, for learners: closed loop, with chance of its own."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate, Columns
from envwright.core.batch import BatchStep
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space
from envwright.verifier.rows import LEGAL, part, take

ROOM = 4  # rows for each game to be put into, where chance comes with the row
LEAST_ROOM = 1024


class CandidateBatch:
    """`num_envs` games of a candidate. `random` says whether a step of one that takes no chance draws any."""

    def __init__(self, candidate: Candidate, num_envs: int, observations: Space, actions: Space, random: bool) -> None:
        self.num_envs, self.players = num_envs, candidate.players
        self.observation_space, self.action_space = observations, actions
        self._candidate, self._random = candidate, random
        self._rng = np.random.default_rng(0)
        self._state: Columns = {}
        self._obs: NDArray[Any] = np.zeros(0)
        self._legal: NDArray[Any] | None = None

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[Any]:
        """New games, all of them; the first seed begins their chance."""
        if mask is not None:
            raise EnvwrightError("A candidate's games are reset all together; leave the mask out.")
        if seeds is not None:
            self._rng = np.random.default_rng(seeds[0])
        fresh = self._candidate.init(_seeds(self._rng, self.num_envs))
        self._state, self._obs, self._legal = part(fresh, "state."), self._observed(fresh), fresh.get(LEGAL)
        return self._obs

    def legal_actions(self) -> NDArray[Any] | None:
        return self._legal

    def step_and_restart(self, actions: Any) -> BatchStep:
        outcome = step_with_own_chance(self._candidate, self._state, np.asarray(actions), self._rng, self._random)
        final, self._state, self._legal = self._observed(outcome), part(outcome, "state."), outcome.get(LEGAL)
        terminated, truncated = (outcome[flag].astype(bool) for flag in ("terminated", "truncated"))
        self._obs = final
        ended = np.flatnonzero(terminated | truncated)
        if len(ended):
            fresh = self._candidate.init(_seeds(self._rng, len(ended)))
            self._obs = final.copy()
            self._obs[ended] = self._observed(fresh)
            if self._legal is not None:
                self._legal = np.array(self._legal)
                self._legal[ended] = fresh[LEGAL]
            self._state = {name: np.array(column) for name, column in self._state.items()}
            for name, column in part(fresh, "state.").items():
                self._state[name][ended] = column
        return BatchStep(self._obs, outcome["reward"].astype(np.float32), terminated, truncated, {}, final)

    def _observed(self, outcome: Columns) -> NDArray[Any]:
        return outcome["observation"].astype(self.observation_space.dtype)


def step_with_own_chance(
    candidate: Candidate, state: Columns, actions: NDArray[Any], rng: np.random.Generator, random: bool
) -> Columns:
    """A step with chance that the candidate draws, other chance at every call."""
    if candidate.takes_chance:
        drawn = {}
        if candidate.chance_kinds()[1]:
            drawn = candidate.draw(_seeds(rng, len(actions)), state, actions)
        return candidate.step(state, actions, drawn)
    if not random:
        return candidate.step(state, actions)
    # Its chance comes with the row of the batch: the same in every step, unless the games change places.
    games, rows = len(actions), max(LEAST_ROOM, ROOM * len(actions))
    places = rng.choice(rows, games, replace=False)
    who = rng.integers(games, size=rows)
    who[places] = np.arange(games)
    return take(candidate.step(take(state, who), actions[who]), places)


def _seeds(rng: np.random.Generator, many: int) -> NDArray[np.uint32]:
    return rng.integers(2**32, size=many, dtype=np.uint32)
