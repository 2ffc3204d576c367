"""A step whose reward is computed by a function that has no source in Python."""

import zlib

import gymnasium as gym
from gymnasium import spaces


class Lock(gym.Env):
    """Turn a lock until its checksum is right."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Discrete(100)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.number = int(self.np_random.integers(100))
        return self.number, {}

    def step(self, action):
        self.number = (self.number + int(action) + 1) % 100
        check = zlib.crc32(bytes([self.number])) % 7
        return self.number, float(check), check == 0, False, {}
