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
        self.x = random.random()
        return self.x, 0.0, False, False, {}


def deeper():
    return random.random()
"""


def test_what_stands_in_a_while_or_is_called_from_one(tmp_path):
    (tmp_path / "game.py").write_text(GAME)
    assert drawn_again(analyse_python(tmp_path / "game.py", "Game")) == {"reset:9", "reset:10", "other", "deeper"}
