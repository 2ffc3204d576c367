"""Plain data survives JSON, bit by bit."""

import json
import math
import struct
from collections import deque
from typing import Any

import numpy as np
import pytest

from envwright.core.errors import EnvwrightError
from envwright.references.plain import differences, from_json, same, to_json

PAYLOAD = struct.unpack(">d", bytes.fromhex("7ff8000000001234"))[0]
VALUES: list[Any] = [
    None,
    True,
    2**80,
    -0.0,
    0.1,
    5e-324,
    math.inf,
    math.nan,
    PAYLOAD,
    1j,
    complex(-0.0, math.nan),
    "a$",
    b"\x00\xff",
    [1, [2.5]],
    (1, (2,)),
    {"a": 1, "b": {"$": "x"}},
    {1: "a", (1, 2): "b", None: "c", "s": 4},
    pytest.param({1, 2, (3, "x")}, id="a set, whose order is not the same in two processes"),
    frozenset({1}),
    deque([1, 2], maxlen=3),
    np.array([[b"S", b"F"]], "S1"),
    np.array([True, False]),
    np.arange(6, dtype=np.int8).reshape(2, 3).T,
    np.array([1.5, -0.0], np.float32),
    np.array([np.nan, np.inf], np.float16),
    np.array(3),
    np.zeros((0, 3), np.uint64),
    np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
    np.array(["2020-01-01"], "M8[D]"),
    np.float32(0.1),
    np.int64(-3),
    np.bool_(True),
    np.str_("C"),
    np.float64(np.nan),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_bit_and_type_survives_json(value: Any) -> None:
    back = from_json(json.loads(json.dumps(to_json(value))))
    assert type(back) is type(value)
    assert same(back, value)
    assert differences({"x": value}, {"x": back}) == []


def test_values_that_merely_look_equal_differ() -> None:
    pairs = [(0.0, -0.0), (1, 1.0), (1, True), (math.nan, PAYLOAD), (np.float32(1), np.float64(1)), ([1], (1,))]
    pairs += [(np.zeros(2), np.zeros(2, np.float32)), (np.zeros(2), -np.zeros(2)), ({1: 2}, {1: 2, 3: 4})]
    assert not any(same(a, b) for a, b in pairs)


def test_differences_are_named_by_their_place() -> None:
    a = {"state": [1, 2, 3.0], "deck": {"__class__": "m:Deck", "cards": [1]}, "grid": np.zeros((2, 3)), "d": {1: 2}}
    b = {"state": [1, 2, 4.0], "deck": {"__class__": "m:Deck", "cards": [2]}, "grid": np.zeros((2, 3)), "d": {1: 3}}
    b["grid"][1, 2] = 1
    assert differences(a, b) == ["state[2]", "deck.cards[0]", "grid[1,2]", "d[1]"]
    assert differences(a, b, limit=1) == ["state[2]"]
    assert differences({"a": [1]}, {"a": [1, 2], "b": 0}) == ["a[1]", "b"]


def test_the_same_set_gives_the_same_text() -> None:
    one, two = set([0, 8]), set([8, 0])  # noqa: C405 - they iterate in different orders
    assert list(one) != list(two)
    assert json.dumps(to_json(one)) == json.dumps(to_json(two))


def test_what_is_not_plain_is_refused() -> None:
    with pytest.raises(EnvwrightError, match=r"builtins.object is not plain"):
        to_json([object()])
