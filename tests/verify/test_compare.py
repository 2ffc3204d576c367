"""What counts as equal."""

import numpy as np
import pytest

from envwright.verifier.compare import mismatches, unequal
from envwright.verifier.contract import read

HEAD = 'version = 1\nreference = "r"\ncandidate = "c"\n'
EXACT = read(HEAD)
ROUNDS = read(HEAD + "[[tolerance]]\ncolumns = ['reward', 'state.x']\nreason = 'float32'")
UNIT = float(np.spacing(np.float32(1)))


def differs(want, have, contract=EXACT, **more) -> list[bool]:
    return unequal(contract, {"reward": np.asarray(want)}, {"reward": np.asarray(have)}, **more)["reward"].tolist()


def test_every_column_is_looked_at_and_every_row():
    want = {"state.x": np.zeros((3, 2), int), "reward": np.zeros(3)}
    have = {"state.x": want["state.x"].copy(), "reward": want["reward"].copy()}
    have["state.x"][1, 1] = 4
    have["reward"][2] = 1
    bad = unequal(EXACT, want, have)
    assert {name: rows.tolist() for name, rows in bad.items()} == {
        "state.x": [False, True, False],
        "reward": [False, False, True],
    }
    found = mismatches(EXACT, want, have, 1, None, None)
    assert [(m.column, m.expected.tolist(), m.got.tolist(), m.allowed) for m in found] == [
        ("state.x", [0, 0], [0, 4], None)
    ]


def test_without_tolerance_a_last_bit_is_a_difference():
    assert differs(np.array([1, 1], np.float32), np.array([1, 1 + UNIT], np.float32)) == [False, True]


def test_the_references_number_is_rounded_to_the_candidates_type_first():
    assert differs([0.1], np.array([0.1], np.float32)) == [False]


def test_with_tolerance_a_few_units_are_none_and_more_are_one():
    within, beyond = 1 + 7 * UNIT, 1 + 10 * UNIT
    assert differs([1.0, 1.0], np.array([within, beyond], np.float32), ROUNDS) == [False, True]
    assert differs([1.0], [1 + 4 * UNIT], ROUNDS) == [True]  # in double precision units are smaller


def test_a_reference_that_shows_float32_is_not_held_to_double_precision():
    assert differs(np.array([1.0], np.float32), [1 + 4 * UNIT], ROUNDS) == [False]


def test_sensitivity_and_usual_size_widen_the_room():
    have = np.array([1e-3], np.float32)
    assert differs([0.0], have, ROUNDS) == [True]
    assert differs([0.0], have, ROUNDS, sensitivity={"reward": np.array([2e-4])}) == [False]
    assert differs([0.0], have, ROUNDS, scales={"reward": np.array(4000.0)}) == [False]
    assert differs([0.0], have, EXACT, sensitivity={"reward": np.array([1.0])}) == [True]  # where none is allowed


def test_tolerance_says_how_much_it_was():
    (found,) = mismatches(ROUNDS, {"reward": np.array([1.0])}, {"reward": np.array([2], np.float32)}, 0, None, None)
    assert found.allowed == pytest.approx(8 * UNIT)


@pytest.mark.parametrize("contract", [EXACT, ROUNDS])
def test_what_is_not_finite_must_be_so_on_both_sides(contract):
    nan, inf = np.nan, np.inf
    want = [1.0, nan, nan, inf, inf, 1.0]
    have = np.array([nan, 1.0, nan, inf, -inf, inf], np.float32)
    assert differs(want, have, contract) == [True, True, False, False, True, True]


def test_kinds_of_numbers_do_not_matter_but_values_do():
    assert differs([True, False], np.array([1, 1], np.int32)) == [False, True]
    assert differs([3, 4], np.array([3, 5], np.int8)) == [False, True]
    assert differs([2, 300], np.array([2, 44], np.uint8)) == [False, True]  # 300 is 44 in eight bits
    assert differs([1.0, 1.5], np.array([1, 1], np.int32)) == [False, True]
    assert differs([1.0, 2.0], np.array([True, True])) == [False, True]
    assert differs([np.nan], np.array([0], np.int32)) == [True]


def test_another_shape_is_another_value():
    assert differs(np.zeros((2, 3)), np.zeros((2, 4))) == [True, True]
