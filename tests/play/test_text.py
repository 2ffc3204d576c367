"""A game that is read: choices are numbered, and a number may have several digits."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from envwright.play.text import TextGame, fitting


@dataclass
class Choices:
    """As many choices as told, always the same ones; only the actions taken are kept."""

    many: int
    over: bool = False
    taken: list[Any] = field(default_factory=list)
    moments: tuple[Any, ...] = ()
    env: Any = None
    start: Any = None
    obs: Any = None

    @property
    def legal(self) -> Any:
        return np.isin(np.arange(50), 3 * np.arange(self.many))

    def step(self, action: Any) -> None:
        self.taken.append(action)


def typed(many: int, keys: bytes) -> tuple[TextGame, list[Any]]:
    course = Choices(many)
    game = TextGame(course, lambda *_: [], None, cursor=0)  # pyright: ignore[reportArgumentType]
    game.listen(keys)
    return game, course.taken


@pytest.mark.parametrize(("many", "keys", "taken"), [
    (5, b"3", [9]),
    (5, b"0", [0]),
    (12, b"4", [12]),  # none begins with 4 but 4 itself
    (12, b"11", [33]),
    (12, b"1\r", [3]),
    (12, b"107", [30, 21]),
    (5, b"\x1b[B\r", [3]),
])  # fmt: skip
def test_a_choice_is_taken_as_soon_as_its_number_is_clear(many: int, keys: bytes, taken: list[int]) -> None:
    assert typed(many, keys)[1] == taken


def test_a_number_that_may_go_on_waits_and_says_so() -> None:
    game, taken = typed(12, b"1")
    assert not taken
    assert game.cursor == 3
    assert "go on typing" in game.lines()[-1]


def test_a_number_that_there_is_not_is_refused() -> None:
    game, taken = typed(5, b"7")
    assert not taken
    assert "7 cannot be chosen now" in game.lines()[-1]


def test_the_line_with_the_keys_is_always_shown() -> None:
    assert fitting(["a", "b", "keys"], 3) == ["a", "b", "keys"]
    assert fitting(["a", "b", "c", "keys"], 3) == ["a", "b", "keys"]
    assert fitting(["a", "keys"], 1) == ["keys"]
