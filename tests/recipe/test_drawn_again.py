"""Which luck may be drawn again and again, by the source."""

from envwright.recipe.analyse.drawn_again import drawn_again
from envwright.recipe.analyse.python import analyse_python

GAME = """import random

import gymnasium as gym


class Game(gym.Env):
    def reset(self, *, seed=None, options=None):
        self.x = random.random()
        while self.x > 0.5:
            self.x = self.other()
        return self.x, {}

    def other(self):
        return deeper()

    def step(self, action):
        for _ in range(50):
            self.x = random.random()
            if self.x > 0.5:
                break
        for _ in range(3):
            self.x += random.random()
        return self.x, 0.0, False, False, {}


def deeper():
    return random.random()
"""


def test_what_stands_in_a_loop_that_ends_when_something_fits_or_is_called_from_one(tmp_path):
    (tmp_path / "game.py").write_text(GAME)
    again = drawn_again(analyse_python(tmp_path / "game.py", "Game"))
    assert {name for name in again if ":" not in name} == {"other", "deeper"}
    assert {"reset:9", "reset:10", "step:18"} <= again
    assert "step:22" not in again
