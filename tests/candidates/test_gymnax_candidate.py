"""gymnax's environments as candidates, against gymnax itself."""

from typing import Any

import jax
import numpy as np
import pytest
from conformance import as_columns, check, close, forget, keys, some_actions, state_of

from envwright.candidates.gymnax_env import gymnax_candidate
from envwright.candidates.outside import as_by_default
from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.core.spaces import Box, Discrete

gymnax: Any = pytest.importorskip("gymnax")

SEEDS = np.arange(8, dtype=np.uint32)


@pytest.mark.parametrize("id", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1", "FrozenLake-misc"])
def test_it_keeps_what_a_candidate_promises(id: str) -> None:
    check(gymnax_candidate(id))


@pytest.mark.parametrize(
    ("id", "steps"), [("CartPole-v1", 60), ("FrozenLake-misc", 20), ("MountainCarContinuous-v0", 5)]
)
def test_a_step_is_gymnaxs_own_step_and_the_end_does_not_reset(id: str, steps: int) -> None:
    candidate = gymnax_candidate(id)
    env, params = gymnax.make(id)
    own_step = jax.jit(jax.vmap(env.step_env, in_axes=(0, 0, 0, None)))
    own_end = jax.jit(jax.vmap(env.is_truncated, in_axes=(0, None)))
    own_reset = jax.jit(jax.vmap(env.reset_env, in_axes=(0, None)))
    new = candidate.init(SEEDS)
    actions = some_actions(candidate, (8, steps))
    ended, time = np.zeros(8, bool), 0
    with as_by_default():
        obs, state = own_reset(keys(8), params)
        assert close(new, as_columns(new, obs, state))
        now = state_of(new)
        for step in range(steps):
            outcome = candidate.step(now, actions[:, step])
            action = (
                actions[:, step].astype(candidate.action_space.dtype) if candidate.action_space else actions[:, step]
            )
            obs, state, reward, terminated, info = own_step(keys(8), state, action, params)
            truncated = own_end(state, params)
            own = as_columns(outcome, obs, state, reward=reward, terminated=terminated, truncated=truncated, info=info)
            assert close(own, outcome, 1e-4), step
            now, time = state_of(outcome), time + 1
            ended |= outcome["terminated"]
    assert (now["time"] == time).all(), "gymnax's own `step` would have started over, at time 0"
    assert ended.any() == (id != "MountainCarContinuous-v0")  # five steps do not reach the flag


def test_a_time_limit_truncates() -> None:
    candidate = gymnax_candidate("Pendulum-v1")
    state = {**state_of(candidate.init(SEEDS)), "time": np.full(8, 199)}
    outcome = candidate.step(state, np.zeros((8, 1), np.float32))
    assert (outcome["truncated"].all(), outcome["terminated"].any()) == (True, False)


def test_its_params_can_be_changed() -> None:
    candidate = gymnax_candidate("CartPole-v1")
    assert float(candidate.params["gravity"]) == 9.8
    state = {**state_of(candidate.init(SEEDS)), "theta": np.full(8, 0.1, np.float32)}
    moon = candidate.with_params({"gravity": np.asarray(1.6)})
    actions = np.zeros(8, np.int32)
    assert not np.allclose(
        moon.step(state, actions)["state.theta_dot"], candidate.step(state, actions)["state.theta_dot"]
    )


@pytest.mark.parametrize(
    "id", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0", "MountainCarContinuous-v0"]
)
def test_classic_control_runs_in_double_precision(id: str) -> None:
    wide = gymnax_candidate(id).in_float64()
    assert wide is not None
    outcome = wide.step(state_of(wide.init(SEEDS)), some_actions(wide, (8,)))
    assert {c.dtype for n, c in outcome.items() if n.startswith("state.") and c.dtype.kind == "f"} == {
        np.dtype("float64")
    }
    narrow = gymnax_candidate(id).step(state_of(wide.init(SEEDS)), some_actions(wide, (8,)))
    assert close(narrow, {n: c.astype(narrow[n].dtype) for n, c in outcome.items()}, 1e-4)


@pytest.mark.parametrize("id", ["GaussianBandit-misc", "DiscountingChain-bsuite", "Catch-bsuite"])
def test_what_cannot_run_in_double_precision_says_so(id: str) -> None:
    assert gymnax_candidate(id).in_float64() is None


def test_spaces_are_ours() -> None:
    assert gymnax_candidate("CartPole-v1").action_space == Discrete(2)
    assert gymnax_candidate("Pendulum-v1").action_space == Box(-2.0, 2.0, (1,))


def test_an_unknown_id_is_told_with_its_neighbours() -> None:
    with pytest.raises(EnvwrightError, match="gymnax has no environment 'CartPole-v7'; did you mean CartPole-v1"):
        gymnax_candidate("CartPole-v7")


def test_an_unknown_option_is_one_sentence() -> None:
    with pytest.raises(EnvwrightError, match=r"gymnax's CartPole-v1 cannot be made: TypeError: .*colour"):
        gymnax_candidate("CartPole-v1", colour="red")


def test_without_gymnax_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch, "gymnax")
    with pytest.raises(MissingExtraError, match=r"'gymnax'.*pip install 'envwright\[gymnax\]'"):
        gymnax_candidate("CartPole-v1")
