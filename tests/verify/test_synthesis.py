"""States and actions to begin single steps from."""

from typing import Any

import numpy as np
import pytest

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete
from envwright.verifier.domain import Fixed, OneOf, Real, Whole
from envwright.verifier.synthesis import ActionSource, States, rounded

POOL = [{"a": i, "b": i / 7, "c": "x", "d": {"deep": i}} for i in range(10)]
DOMAINS: dict[str, Any] = {"a": Whole(100, 200), "b": Real(5.0, 6.0), "c": OneOf(("x",)), "d": Fixed(({"deep": -1},))}
ACTIONS = ActionSource(Discrete(3), None)


def replaced(case: Any) -> set[str]:
    return {name for name, value in case.snapshot.items() if value not in [state[name] for state in POOL]}


def test_a_third_is_as_recorded_a_third_in_part_and_a_third_all_new():
    cases = States(POOL, DOMAINS).invent(ACTIONS, 300, np.random.default_rng(0))
    assert len(cases) == 300
    assert all(not replaced(case) for case in cases[::3])
    assert {len(replaced(case)) for case in cases[1::3]} == {1, 2, 3}
    assert all(replaced(case) == {"a", "b", "d"} for case in cases[2::3])
    assert {case.action for case in cases} == {0, 1, 2}
    assert POOL[3] == {"a": 3, "b": 3 / 7, "c": "x", "d": {"deep": 3}}  # what was recorded stays as it was


def test_corners_are_tried_one_at_a_time_under_every_action():
    cases = States(POOL, DOMAINS).corners(ACTIONS, np.random.default_rng(0), 1000)
    for value in (100, 101, 199, 200):
        assert [case.action for case in cases if case.snapshot["a"] == value] == [0, 1, 2]
    assert all(len(replaced(case)) <= 1 for case in cases)
    few = States(POOL, DOMAINS).corners(ACTIONS, np.random.default_rng(0), 5)
    assert len(few) == 5


def test_parts_that_belong_together_come_from_one_recorded_state():
    states = States(POOL, DOMAINS, groups=(("a", "d"),))
    cases = states.invent(ACTIONS, 300, np.random.default_rng(0)) + states.corners(
        ACTIONS, np.random.default_rng(0), 99
    )
    assert all(case.snapshot["d"] == {"deep": case.snapshot["a"]} for case in cases)
    assert {case.snapshot["a"] for case in cases} == set(range(10))
    assert all(case.snapshot["b"] >= 5 for case in cases[2:300:3]), "the others are drawn as ever"
    for end in (0, 9):
        assert any(case.snapshot["a"] == end for case in cases[300:]), "corners are the ends of what was recorded"
    smaller = states.simpler({**POOL[7], "b": 5.5})
    assert {state["a"] for state in smaller if state["a"] != 7} == set(range(7))
    assert all(state["d"] == {"deep": state["a"]} for state in smaller)


def test_states_that_the_environment_makes_are_the_only_ones_that_are_invented():
    made = States(POOL, DOMAINS, possible=lambda rng, pool: {**pool[0], "a": 1000 + int(rng.integers(3))})
    cases = made.invent(ACTIONS, 300, np.random.default_rng(0)) + made.corners(ACTIONS, np.random.default_rng(0), 999)
    assert {case.snapshot["a"] for case in cases} == {*range(10), 1000, 1001, 1002}
    assert all(case.snapshot["b"] == case.snapshot["a"] / 7 for case in cases if case.snapshot["a"] < 1000)
    wrongs: list[Any] = [{"a": 1}, None]
    for wrong in wrongs:
        other = States(POOL, DOMAINS, possible=lambda rng, pool, wrong=wrong: wrong)
        with pytest.raises(EnvwrightError, match=r"`states` must give a state with a, b, c, d, but gave (a|None)\."):
            other.invent(ACTIONS, 3, np.random.default_rng(0))


def test_actions_of_several_players_are_one_each():
    two = ActionSource(Discrete(3), None, players=2)
    assert {tuple(two(np.random.default_rng(i))) for i in range(99)} == {(a, b) for a in range(3) for b in range(3)}
    assert [action.tolist() for action in two.all()] == [[a, b] for a in range(3) for b in range(3)]
    assert [action.tolist() for action in ActionSource(Discrete(9), None, players=2).all()] == [
        [a, a] for a in range(9)
    ]
    box = ActionSource(Box(-1.0, 1.0, (3,)), lambda rng: rng.random((2, 3)), players=2)
    assert all(box(np.random.default_rng(i)).shape == (2, 3) for i in range(20))


def test_actions_in_a_box_also_lie_in_its_corners_and_beyond():
    space = Box(-1.0, 2.0, (1,))
    source = ActionSource(space, lambda rng: rng.uniform(-1, 2, 1).astype(np.float32))
    drawn = np.array([source(np.random.default_rng(i)) for i in range(200)]).ravel()
    assert {-2.0, -1.0, 2.0, 4.0} <= set(drawn.tolist())
    assert ((drawn > -1) & (drawn < 2)).sum() > 80
    assert source.all() == []
    assert ACTIONS.all() == [0, 1, 2]
    assert ActionSource(Discrete(1000), None).all() == []


def test_rounding_touches_real_numbers_only():
    state = {"x": 0.1, "v": np.array([0.1, 0.2]), "n": 3, "s": "a", "t": (0.1, [0.3]), "m": {"k": 0.7}, "z": None}
    single = rounded(state, np.dtype(np.float32))
    assert single["x"] == float(np.float32(0.1))
    assert single["v"].dtype == np.float64
    assert single["v"].tolist() == [float(np.float32(0.1)), float(np.float32(0.2))]
    assert single["t"] == (float(np.float32(0.1)), [float(np.float32(0.3))])
    assert single["m"] == {"k": float(np.float32(0.7))}
    assert {name: single[name] for name in ("n", "s", "z")} == {"n": 3, "s": "a", "z": None}
    assert rounded(state, np.dtype(np.float64))["x"] == 0.1
