"""A game for two in Gymnasium, which knows games for one: somebody named has the other seat."""

from typing import Any

import numpy as np
import pytest
from noughts import register_noughts

from envwright.core.errors import ActionError, EnvwrightError

gym: Any = pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'envwright[gymnasium]'")
from envwright.adapters.gymnasium_registration import register_envs  # noqa: E402

register_noughts()
register_envs()


def play(env: Any) -> float:
    """The first legal action always; the reward at the end."""
    env.reset(seed=1)
    while True:
        _, reward, terminated, truncated, _ = env.step(int(np.argmax(env.unwrapped.action_masks())))
        if terminated or truncated:
            return float(reward)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_opponent_makes_it_a_game_for_one(seat: int) -> None:
    env = gym.make("envwright/Noughts-v1", opponent="first", seat=seat)
    assert env.observation_space.shape == (19,)
    assert play(env) == (1.0 if seat == 0 else -1.0)  # who begins and takes the first free field gets three in a row


def test_an_illegal_action_is_refused_with_those_that_are_legal() -> None:
    env = gym.make("envwright/Noughts-v1", opponent="first")
    env.reset(seed=1)
    env.step(4)
    env.step(int(np.argmax(env.unwrapped.action_masks())))
    with pytest.raises(ActionError, match=r"Action 4 is not legal now; those that are: "):
        env.step(4)


def test_batches_have_masks() -> None:
    envs = gym.make_vec("envwright/Noughts-v1", num_envs=3, opponent="first")
    envs.reset(seed=1)
    assert envs.unwrapped.action_masks().shape == (3, 10)


def test_without_one_it_is_refused_and_so_is_a_stranger() -> None:
    with pytest.raises(EnvwrightError, match="give the other seat to an opponent"):
        gym.make("envwright/Noughts-v1")
    with pytest.raises(EnvwrightError, match="has no opponent 'nobody'; there are random, first"):
        gym.make("envwright/Noughts-v1", opponent="nobody")
