"""Stable-Baselines3: its VecEnv contract, terminal observations, and a short training run."""

from typing import Any

import numpy as np
import pytest
from counter import BOTH_AT_ONCE, ENDLESS, Counter, traced

from envwright import EnvwrightError, JaxBatch, make
from envwright.core.errors import ActionError

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'envwright[sb3]'")
pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed: pip install 'envwright[sb3]'")
from stable_baselines3 import DQN, PPO  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.env_checker import check_env  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # pyright: ignore[reportMissingImports]

from envwright.adapters.gymnasium_env import GymnasiumEnv
from envwright.adapters.sb3 import SB3VecEnv


def pair(num_envs: int, *, lucky: bool = False, params: Any = None) -> tuple[SB3VecEnv, Any]:
    """Ours and Stable-Baselines3's, over the same environments."""
    ours = SB3VecEnv(JaxBatch(Counter(lucky), num_envs, params=params))
    return ours, DummyVecEnv([lambda: GymnasiumEnv(Counter(lucky), params=params)] * num_envs)


@pytest.mark.parametrize("params", [None, BOTH_AT_ONCE])
def test_every_step_is_that_of_dummy_vec_env(params: Any) -> None:
    ours, theirs = pair(4, params=params)
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    rng, ended = np.random.default_rng(0), 0
    for _ in range(40):
        actions = rng.integers(3, size=4)
        obs, rewards, dones, infos = ours.step(actions)
        ended += dones.sum()
        their_obs, their_rewards, their_dones, their_infos = theirs.step(actions)
        np.testing.assert_array_equal(obs, their_obs, strict=True)
        np.testing.assert_array_equal(rewards, their_rewards, strict=True)
        np.testing.assert_array_equal(dones, their_dones, strict=True)
        for done, info, their_info in zip(dones, infos, their_infos, strict=True):
            assert info.keys() == (their_info.keys() if done else {}.keys())
            if done:
                np.testing.assert_array_equal(info["terminal_observation"], their_info["terminal_observation"])
                assert info["TimeLimit.truncated"] == their_info["TimeLimit.truncated"]
    assert ended > 0


def test_truncated_is_said_only_where_the_rules_did_not_end_the_episode() -> None:
    env, _ = pair(2, params=BOTH_AT_ONCE)
    env.reset()
    for _ in range(2):
        env.step(np.array([1, 0]))
    obs, _, dones, infos = env.step(np.array([1, 0]))
    assert dones.all()
    assert obs.tolist() == [[0], [0]]
    assert [info["terminal_observation"].tolist() for info in infos] == [[3], [0]]
    assert [info["TimeLimit.truncated"] for info in infos] == [False, True]


def test_seeds_mean_the_same_luck_as_in_dummy_vec_env() -> None:
    ours, theirs = pair(8, lucky=True, params=ENDLESS)
    assert ours.seed(3) == theirs.seed(3)
    first = ours.reset()
    np.testing.assert_array_equal(first, theirs.reset())
    for _ in range(5):
        np.testing.assert_array_equal(ours.step(np.ones(8, int))[1], theirs.step(np.ones(8, int))[1])
    assert (ours.reset() != first).any()
    ours.seed(3)
    np.testing.assert_array_equal(ours.reset(), first)
    ours.seed(2**32 - 1)
    assert ours.reset().shape == (8, 1)


def test_attributes_and_methods_reach_the_batch() -> None:
    env = SB3VecEnv(JaxBatch(Counter(), 4), render_mode="rgb_array")
    env.reset()
    assert env.get_attr("num_envs", indices=[0, 2]) == [4, 4]
    assert not env.has_attr("nonsense")
    env.set_attr("nickname", "abacus")
    assert env.get_attr("nickname", 0) == ["abacus"]
    with pytest.raises(EnvwrightError, match="'nickname' is shared by all 4 environments"):
        env.set_attr("nickname", "one", indices=0)
    [blob] = env.env_method("save", indices=1)
    env.step(np.full(4, 2))
    env.env_method("load", blob, indices=3)
    obs = env.step(np.zeros(4, int))[0]
    assert obs.ravel().tolist() == [2, 2, 2, 0]
    assert env.env_is_wrapped(VecMonitor) == [False] * 4
    picture = env.render()
    assert picture is not None
    assert picture.shape == (16, 16, 3)
    env.close()


def test_arrays_may_be_written_into() -> None:
    env, _ = pair(2)
    assert env.reset().flags.writeable
    obs, rewards, dones, _ = env.step(np.zeros(2, int))
    assert obs.flags.writeable
    assert rewards.flags.writeable
    assert dones.flags.writeable


def test_a_wrong_action_is_named() -> None:
    env, _ = pair(2)
    env.reset()
    with pytest.raises(ActionError, match=r"integers of shape \(2,\).*but got float64 of shape \(2,\)"):
        env.step(np.ones(2))


def test_one_compilation() -> None:
    Traced, traces = traced()  # noqa: N806
    env = SB3VecEnv(JaxBatch(Traced(), 4, params=BOTH_AT_ONCE))
    env.reset()
    for _ in range(7):
        env.step(np.ones(4, int))
    assert len(traces) == 1


def test_the_single_environment_passes_stable_baselines_checker() -> None:
    check_env(GymnasiumEnv(make("Pong-v0", frameskip=8)))


@pytest.mark.parametrize("continuous", [False, True])
def test_ppo_trains_on_a_batch(continuous: bool) -> None:
    env = VecMonitor(SB3VecEnv(JaxBatch(make("Pong-v0", frameskip=8, continuous=continuous, max_episode_steps=8), 4)))
    model = PPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu")
    model.learn(128)
    assert model.num_timesteps == 128
    assert {info["l"] for info in model.ep_info_buffer} == {8}


def test_dqn_stores_the_terminal_observation() -> None:
    env = SB3VecEnv(JaxBatch(Counter(), 2, params=BOTH_AT_ONCE))
    model = DQN("MlpPolicy", env, learning_starts=0, train_freq=1, buffer_size=64, batch_size=4, seed=0, device="cpu")
    model.learn(32)
    buffer = model.replay_buffer
    ended = buffer.dones[: buffer.pos] == 1
    assert ended.any()
    assert (buffer.next_observations[: buffer.pos][ended] > 0).any()
