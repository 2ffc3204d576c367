"""A step that writes to its module; so seldom of consequence that no play shows it."""

import gymnasium as gym
from gymnasium import spaces

visitors = 0


class Turnstile(gym.Env):
    """The millionth visitor gets a prize."""

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
        return self.hour, 100.0 if visitors == 1_000_000 else 1.0, self.hour >= 18, False, {}
