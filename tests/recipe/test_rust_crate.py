"""Crates from end to end: scaffolded, built, and verified against their originals."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import crates
import numpy as np
import pytest
from test_rust_scaffold import GAME

from envwright.candidates.rust_crate import RustCandidate, RustError, load, rust_candidate
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box
from envwright.recipe.targets import rust
from envwright.recipe.targets.rust.names import TYPES
from envwright.sandbox.process import Limits
from envwright.verifier import pairs
from envwright.verifier.contract import Contract
from envwright.verifier.engine import verify
from envwright.verifier.interface import Field, Interface
from envwright.verifier.session import Effort
from envwright.verifier.verdict import Verdict

pytestmark = pytest.mark.slow  # each builds a crate

SMALL = Effort(episodes=30, limit=300, states=400, corners=200, pool=200, draws=2000, watched=40)


@pytest.fixture
def windy() -> tuple[Path, Contract, Interface]:
    return crates.sound_windy()


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
    with pytest.raises(EnvwrightError, match="no chance called wind"):
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
    arrays = crates.room(8)
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
    batch, arrays = load(built.path).Batch(8, 1), (np.zeros((8, 3), np.float32), *crates.room(8)[1:])
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
