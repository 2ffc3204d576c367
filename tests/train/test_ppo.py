"""PPO on an environment of ours: what is learned is what was lived through, on any number of devices and seeds."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny import Aim, Bandit, tiny

from envwright.core.errors import EnvwrightError
from envwright.training.config import Config, Network
from envwright.training.learn import _rate
from envwright.training.ppo import Trainer

BANDIT = Bandit(length=3)


def weights_of(state: Any, index: int = 0) -> list[np.ndarray]:
    return [np.asarray(leaf[index]) for leaf in jax.tree.leaves(state.learner)]


def assert_close(one: list[np.ndarray], other: list[np.ndarray], tolerance: float) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("kind", ["mlp", "gru"])
def test_learning_recomputes_what_acting_recorded(kind: str) -> None:
    """With one gradient step an update, the policy that learns is the one that acted: every ratio is 1.

    Steps are large, so that the policy is far from where it began, where all actions are alike. Episodes of 3 steps in
    rollouts of 4 begin and end everywhere. The fourth action, always illegal, pays most and would give itself away.
    """
    network = Network(kind, (8,))
    config = tiny(num_envs=32, learning_rate=0.03, anneal=False, normalise_observations=True, network=network)
    env = Bandit(length=3, shown_once=kind == "gru")
    trainer = Trainer(env, config, devices=1)
    _, metrics = trainer.run(trainer.start(), 150)
    assert float(metrics["kl"].max()) < 1e-6
    assert not np.asarray(metrics["clipped"]).any()
    returns = np.asarray(metrics["return"])[:, 0]
    # Two legal actions: 1.5 by chance, 3 at best; with a memory, only if the first look is kept in mind.
    assert returns[:5].mean() < 2.0
    assert returns[-10:].mean() > 2.7
    assert returns.max() <= 3.0
    assert np.asarray(metrics["length"]).tolist() == [[3.0]] * 150

    # What was in mind before an episode began plays no part in it.
    state = trainer.start()
    other = state.replace(actors=state.actors.replace(memory=state.actors.memory + 5))
    again = trainer.run(other, 150)[1]
    assert all(np.array_equal(again[name], metrics[name], equal_nan=True) for name in metrics)


@pytest.mark.slow
def test_parts_of_a_rollout_keep_their_own_memories() -> None:
    """Gradient steps on some of the environments at a time, too small to move anything: every ratio stays 1."""
    config = tiny(minibatches=4, epochs=2, learning_rate=1e-30, network=Network("gru", (8,)))
    trainer = Trainer(Bandit(length=3, shown_once=True), config, devices=1)
    state = trainer.start()
    bold = jax.tree.map(lambda leaf: leaf * 3000, state.learner.weights["actor"])  # or all actions would be alike
    learner = state.learner.replace(weights={**state.learner.weights, "actor": bold})
    metrics = trainer.run(state.replace(learner=learner), 3)[1]
    assert float(metrics["entropy"].max()) < 0.6
    assert float(metrics["kl"].max()) < 1e-6


def test_aiming_is_learned() -> None:
    """A continuous action, bounds and all: at random the mean return is about -3, with the spread learned near 0."""
    config = tiny(num_envs=64, epochs=4, minibatches=2, learning_rate=0.02, total_steps=64 * 4 * 80, entropy=0.0)
    trainer = Trainer(Aim(), config, devices=1)
    state, metrics = trainer.run(trainer.start(), config.updates)
    returns = np.asarray(metrics["return"])[:, 0]
    assert returns[:3].mean() < -1.5
    assert returns[-5:].mean() > -0.15
    # Annealed: the last update still moved, and one more, with nothing left, does not.
    before = weights_of(state)
    state, _ = trainer.run(state, config.updates)
    weights = [np.array_equal(a, b) for a, b in zip(before, weights_of(state), strict=True)]
    named = jax.tree_util.tree_flatten_with_path(state.learner)[0]
    still = [same for same, (path, _) in zip(weights, named, strict=True) if "weights" in str(path[0])]
    assert still
    assert all(still)


def test_the_learning_rate_falls_to_zero_in_a_straight_line() -> None:
    config = tiny(learning_rate=0.5, total_steps=320)
    rates = [float(_rate(config, jnp.int32(done))) for done in range(12)]
    np.testing.assert_allclose(rates, [0.5 * (1 - done / 10) for done in range(11)] + [0], atol=1e-7)
    assert float(_rate(tiny(learning_rate=0.5, anneal=False), jnp.int32(10))) == 0.5


@pytest.fixture(scope="module")
def alone() -> dict[int, list[np.ndarray]]:
    """What each of four seeds learns by itself on one device, in three updates."""
    trainer = Trainer(BANDIT, tiny(epochs=2), devices=1)
    found = {}
    for seed in range(4):
        trainer.seeds = (seed,)  # one compilation for all
        found[seed] = weights_of(trainer.run(trainer.start(), 3)[0])
    return found


def test_two_devices_learn_what_one_does(alone: dict[int, list[np.ndarray]]) -> None:
    """Nearly: a mean of two devices' means adds up in another order than one mean does.

    One gradient step an epoch takes in everything, so that no shuffle, which is each device's own, plays a part.
    """
    trainer = Trainer(BANDIT, tiny(epochs=2), devices=2)
    state, _ = trainer.run(trainer.start(), 3)
    assert_close(weights_of(state), alone[0], 1e-4)


@pytest.mark.slow
def test_seeds_side_by_side_learn_what_each_does_alone(alone: dict[int, list[np.ndarray]]) -> None:
    """Two devices, two seeds each. Nearly: XLA fuses, and so rounds, another program in another way."""
    trainer = Trainer(BANDIT, tiny(epochs=2), devices=2, seeds=(0, 1, 2, 3))
    assert trainer.by_seed
    state, metrics = trainer.run(trainer.start(), 3)
    assert metrics["return"].shape == (3, 4)
    for seed in range(4):
        assert_close(weights_of(state, seed), alone[seed], 1e-5)
    assert any(not np.allclose(a, b) for a, b in zip(alone[0], alone[1], strict=True))


@pytest.mark.parametrize("seeds", [(-1,), (2**32,), (0, 2**32), ()])
def test_a_seed_out_of_range_is_refused(seeds: tuple[int, ...]) -> None:
    with pytest.raises(EnvwrightError, match="Seeds are whole numbers from 0 to 4294967295, but here they are"):
        Trainer(BANDIT, tiny(), seeds=seeds)


@pytest.mark.parametrize(("total", "updates"), [(1, 1), (32, 1), (33, 2), (320, 10), (321, 11)])
def test_total_steps_are_rounded_up_to_whole_updates(total: int, updates: int) -> None:
    assert tiny(total_steps=total).updates == updates


@pytest.mark.parametrize(
    ("config", "devices", "sentence"),
    [
        (tiny(num_envs=7), 2, "7 environments do not divide over 2 devices; take 8."),
        (tiny(minibatches=5), 1, "32 steps on a device do not divide into 5 minibatches"),
        (tiny(minibatches=32), 2, "16 steps on a device do not divide into 32 minibatches"),
        (tiny(minibatches=8, network=Network("gru")), 2, "4 environments on a device do not divide into 8 minibatches"),
    ],
)
def test_a_batch_that_does_not_divide_is_refused_in_a_sentence(config: Config, devices: int, sentence: str) -> None:
    with pytest.raises(EnvwrightError, match=sentence):
        Trainer(BANDIT, config, devices=devices)
