"""States and actions to begin single steps from."""

from typing import Any

import numpy as np

from envwright.core.spaces import Box, Discrete
from envwright.verify.domain import Choice, Fixed, Real, Whole
from envwright.verify.synthesis import ActionSource, corners, invent, rounded

POOL = [{"a": i, "b": i / 7, "c": "x", "d": {"deep": i}} for i in range(10)]
DOMAINS: dict[str, Any] = {"a": Whole(100, 200), "b": Real(5.0, 6.0), "c": Choice(("x",)), "d": Fixed(({"deep": -1},))}
ACTIONS = ActionSource(Discrete(3), None)


def replaced(case: Any) -> set[str]:
    return {name for name, value in case.snapshot.items() if value not in [state[name] for state in POOL]}


def test_a_third_is_as_recorded_a_third_in_part_and_a_third_all_new():
    cases = invent(POOL, DOMAINS, ACTIONS, 300, np.random.default_rng(0))
    assert len(cases) == 300
    assert all(not replaced(case) for case in cases[::3])
    assert {len(replaced(case)) for case in cases[1::3]} == {1, 2, 3}
    assert all(replaced(case) == {"a", "b", "d"} for case in cases[2::3])
    assert {case.action for case in cases} == {0, 1, 2}
    assert POOL[3] == {"a": 3, "b": 3 / 7, "c": "x", "d": {"deep": 3}}  # what was recorded stays as it was


def test_corners_are_tried_one_at_a_time_under_every_action():
    cases = corners(POOL, DOMAINS, ACTIONS, np.random.default_rng(0), 1000)
    for value in (100, 101, 199, 200):
        assert [case.action for case in cases if case.snapshot["a"] == value] == [0, 1, 2]
    assert all(len(replaced(case)) <= 1 for case in cases)
    few = corners(POOL, DOMAINS, ACTIONS, np.random.default_rng(0), 5)
    assert len(few) == 5


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
