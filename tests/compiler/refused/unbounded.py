"""A list that gets longer with every step, in episodes that may last for ever."""

import gymnasium as gym
from gymnasium import spaces


class Trail(gym.Env):
    """Walk on a ring, and never to where one has been often; luck ends the walk."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        self.trail = [0]
        return self.place, {}

    def step(self, action):
        self.place = (self.place + int(action) - 1) % 9
        reward = -float(self.trail.count(self.place))
        self.trail.append(self.place)
        return self.place, reward, bool(self.np_random.random() < 0.1), False, {}
