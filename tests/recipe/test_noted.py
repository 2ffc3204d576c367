"""What is noted while a reference plays."""

from collections import deque

import numpy as np
import pytest

from envwright.recipe.drafting import noted
from envwright.recipe.drafting.noted import Draws, Growth
from envwright.references.protocol import Draw, Outcome


def outcome(*draws: Draw) -> Outcome:
    return Outcome(0, 0.0, False, False, {}, draws)


def roll(value: float = 0.5) -> Draw:
    return Draw("g.py:1 roll", "random", value)


def choice(value: object, index: int, size: int = 2) -> Draw:
    return Draw("g.py:2 pick", "choice", value, (index, size))


def test_what_draws_equally_often_is_steady_by_function_and_by_method():
    draws = Draws()
    for gone in (outcome(roll(), choice(4, 0)), outcome(roll(), choice(4, 0), choice(4, 0))):
        draws.note(gone)
    assert draws.steady == {"roll", "roll.random", "roll:1"}
    assert draws.most == {("g.py:1 roll", "random"): 1, ("g.py:2 pick", "choice"): 2}


def test_what_did_not_draw_at_first_is_not_steady():
    draws = Draws()
    draws.note(outcome())
    draws.note(outcome(roll()))
    assert draws.steady == set()


def test_a_list_is_believed_to_be_always_the_same_only_after_enough_choices():
    draws = Draws()
    for _ in range(8):
        assert draws.varied == ({("pick", "choice")} if draws.kept else set())
        draws.note(outcome(choice("a", 0), choice("b", 1)))
    assert draws.varied == set()


@pytest.mark.parametrize("other", [choice("b", 0), choice("a", 0, 3)])
def test_a_list_with_other_elements_or_of_another_length_is_noticed(other):
    draws = Draws()
    for _ in range(50):
        draws.note(outcome(choice("a", 0)))
    draws.note(outcome(other))
    assert draws.varied == {("pick", "choice")}


def test_play_goes_on_while_lists_get_longer(monkeypatch):
    monkeypatch.setattr(noted, "STEPS", 10)
    growth, draws = Growth(), Draws()
    growth.note([{"hand": {"of": [1] * n}, "all": np.zeros(n), "last": deque([1])} for n in range(8)], draws)
    assert not growth.is_over
    growth.note([{"hand": {"of": []}}] * 7, draws)
    assert not growth.is_over  # it was the eighth of fifteen
    growth.note([{"hand": {"of": [1]}}], draws)
    assert growth.is_over
    assert growth.longest == {"hand.of": 7, "all": 7, "last": 1}
    draws.note(outcome(roll()))
    growth.note([{}], draws)
    assert not growth.is_over
