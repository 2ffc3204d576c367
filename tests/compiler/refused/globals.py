"""A step that depends on what happened in other episodes, for it counts in the module."""

import gymnasium as gym
from gymnasium import spaces

visitors = 0


class Museum(gym.Env):
    """Every tenth visitor gets in for nothing."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(20)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour = int(self.np_random.integers(4))
        return self.hour, {}

    def step(self, action):
        global visitors
        visitors += int(action)
        self.hour += 1
        return self.hour, 0.0 if visitors % 10 == 0 else 1.0, self.hour >= 18, False, {}
