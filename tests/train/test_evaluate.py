"""Games played by a policy: whole ones, each counted once, in whatever batch they are played."""

from typing import Any

import numpy as np
import pytest
from tiny import Aim, Bandit

import envwright
from envwright.core import Discrete, JaxBatch
from envwright.core.batch import BatchStep
from envwright.core.errors import EnvwrightError
from envwright.training.config import Network
from envwright.training.evaluate import Evaluation, play_games
from envwright.training.player import Player
from envwright.training.policy import Policy

CARTPOLE = envwright.make("cartpole")


class Clock:
    """A batch whose environment i ends after i + 1 steps, and pays 1 a step; then it begins again and pays 100."""

    num_envs, players = 4, 1
    observation_space = envwright.Box(-1.0, 1.0, (2,))
    action_space = Discrete(3)

    def __init__(self) -> None:
        self.looks: list[Any] = []

    def reset(self, seeds: Any = None, mask: Any = None) -> np.ndarray:
        self.seeds, self.time, self.games = list(seeds), np.zeros(4, int), np.zeros(4, int)
        return np.zeros((4, 2), np.float32)

    def legal_actions(self) -> None:
        pass

    def step_and_restart(self, actions: np.ndarray) -> BatchStep:
        assert actions.shape == (4,)
        self.looks.append(actions)
        self.time += 1
        reward = np.where(self.games, 100, 1).astype(np.float32)
        ended = self.time > np.arange(4)
        self.time[ended], self.games[ended] = 0, self.games[ended] + 1
        obs = np.zeros((4, 2), np.float32)
        return BatchStep(obs, reward, ended & (np.arange(4) % 2 == 0), ended & (np.arange(4) % 2 == 1), {}, obs)


def player_for(batch: Any, kind: str = "mlp", seed: int = 0) -> Player:
    """A policy of random weights."""
    policy = Policy(Network(kind, (8,)), batch.observation_space, batch.action_space)
    rng = np.random.default_rng(seed)
    layer = lambda a, b: {"weights": rng.normal(size=(b, a)), "bias": rng.normal(size=b)}  # noqa: E731
    size, outputs = int(np.prod(batch.observation_space.shape)), policy.actions.outputs
    weights = {"actor": [layer(size, 8), layer(8, outputs)], "spread": np.zeros(policy.actions.spread)}
    if kind == "gru":
        recurrent = {"encoder": [layer(size, 8)], "from_seen": layer(8, 24), "from_memory": layer(8, 24)}
        weights |= recurrent | {"actor": [layer(8, outputs)]}
    return Player(policy, weights, np.zeros(size), np.ones(size))


def test_the_first_game_of_each_environment_counts_and_no_other() -> None:
    batch: Any = Clock()
    games = play_games(batch, player_for(batch), seed=2**32 - 2)
    assert games.returns.tolist() == games.lengths.tolist() == [1, 2, 3, 4]
    assert len(batch.looks) == 4, "nobody plays on when all first games have ended"
    assert batch.seeds == [2**32 - 2, 2**32 - 1, 0, 1]


def test_a_memory_ends_with_its_game() -> None:
    """The environment that begins anew every step sees and does the same every time, the last one does not."""
    batch: Any = Clock()
    player = player_for(batch, "gru")
    memories: list[np.ndarray] = []
    act = player.act
    player.act = lambda obs, memory, noise, legal=None: (memories.append(memory), act(obs, memory, noise, legal))[1]
    play_games(batch, player, seed=0, sample=False)
    assert not np.any([memory[0] for memory in memories])
    assert np.any(memories[1][3])
    assert not np.array_equal(memories[1][3], memories[2][3])


def test_the_same_seed_plays_the_same_games_and_another_does_not() -> None:
    batch = JaxBatch(CARTPOLE, 20)
    player = player_for(batch)
    first, again, other = (play_games(batch, player, seed).lengths.tolist() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_only_legal_actions_are_played() -> None:
    batch = JaxBatch(Bandit(length=5), 100)
    games = play_games(batch, player_for(batch), seed=0)
    assert games.returns.max() <= 5
    assert games.lengths.tolist() == [5] * 100


def test_continuous_actions_are_played() -> None:
    batch = JaxBatch(Aim(), 10)
    assert (play_games(batch, player_for(batch), seed=0).returns <= 0).all()


def test_a_policy_of_another_environment_is_refused() -> None:
    with pytest.raises(EnvwrightError) as refused:
        play_games(JaxBatch(CARTPOLE, 2), player_for(JaxBatch(Bandit(), 2)), seed=0)
    assert "trained on observations of shape (3,) and actions Discrete(n=4), but here they are (4,)" in str(
        refused.value
    )


def test_games_without_an_end_are_given_up() -> None:
    batch: Any = Clock()
    with pytest.raises(EnvwrightError, match="2 of 4 games did not end within 2 steps"):
        play_games(batch, player_for(batch), seed=0, longest=2)


def test_the_result_is_said_with_its_error() -> None:
    games = Evaluation(np.array([1.0, 2.0, 3.0, 6.0]), np.array([1, 2, 3, 4]))
    assert games.text() == "mean return 3.00 ± 1.08 over 4 games (from 1.00 to 6.00), mean length 2.5"
