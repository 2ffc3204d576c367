"""A walk in the wind, as a reference, and what can go wrong with references. Loaded by path, as a user's is."""

import os
import threading
import time
from typing import Any

import gymnasium as gym
import numpy as np

END = 6  # so far from home a walk is over


class Walk(gym.Env):
    """A step left or right, and sometimes the wind adds one to the right."""

    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(-9, 9, (1,), np.float64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = int(self.np_random.integers(3))
        return self.observe(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.trouble()
        self.at += 1 if action else -1
        self.at += int(self.np_random.integers(2))
        return self.observe(), float(-abs(self.at)), abs(self.at) >= END, False, {}

    def observe(self) -> np.ndarray:
        return np.array([float(self.at)])

    def trouble(self) -> None: ...


class Tallying(Walk):
    """Counts its turns, outside of its state."""

    turns: dict[str, int] = {}  # noqa: RUF012 - all walks together

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        name = "right" if action else "left"
        self.turns[name] = self.turns.get(name, 0) + 1
        return super().step(action)

    def envwright_coverage(self) -> dict[str, dict[str, int]]:
        return {"turn": self.turns}


class Raises(Walk):
    def trouble(self) -> None:
        if self.at == -3:
            raise ZeroDivisionError("too far to the left")


class Insists(Walk):
    """Goes on only from where it was last, which it remembers outside of itself."""

    def observe(self) -> np.ndarray:
        self.last = int(os.environ.get("INSISTS", "0")) + 1
        os.environ["INSISTS"] = str(self.last)
        return super().observe()

    def trouble(self) -> None:
        assert os.environ["INSISTS"] == str(self.last), "put here by others"


class Crashes(Walk):
    def trouble(self) -> None:
        if self.at == -3:
            os.abort()


class Hangs(Walk):
    def trouble(self) -> None:
        while self.at == -3:
            time.sleep(0.1)


class Leaks(Walk):
    heap: list[bytes] = []  # noqa: RUF012 - a leak is shared

    def trouble(self) -> None:
        while self.at == -3:
            self.heap.append(os.urandom(1) * 2**25)


class Clocked(Walk):
    """Not a function of its luck."""

    def trouble(self) -> None:
        self.stamp = time.perf_counter_ns()


class Counting(Walk):
    """Counts its games, of which nothing comes but info."""

    games = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.games += 1
        return super().reset(seed=seed)[0], {"games": self.games}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return *super().step(action)[:4], {"games": self.games}


class Locked(Walk):
    """Holds something that cannot be copied."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.doors = [threading.Lock()]
        return super().reset(seed=seed)


class ThreeWays(Walk):
    action_space = gym.spaces.Discrete(3)


class Hand(Walk):
    """Shows as many numbers as it has taken steps."""

    def observe(self) -> np.ndarray:
        return np.zeros(1 + abs(self.at))


def stir(x: float) -> float:
    return float(np.sin(100 * x))


class Shake(gym.Env):
    """A number that a step magnifies a hundredfold, and folds back: rounding shows at once."""

    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(-2, 2, (1,), np.float64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.x, self.t = float(self.np_random.random()), 0
        return np.array([self.x]), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.x, self.t = stir(self.x) + 0.5 * action, self.t + 1
        return np.array([self.x]), 0.0, self.t >= 20, False, {}


class ShakenFromTheStart(Shake):
    """Its start is shaken, too, and by much."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.x = stir(10 * self.x)
        return np.array([self.x]), {}
