"""Candidates by name."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance import state_of

from envwright.candidates import find
from envwright.candidates.find import find_candidate
from envwright.candidates.gymnasium_env import GymnasiumCandidate
from envwright.core.errors import EnvwrightError, UnknownEnvError

FILE = '''
"""A walk on a line."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from envwright import Box, Discrete, Env, Record, Step


class Params(Record):
    stride: jax.Array


class Place(Record):
    x: jax.Array


@dataclass(frozen=True)
class Walk(Env[Place, Params]):
    start_at: int = 0

    @property
    def default_params(self):
        return Params(np.int32(1))

    def observation_space(self, params):
        return Box(-9.0, 9.0, (1,))

    def action_space(self, params):
        return Discrete(2)

    def draw_start(self, key, params):
        return None

    def start(self, chance, params):
        return jnp.zeros(1), Place(jnp.int32(self.start_at))

    def draw(self, key, state, action, params):
        return None

    def apply(self, state, action, chance, params):
        x = move(state.x, action, params.stride)
        return Step(jnp.float32(x)[None], Place(x), jnp.float32(0), x > 3, jnp.bool_(False), {})


class Half(Env[Place, Params]):
    pass


NOT_AN_ENV = 3


def move(x, action, stride):
    return x + (2 * action - 1) * stride
'''


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    (tmp_path / "walk.py").write_text(FILE)
    return tmp_path


# ---- kinds ----


@pytest.mark.parametrize(
    ("name", "function", "id"),
    [
        ("gymnax:CartPole-v1", "gymnax", "CartPole-v1"),
        ("pgx:minatar-breakout", "pgx", "minatar-breakout"),
        ("jumanji:Game2048-v1", "jumanji", "Game2048-v1"),
        ("brax:inverted_pendulum", "brax", "inverted_pendulum"),
    ],
)
def test_a_prefix_says_which_library(name: str, function: str, id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setitem(find._KINDS, function, lambda id, **options: asked.append((id, options)))
    find_candidate(name, {"fast": True})
    assert asked == [(id, {"fast": True})]


def test_a_library_is_really_asked() -> None:
    pytest.importorskip("gymnax")
    candidate = find_candidate("gymnax:CartPole-v1")
    assert candidate.name == "gymnax:CartPole-v1"
    assert candidate.provenance()["package"] == "gymnax"


def test_gymnasium_is_python_or_one_of_its_ports() -> None:
    pytest.importorskip("flax")
    assert isinstance(find_candidate("gymnasium:CartPole-v1"), GymnasiumCandidate)
    port = find_candidate("gymnasium:phys2d/CartPole-v1")
    assert not isinstance(port, GymnasiumCandidate)
    assert port.name == "gymnasium:phys2d/CartPole-v1"


@pytest.mark.parametrize("name", ["envwright:pong", "pong", "Pong-v0"])
def test_our_own_need_no_prefix(name: str) -> None:
    candidate = find_candidate(name, {"frameskip": 4})
    assert candidate.name == "envwright:Pong-v0"
    assert "frameskip=4" in candidate.provenance()["options"]


def test_our_own_have_the_time_limit_of_their_id() -> None:
    assert "time" in state_of(find_candidate("cartpole").kinds())  # pyright: ignore[reportArgumentType]


def test_an_unknown_name_of_ours_is_told_with_its_neighbour() -> None:
    with pytest.raises(UnknownEnvError, match="no environment 'pongg'; did you mean 'Pong-v0'"):
        find_candidate("pongg")


def test_an_unknown_kind_is_told_the_kinds() -> None:
    with pytest.raises(
        EnvwrightError, match=r"'gymnaz:CartPole-v1' is of no known kind; write gymnax:ID, pgx:ID.*\.py:Class"
    ):
        find_candidate("gymnaz:CartPole-v1")


# ---- classes ----


def test_a_class_in_a_file_is_found_beside_the_contract(walk: Path) -> None:
    candidate = find_candidate("walk.py:Walk", {"start_at": 2}, walk)
    assert candidate.name == "walk.py:Walk"
    new = candidate.init(np.zeros(1, np.uint32))
    assert new["state.x"].tolist() == [2]
    outcome = candidate.step(state_of(new), np.ones(1))
    assert outcome["state.x"].tolist() == [3]
    assert candidate.call("move", [np.array([1]), np.array([0]), np.array([5])]).tolist() == [-4]


def test_a_whole_path_needs_no_base(walk: Path) -> None:
    assert find_candidate(f"{walk}/walk.py:Walk", {}, Path("/nowhere")).init(np.zeros(1, np.uint32))


def test_a_file_that_changed_is_read_again(walk: Path) -> None:
    first = find_candidate("walk.py:Walk", {}, walk)
    (walk / "walk.py").write_text(FILE.replace("start_at: int = 0", "start_at: int = 7"))
    second = find_candidate("walk.py:Walk", {}, walk)
    seeds = np.zeros(1, np.uint32)
    assert (first.init(seeds)["state.x"][0], second.init(seeds)["state.x"][0]) == (0, 7)


def test_a_class_in_a_module_is_found() -> None:
    candidate = find_candidate("envwright.envs.cartpole:CartPole", {"sutton_barto_reward": True})
    assert "sutton_barto_reward=True" in candidate.provenance()["options"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("walk.py", r"'walk.py' names a file but no class; write it like 'walk.py:MyEnv'"),
        ("other.py:Walk", r"There is no file .*other.py"),
        ("walk.py:Wal", r"no class Wal in walk.py; it has Walk, Half\."),
        ("walk.py:NOT_AN_ENV", r"walk.py:NOT_AN_ENV is not an environment; derive the class from envwright.Env"),
        ("walk.py:Record", r"walk.py:Record is not an environment"),
        ("walk.py:Half", r"walk.py:Half cannot be made with \{\}: .*abstract"),
        ("json:JSONDecoder", r"json:JSONDecoder is not an environment"),
        ("json:Nothing", r"no class Nothing in json; nor any other environment"),
    ],
)
def test_what_is_wrong_with_a_class_is_one_sentence(name: str, sentence: str, walk: Path) -> None:
    with pytest.raises(EnvwrightError, match=sentence) as caught:
        find_candidate(name, {}, walk)
    assert "\n" not in str(caught.value)


def test_a_wrong_option_is_one_sentence(walk: Path) -> None:
    with pytest.raises(
        EnvwrightError, match=r"cannot be made with \{'colour': 1\}: .*unexpected keyword argument 'colour'"
    ):
        find_candidate("walk.py:Walk", {"colour": 1}, walk)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1\nimport not_installed_anywhere\n", r"bad.py:2: ModuleNotFoundError: No module named 'not_installed"),
        ("def f():\n    return 1 / 0\n\nf()\n", r"bad.py:2: ZeroDivisionError"),
        ("import json\n\njson.loads('{')\n", r"bad.py:3: JSONDecodeError"),
        ("x = 1\ny = = 2\n", r"bad.py:2: SyntaxError: invalid syntax"),
    ],
)
def test_a_file_that_fails_says_where(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(text)
    before = set(sys.modules)
    with pytest.raises(EnvwrightError, match=sentence):
        find_candidate("bad.py:Bad", {}, tmp_path)
    assert not any(name.startswith("envwright_candidate_bad") for name in set(sys.modules) - before)


def test_a_module_that_fails_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_module.py").write_text("\nimport not_installed_anywhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EnvwrightError, match=r"broken_module cannot be imported: .*broken_module.py:2: ModuleNotFound"):
        find_candidate("broken_module:Env", {})
