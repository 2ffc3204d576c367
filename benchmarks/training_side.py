"""One of two trainings that take turns: how fast it is, and when it reached the goal."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np


class Side:
    """`play` makes some updates and returns the mean return of each; a turn is `updates` of them, `steps` in all."""

    def __init__(self, play: Callable[[int], Any], updates: int, steps: int, goal: float) -> None:
        self.play, self.updates, self.steps, self.goal = play, updates, steps, goal
        self.rates: list[float] = []
        self.seconds = 0.0
        self.compiling = 0.0
        self.solved = float("nan")  # seconds of training until the goal
        self.solved_steps = float("nan")
        self.last = float("nan")

    def turn(self) -> None:
        began = time.perf_counter()
        returns = self.play(self.updates)
        took = time.perf_counter() - began
        if len(self.rates) == 1:  # now it is known how much of the first turn was compiling
            self.compiling = self.seconds - took
            self.seconds = took
        self.seconds += took
        self.rates.append(self.steps / took)
        finite = returns[np.isfinite(returns)]
        self.last = float(finite[-1]) if len(finite) else self.last
        if np.isnan(self.solved) and self.last >= self.goal:
            self.solved = self.seconds
            self.solved_steps = len(self.rates) * self.steps

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {name: value for name, value in vars(self).items() if name != "play"}
