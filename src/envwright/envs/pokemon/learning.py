"""Battles of Showdown for learners: nobody watches them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import BatchStep
from envwright.core.errors import ActionError
from envwright.core.spaces import Space
from envwright.envs.pokemon.battles import Battles, Heard, Start, start_of
from envwright.envs.pokemon.observing import observe


class ShowdownBatch:
    """Showdown behind the batch interface, seen through the environment's own encoder."""

    def __init__(self, num_envs: int, observations: Space, actions: Space, masked: bool = False) -> None:
        self.num_envs, self.players = num_envs, 2
        self.observation_space, self.action_space = observations, actions
        self._battles, self._masked = Battles(num_envs), masked
        self._seeds = np.arange(num_envs)
        self._begun = np.zeros(num_envs, np.int64)
        self._heard: Heard | None = None

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[np.float32]:
        """New battles, all of them."""
        if mask is not None:
            raise ActionError("Battles of Showdown are reset all together; leave the mask out.")
        if seeds is not None:
            self._seeds, self._begun[:] = np.asarray(seeds, np.int64), 0
        self._heard = self._battles.begin(self._start)
        self._begun += 1
        return observe(self._heard.state)

    def step_and_restart(self, actions: Any) -> BatchStep:
        heard = self._heard = self._battles.step(np.asarray(actions), self._start)
        ended = heard.told["ended"]
        self._begun += ended
        obs = observe(heard.state)
        final = np.where(ended[:, None, None], observe(heard.last), obs) if ended.any() else obs
        return BatchStep(obs, heard.told["reward"], ended, np.zeros_like(ended), {}, final)

    def legal_actions(self) -> NDArray[np.bool_] | None:
        return self._heard.told["legal"] if self._masked and self._heard else None

    def _start(self, game: int) -> Start:
        return start_of("random", int(self._seeds[game]) * 1_000_003 + int(self._begun[game]))
