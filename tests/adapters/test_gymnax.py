"""gymnax 1.0: six values, real spaces, any kind of key, and gymnax's own wrappers."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counter import BOTH_AT_ONCE, Counter, Params, traced

import envwright
from envwright import TimeLimit, make
from envwright.core.errors import ActionError

pytest.importorskip("gymnax", reason="gymnax is not installed: pip install 'envwright[gymnax]'")
from gymnax.environments import spaces
from gymnax.experimental import RolloutWrapper
from gymnax.wrappers import FlattenObservationWrapper, LogWrapper

from envwright.adapters.gymnax import Gymnax

KEYS = {"ours": envwright.key, "typed": jax.random.key, "raw": jax.random.PRNGKey}


@pytest.fixture
def lenient() -> Iterator[None]:
    """gymnax's own code mixes dtypes and ranks."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


@pytest.mark.parametrize("kind", KEYS)
def test_step_returns_six_values_and_restarts_in_the_same_step(kind: str) -> None:
    env = Gymnax(Counter(), max_steps_in_episode=100)
    params = env.default_params.replace(inner=BOTH_AT_ONCE)
    key = KEYS[kind](0)
    obs, state = env.reset(key, params)
    seen = []
    trees = set()
    for _ in range(4):
        obs, state, reward, terminated, truncated, info = env.step(key, state, jnp.int32(1), params)
        assert (reward.dtype, terminated.dtype, truncated.dtype) == (jnp.float32, bool, bool)
        seen.append((int(obs[0]), int(info["final_observation"][0]), bool(terminated), bool(truncated)))
        assert (bool(info["terminated"]), bool(info["truncated"])) == seen[-1][2:]
        trees.add(jax.tree.structure(info))
    assert seen == [(1, 1, False, False), (2, 2, False, False), (0, 3, True, True), (1, 1, False, False)]
    assert len(trees) == 1


@pytest.mark.parametrize("kind", KEYS)
def test_seeds(kind: str) -> None:
    env = Gymnax(Counter(lucky=True))
    starts = [int(env.reset(KEYS[kind](seed))[0][0]) for seed in (0, 0, 1, 2, 3)]
    assert starts[0] == starts[1]
    assert len(set(starts)) > 2


def test_a_raw_key_is_the_typed_key_with_the_same_words() -> None:
    env = Gymnax(Counter(lucky=True))
    assert env.reset(jax.random.PRNGKey(5))[0] == env.reset(jax.random.key(5))[0]


def test_spaces_are_gymnaxs_own() -> None:
    pong, continuous = Gymnax(make("Pong-v0")), Gymnax(make("Pong-v0", continuous=True))
    assert isinstance(pong.action_space(pong.default_params), spaces.Discrete)
    assert isinstance(pong.observation_space(pong.default_params), spaces.Box)
    assert (pong.num_actions, continuous.num_actions, pong.name) == (3, 1, "Pong")
    box = continuous.action_space(continuous.default_params)
    assert isinstance(box, spaces.Box)
    assert (box.low, box.high, box.shape, box.dtype) == (-1, 1, (1,), jnp.float32)


def test_bounds_of_their_own_for_each_number_are_kept() -> None:
    env = Gymnax(make("CartPole-v1"))
    space = env.observation_space(env.default_params)
    assert isinstance(space, spaces.Box)
    assert jnp.shape(space.high) == (4,)
    assert env.default_params.max_steps_in_episode == 500


def test_a_time_limit_of_its_own_is_kept_and_a_missing_one_supplied() -> None:
    limited = Gymnax(make("Pong-v0", max_episode_steps=3))
    supplied = Gymnax(make("Pong-v0"), max_steps_in_episode=3)
    assert Gymnax(TimeLimit(Counter(), 9)).name == "Counter"
    for env in (limited, supplied):
        assert env.default_params.max_steps_in_episode == 3
        _, state = env.reset(envwright.key(0))
        flags = []
        for _ in range(4):
            _, state, _, terminated, truncated, _ = env.step(envwright.key(0), state, 0)
            flags.append((bool(terminated), bool(truncated)))
        assert flags == [(False, False), (False, False), (False, True), (False, False)]


def test_equal_adapters_share_one_compilation() -> None:
    Traced, traces = traced()  # noqa: N806
    assert Gymnax(Traced()) == Gymnax(Traced())
    assert hash(Gymnax(Traced())) == hash(Gymnax(Traced()))
    for limit in (3, 4):  # a param, so it may change
        env = Gymnax(Traced())
        params = env.default_params.replace(inner=Params(), max_steps_in_episode=np.int32(limit))
        _, state = env.reset(envwright.key(0), params)
        for _ in range(3):
            _, state, *_ = env.step(envwright.key(0), state, np.int32(1), params)
    assert len(traces) == 1


def test_a_wrong_action_is_named() -> None:
    env = Gymnax(Counter())
    _, state = env.reset(envwright.key(0))
    with pytest.raises(ActionError, match=r"an integer action of shape \(\), but got float32 of shape \(3,\)"):
        env.step(envwright.key(0), state, jnp.zeros(3))


@pytest.mark.usefixtures("lenient")
def test_gymnaxs_wrappers_log_an_episode() -> None:
    env: Any = LogWrapper(FlattenObservationWrapper(Gymnax(Counter())))
    params = env.default_params
    reset, step = jax.vmap(env.reset, in_axes=(0, None)), jax.vmap(env.step, in_axes=(0, 0, 0, None))
    keys = jax.random.split(jax.random.key(0), 3)
    _, state = reset(keys, params)
    info: Any = {}
    for _ in range(3):
        *_, info = step_result = step(keys, state, jnp.array([2, 2, 1]), params)
        state = step_result[1]
    assert info["returned_episode"].tolist() == [True, True, False]
    assert info["returned_episode_returns"].tolist() == [6, 6, 0]


@pytest.mark.usefixtures("lenient")
def test_gymnaxs_rollout_runs_it() -> None:
    rollout = RolloutWrapper(env=Gymnax(make("Pong-v0", frameskip=8), max_steps_in_episode=50))
    obs, action, _, _, done, _ = rollout.batch_rollout(jax.random.split(jax.random.key(0), 2), None)
    assert (obs.shape, action.shape) == ((2, 50, 8), (2, 50))
    assert done[:, -1].all()
