"""A step that reads a file."""

from pathlib import Path

import gymnasium as gym
from gymnasium import spaces


class Library(gym.Env):
    """Read this very file, letter by letter."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(60)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.letter = int(self.np_random.integers(10))
        return self.letter, {}

    def step(self, action):
        self.letter += 1 + int(action)
        with open(Path(__file__)) as file:
            text = file.read()
        return self.letter, float(ord(text[self.letter])), self.letter >= 50, False, {}
