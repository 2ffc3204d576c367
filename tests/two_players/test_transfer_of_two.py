"""What L4 does with a game for two: batches with seats and masks, one policy in both seats, a comparison a seat."""

from dataclasses import replace
from typing import Any

import jax
import numpy as np
from noughts_pair import session, terms

from envwright.core.spaces import Box, Discrete
from envwright.training.config import Config, Network
from envwright.training.player import Player
from envwright.training.policy import Policy
from envwright.verifier import policies
from envwright.verifier.levels import l4_transfer
from envwright.verifier.transfer import saved
from envwright.verifier.transfer.candidate_batch import CandidateBatch
from envwright.verifier.transfer.games import equal_games
from envwright.verifier.transfer.players import RandomPlayer
from envwright.verifier.transfer.sides import arena_of, obstacle, reference_batch

SPACES = (Box(0.0, 1.0, (19,)), Discrete(10))
GAMES = 30


def a_player() -> Player:
    policy = Policy(Network(kind="gru", hidden=(5,)), *SPACES)
    with jax.numpy_rank_promotion("allow"):
        weights = jax.device_get(policy.make(jax.random.key(3)))
    weights = jax.tree.map(lambda leaf: 9 * leaf, weights)  # a new network has no opinions
    return Player(policy, weights, np.zeros(19, np.float32), np.ones(19, np.float32), "a player")


def few_games(fault: str = "") -> Any:
    now = session(terms(fault))
    now.contract = replace(now.contract, transfer=replace(now.contract.transfer, games=GAMES))
    return now


def legal_at_random(batch: Any, rng: np.random.Generator) -> np.ndarray:
    legal = np.asarray(batch.legal_actions())
    assert legal.shape == (batch.num_envs, 2, 10)
    assert legal.any(axis=2).all()
    return np.argmax(np.where(legal, rng.random(legal.shape), -1), axis=2).astype(np.int32)


def test_both_sides_are_batches_with_seats_and_masks():
    now, rng = session(), np.random.default_rng(0)
    batches = reference_batch(now.contract, 8, *SPACES), CandidateBatch(now.candidate, 8, *SPACES, random=False)
    for batch in batches:
        assert batch.players == 2
        assert np.shape(batch.reset(list(range(8)))) == (8, 2, 19)
        ended = np.zeros(8, bool)
        for _ in range(30):
            step = batch.step_and_restart(legal_at_random(batch, rng))
            assert step.reward.shape == (8, 2)
            assert (step.reward.sum(axis=1) == 0).all()
            over = np.asarray(step.terminated)
            assert (np.asarray(step.obs)[over][:, :, :18] == 0).all(), "a new game has an empty board"
            assert (np.asarray(batch.legal_actions())[over].sum(axis=(1, 2)) == 10).all(), "and all places are free"
            ended |= over
        assert ended.all()


def test_masks_that_the_contract_calls_advice_are_not_put_into_the_batch():
    text = terms("", ('legal_actions = "legal"\n', ""), ('owns = ["legal_actions"]', "owns = []"))
    assert reference_batch(session(text).contract, 2, *SPACES).legal_actions() is None


def test_games_are_the_same_on_both_sides_in_both_seats():
    theirs, ours = l4_transfer.play_both(few_games(), [a_player(), RandomPlayer(SPACES[1])])
    for one, other in zip(theirs, ours, strict=True):
        assert equal_games(one, other) == GAMES
        assert {rewards.shape[1] for rewards in one.rewards} == {2}
        assert len(set(one.of_seat(0).returns)) > 1
        assert (one.of_seat(0).returns == -one.of_seat(1).returns).all()
        assert min(one.lengths) >= 5, "nobody lost by an illegal move"


def test_of_a_zero_sum_game_all_seats_but_the_last_are_judged():
    players = [a_player(), RandomPlayer(SPACES[1])]
    now = few_games()
    theirs, ours = l4_transfer.play_both(now, players)
    assert list(l4_transfer.by_seat(players, theirs, ours, 2)) == ["a player, seat 0", "random, seat 0"]
    for games in theirs:
        games.rewards = [rewards + np.array([0.0, 0.5]) for rewards in games.rewards]
    seated = l4_transfer.by_seat(players, theirs, ours, 2)
    assert list(seated) == [f"{name}, seat {seat}" for name in ("a player", "random") for seat in (0, 1)]
    found = [l4_transfer.judge(now, name, *row[1:], 0.2, 4) for name, row in seated.items()]
    assert [check.status for check in found] == ["pass", "fail"] * 2


def test_a_reward_for_the_wrong_player_is_found_and_blamed():
    players, now = [RandomPlayer(SPACES[1])], few_games("reward")
    seated = l4_transfer.by_seat(players, *l4_transfer.play_both(now, players), 2)
    (name, (_, theirs, ours)), *_ = seated.items()
    assert equal_games(theirs, ours) < GAMES
    wrong = [replace(l4_transfer.judge(now, name, theirs, ours, 1e-9, 1), status="fail")]
    (cause,) = l4_transfer.blame(now, wrong, seated)
    assert [divergence.module for divergence in cause.divergences] == ["scoring"]


def test_a_trained_player_is_a_policy_for_all_seats(tmp_path):
    now = session()
    name = saved.save(a_player(), tmp_path / "p.json")
    reference: Any = now.host.reference  # pyright: ignore[reportAttributeAccessIssue]
    act, rng = policies.find(name, reference, None), np.random.default_rng(0)
    outcome = reference.reset(seed=0)
    while not outcome.terminated:
        action = act(outcome.obs, rng, outcome.legal)
        assert outcome.legal[[0, 1], action].all()
        outcome = reference.step(action)


def test_nothing_stands_in_the_way_of_training_in_self_play():
    now = session()
    assert obstacle(now, Config()) == ""
    assert arena_of(now, Config()).observations.shape == (19,)
