"""Gymnasium's JAX ports as candidates, against what `gymnasium.make` makes of them."""

from typing import Any

import jax
import numpy as np
import pytest
from conformance import as_columns, check, close, forget, some_actions, state_of

from envwright.candidates.functional_env import FUNCTIONAL, functional_candidate
from envwright.candidates.outside import as_by_default
from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.core.spaces import Box, Discrete

gymnasium: Any = pytest.importorskip("gymnasium")
pytest.importorskip("flax")

IDS = [id for id in FUNCTIONAL if id != "phys2d/CartPole-v0"]
SEEDS = np.arange(4, dtype=np.uint32)


@pytest.mark.parametrize("id", IDS)
def test_it_keeps_what_a_candidate_promises(id: str) -> None:
    check(functional_candidate(id))


@pytest.mark.parametrize("id", FUNCTIONAL)
def test_it_is_the_class_behind_the_registered_id(id: str) -> None:
    with as_by_default():
        made = gymnasium.make(id).unwrapped.func_env
    assert (type(made).__module__, type(made).__name__) == FUNCTIONAL[id]


@pytest.mark.parametrize(("id", "steps"), [(id, 40) for id in IDS])
def test_a_step_is_what_the_registered_environment_does(id: str, steps: int) -> None:
    candidate = functional_candidate(id)
    actions = some_actions(candidate, (1, steps), seed=3)
    ended, outcome = False, {}
    with as_by_default():
        env = gymnasium.make(id).unwrapped
        env.reset(seed=0)
        env.action_space.seed(0)
        now = {
            name: np.asarray(env.state if name == "value" else getattr(env.state, name))[None]
            for name in state_of(candidate.kinds())  # pyright: ignore[reportArgumentType]
        }
        for step in range(steps):
            chance = None
            if candidate.takes_chance:  # the key that the environment is about to use
                assert candidate.rules.split is not None
                key = jax.random.split(env.rng)[0]
                drawn = candidate.rules.split.draw(key, None, None, None)
                chance = {name: np.asarray(column)[None] for name, column in drawn.items()}
            outcome = candidate.step(now, actions[:, step], chance)
            action = np.asarray(actions[0, step], env.action_space.dtype)
            obs, reward, terminated, truncated, info = env.step(action)
            state = jax.tree.map(lambda leaf: np.reshape(leaf, (1, *np.shape(leaf))), env.state)
            state = state._replace(fallen=state.fallen[:, 0]) if "CliffWalking" in id else state
            told = {"reward": [reward], "terminated": [terminated], "truncated": [truncated], "info": info}
            own = as_columns(outcome, np.asarray(obs)[None], state, **told)
            assert close({name: column.astype(outcome[name].dtype) for name, column in own.items()}, outcome), step
            now, ended = state_of(outcome), ended or terminated
    assert ended == any(name in id for name in ("CartPole", "Blackjack"))
    assert not outcome["truncated"].any(), "the time limit is Gymnasium's wrapper, not the port's"


def test_an_end_does_not_reset() -> None:
    candidate = functional_candidate("phys2d/CartPole-v1")
    played = candidate.play(state_of(candidate.init(SEEDS)), np.ones((4, 60), np.int32))
    first = played["terminated"].argmax(1)
    assert played["terminated"][:, -1].all()
    assert (first < 59).all()
    assert (np.abs(played["state.value"][:, -1, 2]) > 0.21).all()


def test_params_are_gymnasiums_until_others_are_asked_for() -> None:
    candidate = functional_candidate("phys2d/CartPole-v1")
    mended = candidate.with_params({"polemass_length": np.asarray(0.05)})
    state, actions = {"value": np.array([[0, 0, 0.1, 1]], np.float32)}, np.ones(1, np.int32)
    again = candidate.with_params({"polemass_length": candidate.params["polemass_length"]})
    assert close(candidate.step(state, actions), again.step(state, actions))
    assert not close(candidate.step(state, actions), mended.step(state, actions))


def test_cards_are_dealt_as_handed_in() -> None:
    candidate = functional_candidate("tabular/Blackjack-v0")
    new = candidate.start({"cards": np.array([[10, 9, 7, 6]])}, 1)
    assert new["observation"].tolist() == [[19, 7, 0]]
    tape = np.zeros((1, 19), np.int32)
    tape[0, :2] = 3, 5
    outcome = candidate.step(state_of(new), np.zeros(1, np.int32), {"cards": tape})
    assert outcome["state.dealer_hand"][0, :5].tolist() == [7, 6, 3, 5, 0]
    assert (outcome["reward"][0], outcome["terminated"][0]) == (-1.0, True)


def test_no_dealer_needs_more_cards_than_the_tape_has() -> None:
    candidate = functional_candidate("tabular/Blackjack-v0")
    new = candidate.start({"cards": np.ones((1, 4))}, 1)
    tape = np.array([[1, 1, 1, 1, 6, 1, 1, 1, 1, 1, 10, 10, 10, 10, 10, 10, 10, 10, 10]])
    longest = candidate.step(state_of(new), np.zeros(1, np.int32), {"cards": tape})
    assert int(longest["state.dealer_cards"][0]) == 12


@pytest.mark.parametrize(("id", "wide"), [(IDS[0], False), (IDS[1], True), (IDS[2], True), (IDS[3], False)])
def test_double_precision_where_it_can_be_had(id: str, wide: bool) -> None:
    assert (functional_candidate(id).in_float64() is not None) == wide


def test_spaces_are_ours() -> None:
    assert functional_candidate("phys2d/CartPole-v1").action_space == Discrete(2)
    assert functional_candidate("tabular/CliffWalking-v0").action_space == Box(0.0, 3.0, (1,), np.dtype(np.int32))


def test_an_unknown_id_is_told_with_its_neighbours() -> None:
    with pytest.raises(EnvwrightError, match="no environment 'phys2d/CartPole-v9'; did you mean phys2d/CartPole-v1"):
        functional_candidate("phys2d/CartPole-v9")


@pytest.mark.parametrize(("package", "extra"), [("gymnasium", "gymnasium"), ("flax", "gymnax")])
def test_without_its_packages_the_extra_is_named(package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch, package)
    with pytest.raises(MissingExtraError, match=rf"'{package}'.*pip install 'envwright\[{extra}\]'"):
        functional_candidate("phys2d/CartPole-v1")
