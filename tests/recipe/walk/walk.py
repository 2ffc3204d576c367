"""A walk along a windy wall: a small original to translate."""

import gymnasium as gym
import numpy as np

FAR = 5


def clamp(x, low, high):
    return low if x < low else high if x > high else x


def worth(position):
    if position == FAR:
        return 2.0
    return -1.0 if position == -FAR else 0.0


class Walk(gym.Env):
    observation_space = gym.spaces.Box(-FAR, FAR, (2,), np.int64)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position = int(self.np_random.integers(-1, 2))
        self.steps = 0
        return self._look(), {}

    def step(self, action):
        wind = int(self.np_random.integers(-1, 2))
        self.position = clamp(self.position + int(action) - 1 + wind, -FAR, FAR)
        self.steps += 1
        reward = worth(self.position)
        return self._look(), reward, reward != 0, self.steps >= 30, {}

    def _look(self):
        return np.array([self.position, self.steps % 4])
