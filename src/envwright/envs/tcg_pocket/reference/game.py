"""The game with Gymnasium's interface, for two players."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.envs.tcg_pocket import decks as lists
from envwright.envs.tcg_pocket.decks import Deck
from envwright.envs.tcg_pocket.layout import (
    ACTIONS,
    FIRST_WINS,
    OBSERVATION_SIZE,
    OVER,
    PASS,
    PENDING,
    PLAYERS,
    SECOND_WINS,
    PocketFlags,
    describe,
)
from envwright.envs.tcg_pocket.reference import flow, met, turns
from envwright.envs.tcg_pocket.reference.dice import Dice
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.reference.observing import observe
from envwright.envs.tcg_pocket.reference.state import PocketState

LEAST, MOST = -128, 1920  # of what is observed


class PocketGame(PocketState):
    """A game of Pokemon TCG Pocket between two players.

    decks: what both draw their decks from: `published`, `random`, or a list, see `decks.pool`.
    flags: those of spec.md, section 1, by name.
    """

    players = PLAYERS

    def __init__(self, decks: str | Iterable[Deck | Mapping[str, Any]] = lists.PUBLISHED, **flags: Any) -> None:
        super().__init__(PocketFlags(**flags), Dice())
        self.pool = lists.pool(decks)
        self.action_space = Discrete(ACTIONS)
        self.observation_space = Box(LEAST, MOST, (OBSERVATION_SIZE,), np.int16)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int16], dict[str, Any]]:
        """A new game; with a seed, always the same."""
        del options
        if seed is not None:
            self.dice.generator = np.random.default_rng(seed)
        turns.begin(self, self.pool)
        return self.observations(), {}

    def step(
        self, actions: Sequence[int] | NDArray[Any]
    ) -> tuple[NDArray[np.int16], NDArray[np.float64], bool, bool, dict[str, Any]]:
        """An action of each player; only that of who is asked is looked at."""
        if self.pending != OVER:
            action = int(actions[self.actor])
            self.check(action)
            flow.act(self, action)
        return self.observations(), self.rewards(), self.pending == OVER, False, {}

    def check(self, action: int) -> None:
        """R11.8."""
        if action not in (allowed := legal(self)):
            asked = f"player {self.actor}, who is asked for '{PENDING[self.pending]}' in turn {self.turn}"
            may = ", ".join(f"{each} ({describe(each)})" for each in allowed)
            raise EnvwrightError(f"Action {action} is not legal for {asked}; it may be {may}.")

    def action_masks(self) -> NDArray[np.bool_]:
        """Who is not asked waits."""
        masks = np.zeros((PLAYERS, ACTIONS), bool)
        masks[:, PASS] = True
        if self.pending != OVER:
            masks[self.actor] = False
            masks[self.actor, legal(self)] = True
        return masks

    def acting(self) -> NDArray[np.bool_]:
        return np.array([self.actor == player and self.pending != OVER for player in range(PLAYERS)])

    def observations(self) -> NDArray[np.int16]:
        rows = [[value for part in observe(self, player).values() for value in part] for player in range(PLAYERS)]
        return np.array(rows, np.int16)

    def envwright_coverage(self) -> dict[str, dict[str, int]]:
        """What of the rules was used in this process."""
        return {kind: dict(counts) for kind, counts in met.MET.items()}

    def rewards(self) -> NDArray[np.float64]:
        """R13.3: of the step that has ended the game."""
        first = float(self.winner == FIRST_WINS) - float(self.winner == SECOND_WINS)
        return np.array([first, -first]) + 0.0  # no -0.0
