"""Environments with part of their state where Python does not walk: in a table that they hold only a number into."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from envwright.references.protocol import Glimpse
from envwright.references.state_adapter import StateAdapter, register_state

MEMORY: dict[int, dict[str, Any]] = {}


class Outside(gym.Env):
    """Walks to and fro; where to is outside, with the stride, which stays; how often is inside."""

    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(-1e9, 1e9, (1,), np.float64)

    def __init__(self) -> None:
        self.number = len(MEMORY)
        MEMORY[self.number] = {"position": np.zeros(1), "stride": 2.0, "turns": "none"}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.turns, there = 0, MEMORY[self.number]
        there["position"][0] = self.np_random.integers(5)
        there["turns"] = "none"
        return there["position"].copy(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.turns, there = self.turns + 1, MEMORY[self.number]
        there["position"] += there["stride"] * (2 * action - 1)
        there["turns"] = f"{self.turns}"
        return there["position"].copy(), 1.0, self.turns == 10, False, {}


class OutsideState(StateAdapter):
    opaque = ("number",)
    phases = ("walk",)

    def read(self, env: Any) -> Mapping[str, Any]:
        return dict(MEMORY[env.number])  # the live array, not a copy

    def write(self, env: Any, values: Mapping[str, Any]) -> None:
        MEMORY[env.number].update(values)

    def watch(self, env: Any, step: Callable[[], None]) -> list[Glimpse]:
        before = MEMORY[env.number]["position"].copy()
        step()
        return [Glimpse("walk", {"walked": MEMORY[env.number]["position"] - before})]


class Nearer(Outside):
    """Has the adapter of the class it is derived from."""


class Listed(Outside):
    """Its adapter reads a list."""


class ListedState(OutsideState):
    def read(self, env: Any) -> Any:
        return [1, 2]


class Standing(Outside):
    """Its adapter takes no step."""


class StandingState(OutsideState):
    def watch(self, env: Any, step: Callable[[], None]) -> list[Glimpse]:
        return []


register_state(Outside, OutsideState())
register_state(Listed, ListedState())
register_state(Standing, StandingState())
