"""A game with parts of many kinds: objects, an enum, rows that may be missing, luck of several methods."""

import enum
from collections import deque
from typing import Any

import gymnasium as gym
import numpy as np


class Mode(enum.IntEnum):
    BUY = 0
    SELL = 1


class Stall:
    """Goods are numbers; the names never change."""

    def __init__(self) -> None:
        self.names = np.array(["figs", "oil", "salt"])
        self.goods: list[int] = []
        self.money = 0


class Bazaar(gym.Env):
    """Buy when the price is low; ends after thirty steps."""

    action_space = gym.spaces.MultiDiscrete([2, 3])
    observation_space = gym.spaces.Discrete(3)

    def __init__(self) -> None:
        self.stall = Stall()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.t, self.mode = 0, Mode.BUY
        self.carts: list[Any] = [None, None]
        self.stall.goods, self.stall.money = [], 10
        self.past = deque([0], maxlen=4)
        self.place: Any = np.zeros(2)
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.t += 1
        self.mode = Mode(int(action[0]))
        self.place = (float(action[0]), 0.5)
        self.past.append(int(action[1]))
        if self.mode is Mode.BUY and self.np_random.random() < 0.5:
            self.stall.goods.append(int(self.np_random.integers(3)))
        elif self.stall.goods:
            self.stall.goods.remove(self.np_random.choice(self.stall.goods))
        self.carts[self.t % 2] = None if self.carts[self.t % 2] else [self.t, self.mode is Mode.BUY]
        return len(self.stall.goods) % 3, float(self.past[-1] >= 0), self.t >= 30, False, {}
