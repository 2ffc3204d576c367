"""Many games of PufferLib's C at once: recorded, for the verifier, and unwatched, for learners."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import BatchStep
from envwright.core.errors import ActionError
from envwright.core.spaces import Box, Discrete, Space
from envwright.envs.pong import policies
from envwright.envs.pong.reference import PongReference
from envwright.envs.pong.state import Params
from envwright.references.protocol import BatchedOutcome, BatchedReference, BatchPolicy, Columns, Draw

LOG = "log."  # fields of the C struct that sum up finished games


class PongBatchedReference(BatchedReference):
    """Games as C plays them: one after another in the same memory, with what a reset forgets to clear, and the log."""

    def __init__(
        self, num_envs: int, *, frameskip: int = 1, continuous: bool = False, params: Params | None = None
    ) -> None:
        self.num_envs = num_envs
        self._games = PongReference(num_envs, frameskip=frameskip, continuous=continuous, params=params)
        self._policies = {
            name: _with_actions(policy, continuous) for name, policy in policies.all_policies(frameskip).items()
        }

    @property
    def policies(self) -> Mapping[str, BatchPolicy]:
        return self._policies

    def reset(self, seed: int) -> BatchedOutcome:
        self._games.seed(seed % 2**32)
        self._games.reset()
        return self._outcome({})

    def step(self, actions: NDArray[Any]) -> BatchedOutcome:
        games = self._games
        games.step(actions)
        ends = {"terminated": games.terminated.copy(), "truncated": np.zeros(self.num_envs, bool)}
        return self._outcome({"reward": games.reward.copy(), **ends})

    def snapshot(self, columns: Columns, game: int) -> dict[str, Any]:
        state = {
            name.removeprefix("state."): c[game].item() for name, c in columns.items() if name.startswith("state.")
        }
        log = {name.removeprefix(LOG): c[game].item() for name, c in columns.items() if name.startswith(LOG)}
        return {**state, "log": log, "elapsed_steps": 0}

    def tape(self, draws: Sequence[Draw], chance: Columns, game: int) -> tuple[Draw, ...]:
        rand = int(chance["value"][game]) + 1  # one of the results of rand() that give this serve
        return tuple(draw._replace(value=rand) for draw in draws)

    def close(self) -> None: ...

    def _outcome(self, more: Columns) -> BatchedOutcome:
        """C draws at most once in a step: for the next round, or, where that was the last, for the next game."""
        games = self._games
        fields = {name if name.startswith(LOG) else f"state.{name}": c.copy() for name, c in games.fields.items()}
        serve = {"value": games.chance}
        return BatchedOutcome({**fields, "observation": games.obs.copy(), **more}, serve if more else {}, serve)


def _with_actions(policy: policies.Policy, continuous: bool) -> BatchPolicy:
    return lambda obs, rng, legal: policies.as_actions(policy(obs, rng), continuous)


class PongBatch:
    """The C games behind the batch interface, for learners; C's own random draws, and its own reset within the step."""

    def __init__(self, num_envs: int, *, frameskip: int = 1, continuous: bool = False) -> None:
        self.num_envs, self.players = num_envs, 1
        self.observation_space: Space = Box(0.0, 1.0, (8,))
        self.action_space: Space = Box(-1.0, 1.0, (1,)) if continuous else Discrete(3)
        self._games = PongReference(num_envs, frameskip=frameskip, continuous=continuous)

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[np.float32]:
        """New games, all of them. C has one random generator, so the first seed decides."""
        if mask is not None:
            raise ActionError("The C games are reset all together; leave the mask out.")
        if seeds is not None:
            self._games.seed(seeds[0])
        return self._games.reset().copy()

    def step_and_restart(self, actions: Any) -> BatchStep:
        """A step. C begins the new game before anyone can look, so what is seen last of the old one is lost with it."""
        games = self._games
        games.step(np.asarray(actions))
        obs, ended = games.obs.copy(), games.terminated.copy()
        return BatchStep(obs, games.reward.copy(), ended, np.zeros_like(ended), {}, obs)

    def legal_actions(self) -> None:
        return None
