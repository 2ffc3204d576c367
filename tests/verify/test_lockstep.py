"""L3 in lock-step: which difference is the first, where it is in its game, and whom it is blamed on."""

import dataclasses

import numpy as np
import pytest

from envwright.envs.pong import Pong, rules
from envwright.envs.pong.env import observe
from envwright.verifier.levels.l3_lockstep import Clock, Difference, bits_of, compare
from lockstepping import lockstep


def test_the_first_difference_is_the_earliest_step_whatever_the_order_of_columns():
    want = {"a": np.zeros((3, 2), np.float32), "b": np.zeros((3, 2), np.int32)}
    got = {"a": want["a"].copy(), "b": want["b"].copy()}
    got["a"][2, 1] = 1
    got["b"][1, 0] = 3
    assert compare(want, got) == (int(np.bitwise_count(np.float32(1).view(np.uint32))) + 2, Difference("b", 0, 1, 0, 3))


def test_within_a_step_a_field_of_the_state_explains_what_is_seen():
    want = {"observation": np.zeros((1, 1, 4), np.float32), "state.x": np.zeros((1, 1), np.float32)}
    got = {name: values + 1 for name, values in want.items()}
    found = compare(want, got)[1]
    assert found is not None
    assert found.column == "state.x"


@pytest.mark.parametrize(("want", "got", "same"), [(0.0, -0.0, False), (np.nan, np.nan, True), (1.0, 1.0, True)])
def test_bits_decide_so_zero_is_not_minus_zero_and_nan_is_nan(want, got, same):
    a, b = (np.full((1, 1), x, np.float32) for x in (want, got))
    assert (compare({"x": a}, {"x": b})[1] is None) == same


def test_another_dtype_is_a_difference_even_with_equal_values_and_so_is_a_missing_column():
    want, got = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.uint32)
    found = compare({"x": want}, {"x": got})[1]
    assert found is not None
    assert (found.expected, found.got) == ("int32 of shape ()", "uint32 of shape ()")
    missing = compare({"x": want}, {})[1]
    assert missing is not None
    assert missing.got == "no such column"


def test_booleans_and_floats_have_bits():
    assert bits_of(np.array([True, False])).tolist() == [1, 0]
    assert bits_of(np.array([1.0], np.float32)).tolist() == [0x3F800000]


def ends(*places: tuple[int, int]) -> np.ndarray:
    """Four steps of two games that end in these places."""
    ended = np.zeros((4, 2), bool)
    for game, step in places:
        ended[step, game] = True
    return ended


def test_a_clock_knows_the_episode_of_a_step_and_how_far_it_had_come():
    clock = Clock(2, ("one", "two"))
    assert clock.at(ends(), 1, 0) == (0, 0)
    clock.go_on(ends((0, 0), (0, 2)))
    assert (clock.finished, clock.steps) == (2, 8)
    assert clock.by_policy == {"one": 2, "two": 0}
    assert clock.at(ends((0, 1)), 0, 2) == (3, 0)
    assert clock.at(ends((0, 1)), 0, 1) == (2, 2)
    assert clock.at(ends(), 1, 3) == (0, 7)


# ---- blame, on Pong ----


@dataclasses.dataclass(frozen=True)
class SlowOpponent(Pong):
    """A fault: the opponent's paddle is a little slow."""

    def apply(self, state, action, chance, params):
        step = super().apply(state, action, chance, params)
        lag = (step.state.paddle_yl - state.paddle_yl) * 0.001
        return step._replace(state=step.state.replace(paddle_yl=step.state.paddle_yl - lag))


@dataclasses.dataclass(frozen=True)
class ClearsWin(Pong):
    """A fault: a reset that cleans up better than the reference's."""

    def inherit(self, old, new):
        return new.replace(paddle_dir=old.paddle_dir)


@dataclasses.dataclass(frozen=True)
class FreshObservation(Pong):
    """A fault: after a point it shows the new round, not the moment before."""

    def apply(self, state, action, chance, params):
        step = super().apply(state, action, chance, params)
        return step._replace(obs=observe(step.state, params))


@pytest.mark.usefixtures("pong_library")
@pytest.mark.parametrize(
    ("faulty", "column", "module"),
    [
        (SlowOpponent(), "state.paddle_yl", "paddles"),
        (ClearsWin(frameskip=8), "state.win", "reset"),
        (FreshObservation(), "observation", "observation"),
    ],
)
def test_a_faulty_translation_is_caught_and_traced_to_its_module(faulty, column, module):
    check = lockstep(faulty, 300)
    assert not check.passed
    assert [(d.column, d.module) for d in check.divergences] == [(column, module)]


@pytest.mark.usefixtures("pong_library")
def test_a_faulty_phase_is_found_in_the_step_that_shows_it_first(monkeypatch, tmp_path):
    monkeypatch.setattr(rules, "spin", lambda ball_vy, paddle_dir, params: ball_vy)
    (found,) = lockstep(Pong(), 10, tmp_path).divergences
    assert found.module == "spin"
    assert "ball_vy" in found.input
    assert found.smallest
    assert "in game" in found.note
    assert found.draws.keys() == {"reference", "candidate"}
    assert found.replay.startswith(f"envwright replay {tmp_path}")


@pytest.mark.usefixtures("pong_library")
def test_what_is_logged_of_a_game_is_compared_too(monkeypatch):
    whole = rules.summary
    monkeypatch.setattr(rules, "summary", lambda final: whole(final).replace(perf=whole(final).score))
    check = lockstep(Pong(frameskip=8), 300)
    assert [(d.column, d.module) for d in check.divergences] == [("log.perf", "summary")]
