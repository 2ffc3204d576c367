"""The reference's values in the candidate's words."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from envwright.references.protocol import Draw, Outcome
from envwright.verifier.contract import Contract, read
from envwright.verifier.expression import ExpressionError
from envwright.verifier.rows import part, stack, start_row, state_row, step_row, take

HEAD = 'version = 1\nreference = "r"\ncandidate = "c"\n'
CONTRACT = (
    HEAD + "[state]\nx = 'x'\nhand = 'pad(hand, 3)'\n"
    "[chance.start]\ncards = \"pad(draws('deal'), 3)\"\n"
    "[chance.step]\nroll = \"draws('roll', 0)\"\n[chance.ignored]\nshow = 'only drawn on the screen'"
)


def contract(text: str = CONTRACT) -> Contract:
    return read(text)


def game(**names: Any) -> Any:
    return SimpleNamespace(look=lambda: {"x": 1, "hand": [5], **names})


def outcome(*draws: Draw) -> Outcome:
    return Outcome(np.array([1.0]), 2.0, True, False, {}, draws)


DEAL, ROLL, SHOW = Draw("g.py:1 deal", "choice", 9), Draw("g.py:2 roll", "random", 0.25), Draw("g.py:3 show", "x", 1)


def test_a_start_has_state_observation_and_luck_but_no_reward():
    row = start_row(contract(), game(), outcome(DEAL, DEAL, SHOW))
    assert set(row) == {"state.x", "state.hand", "observation", "chance.cards", "drawn.cards"}
    assert row["chance.cards"].tolist() == [9, 9, 0]
    assert row["drawn.cards"].tolist() == [True, True, False]
    assert row["state.hand"].tolist() == [5, 0, 0]


def test_a_step_has_its_action_and_says_which_luck_was_drawn():
    terms = contract(CONTRACT + "\n[outcome]\ninfo.gain = 'x - before.x'")
    row = step_row(terms, game(), outcome(ROLL), 1, {"x": 0})
    assert (row["action"], row["info.gain"], row["reward"], row["terminated"]) == (1, 1, 2.0, True)
    assert (row["chance.roll"], row["drawn.roll"]) == (0.25, True)
    assert row["ended"].tolist() == [True, False]
    undrawn = step_row(terms, game(), outcome(), 1, {"x": 0})
    assert (undrawn["chance.roll"], undrawn["drawn.roll"]) == (0, False)


def test_luck_that_the_contract_does_not_mention_is_refused_by_its_place():
    with pytest.raises(ExpressionError, match=r"draws choice at g\.py:1 deal, which the contract neither maps"):
        step_row(contract(), game(), outcome(DEAL), 1, {})
    short = Draw("g.py:1 ro", "choice", 9)  # a part of a name that is mentioned is not that name
    with pytest.raises(ExpressionError, match=r"draws choice at g\.py:1 ro,"):
        step_row(contract(), game(), outcome(short), 1, {})


def test_luck_may_be_mapped_or_ignored_by_method():
    text = HEAD + "[chance.step]\nu = \"draws('roll.random', 0)\"\n[chance.ignored]\n\"roll.choice\" = 'it is shown'"
    other = Draw("g.py:2 roll", "choice", "H")
    assert step_row(contract(text), game(), outcome(ROLL, other), 1, {})["chance.u"] == 0.25
    with pytest.raises(ExpressionError, match=r"draws integers at g\.py:2 roll,"):
        step_row(contract(text), game(), outcome(ROLL, Draw("g.py:2 roll", "integers", 1)), 1, {})


def test_an_attribute_that_is_called_like_an_outcome_is_meant_in_the_state():
    text = HEAD + "[state]\nobs = 'obs'\n[chance.start]\n[chance.step]"
    for row in (
        step_row(contract(text), game(obs=7), outcome(), 1, {}),
        start_row(contract(text), game(obs=7), outcome()),
    ):
        assert row["state.obs"] == 7
        assert row["observation"].tolist() == [1.0]


def test_luck_may_be_drawn_where_no_luck_is_handed_in():
    assert "chance.roll" not in step_row(contract(HEAD), game(), outcome(DEAL), 1, {})


def test_a_value_that_is_no_number_says_how_it_becomes_one():
    with pytest.raises(ExpressionError, match=r"\[state\] x: 'x' gives None, which is not a number; .*none\(x, ins"):
        state_row(contract(), game(x=None).look())


def test_a_shape_that_changes_names_the_column_and_both_shapes():
    rows = [{"state.hand": np.zeros(2)}, {"state.hand": np.zeros(3)}]
    with pytest.raises(
        ExpressionError, match=r"^step: state\.hand has the shapes \(2,\) and \(3,\); give it one, with"
    ):
        stack(rows, "step")


def test_columns_are_stacked_parted_and_taken():
    columns = stack([{"state.x": np.array(i), "reward": np.array(-i)} for i in range(3)], "step")
    assert part(columns, "state.").keys() == {"x"}
    assert take(columns, [2, 0])["reward"].tolist() == [-2, 0]
    assert stack([], "step") == {}
