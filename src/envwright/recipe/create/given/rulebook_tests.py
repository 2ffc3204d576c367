"""What the tests of a game are written with. The game may be anybody's: `begin` makes one, by its class.

from rulebook_tests import begin, follow, rules

@rules("2.1", "2.3")                               # the numbers of the rules that this test exercises
def test_a_six_ends_the_turn():
    game = begin(draws=[3, 0], score=4)            # a reset that draws 3 and 0; then score is set to 4
    follow(game, [6])                              # what the next steps draw, in order
    observation, reward, terminated, truncated, info = game.step(1)
    assert game.score == 0
"""

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

_Test = TypeVar("_Test", bound=Callable[..., Any])


def rules(*numbers: str) -> Callable[[_Test], _Test]:
    """The numbers of the rules that a test exercises."""
    del numbers  # they are read from the source
    return lambda test: test


def begin(draws: Sequence[int] | None = None, seed: int = 0, **state: Any) -> Any:
    """A game after `reset`, in which parts of the state are then set.

    With `draws`, the reset draws these numbers; without, whatever comes with the seed. Parts of the state that are not
    named stay as the reset has left them. The next draws come from the seed, until `follow` is called.
    """
    game = make()
    game.reset(seed=seed)
    if draws is not None:
        usual = game.np_random
        game.np_random = Scripted(draws)
        game.reset()
        assert not game.np_random.left, f"the reset does not draw the last of these: {list(draws)}"
        game.np_random = usual
    for name, value in state.items():
        assert hasattr(game, name), f"the game has no {name}"
        before = getattr(game, name)
        setattr(game, name, np.array(value, before.dtype) if isinstance(before, np.ndarray) else value)
    return game


def follow(game: Any, draws: Sequence[int]) -> None:
    """What the next steps draw, in this order; drawing more, or a number out of range, fails the test."""
    game.np_random = Scripted(draws)


def left(game: Any) -> list[int]:
    """The numbers of `follow` that were not drawn yet."""
    return list(game.np_random.left)


def legal(game: Any) -> list[int]:
    """The actions that are legal now, in order."""
    return [int(action) for action in np.flatnonzero(game.action_masks())]


def make() -> Any:
    """A new object of the class under test, before any reset."""
    module, _, name = os.environ["RULEBOOK_GAME"].partition(":")
    return getattr(importlib.import_module(module), name)()


class Scripted:
    """In place of NumPy's generator: gives what it is told to."""

    def __init__(self, draws: Sequence[int]) -> None:
        self.left = [int(value) for value in draws]

    def integers(self, low: int, high: int | None = None) -> int:
        low, high = (0, low) if high is None else (low, high)
        assert self.left, f"the game draws integers({low}, {high}), and the test gives it nothing more to draw"
        value = self.left.pop(0)
        assert low <= value < high, f"the game draws integers({low}, {high}), and the test gives it {value}"
        return value
