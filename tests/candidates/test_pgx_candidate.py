"""pgx's games as candidates, against pgx itself."""

from typing import Any

import jax
import numpy as np
import pytest
from conformance import as_columns, check, forget, keys, same, some_actions, state_of

from envwright.candidates.outside import as_by_default
from envwright.candidates.pgx_env import pgx_candidate
from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.core.spaces import Discrete

pgx: Any = pytest.importorskip("pgx")

GAMES = 32
SEEDS = np.arange(GAMES, dtype=np.uint32)


def follow(candidate: Any, env: Any, steps: int) -> dict[str, np.ndarray]:
    """Play candidate and pgx side by side, each step of game i with key i; the last outcome."""
    own_step = jax.jit(jax.vmap(env.step))
    new = candidate.init(SEEDS)
    actions = some_actions(candidate, (GAMES, steps))
    with as_by_default():
        state = jax.jit(jax.vmap(env.init))(keys(GAMES))
        assert same(new, as_columns(new, state.observation, state))
        now, outcome = state_of(new), {}
        for step in range(steps):
            chance = candidate.draw(SEEDS, now, actions[:, step]) if candidate.takes_chance else None
            outcome = candidate.step(now, actions[:, step], chance)
            state = own_step(state, actions[:, step].astype(np.int32), keys(GAMES))
            own = as_columns(
                outcome,
                state.observation,
                state,
                reward=state.rewards[:, 0],
                terminated=state.terminated,
                truncated=state.truncated,
            )
            assert same(own, outcome), step
            now = state_of(outcome)
    return outcome


@pytest.mark.parametrize("id", ["minatar-breakout", "tic_tac_toe"])
def test_it_keeps_what_a_candidate_promises(id: str) -> None:
    check(pgx_candidate(id))


@pytest.mark.parametrize(
    ("id", "steps"),
    [
        ("minatar-breakout", 60),
        pytest.param("minatar-asterix", 60, marks=pytest.mark.slow),
        pytest.param("minatar-freeway", 200, marks=pytest.mark.slow),
        pytest.param("minatar-seaquest", 120, marks=pytest.mark.slow),
        pytest.param("minatar-space_invaders", 120, marks=pytest.mark.slow),
    ],
)
def test_luck_drawn_and_then_used_is_pgxs_own_step(id: str, steps: int) -> None:
    candidate = pgx_candidate(id, sticky_action_prob=0.5)
    assert candidate.takes_chance
    outcome = follow(candidate, type(pgx.make(id))(sticky_action_prob=0.5), steps)
    assert outcome["terminated"].any() == (id != "minatar-freeway")  # which lasts for 2500 steps


@pytest.mark.parametrize("id", ["tic_tac_toe", pytest.param("2048", marks=pytest.mark.slow)])
def test_other_games_draw_by_key(id: str) -> None:
    candidate = pgx_candidate(id)
    assert not candidate.takes_chance
    follow(candidate, pgx.make(id), 12)


def test_luck_is_what_is_handed_in() -> None:
    candidate = pgx_candidate("minatar-breakout")
    assert set(candidate.chance_kinds()[0]) == {"ball_start"}
    assert set(candidate.chance_kinds()[1]) == {"sticky"}
    new = candidate.start({"ball_start": np.arange(2)}, 2)
    assert new["state._ball_x"].tolist() == [0, 9]
    state = {**state_of(new), "_last_action": np.full(2, 3)}  # to the right
    stuck = candidate.step(state, np.zeros(2, np.int32), {"sticky": np.array([True, False])})
    assert (stuck["state._pos"] - new["state._pos"]).tolist() == [1, 0]


def test_a_start_without_luck_takes_none() -> None:
    candidate = pgx_candidate("minatar-asterix")
    assert candidate.chance_kinds()[0] == {}
    assert candidate.start({}, 5)["state._player_x"].tolist() == [5] * 5


def test_sticky_luck_is_drawn_as_often_as_asked_for() -> None:
    seeds = np.arange(4096, dtype=np.uint32)
    candidate = pgx_candidate("minatar-breakout", sticky_action_prob=0.25)
    state = state_of(candidate.init(seeds))
    assert abs(candidate.draw(seeds, state, np.zeros(4096, np.int32))["sticky"].mean() - 0.25) < 0.03


def test_an_ended_game_stands_still() -> None:
    candidate = pgx_candidate("minatar-breakout")
    new = state_of(candidate.init(SEEDS))
    played = candidate.play(new, np.zeros((GAMES, 40), np.int32))
    over = int(played["terminated"].all(0).argmax())
    assert played["terminated"][:, over:].all(), "an end stays an end"
    assert (played["state._step_count"][:, -1] <= over + 1).all()
    assert (played["reward"][:, over + 1 :] == 0).all()


def test_the_reward_is_player_0s() -> None:
    candidate = pgx_candidate("tic_tac_toe")
    state = state_of(candidate.init(SEEDS))
    for cell in (0, 3, 1, 4, 2):
        outcome = candidate.step(state, np.full(GAMES, cell))
        state = state_of(outcome)
    assert outcome["terminated"].all()
    assert (outcome["reward"] == outcome["state.rewards"][:, 0]).all()
    assert set(outcome["reward"].tolist()) == {1.0, -1.0}, "pgx draws who begins"


def test_games_of_whole_numbers_have_no_double_precision() -> None:
    assert pgx_candidate("minatar-breakout").in_float64() is None


def test_actions_are_ours() -> None:
    assert pgx_candidate("minatar-breakout").action_space == Discrete(3)
    assert pgx_candidate("minatar-breakout", use_minimal_action_set=False).action_space == Discrete(6)


def test_an_option_that_makes_another_game_of_it_is_refused() -> None:
    with pytest.raises(EnvwrightError, match="with these options it is go_19x19"):
        pgx_candidate("go_9x9", komi=6.5)


def test_an_unknown_id_is_told_with_its_neighbours() -> None:
    with pytest.raises(EnvwrightError, match="pgx has no environment 'minatar-brekout'; did you mean minatar-breakout"):
        pgx_candidate("minatar-brekout")


def test_without_pgx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch, "pgx")
    with pytest.raises(MissingExtraError, match=r"'pgx'.*pip install 'envwright\[peers\]'"):
        pgx_candidate("minatar-breakout")
