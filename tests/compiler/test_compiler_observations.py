"""What is shown: dicts and tuples of numbers and arrays, in one row."""

import numpy as np
from small_games import assert_plays_the_same, game

MOVE = """
self.at = (self.at + action) % 5
self.speed = np.array([0.5 * self.at, 0.1 * action])
obs = self.seen()
return obs, 0.0, False, False, {}
"""


def shown(what: str) -> np.ndarray:
    """What a game shows that gives `what`, and so does its translation."""
    pair = game(
        MOVE,
        methods=f"""
        def seen(self):
            return {what}

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.at, self.speed = 2, np.array([1.0, 0.1])
            return self.seen(), {{}}
        """,
        at="0",
        speed="np.zeros(2)",
    )
    return assert_plays_the_same(pair)["observation"]


def test_a_tuple_of_an_array_and_a_number() -> None:
    assert shown("(self.speed, self.at)").shape[1:] == (3,)


def test_a_dict_of_tuples_and_dicts() -> None:
    seen = shown("{'own': (self.speed, self.at > 2), 'other': {'at': self.at, 'fixed': (1, np.zeros(2))}}")
    assert seen.shape[1:] == (7,)


def test_whole_numbers_beside_float32_are_no_reason_for_float64() -> None:
    assert shown("(self.speed.astype(np.float32), self.at)").dtype == np.float32
    assert shown("(self.speed, self.at)").dtype == np.float64
