"""A set of real numbers that gets larger as the game goes on."""

import gymnasium as gym
from gymnasium import spaces


class Explorer(gym.Env):
    """Get around on a grid; only new directions to the middle count."""

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.MultiDiscrete([5, 5])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y = (int(n) for n in self.np_random.integers(5, size=2))
        self.seen = {self.x / 7 - self.y}
        return (self.x, self.y), {}

    def step(self, action):
        dx, dy = [(0, 1), (1, 0), (0, -1), (-1, 0)][action]
        self.x, self.y = (self.x + dx) % 5, (self.y + dy) % 5
        new = self.x / 7 - self.y not in self.seen
        self.seen.add(self.x / 7 - self.y)
        return (self.x, self.y), float(new), len(self.seen) == 12, False, {}
