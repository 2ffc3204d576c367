"""The same PPO on environments stepped from Python: ours behind the batch interface, and the original in C."""

from typing import Any

import jax
import numpy as np
import pytest
from tiny import Bandit, tiny

import envwright
from envwright.core import JaxBatch
from envwright.core.batch import BatchStep
from envwright.training.config import ConfigError, Network, for_env
from envwright.training.host_trainer import HostTrainer
from envwright.training.ppo import Trainer


class Watched(JaxBatch):
    """Keeps every action and what came of it."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.actions: list[np.ndarray] = []
        self.steps: list[BatchStep] = []

    def step_and_restart(self, actions) -> BatchStep:
        self.actions.append(np.asarray(actions))
        self.steps.append(super().step_and_restart(actions))
        return self.steps[-1]


@pytest.mark.slow
def test_cartpole_is_learned_and_its_episodes_are_counted() -> None:
    config = tiny(
        num_envs=16, steps=32, epochs=4, minibatches=4, learning_rate=5e-3, total_steps=16 * 32 * 25,
        gamma=0.98, gae_lambda=0.8, entropy=0.0, network=Network(hidden=(32, 32)),
    )  # fmt: skip
    batch = Watched(envwright.make("cartpole"), 16)
    trainer = HostTrainer(lambda: batch, config)
    state, found = trainer.run(trainer.start(), config.updates)
    metrics = {name: column[:, 0] for name, column in found.items()}
    assert state.learner.updates == config.updates
    first = np.asarray(batch.actions[:32])
    # Before anything is learned, both actions are about equally likely: 512 draws, five standard deviations.
    assert abs(first.mean() - 0.5) < 5 * 0.5 / 512**0.5
    assert len(np.unique(first, axis=0)) > 1
    assert len(np.unique(first, axis=1)) > 1

    ends = np.stack([step.terminated | step.truncated for step in batch.steps]).reshape(config.updates, -1)
    assert metrics["episodes"].tolist() == ends.sum(axis=1).tolist()
    # CartPole pays 1 a step: the return of an episode is its length, and no step belongs to two of them.
    assert np.array_equal(metrics["return"], metrics["length"], equal_nan=True)
    in_episodes = np.nansum(metrics["length"] * metrics["episodes"])
    last = [np.flatnonzero(ended).max() + 1 for ended in ends.reshape(-1, 16).T]
    assert in_episodes == pytest.approx(sum(last))
    assert np.nanmean(metrics["return"][:3]) < 30
    assert np.nanmax(metrics["return"][-5:]) > 60


def test_a_bandit_is_learned_by_legal_actions_from_the_weights_the_compiled_trainer_begins_with() -> None:
    config = tiny(num_envs=32, learning_rate=0.03, anneal=False)
    host = HostTrainer(lambda: JaxBatch(Bandit(), 32), config, seeds=(4,))
    state, compiled = host.start(), Trainer(Bandit(), config, devices=1, seeds=(4,)).start()
    for a, b in zip(jax.tree.leaves(state.learner.weights), jax.tree.leaves(compiled.learner.weights), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    state, metrics = host.run(state, 60)
    assert metrics["kl"].max() < 1e-6
    assert metrics["return"].max() <= 1.0  # an illegal action would pay 100
    assert metrics["return"][-10:].mean() > 0.9
    player = host.player(state, name="host")
    assert player.name == "host"
    obs = np.eye(3, dtype=np.float32)
    legal = np.arange(4) != (np.arange(3)[:, None] + 1) % 3
    assert player.act(obs, player.no_memory(3), None, legal & (np.arange(4) != 3))[0].tolist() == [0, 1, 2]


def test_seats_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ConfigError, match="do not divide into 5 minibatches"):
        HostTrainer(lambda: JaxBatch(Bandit(), 8), tiny(minibatches=5))


@pytest.mark.parametrize("continuous", [False, True])
def test_the_c_games_obey_the_batch_interface(pong_library: None, continuous: bool) -> None:
    from envwright.envs.pong.batched import PongBatch

    batch = PongBatch(6, frameskip=8, continuous=continuous)
    ours = JaxBatch(envwright.make("pong", frameskip=8, continuous=continuous), 6)
    assert (batch.observation_space.shape, batch.action_space) == (ours.observation_space.shape, ours.action_space)
    start = batch.reset(list(range(6)))
    assert (start.shape, start.dtype) == ((6, 8), np.float32)
    still = np.zeros((6, 1), np.float32) if continuous else np.zeros(6, np.int32)
    kept = start.copy()
    ended = 0
    for _ in range(1500):
        step = batch.step_and_restart(still)
        assert (step.reward.shape, step.reward.dtype) == ((6,), np.float32)
        assert step.terminated.dtype == step.truncated.dtype == bool
        assert not step.truncated.any()
        assert np.isfinite(step.obs).all()
        assert np.array_equal(step.obs, step.final_obs)
        ended += int(step.terminated.sum())
        if ended:
            break
    assert ended, "somebody who stands still loses"
    assert np.array_equal(start, kept), "what was handed out must not change with the games"
    # The game goes on by itself: its score is that of a new one.
    assert batch.step_and_restart(still).obs.shape == (6, 8)
    assert np.array_equal(batch.reset(list(range(6))), start)


@pytest.mark.slow
def test_the_c_games_are_trained_on(pong_library: None) -> None:
    from envwright.envs.pong.batched import PongBatch

    config = for_env("pong")
    small = tiny(num_envs=4, env_options=config.env_options)
    batch: Any = PongBatch(4, frameskip=8)  # no full Batch: C can neither be saved nor drawn
    trainer = HostTrainer(lambda: batch, small)
    _, metrics = trainer.run(trainer.start(), 2)
    assert np.isfinite(metrics["value"]).all()
    assert metrics["kl"].max() < 1e-6
