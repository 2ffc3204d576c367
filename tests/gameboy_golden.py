"""What PyBoy 2.8.1 does with each of our ROMs, as hashes: written once with PyBoy, compared ever after without it.

To write them anew: python tests/gameboy_golden.py
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs import GAMEBOY_GAMES, GAMEBOY_PROGRAMS
from envwright.envs.gameboy import game as games
from envwright.envs.gameboy import layout

FILE = Path(__file__).parent / "gameboy" / "golden.json"
TICKS, EVERY = 10_000, 500
ROMS = (*GAMEBOY_GAMES, *(f"micro/{name}" for name in GAMEBOY_PROGRAMS))


def held_buttons(seed: int = 0, ticks: int = TICKS) -> NDArray[np.uint8]:
    """Random buttons, each choice held for some ticks; none while the machine starts, then START for the titles."""
    rng = np.random.default_rng(seed)
    held = np.zeros(ticks, np.uint8)
    at = 140
    held[120:124] = games.BUTTONS["start"]
    while at < ticks:
        chosen = 1 << rng.integers(8) if rng.random() < 0.8 else rng.integers(256)
        many = int(rng.integers(1, 20))
        held[at : at + many] = chosen
        at += many
    return held


def digest(columns: dict[str, Any], shades: NDArray[np.uint8]) -> str:
    """All of the machine that is compared, and its screen."""
    found = hashlib.blake2b(digest_size=12)
    for name in sorted(columns):
        found.update(np.ascontiguousarray(columns[name]).tobytes())
    found.update(np.ascontiguousarray(shades, np.uint8).tobytes())
    return found.hexdigest()


def on_pyboy(rom: str) -> list[str]:
    """The hashes after every `EVERY` ticks."""
    from envwright.envs.gameboy.pyboy_machine import PyBoyMachine

    machine = PyBoyMachine(games.load(rom).rom)
    found: list[str] = []
    for tick, buttons in enumerate(held_buttons().tolist(), 1):
        # The tick before is drawn as well: where it was not, PyBoy draws the window from a wrong line.
        machine.tick(buttons, draw=tick % EVERY in (EVERY - 1, 0))
        if tick % EVERY == 0:
            parts = machine.registers(), machine.cycles, machine.memory, machine.cartridge()
            found.append(digest(layout.seen(*parts), machine.shades()))
    machine.close()
    return found


def on_ours(rom: str, **options: Any) -> list[str]:
    """The same on our emulator."""
    from envwright.envs.gameboy.columns import machine_columns
    from envwright.envs.gameboy.core import machines

    content = games.load(rom).rom
    batch = machines(content, 1, threads=1, **options)
    held, done = held_buttons(), batch.registers(0)["ticks"]
    obs = np.empty((1, *batch.observation_shape), np.uint8)
    found: list[str] = []
    for end in range(EVERY, TICKS + 1, EVERY):
        batch.step(np.ascontiguousarray(held[None, done:end]), obs, ticks=end - done)
        shades = np.frombuffer(batch.screen(0), np.uint8).reshape(144, 160)
        found.append(digest(machine_columns(batch, 0, content), shades))
        done = end
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps({rom: on_pyboy(rom) for rom in ROMS}, indent=1) + "\n")
