"""Expressions of a contract: what they can say, what they may not, and how they complain."""

import pickle

import numpy as np
import pytest

from envwright.references.protocol import Draw
from envwright.verifier.expression import ExpressionError, parse

DRAWS = (Draw("game.py:3 deal", "integers", 7), Draw("game.py:9 roll", "random", 0.5), Draw("game.py:3 deal", "x", 8),
         Draw("game.py:5 pick", "choice", 9, (2, 4)), Draw("game.py:5 pick", "choice", 9, (0, 3)))  # fmt: skip
NAMES = {"state": np.array([1.5, 2.5]), "cards": [3, 1], "nothing": None, "grid": np.eye(2), "letter": "a"}


def value(text: str, **more):
    return parse(text, "here")({**NAMES, **more}, DRAWS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("state[1]", 2.5),
        ("len(cards)", 2),
        ("int(state[0])", 1),
        ("float(cards[0])", 3.0),
        ("bool(cards)", True),
        ("abs(-3)", 3),
        ("min(cards)", 1),
        ("max(cards)", 3),
        ("sum(c * 2 for c in cards)", 8),
        ("any([c > 2 for c in cards])", True),
        ("all([c > 2 for c in cards])", False),
        ("sorted(cards)", [1, 3]),
        ("list((1, 2))", [1, 2]),
        ("tuple(cards)", (3, 1)),
        ("[i for i in range(2)]", [0, 1]),
        ("array(cards)", [3, 1]),
        ("pad(cards, 3)", [3, 1, 0]),
        ("pad(cards, 3, -1)", [3, 1, -1]),
        ("table([cards], 2, 2)", [[3, 1], [0, 0]]),
        ("pick(cards, 1)", 1),
        ("categorical([0.25, 0.5, 0.25], 0.25)", 1),
        ("categorical([0.25, 0.5, 0.25], 0.2)", 0),
        ("one_hot(1, 3)", [0, 1, 0]),
        ("none(nothing, -1)", -1),
        ("none(cards[0], -1)", 3),
        ("flat(grid)", [1, 0, 0, 1]),
        ("where(grid > 0, 2, 3)", [[2, 3], [3, 2]]),
        ("round(state[0] * 10)", 15),
        ("ord(letter)", 97),
        ("float32(0.1)", np.float32(0.1)),
        ("draws('deal')", [7, 8]),
        ("draws('deal', 1)", 8),
        ("draws('deal', -2)", 7),
        ("draws('deal.integers')", [7]),
        ("draws('deal.x', 0)", 8),
        ("picks('pick.choice', 0)", 2),
        ("pad(picks('pick'), 3)", [2, 0, 0]),
        ("1 if cards else 0", 1),
        ("{'a': 4}['a']", 4),
    ],
)
def test_what_an_expression_can_say(text, expected):
    np.testing.assert_array_equal(value(text), expected)


def test_luck_that_was_not_drawn_is_masked_wherever_it_goes():
    assert value("draws('deal', 2)") is np.ma.masked
    assert value("draws('nowhere', 0)") is np.ma.masked
    assert value("draws('deal.choice', 0)") is np.ma.masked
    assert value("picks('nowhere', 0)") is np.ma.masked
    assert value("categorical([0.5, 0.5], draws('nowhere', 0))") is np.ma.masked
    assert value("pick(cards, draws('nowhere', 0))") is np.ma.masked
    padded = value("pad(draws('deal'), 4)")
    assert padded.mask.tolist() == [False, False, True, True]
    assert padded.filled().tolist() == [7, 8, 0, 0]


def test_only_a_choice_of_one_has_an_index():
    with pytest.raises(ExpressionError, match=r"integers at game\.py:3 deal is not a choice of one from a list"):
        value("picks('deal')")


def test_categorical_is_the_first_index_whose_running_sum_passes():
    """As Gymnasium's categorical_sample, in double precision, where a third three times is not one."""
    thirds = [1 / 3] * 3
    for u in (0.0, np.nextafter(1 / 3, 0), 1 / 3, 2 / 3, np.nextafter(1, 0)):
        assert value("categorical(p, u)", p=thirds, u=u) == int(np.argmax(np.cumsum(thirds) > u))


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(ExpressionError, match=r"^here: the reference has no cadrs; did you mean cards\?$"):
        value("cadrs[0]")
    with pytest.raises(ExpressionError, match=r"has no zzz; it has cards, grid, letter, nothing, state\.$"):
        value("zzz")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(lambda: 1)()", "Lambda"),
        ("(x := 1)", "NamedExpr"),
        ("f'{cards}'", "JoinedStr"),
        ("cards.__class__", "Attribute"),
        ("__import__('os')", "Name"),
        ("__builtins__['__import__']('os')", "Name"),
        ("{c for c in cards}", "SetComp"),
        ("[*cards]", "Starred"),
    ],
)
def test_forbidden_syntax_is_named(text, kind):
    with pytest.raises(ExpressionError, match=f"uses {kind}, which a contract may not"):
        parse(text, "here")


def test_what_cannot_be_read_says_where_it_stands():
    with pytest.raises(ExpressionError, match=r"^c\.toml, \[state\] x: '1 \+' is not an expression: invalid syntax\.$"):
        parse("1 +", "c.toml, [state] x")
    with pytest.raises(ExpressionError, match="an expression is a string, but this is 3"):
        parse(3, "here")
    with pytest.raises(ExpressionError, match=r"'cards\[9\]' fails: list index out of range"):
        value("cards[9]")
    with pytest.raises(ExpressionError, match="2 values do not fit into 1"):
        value("pad(cards, 1)")
    with pytest.raises(ExpressionError, match="2 rows do not fit into 1"):
        value("table(grid, 1, 2)")


@pytest.mark.parametrize("text", ["open('x')", "eval('1')", "getattr(cards, 'sort')"])
def test_pythons_own_functions_are_out_of_reach(text):
    with pytest.raises(ExpressionError, match="the reference has no"):
        value(text)


def test_names_are_those_it_reads():
    assert parse("a + [b for b in c][0] + len(d.e) + draws('f', 0)", "").names == {"a", "c", "d"}


def test_a_part_of_the_reference_may_be_called_like_one_of_our_functions():
    expression = parse("round + table[0]", "")
    assert expression.names == {"round", "table"}
    assert expression({"round": 3, "table": [4]}) == 7


def test_it_travels_to_another_process():
    expression = parse("[c + state[0] for c in cards]", "here")
    again = pickle.loads(pickle.dumps(expression))
    assert (again.text, again.where, again.names) == (expression.text, "here", expression.names)
    assert again(NAMES) == [4.5, 2.5]


def test_a_dict_that_always_has_the_same_keys_is_an_array() -> None:
    assert value("keyed(stock, (1,), (3,))", stock={1: 5, 2: 0, 3: 7}).tolist() == [5, 0, 7]
    boxes = {(r, c): 10 * r + c for r in range(2) for c in range(3)}
    assert value("keyed(boxes, (0, 0), (2, 3))", boxes=boxes).tolist() == [[0, 1, 2], [10, 11, 12]]
    assert value("keyed(goods, [5, 1])", goods={5: [1, 2], 1: [3, 4]}).tolist() == [[1, 2], [3, 4]]
    for other in ({1: 5, 2: 0}, {1: 5, 2: 0, 3: 7, 4: 1}, {2: 0, 1: 5, 3: 7}):
        with pytest.raises(ExpressionError, match="the same keys in the same order"):
            value("keyed(stock, (1,), (3,))", stock=other)


def test_texts_are_numbers_of_an_alphabet() -> None:
    assert value("letters(board, [None, 'O', 'X'])", board=[["X", None], [None, "O"]]).tolist() == [[2, 0], [0, 1]]
    assert value("letters(row, ['.', 'X'])", row=np.array([".", "X"])).tolist() == [0, 1]
    with pytest.raises(ExpressionError, match="'Q' is none of the texts"):
        value("letters(row, ['.', 'X'])", row=[".", "Q"])
