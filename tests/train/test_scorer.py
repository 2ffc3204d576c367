"""Networks that score each action by its own numbers: alike for all actions, and the same in NumPy."""

from typing import Any

import jax
import numpy as np
import pytest
from noughts import Noughts

from envwright.core import chance
from envwright.core.spaces import Box, Discrete
from envwright.training import networks
from envwright.training.config import Config, ConfigError, Network
from envwright.training.player import Player
from envwright.training.policy import Policy
from envwright.training.ppo import Trainer

ACTIONS, OWN, REST = 5, 3, 4
NETWORK = Network("scorer", (8,), per_action=OWN, score=6)


def doubled(obs: Any) -> Any:
    """Features: all numbers twice as large."""
    return 2 * obs


def policy(network: Network = NETWORK) -> Policy:
    return Policy(network, Box(-1, 1, (ACTIONS * OWN + REST,)), Discrete(ACTIONS))


def weights(of: Policy) -> Any:
    made = of.make(chance.key(3))
    return jax.tree.map(lambda leaf: leaf + np.float32(0.1) * np.arange(leaf.size).reshape(leaf.shape) % 0.7, made)


def seen(many: int = 7) -> Any:
    return np.random.default_rng(0).uniform(-1, 1, (many, ACTIONS * OWN + REST)).astype(np.float32)


def test_actions_with_other_numbers_change_places_with_their_scores() -> None:
    params, obs, order = weights(policy()), seen(), np.array([3, 1, 4, 0, 2])
    params["apart"] = np.zeros_like(params["apart"])
    own = obs[:, : ACTIONS * OWN].reshape(-1, OWN, ACTIONS)[:, :, order].reshape(len(obs), -1)
    turned: Any = np.concatenate([own, obs[:, ACTIONS * OWN :]], axis=1)
    scores = np.asarray(networks.head(NETWORK, params, obs))
    assert scores.std(axis=1).min() > 1e-3
    assert np.allclose(networks.head(NETWORK, params, turned), scores[:, order], atol=1e-5)
    assert np.allclose(networks.value(NETWORK, params, turned), networks.value(NETWORK, params, obs), atol=1e-5)


@pytest.mark.parametrize("features", ["", f"{__name__}:doubled"])
def test_the_player_in_numpy_scores_alike(features: str) -> None:
    network = Network("scorer", (8,), per_action=OWN, score=6, prior=0.5, features=features)
    of, obs = policy(network), seen()
    params = weights(of)
    shown = of.shown(of.no_statistics(), obs)
    assert np.array_equal(shown, 2 * obs if features else obs)
    scores = np.asarray(networks.head(network, params, shown))
    player = Player(of, jax.device_get(params), np.zeros(of.inputs), np.ones(of.inputs))
    legal = np.ones((len(obs), ACTIONS), bool)
    legal[:, 2] = False
    actions, _ = player.act(obs, player.no_memory(len(obs)), None, legal)
    assert np.array_equal(actions, np.where(legal, scores, -np.inf).argmax(axis=1))


def test_learning_begins_with_what_the_first_number_says() -> None:
    of = policy(Network("scorer", (8,), per_action=OWN, score=6, prior=100.0))
    obs = seen()
    scores = np.asarray(networks.head(of.network, of.make(chance.key(3)), obs))
    assert np.array_equal(scores.argmax(axis=1), obs[:, :ACTIONS].argmax(axis=1))


def test_a_scorer_needs_numbers_of_actions_and_others_have_none() -> None:
    with pytest.raises(ConfigError, match="has per_action from 1"):
        Network("scorer")
    with pytest.raises(ConfigError, match="has per_action from 1"):
        Network("mlp", per_action=3)


def test_features_that_there_are_not_are_refused() -> None:
    with pytest.raises(Exception, match="The features of the network should be at nowhere:x, but"):
        _ = policy(Network("mlp", (8,), features="nowhere:x")).inputs


def test_it_learns_with_features_in_one_program_and_plays_by_the_same_ones() -> None:
    network = Network("scorer", (16,), "relu", features=f"{__name__}:doubled", per_action=1, score=8)
    config = Config(total_steps=1024, num_envs=16, steps=16, epochs=1, minibatches=2, network=network)
    trainer = Trainer(Noughts(), config)
    begun = trainer.start()
    before = np.array(trainer.player(begun).weights["score"][0]["weights"])  # a copy: what learns takes its place
    state, metrics = trainer.run(begun, 2)
    assert all(np.isfinite(np.asarray(row)).all() for name, row in metrics.items() if not name.startswith("return"))
    player = trainer.player(state)
    assert not np.array_equal(before, player.weights["score"][0]["weights"])
    actions, _ = player.act(np.zeros((2, 19)), player.no_memory(2), np.array([0.5, 0.2]), np.ones((2, 10), bool))
    assert actions.shape == (2,)
