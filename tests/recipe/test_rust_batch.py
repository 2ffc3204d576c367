"""A built crate as learners have it: a batch, Gymnasium's environments, a wheel."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import crates
import numpy as np
import pytest

from envwright.candidates.rust_crate import load, rust_candidate
from envwright.recipe.package.wheel import write_wheel
from envwright.recipe.targets.rust.wheel import library, tag
from envwright.verifier.contract import Contract
from envwright.verifier.interface import Interface

pytestmark = pytest.mark.slow  # a crate is built


@pytest.fixture
def windy() -> tuple[Path, Contract, Interface]:
    return crates.sound_windy()


@pytest.fixture
def native(windy: tuple[Path, Contract, Interface]) -> Any:
    return load(windy[0] / "python" / "fast_windy" / "fast_windy_native.abi3.so")


@pytest.fixture
def package(windy: tuple[Path, Contract, Interface]) -> Iterator[ModuleType]:
    """The Python package, imported as a user would."""
    sys.path.insert(0, str(windy[0] / "python"))
    yield importlib.import_module("fast_windy")
    sys.path.remove(str(windy[0] / "python"))


def played(native: Any, games: int, threads: int, steps: int, **more: Any) -> list[Any]:
    """Everything that comes of some steps."""
    batch, arrays, rng = native.Batch(games, threads, **more), crates.room(games), np.random.default_rng(0)
    batch.reset_into(np.arange(games, dtype=np.uint64), arrays[0])
    found = [arrays[0].copy()]
    for _ in range(steps):
        batch.step_into(rng.integers(4, size=games), *arrays)
        found += [array.copy() for array in arrays]
    return found


def test_a_batch_plays_the_same_on_any_number_of_threads(native: Any) -> None:
    one, three = played(native, 20_000, 1, 30), played(native, 20_000, 3, 30)  # enough for threads to be worth it
    assert all(np.array_equal(a, b) for a, b in zip(one, three, strict=True))
    assert any(array.any() for array in one[3::4]), "some games end"


def test_a_batch_plays_by_the_rules_that_were_verified(windy: tuple[Path, Contract, Interface], native: Any) -> None:
    """Its luck is seen in what it tells; the same luck gives the same game step by step."""
    candidate, games = rust_candidate(windy[0]), 50
    batch, arrays, blown = native.Batch(games, 2, autoreset=False), crates.room(games), np.zeros(games, bool)
    batch.reset_into(np.arange(games, dtype=np.uint64), arrays[0])
    rng = np.random.default_rng(1)
    state = {"row": arrays[0][:, 0], "col": arrays[0][:, 1], "light": arrays[0][:, 2]}
    state = candidate.start(state, games)
    for _ in range(20):
        before = {name.removeprefix("state."): c for name, c in state.items() if name.startswith("state.")}
        actions = rng.integers(4, size=games)
        batch.step_into(actions, *arrays, info=[blown])
        tries = [candidate.step(before, actions, {"gust": np.full(games, gust)}) for gust in range(3)]
        same = np.array([(one["observation"] == arrays[0]).all(axis=1) for one in tries])
        assert same.any(axis=0).all(), "one of the gusts explains what happened"
        which = same.argmax(axis=0)
        state = {name: np.array([tries[g][name][i] for i, g in enumerate(which)]) for name in tries[0]}
        assert np.array_equal(state["reward"], arrays[1])
        assert np.array_equal(state["terminated"], arrays[2])
        assert np.array_equal(state["info.blown"], blown)


def test_a_game_that_ended_begins_anew(native: Any) -> None:
    games = 200
    batch, arrays, last = native.Batch(games), crates.room(games), np.zeros((games, 3))
    batch.reset_into(np.arange(games, dtype=np.uint64), arrays[0])
    seen_end = False
    for _ in range(40):
        light = arrays[0][:, 2].copy()
        batch.step_into(np.full(games, 2), *arrays, final_obs=last)
        obs, ended = arrays[0], arrays[2]
        burnt = np.stack([light * 0.9 - 0.01 * gust for gust in range(3)])
        assert (last[:, 2] == burnt).any(axis=0).all(), "every game goes on from what was seen of it"
        assert np.array_equal(obs[~ended], last[~ended])
        assert (obs[ended][:, 2] >= 0.5).all(), "with a new torch"
        home = (last[ended][:, :2] == 4).all(axis=1)
        assert (home | (last[ended][:, 2] <= 0.05)).all()
        seen_end |= bool(ended.any())
    assert seen_end


def test_a_game_goes_on_from_where_it_was_saved(native: Any) -> None:
    batch, other, arrays, again = native.Batch(3, 1), native.Batch(3, 1), crates.room(3), crates.room(3)
    batch.reset_into(np.arange(3, dtype=np.uint64), arrays[0])
    other.reset_into(np.arange(7, 10, dtype=np.uint64), again[0])
    batch.step_into(np.array([0, 1, 2]), *arrays)
    for i in range(3):
        other.load(i, batch.save(i))
    for _ in range(30):
        batch.step_into(np.array([0, 1, 2]), *arrays)
        other.step_into(np.array([0, 1, 2]), *again)
        assert all(np.array_equal(a, b) for a, b in zip(arrays, again, strict=True))
    assert batch.save(0) == other.save(0)
    with pytest.raises(ValueError, match="not a saved game"):
        batch.load(0, batch.save(0)[:-1])
    with pytest.raises(ValueError, match="not a saved game"):
        batch.load(0, bytes(len(batch.save(0))))
    with pytest.raises(IndexError, match="no game 3"):
        batch.save(3)


def test_other_seeds_are_other_games(native: Any) -> None:
    obs = np.zeros((1000, 3))
    native.Batch(1000).reset_into(np.arange(1000, dtype=np.uint64), obs)
    assert len(np.unique(obs[:, 2])) == 1000


def test_arrays_that_do_not_fit_are_refused(native: Any) -> None:
    batch, (obs, rewards, terminated, truncated) = native.Batch(4), crates.room(4)
    with pytest.raises(RuntimeError, match="reset_into first"):
        batch.step_into(np.zeros(4, int), obs, rewards, terminated, truncated)
    batch.reset_into(np.arange(4, dtype=np.uint64), obs)
    frozen = np.zeros((4, 3))
    frozen.flags.writeable = False
    for wrong, sentence in (
        (np.zeros((4, 3), np.float32), "expected to be float64 of shape .4, 3., but is float32"),
        (np.zeros((3, 3)), "but is float64 of shape .3, 3."),
        (np.zeros((4, 6))[:, ::2], "obs is no array"),
        (frozen, "obs is no array"),
        ([1.0], "obs is no array"),
        (np.zeros((4, 3), ">f8"), "unknown kind"),
    ):
        with pytest.raises(ValueError, match=sentence):
            batch.step_into(np.zeros(4, int), wrong, rewards, terminated, truncated)
    with pytest.raises(ValueError, match="share memory"):
        batch.step_into(np.zeros(4, int), obs, rewards, terminated, terminated)
    with pytest.raises(ValueError, match="at least one"):
        native.Batch(0)


# ---- as a package ----


def test_gymnasium_finds_nothing_wrong_with_it(package: Any) -> None:
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    check_env(package.Windy(), skip_render_check=True)
    env = gymnasium.make("fast/Windy-v0")
    first, _ = env.reset(seed=3)
    obs, reward, terminated, truncated, info = env.step(1)
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
    assert set(info) == {"blown"}
    env.unwrapped.reset(seed=3)
    again = env.unwrapped.step(1)
    assert np.array_equal(obs, again[0])
    assert not np.array_equal(first, obs)
    env.close()


def test_a_vector_environment_begins_the_games_that_single_ones_do(package: Any) -> None:
    import gymnasium

    envs = gymnasium.make_vec("fast/Windy-v0", num_envs=6, vectorization_mode="vector_entry_point")
    seen, _ = envs.reset(seed=10)
    singles = [package.Windy() for _ in range(6)]
    assert all(np.array_equal(env.reset(seed=10 + i)[0], seen[i]) for i, env in enumerate(singles))
    over = np.zeros(6, bool)
    for step in range(40):
        actions = np.full(6, step % 4)
        obs, rewards, terminated, truncated, infos = envs.step(actions)
        assert obs in envs.observation_space
        for i in np.flatnonzero(~over):
            one = singles[i].step(int(actions[i]))
            told = infos["final_info"] if terminated[i] else infos
            last = infos["final_obs"] if terminated[i] else obs
            assert np.array_equal(one[0], last[i])
            assert one[1:4] == (rewards[i], terminated[i], truncated[i])
            assert one[4]["blown"] == told["blown"][i]
            assert told["_blown"][i]
        over |= terminated
    assert over.any()
    envs.close()


METADATA = "Metadata-Version: 2.1\nName: fast_windy\nVersion: 0.1.0\n"


def test_it_can_be_installed_from_a_wheel(windy: tuple[Path, Contract, Interface], tmp_path: Path) -> None:
    """By pip, into a folder that has nothing else in it; then a game is played without us."""
    folder, _, interface = windy
    built = crates.build(folder, interface, crates.texts(crates.WINDY))
    assert built.path is not None
    name, content = write_wheel("fast_windy", "0.1.0", library(folder, "fast_windy"), METADATA, "", tag())
    path = tmp_path / name
    path.write_bytes(content)
    place = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", place, path]
    subprocess.run(pip, check=True, capture_output=True)
    game = "import fast_windy as w; e = w.Windy(); e.reset(seed=0); print(len(e.step(0)), w.__file__)"
    environment = {"PATH": "", "PYTHONPATH": str(place)}
    done = subprocess.run([sys.executable, "-c", game], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["5", str(place / "fast_windy" / "__init__.py")]
