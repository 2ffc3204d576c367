"""What is compared of a machine after a step, by name, on either side."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

REGISTERS = ("A", "F", "B", "C", "D", "E", "HL", "SP", "PC")
AREAS = {"vram": (0x8000, 0xA000), "wram": (0xC000, 0xE000), "oam": (0xFE00, 0xFEA0), "hram": (0xFF80, 0xFFFF)}
_RAM_BANKS = (0, 0, 1, 4, 16, 8)  # by the header's byte; 0: none that are numbered

Columns = dict[str, NDArray[Any]]


def cartridge_banks(rom: bytes) -> int:
    """Banks of RAM in the cartridge that have numbers: MBC2's half bytes have none."""
    code = rom[0x149] if len(rom) > 0x149 else 0
    return _RAM_BANKS[code] if code < len(_RAM_BANKS) and rom[0x147] not in (0x05, 0x06) else 0


def kinds(rom: bytes) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """Shape and dtype of each."""
    byte = np.dtype(np.uint8)
    areas = {name: ((high - low,), byte) for name, (low, high) in AREAS.items()}
    return {
        "registers": ((len(REGISTERS),), np.dtype(np.uint16)),
        "cycles": ((), np.dtype(np.int64)),
        **areas,
        "cartridge": ((0x2000 * max(1, cartridge_banks(rom)),), byte),
    }


def seen(
    registers: NDArray[np.uint16],
    cycles: int,
    memory: Callable[[int, int], NDArray[np.uint8]],
    cartridge: NDArray[np.uint8],
) -> Columns:
    """One machine, from its parts."""
    areas = {name: memory(low, high) for name, (low, high) in AREAS.items()}
    return {"registers": registers, "cycles": np.int64(cycles), **areas, "cartridge": cartridge}  # pyright: ignore[reportReturnType]
