"""10,000 ticks of every ROM under random buttons: our emulator against what PyBoy did, as hashes."""

import json
from typing import Any

import pytest

from gameboy_golden import EVERY, FILE, ROMS, TICKS, on_ours

pytest.importorskip("envwright_gameboy", reason="the crate is not built: pip install ./rust/gameboy")

GOLDEN = json.loads(FILE.read_text())


def test_every_rom_is_there() -> None:
    assert set(GOLDEN) == set(ROMS)
    assert all(len(set(hashes)) == TICKS // EVERY for hashes in GOLDEN.values())


# Where the emulator is known to differ, docs/gameboy.md says how. Whoever puts one right takes it out of this list.
DIFFER = ("micro/halt", "micro/stat", "micro/sprites", "micro/sound", "micro/lines", "micro/mix")


def _expected(rom: str) -> Any:
    known = pytest.mark.xfail(reason="differs from PyBoy, see docs/gameboy.md", strict=True)
    return pytest.param(rom, marks=[known] if rom in DIFFER else [])


@pytest.mark.parametrize("rom", [_expected(rom) for rom in ROMS])
def test_a_rom_is_played_as_on_pyboy(rom: str) -> None:
    found = on_ours(rom)
    wrong = [EVERY * (i + 1) for i, (want, have) in enumerate(zip(GOLDEN[rom], found, strict=True)) if want != have]
    assert not wrong, f"parts between ticks {wrong[0] - EVERY} and {wrong[0]}"
