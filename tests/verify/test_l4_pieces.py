"""What L4 is made of: slow originals and candidates as batches, players in files, games played again."""

from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest
from walking import TERMS, session, terms

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete
from envwright.references.registry import find_kind
from envwright.training.config import Network
from envwright.training.player import Player
from envwright.training.policy import Policy
from envwright.verifier import policies
from envwright.verifier.levels.l4_transfer import play_both
from envwright.verifier.transfer import saved
from envwright.verifier.transfer.candidate_batch import CandidateBatch, step_with_own_chance
from envwright.verifier.transfer.games import equal_games
from envwright.verifier.transfer.players import RandomPlayer
from envwright.verifier.transfer.sides import env_of, reference_batch

CART = (Box(-np.inf, np.inf, (4,)), Discrete(2))
WALK = (Box(-9, 9, (1,)), Discrete(2))


def a_player(observations: Any = WALK[0], actions: Any = WALK[1], network: Network | None = None) -> Player:
    policy = Policy(network or Network(hidden=(5,)), observations, actions, normalised=True)
    with jax.numpy_rank_promotion("allow"):
        weights = jax.device_get(policy.make(jax.random.key(3)))
    weights = jax.tree.map(lambda leaf: 9 * leaf, weights)  # a new network has no opinions
    size = observations.shape[0]
    return Player(policy, weights, np.full(size, 0.5, np.float32), np.full(size, 2.0, np.float32), "a player")


# ---- batches ----


def test_a_gymnasium_batch_plays_gymnasiums_own_games_and_shows_how_each_ended():
    import gymnasium as gym

    batch = find_kind("gymnasium:CartPole-v1").stepping(3, *CART)
    assert batch is not None
    obs = batch.reset([5, 6, 7])
    env = gym.make("CartPole-v1")
    seen = env.reset(seed=6)[0]
    assert obs.dtype == np.float32
    for _ in range(30):
        assert np.array_equal(obs[1], seen)
        step = batch.step_and_restart(np.ones(3, np.int32))
        seen, _, terminated, _, _ = env.step(1)
        assert step.terminated[1] == terminated
        assert np.array_equal(step.final_obs[1], seen)
        seen = env.reset()[0] if terminated else seen
        obs = step.obs


def test_any_reference_is_a_batch_in_the_candidates_words():
    outcome = '[outcome]\nobservation = "array([2 * at])"\nreward = "reward + 1"\n'
    for text, factor in ((TERMS, 1), (TERMS + outcome, 2)):
        batch = reference_batch(session(text).contract, 4, *WALK)
        obs = np.asarray(batch.reset([0, 1, 2, 3]))
        assert obs.shape == (4, 1)
        assert set(obs.ravel()) <= {0.0, float(factor), 2.0 * factor}
        step = batch.step_and_restart(np.ones(4, np.int32))
        at = step.final_obs[:, 0] / factor
        assert step.reward.tolist() == (-abs(at) + factor - 1).tolist()


def test_a_candidate_as_a_batch_restarts_what_ended_and_draws_new_luck_every_step():
    for split in (True, False):
        full = session().candidate
        assert isinstance(full, JaxCandidate)
        candidate = full if split else JaxCandidate(replace(full.rules, split=None))
        assert (env_of(candidate) is None) is not split
        batch = CandidateBatch(candidate, 64, *WALK, random=not split)
        obs = batch.reset([0])
        winds = []
        for _ in range(40):
            step = batch.step_and_restart(np.ones(64, np.int32))
            winds.append(step.final_obs[:, 0] - obs[:, 0] - 1)
            ended = step.terminated
            assert (step.obs[~ended] == step.final_obs[~ended]).all()
            assert (np.abs(step.obs[ended]) <= 2).all()
            obs = step.obs
        winds = np.array(winds)
        assert set(winds.ravel()) == {0.0, 1.0}
        assert 0.45 < winds.mean() < 0.55
        assert (winds.mean(axis=0) > 0.1).all()  # of each game, not by its place in the batch
        assert (winds.mean(axis=0) < 0.9).all()


def test_steps_without_luck_need_no_places():
    candidate = session(terms()).candidate
    state, actions = {"at": np.zeros(3, np.int32)}, np.ones(3, np.int32)
    keyed = JaxCandidate(replace(candidate.rules, split=None))  # pyright: ignore[reportAttributeAccessIssue]
    same = [step_with_own_chance(keyed, state, actions, np.random.default_rng(0), random=False) for _ in range(2)]
    assert np.array_equal(same[0]["state.at"], same[1]["state.at"])


# ---- players ----


@pytest.mark.parametrize("network", [Network(hidden=(5,)), Network(kind="gru", hidden=(4,))])
@pytest.mark.parametrize("actions", [Discrete(3), Box((-1.0, 0.0), (1.0, 2.0), (2,))])
def test_a_player_in_a_file_plays_the_same(tmp_path, network, actions):
    player = a_player(CART[0], actions, network)
    name = saved.save(player, tmp_path / "new" / "p.json")
    assert name == f"player:{tmp_path / 'new' / 'p.json'}"
    again = saved.load(tmp_path / "new" / "p.json")
    assert (again.policy, again.name) == (player.policy, player.name)
    rng = np.random.default_rng(0)
    obs, noise = rng.normal(size=(6, 4)).astype(np.float32), player.noise(rng, 6)
    one, other = (p.act(obs, p.no_memory(6), noise) for p in (player, again))
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])


def test_a_player_is_a_policy_and_each_episode_begins_without_memory(tmp_path):
    network = Network(kind="gru", hidden=(4,))
    name = saved.save(a_player(CART[0], Discrete(2), network), tmp_path / "p.json")
    reference: Any = session().host.reference  # pyright: ignore[reportAttributeAccessIssue]
    sights = np.random.default_rng(1).normal(size=(300, 4))
    played = []
    for _ in range(2):
        act, luck = policies.find(name, reference, None), np.random.default_rng(2)
        played.append([act(obs, luck) for obs in sights])
    assert played[0] == played[1]
    assert set(played[0]) == {0, 1}
    player, luck = saved.load(tmp_path / "p.json"), np.random.default_rng(2)
    forgetful = [player.act(obs[None], player.no_memory(1), player.noise(luck, 1))[0][0] for obs in sights]
    assert forgetful != played[0]
    assert policies.source(name, None) == (tmp_path / "p.json").read_text()


@pytest.mark.parametrize(
    ("text", "says"), [(None, "cannot be read"), ("no JSON", "is not JSON"), ("{}", "is not a player of version 1")]
)
def test_a_file_that_is_no_player_is_one_sentence(tmp_path, text, says):
    if text is not None:
        (tmp_path / "p.json").write_text(text)
    with pytest.raises(EnvwrightError, match=says):
        saved.load(tmp_path / "p.json")


# ---- games ----


def test_a_game_is_the_same_on_both_sides_luck_and_all():
    now = session()
    now.contract = replace(now.contract, transfer=replace(now.contract.transfer, games=50))
    players = [a_player(), RandomPlayer(WALK[1])]
    theirs, ours = play_both(now, players)
    for one, other in zip(theirs, ours, strict=True):
        assert equal_games(one, other) == 50
        assert len(set(one.lengths)) > 3
        assert np.array_equal(one.returns, other.returns)
    assert not np.array_equal(theirs[0].returns, theirs[1].returns)


def test_a_game_goes_on_with_luck_of_its_own_where_the_references_is_over():
    now = session(terms(fault="step"))  # who should pass 4 is held there, so its games last longer
    now.contract = replace(now.contract, transfer=replace(now.contract.transfer, games=50))
    (theirs,), (ours,) = play_both(now, [RandomPlayer(WALK[1])])
    assert 0 < equal_games(theirs, ours) < 50
    longer = ours.lengths > theirs.lengths
    assert longer.any()
    assert (ours.lengths[longer] < now.effort.limit).any()


def test_other_seeds_other_games():
    games = []
    for seed in (0, 1):
        now = session()
        now.effort = replace(now.effort, seed=seed)
        games.append(play_both(now, [RandomPlayer(WALK[1])])[0][0])
    assert equal_games(*games) < 150
