"""An observation that could have another shape at any time, for all that the rules can say."""

import gymnasium as gym
from gymnasium import spaces


class Shelf(gym.Env):
    """Three boxes move along a shelf; those beyond its end would not be seen."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.MultiDiscrete([100, 100, 100])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.boxes = [int(n) for n in self.np_random.integers(5, size=3)]
        return list(self.boxes), {}

    def _seen(self):
        return [box for box in self.boxes if box < 99]

    def step(self, action):
        self.boxes[action] = (self.boxes[action] + 1) % 9
        return self._seen(), float(self.boxes[0]), sum(self.boxes) == 20, False, {}
