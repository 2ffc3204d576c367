"""Ordinary Gymnasium environments as candidates, against Gymnasium itself."""

from typing import Any

import numpy as np
import pytest
from conformance import check, forget, same, some_actions, state_of

from envwright.candidates.gymnasium_env import TRIAL, GymnasiumCandidate, gymnasium_candidate
from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.core.spaces import Box, Discrete
from envwright.references.protocol import Outcome

gymnasium: Any = pytest.importorskip("gymnasium")

SEEDS = np.arange(3, dtype=np.uint32)


@pytest.mark.parametrize(
    "id", ["CartPole-v1", "MountainCar-v0", "Pendulum-v1", "Acrobot-v1", "FrozenLake-v1", "Taxi-v4"]
)
def test_it_keeps_what_a_candidate_promises(id: str) -> None:
    check(gymnasium_candidate(id))


@pytest.mark.filterwarnings("ignore:.*You are calling 'step")
@pytest.mark.parametrize("id", ["CartPole-v1", "MountainCar-v0", "Pendulum-v1", "Acrobot-v1"])
def test_a_step_is_gymnasiums_own_step_and_the_end_does_not_reset(id: str) -> None:
    candidate = gymnasium_candidate(id)
    actions = some_actions(candidate, (1, 60), seed=1)
    env = gymnasium.make(id)
    obs, _ = env.reset(seed=0)
    new = candidate.init(SEEDS[:1])
    assert np.array_equal(new["observation"][0], obs)
    assert np.array_equal(new["state.state"][0], env.unwrapped.state)
    now, terminated = state_of(new), False
    for step in range(60):
        outcome = candidate.step(now, actions[:, step])
        obs, reward, terminated, truncated, _ = env.step(actions[0, step])
        assert np.array_equal(outcome["observation"][0], obs)
        assert np.array_equal(outcome["state.state"][0], np.asarray(env.unwrapped.state))
        if not terminated:  # after an end CartPole pays by `steps_beyond_terminated`, None at first and so no field
            assert outcome["reward"][0] == reward
        assert (outcome["terminated"][0], outcome["truncated"][0]) == (terminated, truncated)
        now = state_of(outcome)
    assert now["elapsed_steps"].tolist() == [60]
    assert terminated == (id == "CartPole-v1")


def test_games_played_on_know_more_than_their_columns() -> None:
    candidate = gymnasium_candidate("CartPole-v1")
    played = candidate.play(state_of(candidate.init(SEEDS)), np.ones((3, 40), np.int64))
    end = played["terminated"].argmax(1)
    assert [played["reward"][game, end[game]] for game in range(3)] == [1, 1, 1]
    assert [played["reward"][game, end[game] + 1] for game in range(3)] == [0, 0, 0]


def test_the_time_limit_of_the_id_truncates() -> None:
    candidate = gymnasium_candidate("CartPole-v1")
    state = {**state_of(candidate.init(SEEDS)), "elapsed_steps": np.array([498, 499, 500])}
    assert candidate.step(state, np.zeros(3))["truncated"].tolist() == [False, True, True]


def test_luck_is_by_seed() -> None:
    candidate = gymnasium_candidate("FrozenLake-v1")
    state = {"s": np.full(40, 14), "elapsed_steps": np.zeros(40, int)}
    outcome = candidate.step(state, np.full(40, 2))
    assert len(set(outcome["state.s"].tolist())) == 3
    assert same(outcome, candidate.step(state, np.full(40, 2)))


def test_attributes_whose_shape_changes_are_no_fields() -> None:
    kinds = gymnasium_candidate("Blackjack-v1").kinds()
    assert {name for name in kinds if name.startswith("state.")} == {"state.elapsed_steps"}
    assert {"observation.0", "observation.1", "observation.2"} <= set(kinds)


def test_double_precision_is_what_it_already_has() -> None:
    candidate = gymnasium_candidate("CartPole-v1")
    assert candidate.in_float64() is candidate
    assert gymnasium_candidate("FrozenLake-v1").in_float64() is None


def test_functions_are_called_on_each_row() -> None:
    candidate = gymnasium_candidate("Pendulum-v1")
    angles = np.array([0.0, 4.0, -4.0])
    assert np.allclose(candidate.call("angle_normalize", [angles]), [0, 4 - 2 * np.pi, 2 * np.pi - 4])


def test_spaces_are_ours() -> None:
    assert gymnasium_candidate("CartPole-v1").action_space == Discrete(2)
    assert gymnasium_candidate("Pendulum-v1").action_space == Box(-2.0, 2.0, (1,))


def test_a_field_of_another_shape_is_refused() -> None:
    candidate = gymnasium_candidate("CartPole-v1")
    with pytest.raises(EnvwrightError, match=r"field state has the shape \(4,\), but the contract gives it \(3,\)"):
        candidate.step({"state": np.zeros((1, 3))}, np.zeros(1))


class Growing:
    """A list that grows only after the trial games, and a word that is said at every step of them but not later."""

    action_space = Discrete(2)
    players = 1

    def __init__(self) -> None:
        self.cards, self.steps = [1], 0

    def reset(self, seed: int | None = None, tape: Any = None) -> Outcome:
        return Outcome(np.float32(0), 0.0, False, False, {}, ())

    def step(self, action: Any, tape: Any = None) -> Outcome:
        self.steps += 1
        late = self.steps > TRIAL[0] * TRIAL[1]
        if late and action == 1:
            self.cards = [1, 2]
        return Outcome(np.float32(0), 0.0, False, False, {} if late and self.steps % 2 else {"word": 1}, ())

    def snapshot(self) -> dict[str, Any]:
        return {"cards": self.cards}

    def restore(self, snapshot: Any) -> None: ...

    def sample_action(self, rng: Any) -> int:
        return 0


def growing() -> GymnasiumCandidate:
    reference: Any = Growing()
    return GymnasiumCandidate(reference, "growing")


def test_a_field_that_grows_later_on_is_named() -> None:
    candidate = growing()
    assert candidate.step({}, np.zeros(1))["state.cards"].tolist() == [[1]]
    with pytest.raises(
        EnvwrightError, match=r"growing's state.cards had the shape \(1,\) in trial games, but is now \(2,\)"
    ):
        candidate.step({}, np.ones(1))


def test_what_info_does_not_always_say_is_no_column() -> None:
    candidate = growing()
    assert "info.word" in candidate.kinds()
    assert "info.word" not in candidate.step({}, np.zeros(2))


def test_an_unknown_id_is_told_with_its_neighbours() -> None:
    with pytest.raises(EnvwrightError, match="Gymnasium has no environment 'CartPole-v9'; did you mean CartPole-v"):
        gymnasium_candidate("CartPole-v9")


def test_without_gymnasium_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch, "gymnasium")
    with pytest.raises(MissingExtraError, match=r"'gymnasium'.*pip install 'envwright\[reference\]'"):
        gymnasium_candidate("CartPole-v1")
