"""Test programs of our own, built byte by byte: parts of the machine together."""

import functools

from envwright.core.errors import EnvwrightError
from envwright.envs.gameboy.micro import programs


def micro_roms() -> list[str]:
    """Their names."""
    return [program.__name__ for program in programs.PROGRAMS]


@functools.cache
def micro_rom(name: str) -> bytes:
    """The ROM of this name."""
    for program in programs.PROGRAMS:
        if program.__name__ == name:
            return program().done()
    raise EnvwrightError(f"There is no test program '{name}'; there are {', '.join(micro_roms())}.")
