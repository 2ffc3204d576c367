"""Side by side with PyBoy itself, where it is installed."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envwright.envs import GAMEBOY_GAMES, GAMEBOY_PROGRAMS, gameboy_forms
from envwright.envs.gameboy import executor, facade
from envwright.envs.gameboy import game as games
from envwright.envs.gameboy.columns import machine_columns
from envwright.envs.gameboy.core import machines
from envwright.envs.gameboy.env import GameBoy
from envwright.envs.gameboy.micro import micro_rom

pytest.importorskip("envwright_gameboy", reason="the crate is not built: pip install ./rust/gameboy")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module", autouse=True)
def _pyboy() -> None:
    from envwright.envs.gameboy.pyboy_machine import pyboy

    try:
        pyboy()
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("rom", ["orchard", "canyon", "micro/dma"])
def test_every_tick_is_the_same(rom: str) -> None:
    from envwright.envs.gameboy.pyboy_machine import PyBoyMachine

    content = games.load(rom).rom
    theirs, ours = PyBoyMachine(content), machines(content, 1, boot=GameBoy(boot="pyboy").boot_rom)
    rng = np.random.default_rng(0)
    obs = np.empty((1, 144, 160), np.uint8)
    held = 0
    for tick in range(400):
        held = int(rng.integers(256)) if tick > 100 and rng.random() < 0.2 else held
        theirs.tick(held)
        ours.step(np.array([held], np.uint8), obs, ticks=1)
        seen = machine_columns(ours, 0, content)
        assert np.array_equal(seen["registers"], theirs.registers()), tick
        assert seen["cycles"] == theirs.cycles, tick
        assert np.array_equal(np.frombuffer(ours.screen(0), np.uint8).reshape(144, 160), theirs.shades()), tick
        if tick % 20 == 0:
            assert np.array_equal(seen["wram"], theirs.memory(0xC000, 0xE000)), tick
            assert np.array_equal(seen["cartridge"], theirs.cartridge()), tick
    theirs.close()


def test_single_instructions_are_the_same() -> None:
    theirs, ours = executor.Executor.on_pyboy(), executor.Executor.on_ours()
    for case in executor.cases(each=1, seed=5):
        want, have = theirs.run(*case.values()), ours.run(*case.values())
        assert np.array_equal(want, have), (case, [hex(op) for op in executor.INSTRUCTIONS[case["index"]]])
    theirs.close()


def test_code_for_pyboy_runs_unchanged(tmp_path: Path) -> None:
    from envwright.envs.gameboy.pyboy_machine import pyboy

    path = tmp_path / "canyon.gb"
    path.write_bytes(games.load("canyon").rom)
    boot = tmp_path / "boot.bin"
    boot.write_bytes(GameBoy(boot="pyboy").boot_rom or b"")

    def play(kind: Any, event: Any, **options: Any) -> list[Any]:
        seen: list[Any] = []
        machine = kind(str(path), window="null", sound_emulated=True, log_level="CRITICAL", **options)
        machine.set_emulation_speed(0)
        machine.tick(100, True)
        machine.button("start", 3)
        machine.tick(30, True)
        for i in range(40):
            machine.button(("up", "down", "a", "right")[i % 4], 2)
            machine.send_input(event.PRESS_ARROW_LEFT)
            machine.send_input(event.RELEASE_ARROW_LEFT, 1 + i % 3)
            machine.tick(3 + i % 4, True)
            seen.append((machine.memory[0xC104], list(machine.memory[0xC100:0xC170]), machine.register_file.PC))
            seen.append(np.asarray(machine.screen.ndarray).copy().tobytes())
        machine.memory[0xC101] = 9
        machine.memory[0xC102:0xC104] = [7, 0]
        machine.tick(1, True)
        seen.append(list(machine.memory[0xC100:0xC104]))
        seen.append(machine.cartridge_title)
        machine.stop(save=False)
        return seen

    theirs = pyboy()
    assert play(facade.PyBoy, facade.WindowEvent, bootrom=boot) == play(theirs.PyBoy, theirs.utils.WindowEvent)
    ours = {name: number for name, number in vars(facade.WindowEvent).items() if name.isupper()}
    assert all(getattr(theirs.utils.WindowEvent, name) == number for name, number in ours.items())


def test_a_saved_state_goes_back_in(tmp_path: Path) -> None:
    (tmp_path / "timer.gb").write_bytes(micro_rom("timer"))
    one = facade.PyBoy(tmp_path / "timer.gb")
    one.tick(50)
    file = io.BytesIO()
    one.save_state(file)
    one.tick(10)
    after = one.memory[0xC000:0xE000]
    file.seek(0)
    one.load_state(file)
    one.tick(10)
    assert one.memory[0xC000:0xE000] == after


def test_roms_of_a_folder_join(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.gb").write_bytes(micro_rom("timer"))
    monkeypatch.setenv("ENVWRIGHT_ROMS", str(tmp_path))
    assert [form.name for form in gameboy_forms()][-1] == "ROM mine"
    assert len(gameboy_forms()) == len(GAMEBOY_GAMES) + len(GAMEBOY_PROGRAMS) + 2


@pytest.mark.slow
def test_the_verifier_finds_no_difference_and_finds_one() -> None:
    """One form through levels 0 to 3; then a candidate as the console, where PyBoy is not."""
    from dataclasses import replace

    from envwright.verifier.engine import verify
    from envwright.verifier.pairs import find_contract, kind_of, make_candidate, make_host, with_options
    from envwright.verifier.session import Effort

    options = {"rom": "micro/lines", "frame_skip": 1, "actions": "all", "observation": "grey", "max_episode_steps": 60}
    contract = with_options(find_contract(["gameboy"]), options, options)
    kind = kind_of(contract)
    effort = replace(
        Effort(), **{**kind.effort, "games": 2, "limit": 40, "episodes": 1, "states": 6, "corners": 6, "watched": 4}
    )

    def verdict(checked: Any) -> Any:
        host = make_host(checked, apart=False)
        try:
            return verify(
                checked, host, make_candidate(checked), effort=effort,
                batched=lambda num_envs: kind.batched(2, **checked.reference_options),
            )  # fmt: skip
        finally:
            host.close()

    same = verdict(contract)
    assert same.passed, same.text()
    other = verdict(with_options(contract, {}, {"hardware": True}))
    assert not other.passed
