"""Contracts drafted by rule: what each kind of value becomes, and what is refused."""

from collections import deque

import numpy as np
import pytest

from envwright.recipe.drafting import chance, fields
from envwright.recipe.drafting.contract_file import contract_text
from envwright.recipe.drafting.fields import DraftError, free
from envwright.recipe.drafting.source_facts import SourceFacts
from envwright.recipe.drafting.tables import (
    LATE,
    WIDE,
    Draft,
    draft_tables,
    function_arguments,
    is_computed,
    reals_in,
    survives_float32,
)
from envwright.recipe.drafting.watch import WatchedPlay
from envwright.references.protocol import Draw
from envwright.verifier import contract as contracts
from envwright.verifier.codecs import Plain

ROWS = "[row if row is not None else [0, 0] for row in x]"


def texts(fields):
    """Fields as a contract has them."""
    return {name: str(codec) for name, codec in fields.items()}


def fields_of(name, values, **more):
    return texts(fields.fields_of((name,), values, **more))


def chance_of(*given, **more):
    return texts(chance.chance_of(*given, **more))


def deck(**parts):
    """An object as the reference shows it."""
    return {"__class__": "cards:Deck", "ranks": np.array(["a", "k"]), "size": 52, **parts}


TWICE = {"__class__": "m:Pipe", "x": 1}


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
        ([np.zeros(2), (1.0, 2.0)], {"x": "array(x)"}),
        ([np.zeros(1), np.zeros(3)], {"x": "pad(x, 6)", "x_count": "len(x)"}),
        ([[], [[1, 2, True]]], {"x": "table(x, 8, 3)", "x_count": "len(x)"}),
        ([[None, None], [[1, True], None]], {"x": ROWS, "x_present": "[row is not None for row in x]"}),
        ([deque([1], 5), deque([1, 2], 5)], {"x": "pad(x, 5)", "x_count": "len(x)"}),
        ([deque([1]), deque([1, 2])], {"x": "pad(x, 4)", "x_count": "len(x)"}),
        ([[], [9, 4, 2, 7]], {"x": "pad(x, 9)", "x_count": "len(x)"}),
        ([[], [19, 4, 2, 7]], {"x": "pad(x, 19)", "x_count": "len(x)"}),
        ([{"__enum__": "m:E", "value": 1}, {"__enum__": "m:E", "value": 2}], {"x": "x['value']"}),
        ([{"__enum__": "m:E", "value": 1}, None], {"x": "x['value'] if x is not None else 0"}),
        ([deck(left=2), deck(left=1)], {"x_left": "x['left']"}),
        ([{1}, {2, 4}], {"x": "flags(x, (1,), (4,))", "x_count": "len(x)"}),
        ([set(), {(0, 3), (2, 4)}], {"x": "flags(x, (0, 3), (3, 2))", "x_count": "len(x)"}),
        ([set(), {"b", "a"}], {"x": "flags(x, ['a', 'b'])", "x_count": "len(x)"}),
        ([[], [{"a": 1}, {"a": 2}]], {"x_a": "pad([item['a'] for item in x], 8)", "x_count": "len(x)"}),
        ([[], [TWICE]], {"x_x": "pad([item['x'] for item in x], 8)", "x_count": "len(x)"}),
        ([[None, 1], [2, None]], {"x": ROWS.replace("[0, 0]", "0"), "x_present": "[row is not None for row in x]"}),
        ([deck(hands={"me": [1]}), deck(hands={"me": [2]})], {"x_hands_me": "x['hands']['me']"}),
        ([deck(), deck()], {}),
        ([{1: 2}, {1: 3}], {"x": "keyed(x, (1,), (1,))"}),
        ([{(0, 1): [2], (3, 1): [2]}, {(0, 1): [3], (3, 1): [2]}], {"x": "keyed(x, [(0, 1), (3, 1)])"}),
        ([["a", None], ["b", "b"]], {"x": "letters(x, [None, 'a', 'b'])"}),
        ([["a"], ["b", "b"]], {"x": "pad(letters(x, ['a', 'b']), 4)", "x_count": "len(x)"}),
        (
            [[(1, "a")], []],
            {
                "x_0": "pad([item[0] for item in x], 8)",
                "x_1": "pad([{'a': 0}[item[1]] for item in x], 8)",
                "x_count": "len(x)",
            },
        ),
        (
            [[[1, 2], []], [[1], [4]]],
            {"x_0": "pad(x[0], 4)", "x_0_count": "len(x[0])", "x_1": "pad(x[1], 2)", "x_1_count": "len(x[1])"},
        ),
        (
            [[deck(hand=[1]), deck(hand=[])], [deck(hand=[]), deck(hand=[2])]],
            {
                "x_0_hand": "pad(x[0]['hand'], 2)",
                "x_0_hand_count": "len(x[0]['hand'])",
                "x_1_hand": "pad(x[1]['hand'], 2)",
                "x_1_hand_count": "len(x[1]['hand'])",
            },
        ),
        (
            [{"__class__": "m:Cards", "__items__": [1]}, {"__class__": "m:Cards", "__items__": [2]}],
            {"x": "x['__items__']"},
        ),
    ],
)
def test_every_kind_of_value_becomes_fields(values, fields):
    assert fields_of("x", values) == fields


@pytest.mark.parametrize(
    "values",
    [
        [None, None], [object()], [[1], ["a"]], [[1], None], [{1: None}, {1: 3}], [{"a": 1}, {"b": 1}],
        [[], []], [{1.5}, {2}], [{1, "a"}, {2}], [{0}, {10**6}], [1, [1]], [np.zeros(2), None], [[None, 1], [2]],
        [[[1], [1, 2]], []],
        [deck(left=2), None], [deck(who="a", seen={1.5}), deck(who="b", seen={2})],
        [[deck()], [deck(), {"__class__": "cards:Hand"}]], [[TWICE, TWICE]],
    ],
)  # fmt: skip
def test_what_no_rule_covers_is_refused_by_name(values):
    with pytest.raises(DraftError, match="x"):
        fields_of("x", values)


def test_a_list_of_places_has_room_for_all_of_them_and_one_of_things_for_twice_as_many():
    snake = [[(0, 0), (0, 1), (1, 1), (2, 1)], [(4, 3)]]
    assert fields_of("x", snake)["x"] == "table(x, 21, 2)"
    short = [[(i % 6, i // 6), (i // 6, i % 6 + 6)] for i in range(36)]
    assert fields_of("x", [[], *short])["x"] == "table(x, 73, 2)"  # two are always different, in many games
    assert fields_of("x", [[], *short[:9]])["x"] == "table(x, 4, 2)"
    assert fields_of("x", [[[*place, 1, 9] for place in body] for body in snake])["x"] == "table(x, 8, 4)"


def test_an_array_of_changing_shape_is_refused_as_such():
    with pytest.raises(DraftError, match=r"x is an array of changing shape, such as \(1, 4\) and \(2, 2\)"):
        fields_of("x", [np.ones((2, 2)), np.ones((1, 4))])


def test_an_attribute_that_some_rule_writes_is_state_even_if_it_was_never_seen_to_change():
    assert fields_of("x", [deck(left=2), deck(left=2)], changed={"left"}) == {"x_left": "x['left']"}


def test_every_form_can_be_read_in_a_contract():
    values = [[None, None], [[1, True], None]]
    read = contracts.parse(fields_of("x", values)["x"], "here")
    assert np.asarray(read({"x": values[1]})).tolist() == [[1, 1], [0, 0]]
    assert read.names == {"x"}


def test_two_parts_of_one_name_get_two_fields():
    assert [free("a", {}), free("a", {"a"}), free("a", {"a", "a_2"})] == ["a", "a_2", "a_3"]
    draft = draft_tables(seen(states=[{"_s": 1, "s": 2}], finals=[], drawn={}), SourceFacts())
    assert texts(draft.state) == {"s": "s", "s_2": "_s"}


def test_functions_of_more_than_numbers_are_left_out():
    assert function_arguments([{"hand": [1], "n": 2}, {"hand": [1, 2], "n": 3}]) == ["pad(hand, 4)", "len(hand)", "n"]
    assert function_arguments([{"deck": object()}]) is None
    assert function_arguments([{"deck": deck(left=1)}, {"deck": deck(left=2)}]) is None
    assert function_arguments([{"rows": [None, [1, 2]]}]) is None


def test_luck_has_room_for_more_than_was_seen_unless_it_never_varies():
    draws = {("a.py:1 deal", "choice"): 3, ("a.py:2 deal", "choice"): 1, ("a.py:9 _spin", "random"): 1}
    assert chance_of(draws, {}, ["deal"]) == {"deal": "pad(draws('deal'), 4)", "spin": "draws('_spin', 0)"}
    once = {place: count for place, count in draws.items() if place[0] != "a.py:2 deal"}
    assert chance_of(once, {}, [])["deal"] == "pad(draws('deal'), 6)"
    assert chance_of(draws, {"deal": "why"}, []) == {"spin": "draws('_spin', 0)"}


def test_what_stands_in_a_while_has_room_even_if_it_was_never_drawn_twice():
    draws = {("a.py:4 place", "randint"): 1, ("a.py:5 place", "randint"): 1, ("a.py:9 spin", "random"): 1}
    assert chance_of(draws, {}, ["place"], again={"place:4", "place:5"}) == {
        "place": "pad(draws('place:4'), 8)", "place_2": "pad(draws('place:5'), 8)", "spin": "draws('spin', 0)",
    }  # fmt: skip
    assert chance_of(draws, {}, ["place"], again={"spin"})["spin"] == "pad(draws('spin'), 8)"


def test_the_shape_of_luck_is_that_of_the_lines_which_draw_it():
    drawn = {("place", "choice"): [Draw("a.py:1 place", "choice", np.arange(2)), Draw("a.py:2 place", "choice", 3)]}
    assert chance_of({("a.py:1 place", "choice"): 1}, {}, [], drawn) == {"place": "draws('place', 0, (2,))"}
    assert chance_of({("a.py:2 place", "choice"): 1}, {}, [], drawn) == {"place": "draws('place', 0)"}


def test_lines_that_draw_in_no_fixed_order_or_in_different_shapes_have_a_field_each():
    draws = {("a.py:1 place", "integers"): 3, ("a.py:2 place", "integers"): 1}
    assert chance_of(draws, {}, []) == {"place": "pad(draws('place:1'), 6)", "place_2": "draws('place:2', 0)"}
    assert chance_of(draws, {}, ["place:1"])["place"] == "pad(draws('place:1'), 3)"
    assert list(chance_of(draws, {}, ["place"])) == ["place"]
    seen = [Draw("a.py:1 place", "integers", 3), Draw("a.py:2 place", "integers", np.arange(2))]
    assert chance_of(draws, {}, ["place"], {("place", "integers"): seen}) == {
        "place": "pad(draws('place:1'), 6)", "place_2": "draws('place:2', 0, (2,))",
    }  # fmt: skip


def test_a_function_that_draws_in_several_ways_has_a_field_for_each():
    draws = {("a.py:1 _spawn", "rand"): 2, ("a.py:2 _spawn", "randint"): 1}
    assert chance_of(draws, {}, []) == {
        "spawn_rand": "pad(draws('_spawn.rand'), 4)", "spawn_randint": "draws('_spawn.randint', 0)",
    }  # fmt: skip
    assert chance_of(draws, {}, ["_spawn.rand"])["spawn_rand"] == "pad(draws('_spawn.rand'), 2)"
    assert list(chance_of(draws, {"_spawn.rand": "why"}, [])) == ["spawn_randint"]


def test_what_is_chosen_from_lists_that_change_is_handed_over_by_its_index():
    draws = {("a.py:1 step", "choice"): 1, ("a.py:1 deal", "choice"): 3, ("a.py:1 <listcomp>", "random"): 1}
    assert chance_of(draws, {}, ["deal.choice"], picked=[("step", "choice"), ("deal", "choice")]) == {
        "step": "picks('step.choice', 0)", "deal": "pad(picks('deal.choice'), 3)", "listcomp": "draws('<listcomp>', 0)",
    }  # fmt: skip


def test_draws_of_several_shapes_by_one_method_are_refused():
    drawn = {("f", "normal"): [Draw("a.py:1 f", "normal", 0.5), Draw("a.py:1 f", "normal", np.zeros(2))]}
    with pytest.raises(DraftError, match=r"f draws normal of the shapes \(\) and \(2,\)"):
        chance_of({("a.py:1 f", "normal"): 2}, {}, [], drawn)


def test_numbers_that_float32_cannot_hold_are_noticed():
    assert survives_float32(reals_in([0.5]))
    assert survives_float32(reals_in([1, [2.0, float("nan")]]))
    assert not survives_float32(reals_in([0.1]))
    assert not survives_float32(reals_in({"a": np.array([0.5, 1e300])}.values()))


def test_only_what_is_computed_is_equal_up_to_rounding():
    """A float32 that the reference has computed in float64 is not what float32 computes; a map of ones and zeros is."""
    third = np.float32(1) / 3
    assert is_computed(reals_in([np.array([1.0, third], np.float32)]))
    assert not is_computed(reals_in([np.array([1.0, -0.5, np.inf], np.float32)]))
    still = {"finals": [], "drawn": {}, "observations": [np.eye(2)]}
    late = draft_tables(seen(states=[{"x": third, "map": np.eye(2)}], **still), SourceFacts())
    assert (late.rounded, late.why_rounded) == (["state.x"], LATE)
    wide = draft_tables(seen(states=[{"x": third}], rewards=[0.1], **still), SourceFacts())
    assert (wide.rounded, wide.why_rounded) == (["state.x", "reward"], WIDE)


def test_of_an_object_only_the_parts_that_are_computed_are_rounded():
    states = [{"d": deck(left=2, at=0.1)}, {"d": deck(left=1, at=0.2)}]
    draft = draft_tables(seen(states=states, finals=[], drawn={}, observations=[1]), SourceFacts())
    assert draft.rounded == ["state.d_at"]


def test_a_mask_that_the_translation_does_not_give_is_ignored_with_a_reason():
    drafts = [
        draft_tables(seen(states=[{"x": 1}], finals=[], drawn={}, masked=m), SourceFacts()) for m in (True, False)
    ]
    assert ["reference.legal" in draft.ignored for draft in drafts] == [True, False]


def seen(**changes) -> WatchedPlay:
    """A game with a score, a hand that grows in the last step, a drawn suit and a real number."""
    state = {"score": 1, "hand": [1, 2], "suit": "H", "x": 0.1, "elapsed_steps": 3}
    base = {
        "states": [state], "finals": [state | {"hand": [1, 2, 3]}], "start_draws": {("g.py:1 reset", "choice"): 1},
        "step_draws": {}, "calls": {}, "steady": set(),
        "drawn": {("reset", "choice"): [Draw("g.py:1 reset", "choice", "H")]},
        "observations": [np.full(2, 0.1, np.float32)], "rewards": [1.0],
    }  # fmt: skip
    return WatchedPlay(**{**base, **changes})


def test_a_text_in_the_observation_is_named():
    observations = [{"image": np.zeros(2), "mission": "get to the goal"}]
    draft = draft_tables(seen(states=[{"d": 1}], finals=[], drawn={}, observations=observations), SourceFacts())
    assert "The observation holds the text 'get to the goal', which is no number" in draft.problems[0]


def test_a_whole_draft_is_a_contract_that_can_be_read():
    draft = draft_tables(seen(max_episode_steps=100), SourceFacts(drawn=["suit"]))
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
    assert "time" not in draft_tables(seen(), SourceFacts(drawn=["suit"])).state


def test_luck_that_is_text_and_matters_is_refused():
    (problem,) = draft_tables(seen(states=[{"score": 1}], finals=[]), SourceFacts()).problems
    assert "reset draws what is not a number" in problem


def test_a_text_that_is_chosen_from_a_list_is_luck_by_its_index():
    drawn = {("reset", "choice"): [Draw("g.py:1 reset", "choice", "H", (2, 4))]}
    draft = draft_tables(seen(states=[{"score": 1}], finals=[], drawn=drawn), SourceFacts())
    assert texts(draft.start) == {"reset": "picks('reset.choice', 0)"}


def test_what_never_changes_or_is_never_read_is_ignored_with_that_reason():
    states = [{"deck": deck(), "names": ["a"], "hand": [], "n": 1}, {"deck": deck(), "names": ["a"], "n": 1}]
    draft = draft_tables(seen(states=states, finals=[], drawn={}), SourceFacts(unread=["hand"]))
    assert texts(draft.state) == {"n": "n"}
    assert draft.ignored == {
        "reference.deck": "it never changes in value", "reference.names": "it never changes in value",
        "reference.hand": "nothing reads it",
    }  # fmt: skip
    problem = draft_tables(seen(states=states, finals=[], drawn={}), SourceFacts()).problems
    assert problem == ["hand is not there in every state; say in [ignored] why it does not matter."]


def test_a_log_is_ignored_but_a_number_that_nothing_reads_is_compared():
    states = [{"log": [], "last": 1, "kept": [1]}, {"log": [2, 3], "last": 2, "kept": [2]}]
    draft = draft_tables(seen(states=states, finals=[], drawn={}), SourceFacts(unread=["log", "last"]))
    assert texts(draft.state) == {"kept": "kept", "last": "last"}
    assert draft.ignored == {"reference.log": "nothing reads it"}


def test_what_only_a_person_can_decide_is_written_down_and_the_rest_is_drafted():
    states = [{"score": 1, "map": object()}, {"score": 2, "map": object()}]
    draft = draft_tables(seen(states=states, finals=[], drawn={}), SourceFacts())
    assert texts(draft.state) == {"score": "score"}
    assert "map is a object" in draft.problems[0]
    text = contract_text("m:G", "g.env:G", draft, None, [])
    assert "# TODO: map is a object, which no rule puts into numbers; write a line for it in [state]" in text


def test_an_empty_draft_has_no_empty_tables():
    text = contract_text("m:G", "g.env:G", Draft(state={"s": Plain(("s",))}), None, [])
    assert [line for line in text.splitlines() if line.startswith("[")] == ["[state]", "[outcome]"]


def test_a_tuple_or_none_is_a_tuple_that_was_never_seen():
    assert fields_of("x", [None, (0, 3), (2, -1)]) == {"x": "none(x, (-2, -2))"}
    for other in ([0, 3], (0.5, 1.0), (0, 1, 2), np.zeros(2)):
        with pytest.raises(DraftError, match="sometimes a list and sometimes None"):
            fields_of("x", [None, (0, 3), other])
