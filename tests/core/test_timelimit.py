"""A time limit truncates, never terminates, and is a param."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counting import Counting, CountParams

import envwright
from envwright import TimeLimit

KEY = envwright.key(0)


def flags(env: TimeLimit, steps: int, params: object = None) -> list[tuple[bool, bool]]:
    """(terminated, truncated) of each step."""
    _, state = env.reset(KEY, params)  # pyright: ignore[reportArgumentType]
    seen = []
    for _ in range(steps):
        step = env.step(KEY, state, 0, params)  # pyright: ignore[reportArgumentType]
        state = step.state
        seen.append((bool(step.terminated), bool(step.truncated)))
    return seen


def test_truncates_at_the_limit_and_counts_from_zero_again() -> None:
    assert flags(TimeLimit(Counting(), 3), 7) == [(False, False), (False, False), (False, True)] * 2 + [(False, False)]


def test_an_episode_that_ends_by_the_rules_restarts_the_clock() -> None:
    env = TimeLimit(Counting(), 4)
    params = env.default_params.replace(inner=CountParams(length=np.int32(3)))
    assert flags(env, 6, params) == [(False, False), (False, False), (True, False)] * 2


def test_both_flags_are_true_when_the_last_step_is_also_the_end() -> None:
    assert flags(TimeLimit(Counting(), 5), 5)[-1] == (True, True)


def test_the_inner_environments_own_truncation_is_kept() -> None:
    env = TimeLimit(Counting(), 100)
    params = env.default_params.replace(inner=CountParams(limit=np.int32(2)))
    assert flags(env, 2, params)[-1] == (False, True)


def test_the_limit_may_change_at_run_time_without_a_new_compilation() -> None:
    env = TimeLimit(Counting(), 3)
    step = jax.jit(env.step)
    state = env.reset(KEY)[1].replace(time=jnp.int32(1))
    hit = [
        bool(step(KEY, state, 0, env.default_params.replace(max_steps_in_episode=np.int32(limit))).truncated)
        for limit in (1, 2, 3)
    ]
    assert hit == [True, True, False]
    assert step._cache_size() == 1  # pyright: ignore


def test_spaces_luck_and_inheritance_are_the_inner_environments() -> None:
    inner, env = Counting(), TimeLimit(Counting(), 1)
    params = env.default_params
    assert env.action_space(params) == inner.action_space(params.inner)
    assert env.observation_space(params) == inner.observation_space(params.inner)
    assert int(env.reset(KEY)[1].inner.born) == int(inner.reset(KEY)[1].born)
    state = env.step(KEY, env.reset(KEY)[1], 0).state
    assert (int(state.inner.episodes), int(state.time)) == (1, 0)


def test_limits_nest_and_the_shorter_wins() -> None:
    assert flags(TimeLimit(TimeLimit(Counting(), 2), 3), 2)[-1] == (False, True)  # pyright: ignore[reportArgumentType]


def test_limited_environments_are_values() -> None:
    assert TimeLimit(Counting(), 3) == TimeLimit(Counting(), 3)
    assert hash(TimeLimit(Counting(), 3)) == hash(TimeLimit(Counting(), 3))
    assert TimeLimit(Counting(), 3) != TimeLimit(Counting(), 4)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit: int) -> None:
    with pytest.raises(envwright.EnvwrightError):
        TimeLimit(Counting(), limit)
