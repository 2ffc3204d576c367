"""A step that calls itself: how far the water flows is not known before it has."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Flood(gym.Env):
    """Dig cells of a ditch; worth as much as water flows from where it was dug."""

    def __init__(self):
        self.action_space = spaces.Discrete(6)
        self.observation_space = spaces.MultiBinary(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ditch = np.zeros(6, dtype=np.int8)
        self.ditch[self.np_random.integers(6)] = 1
        return self.ditch.copy(), {}

    def step(self, action):
        self.ditch[action] = 1
        return self.ditch.copy(), float(self._flow(action)), bool(self.ditch.all()), False, {}

    def _flow(self, cell):
        if cell == len(self.ditch) or not self.ditch[cell]:
            return 0
        return 1 + self._flow(cell + 1)
