"""Python games raced in a process of their own: legal actions only, new games where one ended, errors told."""

from contextlib import closing

import pytest

from envwright.core.spaces import Box, Discrete
from envwright.references.protocol import ReferenceFailedError
from envwright.references.registry import find_kind

GAME = '''
import gymnasium, numpy as np

class Countdown:
    """Three steps long; even actions are legal."""
    action_space = gymnasium.spaces.Discrete(4)
    observation_space = gymnasium.spaces.Box(0, 9, (1,))
    def __init__(self, breaks=False):
        self.breaks = breaks
    def reset(self, *, seed=None, options=None):
        self.left = 3
        return np.zeros(1), {}
    def step(self, action):
        if self.breaks:
            raise OSError("the disk is full")
        assert self.left > 0 and action % 2 == 0
        self.left -= 1
        return np.zeros(1), 0.0, self.left == 0, False, {}
    def action_masks(self):
        return np.array([True, False, True, False])
'''


@pytest.fixture
def game(tmp_path):
    (tmp_path / "countdown.py").write_text(GAME)
    return find_kind("countdown.py:Countdown", tmp_path)


def test_a_race_takes_legal_actions_and_begins_anew(game):
    with closing(game.racing(2)) as race:
        race.race(10, seed=1)
        race.race(10, seed=2)


def test_a_game_that_fails_is_told(game):
    with (
        closing(game.racing(2, breaks=True)) as race,
        pytest.raises(ReferenceFailedError, match=r"countdown\.py:Countdown failed in a race: the disk is full"),
    ):
        race.race(10, seed=1)


def test_learners_step_it_unwatched(game):
    batch = game.stepping(3, Box(0, 9, (1,)), Discrete(4), True)
    batch.reset([1, 2, 3])
    legal = batch.legal_actions()
    assert legal is not None
    assert legal.tolist() == [[True, False, True, False]] * 3
    ended = [bool(batch.step_and_restart(legal.argmax(1)).terminated.all()) for _ in range(6)]
    assert ended == [False, False, True, False, False, True]
