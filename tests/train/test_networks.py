"""Networks: NumPy plays what JAX trained, memories last as long as an episode, and size is no obstacle."""

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envwright
from envwright.core import Box, Discrete, Space
from envwright.core.spaces import encode
from envwright.training import networks
from envwright.training.actions import with_legal
from envwright.training.config import ACTIVATIONS, Network
from envwright.training.player import Player
from envwright.training.policy import ObservationStatistics, Policy, merged

MANY, LOOKS = 64, 3


def grown(policy: Policy, seed: int = 0) -> networks.Params:
    """Weights that have left their small beginnings: near 0 all actions are alike, and nothing would be compared."""
    make = jax.jit(policy.make)
    weights = make(envwright.key(seed))
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: leaf + jnp.asarray(rng.normal(0, 0.5, leaf.shape), jnp.float32), weights)


def jax_plays(
    policy: Policy, weights: Any, statistics: ObservationStatistics, looks: Any, noise: Any, legal: Any
) -> list[np.ndarray]:
    """The actions of a few looks in a row, by the functions that training uses."""
    memory, chosen = networks.no_memory(policy.network, MANY), []
    for obs, luck in zip(looks, noise, strict=True):
        seen = policy.normalise(statistics, encode(policy.observations, jnp.asarray(obs)))
        features, memory = networks.remember(policy.network, weights, memory, seen)
        head = with_legal(networks.head(policy.network, weights, features), legal)
        raw = policy.actions.sample(head, weights["spread"], jnp.asarray(luck, jnp.float32))
        chosen.append(np.asarray(policy.actions.to_env(raw)))
    return chosen


PLAYED: list[tuple[Network, Space, bool, bool]] = [
    (Network("mlp", (16, 8), "tanh"), Discrete(5), False, True),
    (Network("mlp", (16,), "relu"), Discrete(5), True, False),
    (Network("gru", (16, 8), "silu"), Discrete(5), True, True),
    (Network("gru", (8,), "tanh"), Box((-1.0, 0.0), (1.0, 3.0), (2,)), False, False),
]


@pytest.mark.parametrize(("network", "actions", "normalised", "masks"), PLAYED, ids=lambda x: getattr(x, "kind", None))
def test_numpy_plays_as_jax_does(network: Network, actions: Space, normalised: bool, masks: bool) -> None:
    policy = Policy(network, Box(-5.0, 5.0, (2, 3)), actions, normalised)
    weights = grown(policy)
    rng = np.random.default_rng(1)
    moments = rng.normal(size=6), rng.random(6) * 4, 10.0
    statistics = ObservationStatistics(*(jnp.asarray(x, jnp.float32) for x in moments))
    player = Player(policy, jax.device_get(weights), np.asarray(statistics.mean), np.asarray(statistics.variance))
    looks = rng.normal(0, 2, (LOOKS, MANY, 2, 3)).astype(np.float32)
    noise = [player.noise(rng, MANY) for _ in range(LOOKS)]
    legal = rng.random((MANY, 5)) < 0.5 if masks else None
    if legal is not None:
        legal[:, 2] = True
    memory, played = player.no_memory(MANY), []
    for obs, luck in zip(looks, noise, strict=True):
        action, memory = player.act(obs, memory, luck, legal)
        played.append(action)
    by_jax = jax_plays(policy, weights, statistics, looks, noise, None if legal is None else jnp.asarray(legal))
    if isinstance(actions, Discrete):
        assert np.array_equal(played, by_jax)
        assert len(np.unique(played)) == 5
    else:
        np.testing.assert_allclose(played, by_jax, atol=1e-5)
        assert len(np.unique(played)) > MANY


def test_observations_of_one_of_n_are_played_too() -> None:
    policy = Policy(Network(hidden=(8,)), Discrete(6), Discrete(3))
    weights = grown(policy)
    player = Player(policy, jax.device_get(weights), np.zeros(6), np.ones(6))
    obs = np.arange(6, dtype=np.int32)
    head = networks.head(policy.network, weights, encode(policy.observations, jnp.asarray(obs)))
    assert np.array_equal(player.act(obs, player.no_memory(6), None)[0], head.argmax(axis=1))


def test_without_noise_the_likeliest_legal_action_is_taken() -> None:
    policy = Policy(Network(hidden=(8,)), Box(-1.0, 1.0, (2,)), Discrete(3))
    player = Player(policy, jax.device_get(grown(policy)), np.zeros(2), np.ones(2))
    obs = np.random.default_rng(0).normal(size=(500, 2))
    best = player.act(obs, player.no_memory(500), None)[0]
    assert best.dtype == np.int32
    without = np.arange(3) != best[:, None]
    second = player.act(obs, player.no_memory(500), None, without)[0]
    assert (second != best).all()
    often = [player.act(obs, player.no_memory(500), np.full(500, u))[0] for u in np.linspace(0, 0.999, 50)]
    counts = np.stack([(np.asarray(often) == action).sum(axis=0) for action in range(3)])
    assert (counts[best, np.arange(500)] >= counts.max(axis=0) - 1).all()


@pytest.mark.parametrize(("kind", "activation"), list(itertools.product(("mlp", "gru"), ACTIVATIONS)))
def test_every_shape_of_network_looks_at_any_batch(kind: str, activation: str) -> None:
    network = Network(kind, (8, 4), activation)
    weights = networks.make(network, 3, 5, 0, envwright.key(0))
    features, memory = networks.remember(network, weights, networks.no_memory(network, 6), jnp.ones((6, 3)))
    assert memory.shape == (6, 4 if kind == "gru" else 0)
    assert networks.head(network, weights, features).shape == (6, 5)
    assert networks.value(network, weights, features).shape == (6,)
    assert float(jnp.abs(networks.head(network, weights, features)).max()) < 0.1  # all actions begin about equal


def test_a_count_is_of_weights_and_biases() -> None:
    mlp = networks.make(Network("mlp", (10, 20)), 4, 3, 2, envwright.key(0))
    assert networks.count(mlp) == 2 * (4 * 10 + 10 + 10 * 20 + 20) + (20 * 3 + 3) + (20 + 1) + 2
    gru = networks.make(Network("gru", (10,)), 4, 3, 0, envwright.key(0))
    assert networks.count(gru) == 4 * 10 + 10 + 2 * (10 * 30 + 30) + (10 * 3 + 3) + (10 + 1)


def test_layers_begin_orthogonal() -> None:
    weights = networks.make(Network("mlp", (32, 16)), 8, 3, 0, envwright.key(1))["actor"]
    for layer, gain in zip(weights, (2**0.5, 2**0.5, 0.01), strict=True):
        rows = np.asarray(layer["weights"])
        rows = rows if rows.shape[0] <= rows.shape[1] else rows.T
        np.testing.assert_allclose(rows @ rows.T, gain**2 * np.eye(len(rows)), atol=1e-5)


def test_actions_begin_as_far_apart_as_told() -> None:
    policy = Policy(Network(hidden=(4,), log_std=-1.5), Box(-1.0, 1.0, (3,)), Box(-1.0, 1.0, (2,)))
    assert policy.make(envwright.key(0))["spread"].tolist() == [-1.5, -1.5]


@pytest.mark.slow
def test_two_million_parameters_are_no_obstacle() -> None:
    network = Network("mlp", (1024, 768))
    weights = jax.jit(lambda key: networks.make(network, 32, 8, 0, key))(envwright.key(0))
    assert 1_500_000 < networks.count(weights) < 2_500_000
    assert np.isfinite(networks.head(network, weights, jnp.ones((2, 32)))).all()


def test_what_was_seen_is_remembered_over_updates_as_if_seen_at_once() -> None:
    rng = np.random.default_rng(0)
    parts = [rng.normal(3, 2, (n, 4)).astype(np.float32) for n in (10, 1000, 50)]
    statistics = Policy(Network(), Box(0.0, 1.0, (4,)), Discrete(2), True).no_statistics()
    for part in parts:
        statistics = merged(statistics, *(jnp.asarray(x, jnp.float32) for x in (part.mean(0), part.var(0), len(part))))
    everything = np.concatenate(parts)
    np.testing.assert_allclose(statistics.mean, everything.mean(0), rtol=1e-4)
    np.testing.assert_allclose(statistics.variance, everything.var(0), rtol=1e-3)
    assert float(statistics.count) == pytest.approx(1060)
