"""Crates from end to end: scaffolded, built, verified against their originals, played in batches and by Gymnasium."""

import importlib
import importlib.util
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import crates
import numpy as np
import pytest
from test_rust_scaffold import GAME

from envwright.candidates.rust_crate import RustCandidate, RustError, load, rust_candidate
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box
from envwright.recipe.interface import Field, Interface
from envwright.recipe.targets import rust
from envwright.recipe.targets.rust.names import TYPES
from envwright.recipe.targets.rust.wheel import wheel, wheel_name
from envwright.sandbox.box import Limits
from envwright.verify import pairs
from envwright.verify.contract import Contract
from envwright.verify.engine import verify
from envwright.verify.session import Effort
from envwright.verify.verdict import Verdict

pytestmark = pytest.mark.slow  # each builds a crate

SMALL = Effort(episodes=30, limit=300, states=400, corners=200, pool=200, draws=2000, watched=40)


@pytest.fixture(scope="module")
def windy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Contract, Interface]:
    """Windy, sound and built: its folder, what it was made from."""
    crates.need_cargo()
    folder = tmp_path_factory.mktemp("windy")
    contract, interface = crates.windy()
    built = crates.build(folder, interface, crates.texts(crates.WINDY))
    assert built.path is not None, rust.told(built)
    return folder, contract, interface


@pytest.fixture(scope="module")
def native(windy: tuple[Path, Contract, Interface]) -> Any:
    return load(windy[0] / "python" / "fast_windy" / "fast_windy_native.abi3.so")


@pytest.fixture(scope="module")
def package(windy: tuple[Path, Contract, Interface]) -> Iterator[ModuleType]:
    """The Python package, imported as a user would."""
    sys.path.insert(0, str(windy[0] / "python"))
    yield importlib.import_module("fast_windy")
    sys.path.remove(str(windy[0] / "python"))


def judge(contract: Contract, candidate: RustCandidate) -> Verdict:
    host = pairs.make_host(contract, apart=False)
    try:
        return verify(contract, host, candidate, effort=SMALL)
    finally:
        host.close()


def broken(folder: Path, path: str, old: str, new: str) -> tuple[Contract, RustCandidate]:
    """Windy with one fault."""
    contract, interface = crates.windy()
    built = crates.build(folder, interface, crates.changed(crates.texts(crates.WINDY), path, old, new))
    assert built.path is not None, rust.told(built)
    return contract, rust_candidate(folder)


# ---- as a candidate ----


def test_a_sound_translation_passes(windy: tuple[Path, Contract, Interface]) -> None:
    verdict = judge(windy[1], rust_candidate(windy[0]))
    assert verdict.passed, verdict.text()
    assert {check.level for check in verdict.checks if check.status == "pass"} == {"L0", "L1", "L2", "L3"}


def test_a_fault_in_a_module_is_blamed_on_it(tmp_path: Path) -> None:
    crates.need_cargo()
    verdict = judge(*broken(tmp_path, "src/weather.rs", "0.01 * gust", "0.02 * gust"))
    assert verdict.failed
    assert verdict.modules == ("weather",)
    assert {check.level for check in verdict.checks if not check.passed} == {"L1", "L2", "L3"}


def test_a_fault_in_the_rules_is_blamed_on_them(tmp_path: Path) -> None:
    crates.need_cargo()
    verdict = judge(*broken(tmp_path, "src/rules.rs", "home || state.light", "state.light"))
    assert verdict.failed
    assert verdict.modules == ("rules",)


def test_a_real_environment_with_a_time_limit_passes(tmp_path: Path) -> None:
    crates.need_cargo()
    contract, interface = crates.lake()
    built = crates.build(tmp_path, interface, crates.texts(crates.LAKE))
    assert built.path is not None, rust.told(built)
    candidate = rust_candidate(tmp_path, max_episode_steps=100)
    verdict = judge(contract, candidate)
    assert verdict.passed, verdict.text()
    step = candidate.step({"position": np.array([0, 0]), "time": np.array([98, 99])}, np.array([0, 0]))
    assert step["truncated"].tolist() == [False, True]
    assert step["state.time"].tolist() == [99, 100]
    with pytest.raises(EnvwrightError, match="max_episode_steps = 100"):
        rust_candidate(tmp_path, max_episode_steps=50)


def test_it_owes_the_verifier_what_every_candidate_does(windy: tuple[Path, Contract, Interface]) -> None:
    path = Path(__file__).parents[1] / "candidates" / "conformance.py"
    place = importlib.util.spec_from_file_location("candidate_conformance", path)
    assert place is not None
    assert place.loader is not None
    conformance = importlib.util.module_from_spec(place)
    place.loader.exec_module(conformance)
    conformance.check(rust_candidate(windy[0]))


def test_numbers_that_do_not_fit_are_refused(windy: tuple[Path, Contract, Interface]) -> None:
    candidate = rust_candidate(windy[0])
    state = {name.removeprefix("state."): c for name, c in candidate.init(np.zeros(1, np.uint32)).items()}
    del state["observation"]
    with pytest.raises(EnvwrightError, match=r"field row is int64.*float64 that it cannot hold"):
        candidate.step({**state, "row": np.array([0.5])}, np.array([0]))
    with pytest.raises(EnvwrightError, match="field visits has the shape"):
        candidate.step({**state, "visits": np.zeros((1, 2))}, np.array([0]))
    with pytest.raises(EnvwrightError, match="no luck called wind"):
        candidate.step(state, np.array([0]), {"wind": np.array([0])})
    with pytest.raises(EnvwrightError, match="no function nowhere"):
        candidate.call("nowhere", [])
    whole = candidate.step({**state, "row": np.array([1.0])}, np.array([1]), {"gust": np.array([1])})
    assert whole["state.row"].tolist() == [1]


def test_missing_fields_are_as_in_a_new_game(windy: tuple[Path, Contract, Interface]) -> None:
    candidate = rust_candidate(windy[0])
    new = candidate.init(np.zeros(1, np.uint32))
    luck = {"gust": np.array([1, 1])}
    part = candidate.step({"row": np.array([2, 2])}, np.array([0, 1]), luck)
    whole = {name.removeprefix("state."): np.repeat(c, 2, 0) for name, c in new.items() if name != "observation"}
    full = candidate.step({**whole, "row": np.array([2, 2])}, np.array([0, 1]), luck)
    assert all(np.array_equal(part[name], full[name]) for name in full)


def test_it_is_its_own_run_in_double_precision(windy: tuple[Path, Contract, Interface]) -> None:
    candidate = rust_candidate(windy[0])
    assert candidate.in_float64() is candidate
    assert candidate.with_params({}) is candidate


def test_a_panic_is_an_error_with_its_place(tmp_path: Path) -> None:
    crates.need_cargo()
    _, candidate = broken(tmp_path, "src/rules.rs", "    walk(state, action);\n", PANICS)
    line = 1 + (tmp_path / "src" / "rules.rs").read_text().split("it is dark")[0].count("\n")
    many = 20_000  # so that they are shared among threads, once it is known how long a game takes
    state = {"row": np.zeros(many, int), "col": np.zeros(many, int), "light": np.ones(many)}
    actions, luck = np.zeros(many, int), {"gust": np.ones(many, int)}
    dark = {**state, "light": np.where(np.arange(many) % 7000 == 6999, 0.0, 1.0)}
    assert candidate.step(state, actions, luck)["terminated"].shape == (many,)
    with pytest.raises(RustError, match=rf"src/rules.rs:{line}: it is dark \(game 6999\)"):
        candidate.step(dark, actions, luck)
    with pytest.raises(RustError, match=r"src/rules.rs:\d+: .*out of bounds"):
        candidate.step(state, np.full(many, 4), luck)
    with pytest.raises(RustError, match=r"src/rules.rs:\d+: attempt to add with overflow"):
        candidate.step({**state, "row": np.full(many, 2**63 - 1)}, np.full(many, 2), luck)
    assert candidate.step(state, actions, luck)["terminated"].shape == (many,)

    module = load(tmp_path / "python" / "fast_windy" / "fast_windy_native.abi3.so")
    arrays = room(8)
    batch = module.Batch(8, 2)
    batch.reset_into(np.arange(8, dtype=np.uint64), arrays[0])
    with pytest.raises(RuntimeError, match="out of bounds"):
        batch.step_into(np.full(8, 9), *arrays)
    with pytest.raises(RuntimeError, match="reset_into first"):
        batch.step_into(np.zeros(8, int), *arrays)


PANICS = """\
    if state.light == 0.0 {
        panic!("it is dark");
    }
    walk(state, action);
"""


def test_what_does_not_compile_comes_back_with_its_line(tmp_path: Path) -> None:
    crates.need_cargo()
    _, interface = crates.windy()
    files = crates.changed(crates.texts(crates.WINDY), "src/weather.rs", "_ => col,", "_ => col as f64,")
    crates.write(tmp_path, interface, files)
    candidate, problem = rust.candidate(interface, tmp_path, {}, Limits())
    assert candidate is None
    line = 1 + files["src/weather.rs"].split("_ => col as f64")[0].count("\n")
    assert problem.startswith(f"src/weather.rs:{line}:14: error[E0308]")
    assert "_ => col as f64," in problem


def test_unsafe_code_is_refused(tmp_path: Path) -> None:
    crates.need_cargo()
    _, interface = crates.windy()
    files = crates.changed(crates.texts(crates.WINDY), "src/weather.rs", "_ => col,", "_ => unsafe { col },")
    assert "unsafe" in str(crates.build(tmp_path, interface, files).errors[0])


def test_the_scaffold_compiles_as_it_is(tmp_path: Path) -> None:
    crates.need_cargo()
    built = crates.build(tmp_path, GAME, {})
    assert built.path is not None, rust.told(built)
    assert "warning" not in built.stderr, built.stderr
    with pytest.raises(RustError, match=r"src/rules.rs:\d+: not yet implemented: draw_start"):
        rust_candidate(tmp_path).init(np.zeros(1, np.uint32))


def test_every_kind_of_number_and_a_large_state_come_through(tmp_path: Path) -> None:
    """A state that would not fit on a thread's usual stack, several times over, in rules without luck."""
    crates.need_cargo()
    fields = [Field(name if name != "bool" else "type", (2, 3), name) for name in TYPES]
    state = (*fields, Field("memory", (2**21,), "uint8"))
    odd = replace(
        GAME, package="fast_odd", state=state, functions=(), phases=(), start_luck=(), info=(), max_episode_steps=5,
        action_space=Box(-1, 1, (2,)),
    )  # fmt: skip
    built = crates.build(tmp_path, odd, {"src/rules.rs": ODD})
    assert built.path is not None, rust.told(built)
    assert "warning" not in built.stderr, built.stderr
    candidate, rng = rust_candidate(tmp_path), np.random.default_rng(0)
    assert candidate.in_float64() is None
    kinds, games = candidate.kinds(), 5
    assert candidate.chance_kinds() == ({}, {})
    before = {}
    for field in state:
        dtype = kinds[f"state.{field.name}"].dtype
        assert str(dtype) == field.dtype
        bits = rng.integers(2, size=(games, *field.shape, dtype.itemsize), dtype=np.uint8)
        before[field.name] = bits.view(dtype)[..., 0] if dtype.kind == "b" else (bits * 63).view(dtype)[..., 0]
    before["time"] = np.array([0, 1, 2, 3, 4])
    after = candidate.step(before, rng.uniform(-1, 1, (games, 2)).astype(np.float32), {})
    for name, column in before.items():
        if name not in ("time", "memory"):
            assert np.array_equal(after[f"state.{name}"], column), name
    assert np.array_equal(after["state.memory"][:, 1:], before["memory"][:, 1:])
    assert np.array_equal(after["state.memory"][:, 0], before["memory"][:, 0] ^ 1)
    assert after["state.time"].tolist() == [1, 2, 3, 4, 5]
    assert after["truncated"].tolist() == [False] * 4 + [True]
    batch, arrays = load(built.path).Batch(8, 1), (np.zeros((8, 3), np.float32), *room(8)[1:])
    batch.reset_into(np.arange(8, dtype=np.uint64), arrays[0])
    ends = []
    for _ in range(11):
        batch.step_into(np.ones((8, 2), np.float32), *arrays)
        ends.append(bool(arrays[3].all()))
    assert np.flatnonzero(ends).tolist() == [4, 9]
    assert len(batch.save(0)) > 2**21


ODD = """\
use crate::rng::Rng;
use crate::state::{Action, Info, Observation, StartLuck, State, StepLuck, StepResult};

pub fn draw_start(_rng: &mut Rng) -> StartLuck {
    StartLuck {}
}

pub fn start(_luck: &StartLuck) -> (State, Observation) {
    (State::zero(), [0.0; 3])
}

pub fn draw(_rng: &mut Rng, _state: &State, _action: Action) -> StepLuck {
    StepLuck {}
}

pub fn apply(state: &mut State, action: Action, _luck: &StepLuck) -> StepResult {
    state.memory[0] ^= 1;
    StepResult {
        observation: [action[0], action[1], 0.0],
        reward: 0.0,
        terminated: false,
        truncated: false,
        info: Info {},
    }
}
"""


# ---- as a batch ----


def room(games: int) -> tuple[Any, ...]:
    """Arrays to step into: what is seen, rewards, both ends."""
    return np.zeros((games, 3)), np.zeros(games), np.zeros(games, bool), np.zeros(games, bool)


def played(native: Any, games: int, threads: int, steps: int, **more: Any) -> list[Any]:
    """Everything that comes of some steps."""
    batch, arrays, rng = native.Batch(games, threads, **more), room(games), np.random.default_rng(0)
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
    batch, arrays, blown = native.Batch(games, 2, autoreset=False), room(games), np.zeros(games, bool)
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
    batch, arrays, last = native.Batch(games), room(games), np.zeros((games, 3))
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
    batch, other, arrays, again = native.Batch(3, 1), native.Batch(3, 1), room(3), room(3)
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
    batch, (obs, rewards, terminated, truncated) = native.Batch(4), room(4)
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
    env = gymnasium.make("fast_windy/Windy-v0")
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

    envs = gymnasium.make_vec("fast_windy/Windy-v0", num_envs=6, vectorization_mode="vector_entry_point")
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


def test_it_can_be_installed_from_a_wheel(windy: tuple[Path, Contract, Interface], tmp_path: Path) -> None:
    """By pip, into a folder that has nothing else in it; then a game is played without us."""
    folder, _, interface = windy
    built = crates.build(folder, interface, crates.texts(crates.WINDY))
    path = tmp_path / wheel_name(folder)
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in wheel(folder, built).items():
            packed.writestr(name, data)
    place = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", place, path]
    subprocess.run(pip, check=True, capture_output=True)
    game = "import fast_windy as w; e = w.Windy(); e.reset(seed=0); print(len(e.step(0)), w.__file__)"
    environment = {"PATH": "", "PYTHONPATH": str(place)}
    done = subprocess.run([sys.executable, "-c", game], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["5", str(place / "fast_windy" / "__init__.py")]
