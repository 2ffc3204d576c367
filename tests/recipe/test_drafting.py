"""Contracts drafted by rule: what each kind of value becomes, and what is refused."""

import numpy as np
import pytest

from envwright.recipe.drafting import (
    Draft,
    DraftError,
    chance_of,
    contract_text,
    draft_tables,
    fields_of,
    function_arguments,
    survives_float32,
)
from envwright.verify import contract as contracts
from envwright.verify.draft import Seen


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ([1, 2], {"x": "x"}),
        ([True, False], {"x": "x"}),
        ([np.zeros((2, 3)), np.ones((2, 3))], {"x": "x"}),
        ([[1, 2], [3, 4]], {"x": "x"}),
        ([[[1, 2], [3, 4]], [(5, 6), (7, 8)]], {"x": "x"}),
        ([[1], [3, 4, 5]], {"x": "pad(x, 6)", "x_count": "len(x)"}),
        ([None, 4, 7], {"x": "none(x, 3)"}),
        ([None, 0, 7], {"x": "none(x, -1)"}),
        (["n", "s", "n"], {"x": "{'n': 0, 's': 1}[x]"}),
        ([None, "n"], {"x": "{'n': 0}[x] if x is not None else -1"}),
        ([{"a": 1, "b": [1]}, {"a": 2, "b": [2]}], {"x_a": "x['a']", "x_b": "x['b']"}),
        ([{"a": [1]}, {"a": [1, 2]}], {"x_a": "pad(x['a'], 4)", "x_a_count": "len(x['a'])"}),
    ],
)
def test_every_kind_of_value_becomes_fields(values, fields):
    assert fields_of("x", values) == fields


@pytest.mark.parametrize(
    "values", [[None, None], [object()], [[1], ["a"]], [[1], None], [{1: 2}], [{"a": 1}, {"b": 1}]]
)
def test_what_no_rule_covers_is_refused_by_name(values):
    with pytest.raises(DraftError, match="x"):
        fields_of("x", values)


def test_functions_of_more_than_numbers_are_left_out():
    assert function_arguments([{"hand": [1], "n": 2}, {"hand": [1, 2], "n": 3}]) == ["pad(hand, 4)", "len(hand)", "n"]
    assert function_arguments([{"deck": object()}]) is None


def test_luck_has_room_for_more_than_was_seen_unless_it_never_varies():
    draws = {("a.py:1 deal", "choice"): 3, ("a.py:2 deal", "choice"): 1, ("a.py:9 _spin", "random"): 1}
    assert chance_of(draws, {}, ["deal"]) == {"deal": "pad(draws('deal'), 4)", "spin": "draws('_spin', 0)"}
    assert chance_of(draws, {}, [])["deal"] == "pad(draws('deal'), 8)"
    assert chance_of(draws, {"deal": "why"}, []) == {"spin": "draws('_spin', 0)"}


def test_numbers_that_float32_cannot_hold_are_noticed():
    assert survives_float32(0.5)
    assert survives_float32([1, 2.0, float("nan")])
    assert not survives_float32(0.1)
    assert not survives_float32(np.array([0.5, 1e300]))


def seen(**changes) -> Seen:
    """A game with a score, a hand that grows in the last step, a drawn suit and a real number."""
    state = {"score": 1, "hand": [1, 2], "suit": "H", "x": 0.1, "elapsed_steps": 3}
    base = {
        "states": [state], "finals": [state | {"hand": [1, 2, 3]}], "start_draws": {("g.py:1 reset", "choice"): 1},
        "step_draws": {}, "calls": {}, "drawn": {"reset": ["H"]}, "steady": set(),
        "observations": [np.zeros(2, np.float32)], "rewards": [1.0],
    }  # fmt: skip
    return Seen(**{**base, **changes})


def test_a_whole_draft_is_a_contract_that_can_be_read():
    draft = draft_tables(seen(max_episode_steps=100), ["suit"])
    text = contract_text("module:Game", "fast_game.env:Game", draft, 100, [("rules", "_f", ["a"])])
    contract = contracts.read(text)
    assert {name: e.text for name, e in contract.state.items()} == {
        "time": "elapsed_steps", "hand": "pad(hand, 6)", "hand_count": "len(hand)", "score": "score", "x": "x",
    }  # fmt: skip
    assert contract.candidate_options == {"max_episode_steps": 100}
    assert contract.tolerances[0].columns == ("state.x", "observation")
    assert set(contract.ignored) == {"reference.suit"}
    assert set(contract.chance_ignored) == {"reset"}
    assert contract.functions[0].candidate == "rules.f"


def test_without_a_limit_the_steps_are_not_counted():
    assert "time" not in draft_tables(seen(), ["suit"]).state


def test_luck_that_is_text_and_matters_is_refused():
    with pytest.raises(DraftError, match="reset draws what is not a number"):
        draft_tables(seen(states=[{"score": 1}], finals=[]), [])


def test_what_only_a_person_can_decide_is_written_down_and_the_rest_is_drafted():
    draft = draft_tables(seen(states=[{"score": 1, "map": object()}], finals=[], drawn={}), [])
    assert draft.state == {"score": "score"}
    assert "map is a object" in draft.problems[0]
    text = contract_text("m:G", "g.env:G", draft, None, [])
    assert "# TODO: map is a object, which no rule puts into numbers; write a line for it in [state]" in text


def test_an_empty_draft_has_no_empty_tables():
    text = contract_text("m:G", "g.env:G", Draft(state={"s": "s"}), None, [])
    assert [line for line in text.splitlines() if line.startswith("[")] == ["[state]", "[outcome]"]
