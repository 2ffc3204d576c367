"""pgx's games as candidates, against pgx itself."""

from typing import Any

import jax
import jax.numpy as jnp
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


def observed(env: Any, state: Any) -> Any:
    """What pgx shows to the current player is what the candidate shows to that player."""
    if env.num_players == 1:
        return state.observation
    return jax.vmap(lambda s: jnp.stack([env.observe(s, player) for player in range(env.num_players)]))(state)


def seats(env: Any, state: Any) -> dict[str, Any]:
    """Who may do what, by pgx's words."""
    mask, current = np.asarray(state.legal_action_mask), np.asarray(state.current_player)
    if env.num_players == 1:
        return {"legal_actions": mask}
    legal = np.zeros((GAMES, env.num_players, mask.shape[1]), bool)
    legal[:, :, 0] = True  # to wait
    legal[np.arange(GAMES), current] = mask
    return {"legal_actions": legal, "acting": np.arange(env.num_players) == current[:, None]}


def follow(candidate: Any, env: Any, steps: int) -> dict[str, np.ndarray]:
    """Play candidate and pgx side by side, each step of game i with key i; the last outcome."""
    own_step, several = jax.jit(jax.vmap(env.step)), env.num_players > 1
    new = candidate.init(SEEDS)
    actions = some_actions(candidate, (GAMES, steps))
    with as_by_default():
        state = jax.jit(jax.vmap(env.init))(keys(GAMES))
        assert same(new, as_columns(new, observed(env, state), state, **seats(env, state)))
        now, outcome = state_of(new), {}
        for step in range(steps):
            chance = candidate.draw(SEEDS, now, actions[:, step]) if candidate.takes_chance else None
            outcome = candidate.step(now, actions[:, step], chance)
            chosen = actions[np.arange(GAMES), step, np.asarray(state.current_player)] if several else actions[:, step]
            state = own_step(state, chosen.astype(np.int32), keys(GAMES))
            own = as_columns(
                outcome,
                observed(env, state),
                state,
                **seats(env, state),
                reward=state.rewards if several else state.rewards[:, 0],
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


def test_each_player_has_a_reward() -> None:
    candidate = pgx_candidate("tic_tac_toe")
    state = state_of(candidate.init(SEEDS))
    for cell in (0, 3, 1, 4, 2):
        begun = state["current_player"]
        outcome = candidate.step(state, np.where(np.arange(2) == begun[:, None], cell, 0))
        state = state_of(outcome)
    assert outcome["terminated"].all()
    assert (outcome["reward"] == np.where(np.arange(2) == begun[:, None], 1, -1)).all()
    assert len(set(begun.tolist())) == 2, "pgx draws who begins"


def test_each_player_sees_its_own_marks_and_only_one_may_move() -> None:
    candidate = pgx_candidate("tic_tac_toe")
    new = candidate.init(SEEDS)
    first = new["state.current_player"]
    stepped = candidate.step(state_of(new), np.where(np.arange(2) == first[:, None], 4, 0))
    mine = stepped["observation"][np.arange(GAMES), first]
    theirs = stepped["observation"][np.arange(GAMES), 1 - first]
    assert mine[:, 1, 1].tolist() == [[True, False]] * GAMES
    assert theirs[:, 1, 1].tolist() == [[False, True]] * GAMES
    assert (stepped["acting"].argmax(1) == 1 - first).all()
    assert (stepped["legal_actions"].sum(2)[np.arange(GAMES), first] == 1).all(), "to wait"
    assert (stepped["legal_actions"].sum(2)[np.arange(GAMES), 1 - first] == 8).all()


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
