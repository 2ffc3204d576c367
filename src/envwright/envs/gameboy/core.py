"""The emulator, a crate in Rust with a Python module of its own."""

import importlib
from types import ModuleType
from typing import Any

from envwright.core.errors import EnvwrightError

MODULE = "envwright_gameboy"
WAY = "install Rust with rustup, see rustup.rs, then run: pip install ./rust/gameboy"


class EmulatorMissingError(EnvwrightError, ImportError):
    """The crate is not built."""


class EmulatorError(EnvwrightError, ValueError):
    """The emulator refuses a ROM, a state or an argument."""


def module() -> ModuleType:
    """The module, or one sentence on how to get it."""
    try:
        return importlib.import_module(MODULE)
    except ImportError as error:
        raise EmulatorMissingError(f"The Game Boy's emulator is not built ({error}); {WAY}.") from None


def machines(rom: bytes, many: int, **options: Any) -> Any:
    """`many` Game Boys with this cartridge: `envwright_gameboy.Batch`."""
    found = module()
    try:
        return found.Batch(rom, many, **options)
    except found.GameBoyError as error:
        raise EmulatorError(f"{str(error).rstrip('.')}.") from None
