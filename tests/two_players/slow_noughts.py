"""Noughts and crosses for two, as people write it in Python: the reference. Loaded by path, as a user's is."""

from typing import Any

import gymnasium as gym
import numpy as np

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
WAIT = 9  # the only action of the player whose turn it is not


class Noughts(gym.Env):
    """Who begins is drawn. An illegal move loses at once."""

    players = 2
    action_space = gym.spaces.Discrete(10)
    observation_space = gym.spaces.Box(0, 1, (2, 19), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.board = [0] * 9
        self.first = self.turn = int(self.np_random.integers(2))
        self.moves = 0
        return self.observe(), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        mover, place = self.turn, int(action[self.turn])
        if not self.action_masks()[mover, place]:
            return self.observe(), self.paid(1 - mover), True, False, {}
        self.put(place)
        won = self.has_row(mover + 1)
        rewards = self.paid(mover) if won else np.zeros(2)
        return self.observe(), rewards, won or self.moves == 9, False, {}

    def put(self, place: int) -> None:
        if place != WAIT:
            self.board[place] = self.turn + 1
            self.moves += 1
        self.turn = 1 - self.turn

    def has_row(self, mark: int) -> bool:
        return any(all(self.board[place] == mark for place in line) for line in LINES)

    def paid(self, winner: int) -> np.ndarray:
        return np.array([1.0, -1.0]) if winner == 0 else np.array([-1.0, 1.0])

    def action_masks(self) -> np.ndarray:
        free = [mark == 0 for mark in self.board]
        rows = [[*free, not any(free)], [False] * 9 + [True]]
        return np.array(rows if self.turn == 0 else rows[::-1])

    def acting(self) -> np.ndarray:
        return np.arange(2) == self.turn

    def observe(self) -> np.ndarray:
        """Each player's own marks, the other's, and whether it is to move."""
        board = np.array(self.board)
        rows = [np.concatenate([board == 1 + me, board == 2 - me, [self.turn == me]]) for me in range(2)]
        return np.array(rows, np.float32)
