"""Lockstep: which difference is the first, where it is in its game, and whom it is blamed on."""

import dataclasses

import numpy as np
import pytest

from envwright.envs.pong import Pong, rules
from envwright.envs.pong.env import observe
from envwright.verify import contract as contracts
from envwright.verify.lockstep import Place, Recording, Seen, bits, compare
from envwright.verify.pong import CONTRACT, lockstep


def test_the_first_difference_is_the_earliest_step_whatever_the_order_of_fields():
    want = {"a": np.zeros((3, 2), np.float32), "b": np.zeros((3, 2), np.int32)}
    got = {"a": want["a"].copy(), "b": want["b"].copy()}
    got["a"][2, 1] = 1
    got["b"][1, 0] = 3
    assert compare(want, got) == (int(np.bitwise_count(np.float32(1).view(np.uint32))) + 2, Place("b", (1, 0), 0, 3))


def test_within_a_step_a_field_of_the_state_explains_what_is_seen():
    want = {"observation": np.zeros((1, 1, 4), np.float32), "x": np.zeros((1, 1), np.float32)}
    got = {name: values + 1 for name, values in want.items()}
    place = compare(want, got)[1]
    assert place is not None
    assert place.name == "x"


@pytest.mark.parametrize(("want", "got", "same"), [(0.0, -0.0, False), (np.nan, np.nan, True), (1.0, 1.0, True)])
def test_bits_decide_so_zero_is_not_minus_zero_and_nan_is_nan(want, got, same):
    a, b = (np.full((1, 1), x, np.float32) for x in (want, got))
    assert (compare({"x": a}, {"x": b})[1] is None) == same


def test_another_dtype_is_a_difference_even_with_equal_values():
    want, got = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.uint32)
    place = compare({"x": want}, {"x": got})[1]
    assert place is not None
    assert (place.expected, place.got) == ("int32 of shape (1, 1)", "uint32 of shape (1, 1)")


def test_booleans_and_floats_have_bits():
    assert bits(np.array([True, False])).tolist() == [1, 0]
    assert bits(np.array([1.0], np.float32)).tolist() == [0x3F800000]


class TwoGames:
    """A reference that stands still."""

    num_envs = 2
    obs = np.zeros((2, 1), np.float32)
    reward = np.zeros(2, np.float32)
    terminated = np.zeros(2, bool)
    fields = {"x": np.array([5, 6])}  # noqa: RUF012
    chance = np.zeros(2, np.int32)

    def reset(self) -> None: ...

    def step(self, actions) -> None: ...


def recording(ends: list[int]) -> Recording:
    """Four steps of two games; the first game ends in the steps given."""
    terminated = np.zeros((4, 2), bool)
    terminated[ends, 0] = True
    x = np.arange(8).reshape(4, 2)
    outcome = {"observation": np.zeros((4, 2, 1), np.float32), "terminated": terminated, "x": x}
    return Recording(10 * x, x, outcome)


def test_a_parting_knows_its_episode_its_step_and_the_state_before():
    seen = Seen(TwoGames())
    first = seen.parting(Place("x", (0, 1), 6, 7), recording([]))
    assert (first.column, first.game, first.episode, first.step) == ("state.x", 1, 0, 0)
    assert first.before == {"observation": [0.0], "x": 6}
    seen.go_on(recording([0, 2]))
    assert seen.finished == 2
    later = seen.parting(Place("reward", (2, 0), 0, 1), recording([1]))
    assert (later.column, later.episode, later.step) == ("reward", 3, 0)
    assert (later.before["x"], later.action, later.chance, later.ended) == (2, 40, 4, False)
    assert seen.parting(Place("x", (1, 0), 0, 1), recording([1]))[2:4] == (2, 2)
    assert seen.parting(Place("x", (1, 0), 0, 1), recording([1])).ended
    assert seen.parting(Place("log.n", (3, 1), 0, 1), recording([])).step == 7


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
class FreshSight(Pong):
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
        (FreshSight(), "observation", "observation"),
    ],
)
def test_a_faulty_translation_is_caught_and_traced_to_its_module(faulty, column, module):
    check = lockstep(contracts.load(CONTRACT), faulty, episodes=300)
    assert not check.passed
    assert [(d.column, d.module) for d in check.divergences] == [(column, module)]


@pytest.mark.usefixtures("pong_library")
@pytest.mark.parametrize("frameskip", [1, 8])
def test_a_faulty_phase_is_found_in_the_frame_that_shows_it_first(frameskip, monkeypatch, tmp_path):
    monkeypatch.setattr(rules, "spin", lambda ball_vy, paddle_dir, params: ball_vy)
    check = lockstep(contracts.load(CONTRACT), Pong(frameskip=frameskip), episodes=10, folder=tmp_path)
    (found,) = check.divergences
    assert found.module == "spin"
    assert "ball_vy" in found.input
    assert found.replay.startswith(f"envwright replay {tmp_path}")


@pytest.mark.usefixtures("pong_library")
def test_what_is_logged_of_a_game_is_compared_too(monkeypatch):
    whole = rules.summary
    monkeypatch.setattr(rules, "summary", lambda final: whole(final).replace(perf=whole(final).score))
    check = lockstep(contracts.load(CONTRACT), Pong(frameskip=8), episodes=300)
    assert [(d.column, d.module) for d in check.divergences] == [("log.perf", "summary")]
