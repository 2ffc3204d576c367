"""A game in plain Python, as one writes it for Gymnasium. envwright translates it to JAX by rule:

envwright translate examples/treasure_hunt.py:TreasureHunt
"""

import gymnasium as gym
import numpy as np
from gymnasium import spaces

MAP = [
    "..c.#..g",
    ".##.#.#.",
    "....c...",
    ".#.##.#c",
    ".#......",
    "c#.##.#.",
    "...#g.#.",
    "g.....#c",
]
FLOOR, WALL, COIN, GEM, CROWN, PLAYER, GUARD = range(7)
KINDS = {".": FLOOR, "#": WALL, "c": COIN, "g": GEM}
WORTH = {COIN: 1.0, GEM: 3.0, CROWN: 10.0}
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]  # up, right, down, left


class TreasureHunt(gym.Env):
    """Find everything before the lamp goes out, and keep away from the guards. Taking the crown wakes a third."""

    def __init__(self, oil: int = 100):
        self.full = oil
        self.floor = np.array([[KINDS[letter] for letter in line] for line in MAP], dtype=np.int8)
        self.hiding_places = [(0, 5), (3, 5), (7, 3)]
        self.action_space = spaces.Discrete(len(MOVES))
        self.observation_space = spaces.Box(FLOOR, GUARD, self.floor.shape, np.int8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = self.floor.copy()
        self.board[self.hiding_places[self.np_random.integers(3)]] = CROWN
        self.row, self.column = 4, 3
        self.guards = [[0, 7], [7, 0]]
        self.found, self.oil = 0, self.full
        return self._observe(), {}

    def step(self, action):
        self.oil -= 1
        row, column = self.row + MOVES[action][0], self.column + MOVES[action][1]
        if not self._is_open(row, column):  # a wall costs time
            return self._observe(), -0.1, self.oil == 0, False, {}
        self.row, self.column = row, column
        reward = self._take()
        self._move_guards()
        if [row, column] in self.guards:
            return self._observe(), reward - 5.0, True, False, {}
        if self.found == 9:
            return self._observe(), reward + 20.0, True, False, {}
        return self._observe(), reward, self.oil == 0, False, {}

    def _take(self) -> float:
        kind = self.board[self.row, self.column]
        if kind == FLOOR:
            return 0.0
        self.board[self.row, self.column] = FLOOR
        self.found += 1
        if kind == CROWN:
            self.guards.append([0, 0])
        return WORTH[kind]

    def _move_guards(self) -> None:
        """They stroll; one who is near comes nearer."""
        for i, (row, column) in enumerate(self.guards):
            move = MOVES[self.np_random.integers(4)]
            down, right = self.row - row, self.column - column
            if abs(down) + abs(right) <= 3:
                move = (np.sign(down), 0) if abs(down) > abs(right) else (0, np.sign(right))
            if self._is_open(row + move[0], column + move[1]):
                self.guards[i] = [row + move[0], column + move[1]]

    def _is_open(self, row, column) -> bool:
        return 0 <= row < len(MAP) and 0 <= column < len(MAP[0]) and self.board[row, column] != WALL

    def _observe(self):
        seen = self.board.copy()
        for row, column in self.guards:
            seen[row, column] = GUARD
        seen[self.row, self.column] = PLAYER
        return seen
