"""A game in plain Python, as one writes it for Gymnasium. envwright translates it to JAX:

    envwright translate examples/treasure_hunt.py:TreasureHunt
"""

import gymnasium as gym
import numpy as np
from gymnasium import spaces

FLOOR, WALL, COIN, GEM, CROWN = range(5)
NAMES = {COIN: "coin", GEM: "gem", CROWN: "crown"}
WORTH = {"coin": 1.0, "gem": 3.0, "crown": 10.0}
HIDDEN = {COIN: 6, GEM: 3, CROWN: 1, WALL: 10}
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]  # up, right, down, left


class TreasureHunt(gym.Env):
    """Fill the bag before the oil of the lamp is gone, and keep away from the guards. Whoever takes the crown wakes one more."""

    def __init__(self, size: int = 8, guards: int = 2, oil: int = 60):
        self.size, self.num_guards, self.full = size, guards, oil
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0.0, 6.0, (size, size), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros((self.size, self.size), dtype=np.int8)
        self.player = (self.size // 2, self.size // 2)
        self.guards = []
        for kind, count in HIDDEN.items():
            for _ in range(count):
                self.board[self._free_cell()] = kind
        for _ in range(self.num_guards):
            self.guards.append(self._free_cell())
        self.bag = {"coin": 0, "gem": 0, "crown": 0}
        self.oil = self.full
        return self._observe(), {}

    def step(self, action):
        self.oil -= 1
        target = self._neighbour(self.player, MOVES[action])
        if target == self.player:  # a wall costs time
            return self._observe(), -0.1, self.oil == 0, False, {}
        self.player = target
        reward = self._take()
        self._move_guards()
        if self.player in self.guards:
            return self._observe(), reward - 5.0, True, False, {}
        if sum(self.bag.values()) == HIDDEN[COIN] + HIDDEN[GEM] + HIDDEN[CROWN]:
            return self._observe(), reward + 20.0, True, False, {}
        return self._observe(), reward, self.oil == 0, False, {}

    def _take(self) -> float:
        kind = self.board[self.player]
        if kind == FLOOR:
            return 0.0
        self.board[self.player] = FLOOR
        self.bag[NAMES[kind]] += 1
        if kind == CROWN:
            self.guards.append((0, 0))
        return WORTH[NAMES[kind]]

    def _move_guards(self) -> None:
        """A guard who is near comes nearer; the others stroll."""
        for i, (row, column) in enumerate(self.guards):
            down, right = self.player[0] - row, self.player[1] - column
            if abs(down) + abs(right) <= 3:
                move = (np.sign(down), 0) if abs(down) > abs(right) else (0, np.sign(right))
            else:
                move = MOVES[self.np_random.integers(4)]
            self.guards[i] = self._neighbour((row, column), move)

    def _neighbour(self, cell, move):
        """The cell on that side, or the same one if there is a wall."""
        row, column = cell[0] + move[0], cell[1] + move[1]
        if not (0 <= row < self.size and 0 <= column < self.size) or self.board[row, column] == WALL:
            return cell
        return (row, column)

    def _free_cell(self):
        while True:
            row, column = self.np_random.integers(self.size, size=2)
            if self.board[row, column] == FLOOR and (row, column) != self.player:
                return (row, column)

    def _observe(self):
        seen = self.board.astype(np.float32)
        for cell in self.guards:
            seen[cell] = 6.0
        seen[self.player] = 5.0
        return seen
