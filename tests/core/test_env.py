"""What every environment gets from the four functions it writes."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counting import Count, Counting, CountParams, same_bits

import envwright
from envwright import Step
from envwright.core.chance import restart_key
from envwright.core.env import restart
from envwright.core.errors import ActionError

KEY = envwright.key(0)
ENV = Counting()
PARAMS = ENV.default_params


def almost_over(count: int = 4) -> Count:
    _, state = ENV.reset(KEY)
    return state.replace(count=jnp.int32(count))


def test_a_step_unpacks_as_six_and_done_is_either_flag() -> None:
    obs, state, reward, terminated, truncated, info = ENV.step(KEY, ENV.reset(KEY)[1], 2)
    assert (obs.shape, int(state.count), float(reward), bool(terminated), bool(truncated)) == (
        (2,),
        1,
        2.0,
        False,
        False,
    )
    assert set(info) == {"count", "final_observation"}
    for ended, late in ((False, False), (True, False), (False, True), (True, True)):
        step = Step(obs, state, reward, jnp.bool_(ended), jnp.bool_(late), info)
        assert bool(step.done) is (ended or late)


def test_step_is_transition_then_a_fresh_start_with_a_key_of_its_own() -> None:
    for count in (0, 4):
        state = almost_over(count)
        raw = ENV.transition(KEY, state, 1, PARAMS)
        assert same_bits(ENV.step(KEY, state, 1), restart(ENV, raw, ENV.init(restart_key(KEY), PARAMS)))


def test_transition_never_resets() -> None:
    step = ENV.transition(KEY, almost_over(7), 0, PARAMS)
    assert bool(step.terminated)
    assert int(step.state.count) == 8


def test_init_and_transition_are_the_draws_then_the_rules() -> None:
    assert same_bits(ENV.init(KEY, PARAMS), ENV.start(ENV.draw_start(KEY, PARAMS), PARAMS))
    state, action = almost_over(), jnp.int32(1)
    luck = ENV.draw(KEY, state, action, PARAMS)
    assert same_bits(ENV.transition(KEY, state, 1, PARAMS), ENV.apply(state, action, luck, PARAMS))


def test_the_last_sight_of_an_episode_is_kept() -> None:
    step = ENV.step(KEY, almost_over(), 0)
    assert step.info["final_observation"].tolist() == [5, 5]
    assert step.obs.tolist() == [0, 0]
    assert bool(step.terminated)
    going_on = ENV.step(KEY, almost_over(1), 0)
    assert going_on.info["final_observation"].tolist() == going_on.obs.tolist() == [2, 2]


def test_an_auto_reset_draws_a_new_start_and_carries_over_what_inherit_says() -> None:
    state = almost_over().replace(episodes=jnp.int32(6))
    born = {int(ENV.step(envwright.key(seed), state, 0).state.born) for seed in range(20)}
    assert len(born) == 20
    assert int(ENV.step(KEY, state, 0).state.episodes) == 7
    assert int(ENV.step(KEY, state.replace(count=jnp.int32(0)), 0).state.episodes) == 6


def test_truncation_restarts_too_and_both_flags_may_be_true() -> None:
    only_time = ENV.step(KEY, almost_over(2), 0, CountParams(length=np.int32(9), limit=np.int32(3)))
    both = ENV.step(KEY, almost_over(2), 0, CountParams(length=np.int32(3), limit=np.int32(3)))
    assert (bool(only_time.terminated), bool(only_time.truncated)) == (False, True)
    assert (bool(both.terminated), bool(both.truncated)) == (True, True)
    assert only_time.obs.tolist() == both.obs.tolist() == [0, 0]


@pytest.mark.parametrize("env", [Counting(), envwright.make("Pong-v0"), envwright.make("Pong-v0", frameskip=8)])
def test_shapes_dtypes_and_info_are_the_same_at_every_step_and_never_weak(env: envwright.Env) -> None:
    def avals(tree: object) -> list[object]:
        return [(leaf.shape, leaf.dtype, leaf.weak_type) for leaf in jax.tree.leaves(tree)]

    _, start = jax.eval_shape(env.reset, KEY)
    first = jax.eval_shape(env.step, KEY, start, jnp.int32(0))
    second = jax.eval_shape(env.step, KEY, first.state, jnp.int32(0))
    assert avals(start) == avals(first.state)
    assert avals(first) == avals(second)
    assert jax.tree.structure(first) == jax.tree.structure(second)
    assert not any(leaf.weak_type for leaf in jax.tree.leaves(first))
    assert (first.reward.dtype, first.terminated.dtype, first.truncated.dtype) == (jnp.float32, bool, bool)


@pytest.mark.parametrize("env", [Counting(), envwright.make("Pong-v0")])
def test_64_bit_mode_changes_no_dtype(env: envwright.Env) -> None:
    _, start = jax.eval_shape(env.reset, KEY)
    narrow = jax.eval_shape(env.step, KEY, start, jnp.int32(0))
    with jax.enable_x64(True):
        wide = jax.eval_shape(env.step, KEY, jax.eval_shape(env.reset, KEY)[1], 0)
    assert [leaf.dtype for leaf in jax.tree.leaves(wide)] == [leaf.dtype for leaf in jax.tree.leaves(narrow)]


def test_jit_vmap_of_one_and_plain_calls_give_the_same_bits() -> None:
    state = almost_over()
    plain = ENV.step(KEY, state, 1)
    assert same_bits(plain, jax.jit(ENV.step)(KEY, state, 1))
    one = jax.tree.map(lambda leaf: leaf[None], (KEY, state, jnp.int32(1)))
    assert same_bits(plain, jax.tree.map(lambda leaf: leaf[0], jax.vmap(ENV.step)(*one)))


def test_equal_environments_share_one_trace() -> None:
    traces = 0

    def step(env: Counting, key: jax.Array, state: Count) -> Step:
        nonlocal traces
        traces += 1
        return env.step(key, state, 0)

    jitted = jax.jit(step, static_argnums=0)
    for _ in range(3):
        state = Counting(size=4).reset(KEY)[1]
        for _ in range(3):
            state = jitted(Counting(size=4), KEY, state).state
    assert traces == 1
    jitted(Counting(size=5), KEY, Counting(size=5).reset(KEY)[1])
    assert traces == 2


def test_environments_are_values() -> None:
    assert Counting(3) == Counting(3)
    assert hash(Counting(3)) == hash(Counting(3))
    assert Counting(3) != Counting(4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        ENV.size = 3  # pyright: ignore[reportAttributeAccessIssue]


def test_a_parameter_changes_no_compilation() -> None:
    step = jax.jit(ENV.step)
    for length in (3, 4, 5):
        step(KEY, almost_over(0), 0, CountParams(length=np.int32(length)))
    assert step._cache_size() == 1  # pyright: ignore


def test_threefry_and_raw_keys_are_taken_as_well() -> None:
    for key in (jax.random.key(0), jax.random.PRNGKey(0)):
        assert int(ENV.step(key, ENV.reset(key)[1], 0).state.count) == 1


def test_a_batch_of_actions_is_refused_where_one_is_wanted() -> None:
    with pytest.raises(ActionError, match="shape"):
        ENV.step(KEY, almost_over(), np.zeros(3, np.int32))


def test_an_environment_that_does_not_draw_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Counting does not draw itself"):
        ENV.render(almost_over(), PARAMS)
