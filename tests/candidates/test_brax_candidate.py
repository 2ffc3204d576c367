"""Brax's environments as candidates, against Brax itself."""

import subprocess
import sys
from typing import Any

import jax
import numpy as np
import pytest
from conformance import as_columns, check, close, forget, keys, some_actions, state_of

from envwright.candidates.brax_env import brax_candidate
from envwright.candidates.outside import as_by_default, package
from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.core.spaces import Box

try:
    envs: Any = package("brax.envs", "peers")
except MissingExtraError as error:
    pytest.skip(str(error), allow_module_level=True)

GAMES = 4
SEEDS = np.arange(GAMES, dtype=np.uint32)


def test_it_keeps_what_a_candidate_promises() -> None:
    check(brax_candidate("fast"))


@pytest.mark.parametrize(
    ("id", "options"), [("fast", {}), pytest.param("inverted_pendulum", {"backend": "spring"}, marks=pytest.mark.slow)]
)
def test_a_step_is_braxs_own_step(id: str, options: dict[str, Any]) -> None:
    candidate = brax_candidate(id, **options)
    steps = 12
    new = candidate.init(SEEDS)
    actions = some_actions(candidate, (GAMES, steps))
    with as_by_default():
        env = envs.get_environment(id, **options)
        own_step = jax.jit(jax.vmap(env.step))
        state = jax.jit(jax.vmap(env.reset))(keys(GAMES))
        assert close(new, as_columns(new, state.obs, state))
        now = state_of(new)
        for step in range(steps):
            outcome = candidate.step(now, actions[:, step])
            state = own_step(state, actions[:, step])
            told = {"reward": state.reward, "terminated": state.done == 1, "truncated": np.zeros(GAMES, bool)}
            assert close(as_columns(outcome, state.obs, state, **told, info=state.info), outcome, 1e-3), step
            now = state_of(outcome)


@pytest.mark.slow
def test_an_end_does_not_reset() -> None:
    candidate = brax_candidate("inverted_pendulum", backend="spring")
    played = candidate.play(state_of(candidate.init(SEEDS)), np.ones((GAMES, 40, 1), np.float32))
    assert played["terminated"][:, -1].all()
    assert (np.abs(played["observation"][:, -1, 1]) > 0.2).all(), "the pole has fallen and is left there"


def test_no_time_limit_truncates() -> None:
    candidate = brax_candidate("fast")
    played = candidate.play(state_of(candidate.init(SEEDS)), np.zeros((GAMES, 30, 1), np.float32))
    assert not played["truncated"].any()


class Clock(envs.Env):
    """Is done at 2 and at 3, the second time because it was cut short."""

    observation_size, action_size, backend = 1, 1, "none"

    def reset(self, rng: Any) -> Any:
        time = jax.random.randint(rng, (), 0, 1) + 0.0
        return envs.State(None, time[None], time, time, {}, {"truncation": time})

    def step(self, state: Any, action: Any) -> Any:
        time = state.obs + 1
        cut = (time[0] == 3) * 1.0
        return state.replace(obs=time, done=(time[0] >= 2) * 1.0, info={"truncation": cut})


def test_an_end_that_calls_itself_a_truncation_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(envs._envs, "clock", Clock)
    candidate = brax_candidate("clock")
    played = candidate.play(state_of(candidate.init(SEEDS[:1])), np.zeros((1, 3, 1), np.float32))
    assert played["terminated"][0].tolist() == [False, True, False]
    assert played["truncated"][0].tolist() == [False, False, True]


@pytest.mark.slow
def test_it_is_imported_without_a_word() -> None:
    code = "from envwright.candidates.brax_env import brax_candidate; brax_candidate('fast').kinds()"
    said = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (said.stdout, said.stderr) == ("", "")


def test_the_backend_is_in_its_provenance() -> None:
    assert brax_candidate("inverted_pendulum", backend="spring").provenance()["backend"] == "spring"


def test_spaces_are_ours() -> None:
    assert brax_candidate("fast").action_space == Box(-1.0, 1.0, (1,))


def test_an_unknown_id_is_told_with_its_neighbours() -> None:
    with pytest.raises(EnvwrightError, match="Brax has no environment 'humanoids'; did you mean humanoid"):
        brax_candidate("humanoids")


def test_an_unknown_backend_is_one_sentence() -> None:
    with pytest.raises(EnvwrightError, match="Brax's inverted_pendulum cannot be made: ValueError: backend should be"):
        brax_candidate("inverted_pendulum", backend="slow")


def test_without_brax_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch, "brax")
    with pytest.raises(MissingExtraError, match=r"'brax'.*pip install 'envwright\[peers\]'"):
        brax_candidate("fast")
