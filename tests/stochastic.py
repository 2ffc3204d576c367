"""The stochastic examples, their options, and their references with the luck on a tape, for the tests of both."""

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envwright.core import Env

EXAMPLES = Path(__file__).parents[1] / "examples"
ALPHA = 1e-6
Array = NDArray[Any]
Options = dict[str, Any]


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


frozen_lake, blackjack, taxi = load("frozen_lake"), load("blackjack"), load("taxi")
CLASSES = {"frozen_lake": frozen_lake.FrozenLake, "blackjack": blackjack.Blackjack, "taxi": taxi.Taxi}
IDS = {"frozen_lake": "FrozenLake-v1", "blackjack": "Blackjack-v1", "taxi": "Taxi-v4"}

FLAGS = (False, True)
TWO_STARTS = ["SFFFH", "FHFSF", "FFFFG"]  # wider than high
LAKES: list[Options] = [
    {"map_name": map_name, "is_slippery": slippery} for map_name in ("4x4", "8x8") for slippery in FLAGS
] + [
    {"success_rate": 0.75, "reward_schedule": [10, -5, -0.125]},
    {"success_rate": 1.0, "reward_schedule": [1, -1, 0]},
    {"desc": TWO_STARTS, "success_rate": 0.5, "reward_schedule": [3, 2, 1]},
    {"desc": TWO_STARTS, "is_slippery": False},
]
TABLES: list[Options] = [{"natural": natural, "sab": sab} for natural in FLAGS for sab in FLAGS]
TOWNS: list[Options] = [{"is_rainy": rainy, "fickle_passenger": fickle} for rainy in FLAGS for fickle in FLAGS] + [
    {"is_rainy": True, "fickle_passenger": True, "rainy_probability": 0.5, "fickle_probability": 0.9}
]
CASES = [
    *[("frozen_lake", options) for options in LAKES],
    *[("blackjack", options) for options in TABLES],
    *[("taxi", options) for options in TOWNS],
]


# ---- the reference, its luck on a tape ----


class Tape:
    """Stands in for a reference's generator, and remembers what was drawn in which function."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.draws: list[tuple[str, Any]] = []

    def random(self) -> float:
        return self._note(self.rng.random())

    def choice(self, options: Sequence[Any]) -> Any:
        return self._note(self.rng.choice(options))

    def _note(self, value: Any) -> Any:
        self.draws.append((sys._getframe(2).f_code.co_name, value))
        return value


class Deck(Tape):
    """Draws these cards in turn; the suit, which nothing depends on, is always the first."""

    def __init__(self, cards: Sequence[int]) -> None:
        super().__init__(0)
        self.cards = iter(cards)

    def choice(self, options: Sequence[Any]) -> Any:
        return self._note(next(self.cards) if options[0] == 1 else options[0])


def make_reference(name: str, options: Options, tape: Tape) -> Any:
    env: Any = gymnasium.make(IDS[name], **options).unwrapped
    env._np_random = tape
    return env


def make(name: str, options: Options) -> Env[Any, Any]:
    return CLASSES[name](**options)


# ---- helpers ----


def pad(values: Sequence[Any], n: int) -> Array:
    return np.array([*values, *[0] * (n - len(values))])


def assert_equal(candidate: Any, reference: Any, what: str) -> None:
    """Equal in every bit, once the reference's number is rounded to the candidate's dtype."""
    candidate = np.asarray(candidate)
    reference = np.asarray(reference).astype(candidate.dtype)
    np.testing.assert_array_equal(candidate, reference, err_msg=what)
    assert candidate.tobytes() == reference.tobytes(), f"the sign of a zero in {what}"
