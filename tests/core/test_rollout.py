"""Rollouts: whatever the layout, every environment takes every step, under luck that its key decides."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counting import Counting, CountParams, same_bits

import envwright
from envwright.core.errors import BatchError
from envwright.core.rollout import LARGEST_TILE, Rollout, Transition, random_policy

ENV = Counting()
KEY = envwright.key(0)
START = envwright.key(1)
LAYOUTS = [{"fused": False}, {"tile": 4}, {"tile": 8, "devices": 1}]


def keep(transition: Transition) -> Transition:
    """Collect everything."""
    return transition


def counting(num_envs: int = 16, steps: int = 7, **kwargs: object) -> Rollout:
    return envwright.rollout(ENV, num_envs=num_envs, steps=steps, **kwargs)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_every_environment_takes_every_step_in_every_layout(layout: dict[str, int]) -> None:
    run = counting(**layout)
    last = run(KEY, run.reset(START))
    assert last.state.count.tolist() == [2] * 16
    assert last.state.episodes.tolist() == [1] * 16
    assert last.obs.tolist() == [[2, 2]] * 16
    assert len(set(last.state.luck.tolist())) == len(set(last.state.born.tolist())) == 16
    again = run(envwright.key(2), last)
    assert again.state.count.tolist() == [(7 + 7) % 5] * 16
    assert again.state.episodes.tolist() == [2] * 16


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_the_history_is_every_step_in_order_and_ends_with_the_last(layout: dict[str, int]) -> None:
    run = counting(collect=keep, **layout)
    last, history = run(KEY, run.reset(START))
    assert isinstance(history, Transition)
    assert history.obs.shape == (7, 16, 2)
    assert history.state.count.T.tolist() == [[1, 2, 3, 4, 0, 1, 2]] * 16
    assert history.terminated.T.tolist() == [[False] * 4 + [True, False, False]] * 16
    assert same_bits(last.state, jax.tree.map(lambda leaf: leaf[-1], history.state))
    # A policy acts on what the step before left; where an episode ended, `final_obs` is its last sight.
    went_on = ~np.asarray(history.terminated[:-1])
    assert np.array_equal(history.obs[1:][went_on], history.final_obs[:-1][went_on])
    assert history.final_obs[4, :, 0].tolist() == [5] * 16
    assert history.obs[5, :, 0].tolist() == [0] * 16
    # An environment keeps its place: the start it was born with stays until it ends.
    first = run.reset(START).state.born
    assert np.array_equal(history.state.born[:4], np.tile(first, (4, 1)))


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_collecting_changes_no_bit(layout: dict[str, int]) -> None:
    plain, collecting = counting(**layout), counting(collect=keep, **layout)
    assert same_bits(plain(KEY, plain.reset(START)), collecting(KEY, collecting.reset(START))[0])


def test_the_same_key_gives_the_same_bits_and_another_does_not() -> None:
    run, twin = counting(tile=4), counting(tile=4)
    last = run(KEY, run.reset(START))
    assert same_bits(last, run(KEY, run.reset(START)))
    assert same_bits(last, twin(KEY, twin.reset(START)))
    other = run(envwright.key(5), run.reset(START))
    assert not np.any(np.asarray(other.state.luck) == np.asarray(last.state.luck))
    assert not np.any(np.asarray(run.reset(KEY).state.born) == np.asarray(run.reset(START).state.born))


def test_resetting_does_not_depend_on_the_layout() -> None:
    starts = [counting(**layout).reset(START) for layout in LAYOUTS]  # pyright: ignore[reportArgumentType]
    assert all(same_bits(starts[0], start) for start in starts)


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize(
    "layout", [{}, {"tile": 8}, {"tile": 16, "devices": 1}, {"collect": keep}], ids=lambda layout: "-".join(layout)
)
def test_the_same_keys_give_the_same_games_in_every_layout(layout: dict[str, Any], continuous: bool) -> None:
    env = envwright.make("Pong-v0", frameskip=4, continuous=continuous)
    plain = envwright.rollout(env, num_envs=32, steps=50, fused=False, devices=1)
    other = envwright.rollout(env, num_envs=32, steps=50, **layout)
    result = other(KEY, other.reset(START))
    assert same_bits(plain(KEY, plain.reset(START)), result[0] if "collect" in layout else result)


def test_no_luck_is_used_twice_in_a_rollout() -> None:
    """4 tiles on 2 devices, 40 steps, 16 environments: 640 steps and as many different words of luck."""
    run = counting(steps=40, tile=4, collect=keep, params=CountParams(length=np.int32(1000)))
    _, history = run(KEY, run.reset(START))
    assert len(np.unique(history.state.luck)) == 640


def test_random_actions_are_uniform_and_differ_between_environments_and_steps() -> None:
    run = counting(num_envs=512, steps=200, tile=64, collect=keep)
    _, history = run(KEY, run.reset(START))
    actions = np.asarray(history.reward)
    for axis in (0, 1):
        means = actions.mean(axis)
        spread = np.sqrt(2 / 3 / actions.shape[axis])
        assert np.abs(means - 1).max() < 5.5 * spread  # a false alarm once in 3e4 keys
        assert 0.8 * spread < means.std() < 1.2 * spread


def test_the_mean_reward_of_pong_is_the_same_in_every_layout() -> None:
    env = envwright.make("Pong-v0", frameskip=8)
    means = []
    for fused, devices in ((False, 2), (True, 1)):
        run = envwright.rollout(env, num_envs=256, steps=200, collect=keep, tile=64, fused=fused, devices=devices)
        _, history = run(KEY, run.reset(START))
        means.append(np.asarray(history.reward).mean(0))
    errors = [mean.std() / np.sqrt(256) for mean in means]
    for mean, error in zip(means[1:], errors[1:], strict=True):
        assert abs(mean.mean() - means[0].mean()) < 4.5 * np.hypot(error, errors[0])  # a false alarm once in 1e5 keys


def test_the_policy_sees_an_observation_and_a_key_for_each_environment() -> None:
    def policy(keys: jax.Array, obs: jax.Array) -> jax.Array:
        assert (keys.shape, obs.shape) == ((4,), (4, 2))  # a device's share
        return obs[:, 0].astype(jnp.int32) % 3

    run = envwright.rollout(ENV, policy, num_envs=8, steps=6, collect=keep)
    _, history = run(KEY, run.reset(START))
    assert history.reward[:, 0].tolist() == [0, 1, 2, 0, 1, 0]


def test_params_reach_the_environment() -> None:
    run = counting(params=CountParams(length=np.int32(7)))
    last = run(KEY, run.reset(START))
    assert last.terminated.tolist() == [True] * 16


@pytest.mark.parametrize("how", ["fresh", "cached"])
def test_strategies_run_in_tiles(how: str) -> None:
    run = counting(tile=4, autoreset=how, collect=keep)
    first = run.reset(START)
    last, history = run(KEY, first)
    inner = (lambda s: s.state) if how == "cached" else (lambda s: s)
    same = np.asarray(inner(last.state).born) == np.asarray(inner(first.state).born)
    assert same.all() if how == "cached" else not same.any()
    assert inner(history.state).count[:, 0].tolist() == [1, 2, 3, 4, 0, 1, 2]


def test_the_optimistic_strategy_runs_where_its_group_divides_the_tile() -> None:
    run = counting(num_envs=64, tile=16, autoreset="optimistic")
    born = np.asarray(run(KEY, run.reset(START)).state.born).reshape(4, 16)
    assert (born == born[:, :1]).all()
    assert len(np.unique(born)) == 4


def test_the_optimistic_strategy_refuses_a_tile_its_group_does_not_divide() -> None:
    run = counting(num_envs=16, autoreset="optimistic", devices=2)
    with pytest.raises(BatchError, match="shares starts among 16, but 8 step together"):
        run(KEY, run.reset(START))


def test_calling_again_compiles_nothing() -> None:
    run = counting(tile=4)
    last = run(KEY, run.reset(START))
    for seed in range(3):
        last = run(envwright.key(seed), last)
        run.reset(envwright.key(seed))
    assert run._reset._cache_size() == 1  # pyright: ignore


def test_the_batch_stays_spread_over_the_devices() -> None:
    run = counting(tile=4, collect=keep)
    last, history = run(KEY, run.reset(START))
    assert all(leaf.sharding.shard_shape(leaf.shape)[0] == 8 for leaf in jax.tree.leaves(last))
    assert all(leaf.sharding.shard_shape(leaf.shape)[1] == 8 for leaf in jax.tree.leaves(history))


def test_threefry_keys_run_too() -> None:
    run = counting(tile=4)
    assert run(jax.random.key(0), run.reset(jax.random.key(1))).state.count.tolist() == [2] * 16


def test_a_batch_that_does_not_divide_over_the_devices_is_refused() -> None:
    with pytest.raises(BatchError, match="15 environments do not divide over 2 devices; take 16"):
        counting(15)


def test_the_default_tile_takes_any_number_of_environments() -> None:
    run = counting(1000)
    assert run(KEY, run.reset(START)).state.count.tolist() == [2] * 1000


@pytest.mark.parametrize("num_envs", [12, 1018, LARGEST_TILE * 2, 10_007 * 2])
def test_any_number_of_environments_finds_a_tile(num_envs: int) -> None:
    run = counting(num_envs, tile=8)
    assert run(KEY, run.reset(START)).state.count.tolist() == [2] * num_envs


@pytest.mark.parametrize(
    "kwargs", [{"tile": -1}, {"tile": 0}, {"tile": LARGEST_TILE + 1}, {"steps": 0}, {"steps": -3}], ids=str
)
def test_fewer_than_one_step_or_environment_a_tile_is_refused(kwargs: dict[str, int]) -> None:
    with pytest.raises(BatchError):
        counting(**kwargs)  # pyright: ignore[reportArgumentType]


def test_the_random_policy_samples_the_action_space() -> None:
    policy = random_policy(ENV, ENV.default_params)
    actions = policy(jax.random.split(envwright.key(0), 30), None)
    assert actions.shape == (30,)
    assert set(actions.tolist()) == {0, 1, 2}
