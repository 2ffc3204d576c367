"""Verdicts: what people read and what machines do."""

import json

import numpy as np
import pytest

from envwright.verify.lockstep import Recording, _compare, bits
from envwright.verify.verdict import VERSION, Divergence, Verdict, write

PASS = Verdict("L3", "a game", 200, 3, ("x",), 0, None, {"seed": 1})
FAIL = Verdict("L3", "a game", 200, 3, ("x",), 5, Divergence("x", 7, 2, "1.0", "2.0", "0", "-1"), {})


def test_a_pass_is_one_line_and_a_failure_names_the_place():
    assert PASS.text() == "L3 pass  a game: 3 episodes, 200 steps, 1 fields, 0 differing bits"
    assert "field x, step 7, environment 2: expected 1.0, got 2.0" in FAIL.text()
    assert "after action 0 with chance -1" in FAIL.text()


def test_the_file_is_versioned_and_passes_only_if_all_do(tmp_path):
    write([PASS, FAIL], tmp_path / "new" / "v.json")
    content = json.loads((tmp_path / "new" / "v.json").read_text())
    assert (content["version"], content["passed"]) == (VERSION, False)
    assert [v["passed"] for v in content["verdicts"]] == [True, False]
    assert content["verdicts"][1]["divergence"]["field"] == "x"
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["v.json"]


def recording(outcome: dict[str, np.ndarray]) -> Recording:
    return Recording(np.arange(6).reshape(3, 2), np.arange(6).reshape(3, 2) - 1, outcome)


def test_the_first_difference_is_the_earliest_step_whatever_the_order_of_fields():
    want = {"a": np.zeros((3, 2), np.float32), "b": np.zeros((3, 2), np.int32)}
    got = {"a": want["a"].copy(), "b": want["b"].copy()}
    got["a"][2, 1] = 1
    got["b"][1, 0] = 3
    differing, first = _compare(want, got, recording(want), before=100)
    assert first == Divergence("b", 101, 0, "np.int32(0)", "np.int32(3)", "2", "1")
    assert differing == int(np.bitwise_count(np.float32(1).view(np.uint32))) + 2


@pytest.mark.parametrize(("want", "got", "same"), [(0.0, -0.0, False), (np.nan, np.nan, True), (1.0, 1.0, True)])
def test_bits_decide_so_zero_is_not_minus_zero_and_nan_is_nan(want, got, same):
    a, b = (np.full((1, 1), x, np.float32) for x in (want, got))
    assert (_compare({"x": a}, {"x": b}, recording({}), 0)[1] is None) == same


def test_another_dtype_is_a_difference_even_with_equal_values():
    want, got = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.uint32)
    _, first = _compare({"x": want}, {"x": got}, recording({}), 0)
    assert first is not None
    assert (first.expected, first.got) == ("int32", "uint32")


def test_booleans_and_floats_have_bits():
    assert bits(np.array([True, False])).tolist() == [1, 0]
    assert bits(np.array([1.0], np.float32)).tolist() == [0x3F800000]
