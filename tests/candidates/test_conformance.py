"""Environments in our own interface as candidates, and candidates that break a promise."""

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from conformance import check, same, some_actions, state_of

import envwright
from envwright.candidates.jax_candidate import JaxCandidate
from envwright.candidates.native import native_candidate
from envwright.candidates.rules import Moment, Split

CARTPOLE = native_candidate(envwright.make("CartPole-v1", max_episode_steps=-1))


@pytest.mark.parametrize("id", ["CartPole-v1", "Pong-v0"])
def test_our_own_environments_are_candidates(id: str) -> None:
    check(native_candidate(envwright.make(id)))


def test_a_time_limit_does_not_hide_the_functions_of_the_rules() -> None:
    timed, free = native_candidate(envwright.make("CartPole-v1")), CARTPOLE
    assert timed.rules.functions is free.rules.functions


def test_a_finished_game_is_not_reset() -> None:
    new = state_of(CARTPOLE.init(np.zeros(1, np.uint32)))
    far_off = {**new, "x": np.array([3.0], np.float32)}
    played = CARTPOLE.play(far_off, np.zeros((1, 5), np.int32))
    assert played["terminated"].all()
    assert (np.abs(played["state.x"]) > 2.4).all()


# ---- the check itself ----


def spoilt(**functions: Any) -> JaxCandidate:
    split = CARTPOLE.rules.split
    assert split is not None
    return JaxCandidate(replace(CARTPOLE.rules, split=replace(split, **functions)))


def own_split() -> Split:
    assert CARTPOLE.rules.split is not None
    return CARTPOLE.rules.split


def test_the_check_sees_a_step_that_remembers() -> None:
    calls: list[int] = []

    class Remembers(JaxCandidate):
        def step(self, state: Any, actions: Any, chance: Any = None) -> Any:
            calls.append(0)
            outcome = super().step(state, actions, chance)
            return {**outcome, "reward": outcome["reward"] + np.float32(len(calls))}

    with pytest.raises(AssertionError, match="a step is a function"):
        check(Remembers(CARTPOLE.rules))


def test_the_check_sees_a_game_that_looks_at_its_neighbours() -> None:
    class Shares(JaxCandidate):
        def step(self, state: Any, actions: Any, chance: Any = None) -> Any:
            outcome = super().step(state, actions, chance)
            return {**outcome, "reward": outcome["reward"] + np.float32(len(actions))}

    with pytest.raises(AssertionError, match="row of a batch"):
        check(Shares(CARTPOLE.rules))


def test_the_check_sees_a_play_that_resets() -> None:
    class Resets(JaxCandidate):
        def play(self, state: Any, actions: Any, chance: Any = None) -> Any:
            outcome = super().play(state, actions, chance)
            return {**outcome, "state.x": np.where(np.arange(actions.shape[1]) < 2, outcome["state.x"], np.float32(0))}

    with pytest.raises(AssertionError):
        check(Resets(CARTPOLE.rules))


def test_the_check_sees_luck_that_is_not_what_init_draws() -> None:
    def other(key: Any, params: Any) -> Any:
        return own_split().draw_start(key, params) * jnp.float32(0.5)

    with pytest.raises(AssertionError):
        check(spoilt(draw_start=other))


def test_the_check_sees_a_kind_that_is_not_kept() -> None:
    class Wide(JaxCandidate):
        def step(self, state: Any, actions: Any, chance: Any = None) -> Any:
            return {name: column.astype(np.float64) for name, column in super().step(state, actions, chance).items()}

    with pytest.raises(AssertionError):
        check(Wide(CARTPOLE.rules))


# ---- double precision and params ----


def test_double_precision_is_refused_where_a_step_cannot_be_traced_in_it() -> None:
    def narrow(state: Any, action: Any, chance: Any, params: Any) -> Moment:
        if state.x.dtype != jnp.float32:
            raise TypeError("only float32")
        return Moment(*own_split().apply(state, action, chance, params))

    assert spoilt(apply=narrow).in_float64() is None


def test_double_precision_is_refused_where_only_a_start_holds_on_to_single() -> None:
    def narrow(key: Any, params: Any) -> Any:
        obs, state = CARTPOLE.rules.init(key, params)
        return obs, state.replace(x=state.x.astype(jnp.float32))

    assert CARTPOLE.in_float64() is not None
    assert JaxCandidate(replace(CARTPOLE.rules, init=narrow)).in_float64() is None


def test_params_that_are_arrays_stay_arrays_of_their_kind() -> None:
    class Params(envwright.Record):
        numpy: Any
        jax: Any
        python: Any

    params = Params(np.array([1, 2], np.float32), jnp.array([1, 2], np.float32), 3.0)
    rules = replace(CARTPOLE.rules, params=params, split=None)
    changed = (
        JaxCandidate(rules)
        .with_params({"numpy": np.ones(2), "jax": np.ones(2), "python": np.asarray(4.0)})
        .rules.params
    )
    assert isinstance(changed.numpy, np.ndarray)
    assert isinstance(changed.jax, type(params.jax))
    assert isinstance(changed.python, float)
    assert (changed.numpy.dtype, changed.jax.dtype) == (np.float32, np.float32)


def test_the_same_games_are_played_alone_and_together() -> None:
    state, actions = state_of(CARTPOLE.init(np.arange(70, dtype=np.uint32))), some_actions(CARTPOLE, (70, 3))
    together = CARTPOLE.play(state, actions)
    alone = CARTPOLE.play({name: column[69:] for name, column in state.items()}, actions[69:])
    assert same({name: column[69:] for name, column in together.items()}, alone)
