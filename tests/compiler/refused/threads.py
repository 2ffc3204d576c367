"""A step that starts a thread."""

import threading

import gymnasium as gym
from gymnasium import spaces


class Kitchen(gym.Env):
    """Somebody else cooks."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(11)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.dishes = int(self.np_random.integers(3))
        return self.dishes, {}

    def step(self, action):
        if action == 1:
            cook = threading.Thread(target=self._cook)
            cook.start()
            cook.join()
        return self.dishes, 1.0, self.dishes >= 10, False, {}

    def _cook(self):
        self.dishes += 1
