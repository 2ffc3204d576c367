"""Codecs: the text of each is read back as the same codec, and gives what it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwright.references.protocol import Draw
from envwright.verifier.codecs import (
    Cast,
    Column,
    Count,
    DrawnValues,
    Enumerated,
    Flags,
    Joined,
    KeyedDict,
    Letters,
    OrNone,
    Padded,
    Plain,
    Present,
    RowsOrNone,
    RowTable,
    Unless,
)
from envwright.verifier.expression import parse

names = st.sampled_from(["x", "deck", "_s"])
keys = st.text(max_size=6) | st.integers(-9, 9) | st.tuples(st.integers(0, 5), st.integers(0, 5))
parts = st.builds(lambda name, inner: (name, *inner), names, st.lists(keys, max_size=3))
places = st.lists(st.integers(-3, 9), min_size=1, max_size=3).map(tuple)
texts = st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True).map(tuple)
plain = st.builds(Plain, parts)
boxed = [st.builds(form, plain, places, places) for form in (Flags, KeyedDict)]
listed = [st.builds(form, plain, texts.map(list)) for form in (Flags, KeyedDict)]
whole = st.one_of(plain, st.builds(Enumerated, parts, texts), st.builds(OrNone, plain, st.integers() | places))
letters = st.builds(Letters, plain | boxed[1], texts.map(list))
drawn = st.builds(
    DrawnValues, st.sampled_from(["f", "f.choice", "f:87"]), st.integers(0, 3), st.just(()) | places, st.booleans()
)
item = st.builds(lambda key: Plain(("item", key)), keys)
columns = st.builds(Column, parts, item | st.builds(Cast, item, st.sampled_from(["list", "tuple"])))
padded = st.builds(Padded, plain | letters | columns | st.just(DrawnValues("f")), st.integers(1, 99))
padded |= st.builds(Padded, columns, st.integers(1, 99), st.just(False), places)
codecs = st.one_of(
    whole, *boxed, *listed, letters, drawn, columns, padded,
    st.builds(Cast, plain, st.sampled_from(["array", "int", "float"])),
    st.builds(Unless, whole, parts, st.integers(-9, 0)),
    st.builds(RowTable, plain, st.integers(1, 9), st.integers(1, 9)),
    st.builds(RowsOrNone, parts, st.just(0) | st.just([0, 0])),
    *(st.builds(form, plain) for form in (Joined, Count)), st.builds(Present, parts),
)  # fmt: skip


@given(codecs)
def test_the_text_of_a_codec_is_read_as_that_codec(codec):
    read = parse(str(codec), "here")
    assert read.codec == codec
    assert str(read.codec) == str(codec)


@pytest.mark.parametrize(
    ("codec", "text", "x", "value"),
    [
        (Plain(("x", "a", 0)), "x['a'][0]", {"a": [7]}, 7),
        (Cast(Plain(("x",)), "array"), "array(x)", (1, 2), [1, 2]),
        (Joined(Plain(("x",))), "joined(x)", {"a": 1, "b": [2, 3]}, [1, 2, 3]),
        (OrNone(Plain(("x",)), -1), "none(x, -1)", None, -1),
        (Unless(Plain(("x", "value")), ("x",), 0), "x['value'] if x is not None else 0", None, 0),
        (Enumerated(("x",), ("a", "b'")), """{'a': 0, "b'": 1}[x]""", "b'", 1),
        (Count(Plain(("x",))), "len(x)", {3, 4}, 2),
        (Padded(Plain(("x",)), 4), "pad(x, 4)", [5, 6], [5, 6, 0, 0]),
        (Padded(Letters(Plain(("x",)), ["A", "K"]), 3), "pad(letters(x, ['A', 'K']), 3)", ["K"], [1, 0, 0]),
        (RowTable(Plain(("x",)), 2, 2), "table(x, 2, 2)", [(1, 2)], [[1, 2], [0, 0]]),
        (Padded(Column(("x",), Plain(("item", "y"))), 2), "pad([item['y'] for item in x], 2)", [{"y": 3}], [3, 0]),
        (Flags(Plain(("x",)), (1,), (3,)), "flags(x, (1,), (3,))", {3}, [False, False, True]),
        (Flags(Plain(("x",)), ["a", "b"]), "flags(x, ['a', 'b'])", {"b"}, [False, True]),
        (KeyedDict(Plain(("x",)), [2, 5]), "keyed(x, [2, 5])", {2: 7, 5: 8}, [7, 8]),
        (RowsOrNone(("x",), [0, 0]), "[row if row is not None else [0, 0] for row in x]", [None, [1, 2]],
         [[0, 0], [1, 2]]),
        (Present(("x",)), "[row is not None for row in x]", [None, 3], [False, True]),
    ],
)  # fmt: skip
def test_every_codec_has_its_text_and_its_value(codec, text, x, value):
    assert str(codec) == text
    assert np.array_equal(np.ma.filled(np.ma.asarray(parse(text, "here")({"x": x}))), value)


def test_draws_are_read_by_function_method_or_line():
    draws = [Draw("g.py:87 f", "choice", 4, (2, 3))]
    for codec, value in ((DrawnValues("f:87", 0), 4), (DrawnValues("f.choice", 0, picks=True), 2)):
        read = parse(str(codec), "here")
        assert read({}, draws) == value
        assert read.draws == {codec.function}


@pytest.mark.parametrize(
    "text",
    [
        "x + 1", "pad(x, y)", "pad(x, 3, 0, (), 5)", "pad(x, size=3)", "{'a': 1}[x]", "x if y else 0",
        "[row for row in x if row]", "[a for row in x]", "draws('f', i)", "draws(f)", "categorical(p, draws('f', 0))",
        "x[[0, 1]]", "table(x, 2)", "{[1]: 0}[x]", "round(x)",
    ],
)  # fmt: skip
def test_other_expressions_have_no_codec(text):
    assert parse(text, "here").codec is None


def test_draws_inside_of_other_expressions_are_known():
    assert parse("categorical(p, draws('step.random', 0))", "here").draws == {"step.random"}
    assert parse('{"draws": 0}[x]', "here").draws == frozenset()
