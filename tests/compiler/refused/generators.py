"""A step that takes from a generator."""

import gymnasium as gym
from gymnasium import spaces


class Parade(gym.Env):
    """Guess the size of the next one who comes by."""

    def __init__(self):
        self.action_space = spaces.Discrete(5)
        self.observation_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 10
        self.size = int(self.np_random.integers(5))
        return self.size, {}

    def step(self, action):
        self.left -= 1
        parade = self._sizes()
        self.size = (next(parade) + next(parade)) % 5
        return self.size, float(action == self.size), self.left == 0, False, {}

    def _sizes(self):
        size = self.size
        while True:
            size = (size * 2 + 1) % 5
            yield size
