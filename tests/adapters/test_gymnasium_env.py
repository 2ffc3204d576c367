"""One environment in Gymnasium: its own checker, seeds, flags, pictures, and registration."""

import subprocess
import sys
from typing import Any

import jax
import numpy as np
import pytest
from counter import BOTH_AT_ONCE, ENDLESS, Counter, traced

from envwright import Discrete, EnvwrightError, JaxBatch, TimeLimit
from envwright.core.errors import ActionError

gym: Any = pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'envwright[gymnasium]'")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from envwright.adapters import gymnasium_registration  # noqa: E402
from envwright.adapters.gymnasium_env import GymnasiumEnv  # noqa: E402


@pytest.mark.parametrize("kwargs", [{"frameskip": 8}, {"continuous": True}])
def test_pong_passes_gymnasiums_checker_without_a_warning(kwargs: dict[str, Any]) -> None:
    check_env(gym.make("envwright/Pong-v0", render_mode="rgb_array", **kwargs).unwrapped)


def test_the_counter_passes_gymnasiums_checker_without_a_warning() -> None:
    check_env(GymnasiumEnv(Counter()), skip_render_check=True)  # which needs a spec


def test_values_are_numpy_and_plain_python() -> None:
    env = GymnasiumEnv(Counter())
    obs, info = env.reset(seed=0)
    assert isinstance(obs, np.ndarray)
    assert obs.dtype == np.float32
    assert obs.flags.writeable
    assert info == {}
    obs, reward, terminated, truncated, info = env.step(np.int64(2))
    assert isinstance(obs, np.ndarray)
    assert [type(value) for value in (reward, terminated, truncated)] == [float, bool, bool]
    assert (obs[0], reward, terminated, truncated) == (2, 2.0, False, False)
    assert info == {"steps": 1, "odd": False, "inner": {"half": np.float32(1)}}


class Numbered(Counter):
    """A counter whose observation is a number."""

    def observation_space(self, params: Any) -> Any:
        return Discrete(1001)

    def start(self, chance: jax.Array, params: Any) -> Any:
        obs, state = super().start(chance, params)
        return obs[0].astype("int32"), state

    def apply(self, state: Any, action: jax.Array, chance: jax.Array, params: Any) -> Any:
        step = super().apply(state, action, chance, params)
        return step._replace(obs=step.obs[0].astype("int32"))


def test_a_number_that_is_observed_can_be_a_key() -> None:
    env = GymnasiumEnv(Numbered())
    assert {env.reset(seed=0)[0]: "start"}[0] == "start"
    sight = env.step(2)[0]
    assert sight == 2
    assert hash(sight) == hash(2)
    check_env(GymnasiumEnv(Numbered()), skip_render_check=True)  # which would warn of an array


def test_both_flags_can_be_true_and_the_episode_goes_on_until_reset() -> None:
    env = GymnasiumEnv(Counter(), params=BOTH_AT_ONCE)
    env.reset(seed=0)
    flags = [env.step(1)[2:4] for _ in range(4)]
    assert flags == [(False, False), (False, False), (True, True), (True, True)]
    assert env.reset()[0] == 0


def games(env: Any, seed: int, steps: int = 20) -> list[Any]:
    """Observations and rewards of two episodes."""
    seen = [env.reset(seed=seed)[0]]
    seen += [np.append(*env.step(1)[:2]) for _ in range(steps)]
    seen += [env.reset()[0]]
    return [value.tolist() for value in seen + [np.append(*env.step(1)[:2]) for _ in range(steps)]]


def test_the_same_seed_plays_the_same_games_and_another_seed_others() -> None:
    env = GymnasiumEnv(Counter(lucky=True), params=ENDLESS)
    assert games(env, 1) == games(env, 1) == games(GymnasiumEnv(Counter(lucky=True), params=ENDLESS), 1)
    assert games(env, 1) != games(env, 2)
    assert len({env.reset()[0].item() for _ in range(20)}) > 5


def test_seeds_have_32_bits() -> None:
    env = GymnasiumEnv(Counter(lucky=True))
    assert env.reset(seed=2**32 - 1)[0] in env.observation_space
    for seed in (-1, 2**32):
        with pytest.raises(EnvwrightError, match=f"A seed is a whole number from 0 to 4294967295, but is {seed}"):
            env.reset(seed=seed)


def test_without_a_seed_games_differ() -> None:
    starts = {GymnasiumEnv(Counter(lucky=True)).reset()[0].item() for _ in range(10)}
    assert len(starts) > 1


def test_environment_i_of_a_batch_plays_the_games_of_seed_plus_i() -> None:
    batch = JaxBatch(Counter(lucky=True), 8, params=ENDLESS)
    obs = [np.asarray(batch.reset(range(40, 48)))]
    rewards = []
    for _ in range(10):
        step = batch.step(np.ones(8, np.int32))
        obs.append(np.asarray(step.obs))
        rewards.append(np.asarray(step.reward))
    for i in range(8):
        env = GymnasiumEnv(Counter(lucky=True), params=ENDLESS)
        assert env.reset(seed=40 + i)[0] == obs[0][i]
        for t in range(10):
            one_obs, reward, *_ = env.step(1)
            assert (one_obs, reward) == (obs[t + 1][i], rewards[t][i])


def test_a_wrong_action_is_named() -> None:
    env = GymnasiumEnv(Counter())
    env.reset(seed=0)
    with pytest.raises(ActionError, match=r"an integer action of shape \(\), but got float64 of shape \(\)"):
        env.step(0.5)
    with pytest.raises(ActionError, match=r"but got int64 of shape \(2,\)"):
        env.step([0, 1])


def test_step_and_render_ask_for_a_reset_first() -> None:
    env = GymnasiumEnv(Counter(), render_mode="rgb_array")
    with pytest.raises(EnvwrightError, match="Reset the environment before its first step"):
        env.step(0)
    with pytest.raises(EnvwrightError, match="Reset the environment before drawing it"):
        env.render()
    with pytest.raises(EnvwrightError, match="There is no render mode 'ansi'"):
        GymnasiumEnv(Counter(), render_mode="ansi")


def test_equal_environments_share_one_compilation_whatever_the_kind_of_integer() -> None:
    Traced, traces = traced()  # noqa: N806
    for action in (1, np.int32(1), np.int64(1), np.asarray(1)):
        env = GymnasiumEnv(Traced(), params=ENDLESS)
        env.reset(seed=0)
        for _ in range(3):
            env.step(action)
    assert len(traces) == 1


def test_make_passes_keywords_on_and_draws() -> None:
    env = gym.make("envwright/Pong-v0", frameskip=8, render_mode="rgb_array")
    assert env.unwrapped.env.frameskip == 8
    env.reset(seed=0)
    assert env.render().dtype == np.uint8
    frames = gym.make("envwright/Pong-v0", render_mode="rgb_array_list")
    frames.reset(seed=0)
    assert len(frames.render()) == 1


def test_registering_twice_changes_nothing() -> None:
    gymnasium_registration.register_envs()  # whatever other tests have added to ours
    before = dict(gym.registry)
    gymnasium_registration.register_envs()
    assert gym.registry == before


def test_a_time_limit_counts_once() -> None:
    env = gym.make("envwright/CartPole-v1")
    assert env.spec.max_episode_steps == 500
    assert not isinstance(env.unwrapped.env, TimeLimit)
    assert env.observation_space == gym.make("CartPole-v1").observation_space
    obs, _ = env.reset(seed=0)
    flags = []
    for _ in range(500):
        obs, _, terminated, truncated, _ = env.step(int(obs[2] + obs[3] > 0))  # push to where the pole falls
        flags.append((terminated, truncated))
    assert flags == [(False, False)] * 499 + [(False, True)]


def test_make_replaces_a_time_limit() -> None:
    env = gym.make("envwright/Pong-v0", max_episode_steps=7)
    env.reset(seed=0)
    assert [env.step(0)[3] for _ in range(7)] == [False] * 6 + [True]


@pytest.mark.slow
def test_gymnasium_finds_the_id_with_no_import_of_ours() -> None:
    id = "envwright.adapters.gymnasium_registration:envwright/Pong-v0"
    code = f"import gymnasium as gym; print(gym.make('{id}').spec.id, gym.make_vec('{id}', num_envs=2).num_envs)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["envwright/Pong-v0", "2"]


def test_jit_does_not_change_what_is_seen() -> None:
    env = GymnasiumEnv(Counter(lucky=True), params=ENDLESS)
    compiled = games(env, 3, steps=3)
    with jax.disable_jit():
        assert games(env, 3, steps=3) == compiled
