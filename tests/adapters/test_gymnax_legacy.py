"""gymnax 0.x: five values, as PureJaxRL-style code and rejax want them."""

import copy
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counter import BOTH_AT_ONCE, Counter

import envwright
from envwright import make
from envwright.core.errors import ActionError

pytest.importorskip("gymnax", reason="gymnax is not installed: pip install 'envwright[gymnax]'")
from gymnax.environments import spaces

from envwright.adapters.gymnax import Gymnax
from envwright.adapters.gymnax_legacy import GymnaxLegacy


@pytest.mark.parametrize("new_key", [envwright.key, jax.random.key, jax.random.PRNGKey])
def test_step_returns_five_values_and_restarts_in_the_same_step(new_key: Any) -> None:
    env = GymnaxLegacy(Counter())
    params = env.default_params.replace(inner=BOTH_AT_ONCE)
    _, state = env.reset(new_key(0), params)
    seen = []
    info: Any = {}
    for _ in range(4):
        obs, state, _, done, info = env.step(new_key(0), state, 1, params)
        seen.append((int(obs[0]), int(info["final_observation"][0]), bool(done)))
    assert seen == [(1, 1, False), (2, 2, False), (0, 3, True), (1, 1, False)]
    assert (bool(info["terminated"]), bool(info["truncated"])) == (False, False)


def test_it_is_the_modern_adapter_with_one_flag_less() -> None:
    env, modern = GymnaxLegacy(Counter(lucky=True)), Gymnax(Counter(lucky=True))
    key = envwright.key(3)
    (obs, state), (modern_obs, modern_state) = env.reset(key), modern.reset(key)
    assert obs == modern_obs
    ours, theirs = env.step(key, state, 1), modern.step(key, modern_state, 1)
    jax.tree.map(np.testing.assert_array_equal, (*ours[:3], ours[4]), (*theirs[:3], theirs[5]))
    assert (env.name, env.num_actions, env.default_params.max_steps_in_episode) == ("Counter", 3, 10_000)
    assert isinstance(env.action_space(env.default_params), spaces.Discrete)
    assert isinstance(env.observation_space(env.default_params), spaces.Box)


def test_a_copy_is_equal_and_hashes_alike() -> None:
    env = GymnaxLegacy(make("Pong-v0", frameskip=8))
    assert copy.deepcopy(env) == env
    assert hash(copy.deepcopy(env)) == hash(env)


def test_squeezed_actions_are_taken_and_wrong_ones_named() -> None:
    env = GymnaxLegacy(make("Pong-v0", continuous=True))
    _, state = env.reset(envwright.key(0))
    full, squeezed = (env.step(envwright.key(0), state, action)[0] for action in (jnp.ones(1), jnp.float32(1)))
    np.testing.assert_array_equal(full, squeezed)
    with pytest.raises(ActionError, match=r"of shape \(1,\), but got float32 of shape \(2,\)"):
        env.step(envwright.key(0), state, jnp.ones(2))


def test_a_pure_jax_loop_of_the_old_kind_runs_in_one_scan() -> None:
    env = GymnaxLegacy(make("Pong-v0", frameskip=8), max_steps_in_episode=20)
    params = env.default_params
    reset, step = jax.vmap(env.reset, in_axes=(0, None)), jax.vmap(env.step, in_axes=(0, 0, 0, None))

    def body(carry: Any, key: Any) -> Any:
        keys = jax.random.split(key, 4)
        actions = jax.vmap(env.action_space(params).sample)(keys)
        obs, state, reward, done, info = step(keys, carry, actions, params)
        return state, (obs, reward, done, info["final_observation"])

    _, state = reset(jax.random.split(jax.random.key(0), 4), params)
    _, (obs, _, done, final_obs) = jax.lax.scan(body, state, jax.random.split(jax.random.key(1), 40))
    assert np.flatnonzero(np.asarray(done)[:, 0]).tolist() == [19, 39]
    assert (obs[19] != final_obs[19]).any()
    assert (obs[18] == final_obs[18]).all()


@pytest.mark.parametrize(
    "continuous",
    [pytest.param(False, marks=pytest.mark.slow), True],  # test_examples.py has a run with discrete actions
)
def test_rejax_trains_on_it(continuous: bool) -> None:
    rejax = pytest.importorskip("rejax", reason="rejax is not installed: pip install 'envwright[bench]'")
    env = GymnaxLegacy(make("Pong-v0", frameskip=8, continuous=continuous), max_steps_in_episode=16)
    sizes = {"num_envs": 4, "num_steps": 8, "num_minibatches": 2, "num_epochs": 1}
    # rejax mixes dtypes and ranks
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        ppo = rejax.PPO.create(env=env, total_timesteps=64, eval_freq=64, **sizes)
        state, (lengths, returns) = ppo.train(jax.random.key(0))
    assert int(state.global_step) == 64
    assert lengths.max() <= 16
    assert bool(jnp.isfinite(returns).all())
