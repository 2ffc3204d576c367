"""A walk over a field in the wind, with a torch that burns down. Loaded by path, as a user's environment is."""

from typing import Any

import gymnasium as gym
import numpy as np

SIZE = 5


def drifted(col: int, gust: int) -> int:
    """A strong gust blows a place to the east, a weak one to the west."""
    if gust == 2:
        return min(col + 1, SIZE - 1)
    if gust == 0:
        return max(col - 1, 0)
    return col


def burnt(light: float, gust: int) -> float:
    """The stronger the gust, the faster the torch burns down."""
    return light * 0.9 - 0.01 * gust


class Windy(gym.Env):
    """North, east, south or west; at home with a burning torch the walk is over, and so it is in the dark."""

    action_space = gym.spaces.Discrete(4)
    observation_space = gym.spaces.Box(0, SIZE, (3,), np.float64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.row = int(self.np_random.integers(SIZE))
        self.col = int(self.np_random.integers(SIZE))
        self.light = float(self.np_random.uniform(0.5, 1.0))
        self.visits = np.zeros((SIZE, SIZE), np.int64)
        self.visits[self.row, self.col] = 1
        return self.observe(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        gust = int(self.np_random.integers(3))
        down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[action]
        self.row = min(max(self.row + down, 0), SIZE - 1)
        self.col = min(max(self.col + right, 0), SIZE - 1)
        self.col = drifted(self.col, gust)
        self.light = burnt(self.light, gust)
        self.visits[self.row, self.col] += 1
        home = self.row == SIZE - 1 and self.col == SIZE - 1
        reward = self.light if home else -0.1 * float(self.visits[self.row, self.col])
        return self.observe(), reward, home or self.light <= 0.05, False, {"blown": gust == 2}

    def observe(self) -> np.ndarray:
        return np.array([self.row, self.col, self.light])
