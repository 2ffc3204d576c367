"""Jumanji's environments as candidates, against Jumanji itself."""

from typing import Any

import jax
import numpy as np
import pytest
from conformance import as_columns, check, close, forget, keys, some_actions, state_of

from envwright.candidates.jumanji_env import jumanji_candidate
from envwright.candidates.outside import as_by_default
from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.core.spaces import Box, Discrete

jumanji: Any = pytest.importorskip("jumanji")

GAMES = 16
SEEDS = np.arange(GAMES, dtype=np.uint32)


def test_it_keeps_what_a_candidate_promises() -> None:
    check(jumanji_candidate("Minesweeper-v0"))


@pytest.mark.parametrize(
    ("id", "steps"), [("Minesweeper-v0", 12), pytest.param("Game2048-v1", 12, marks=pytest.mark.slow)]
)
def test_a_step_is_jumanjis_own_step_and_the_end_does_not_reset(id: str, steps: int) -> None:
    candidate, env = jumanji_candidate(id), jumanji.make(id)
    own_step = jax.jit(jax.vmap(env.step))
    new = candidate.init(SEEDS)
    actions = some_actions(candidate, (GAMES, steps))
    ended = np.zeros(GAMES, bool)
    with as_by_default():
        state, seen = jax.jit(jax.vmap(env.reset))(keys(GAMES))
        assert close(new, as_columns(new, seen.observation, state))
        now = state_of(new)
        for step in range(steps):
            outcome = candidate.step(now, actions[:, step])
            state, seen = own_step(state, actions[:, step].astype(np.int32))
            over, cut = (seen.step_type == 2) & (seen.discount == 0), (seen.step_type == 2) & (seen.discount > 0)
            told = {"reward": seen.reward, "terminated": over, "truncated": cut, "info": seen.extras}
            assert close(as_columns(outcome, seen.observation, state, **told), outcome), step
            now = state_of(outcome)
            ended |= outcome["terminated"]
    assert (now["step_count"] == steps).all()
    assert ended.any() == (id != "Game2048-v1")  # 12 moves do not fill its board


def test_seeds_make_different_games_and_luck_is_in_the_state() -> None:
    candidate = jumanji_candidate("Minesweeper-v0")
    new = candidate.init(SEEDS)
    assert len({bytes(row) for row in new["state.flat_mine_locations"]}) == GAMES
    assert "key" in state_of(new)
    assert not candidate.takes_chance


def test_a_last_step_that_keeps_its_discount_truncates() -> None:
    candidate = jumanji_candidate("LevelBasedForaging-v0", time_limit=2)
    state = {**state_of(candidate.init(SEEDS[:2])), "step_count": np.array([0, 1])}
    outcome = candidate.step(state, np.zeros((2, 2), np.int32))  # both of its agents stay where they are
    assert outcome["truncated"].tolist() == [False, True]
    assert not outcome["terminated"].any()


@pytest.mark.slow
def test_a_time_limit_that_jumanji_calls_a_termination_is_one() -> None:
    candidate = jumanji_candidate("Snake-v1", time_limit=1)
    state = state_of(candidate.init(SEEDS))
    legal = state["action_mask"].argmax(1)
    outcome = candidate.step(state, legal)
    assert (outcome["terminated"].all(), outcome["truncated"].any()) == (True, False)


def test_spaces_are_ours() -> None:
    assert jumanji_candidate("Game2048-v1").action_space == Discrete(4)
    assert jumanji_candidate("Minesweeper-v0").action_space == Box(0.0, 9.0, (2,), np.dtype(np.int32))


def test_an_unknown_id_is_told_with_its_neighbours() -> None:
    with pytest.raises(EnvwrightError, match="Jumanji has no environment 'Snake-v7'; did you mean Snake-v1"):
        jumanji_candidate("Snake-v7")


def test_without_jumanji_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch, "jumanji")
    with pytest.raises(MissingExtraError, match=r"'jumanji'.*pip install 'envwright\[peers\]'"):
        jumanji_candidate("Snake-v1")
