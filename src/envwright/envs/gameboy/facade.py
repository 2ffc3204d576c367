"""One Game Boy under PyBoy's names, so that code written for PyBoy moves over by its import.

    from envwright.envs.gameboy.facade import PyBoy

What is not here: windows, sound samples, plugins, hooks and game wrappers.
"""

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.envs.gameboy.core import EmulatorError, machines, module
from envwright.envs.gameboy.game import BUTTONS, GameError
from envwright.envs.gameboy.screens import GREYS

_EVENTS = ("up", "down", "right", "left", "a", "b", "select", "start")  # PyBoy's numbers of them count from 1


class WindowEvent:
    """The events that press and release buttons, with PyBoy's numbers."""

    PRESS_ARROW_UP, PRESS_ARROW_DOWN, PRESS_ARROW_RIGHT, PRESS_ARROW_LEFT = 1, 2, 3, 4
    PRESS_BUTTON_A, PRESS_BUTTON_B, PRESS_BUTTON_SELECT, PRESS_BUTTON_START = 5, 6, 7, 8
    RELEASE_ARROW_UP, RELEASE_ARROW_DOWN, RELEASE_ARROW_RIGHT, RELEASE_ARROW_LEFT = 9, 10, 11, 12
    RELEASE_BUTTON_A, RELEASE_BUTTON_B, RELEASE_BUTTON_SELECT, RELEASE_BUTTON_START = 13, 14, 15, 16


class Memory:
    """The processor's 64 KiB: `memory[address]`, `memory[low:high]`, `memory[bank, address]`."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def __getitem__(self, key: Any) -> Any:
        bank, low, high, many = _place(key)
        found = list(self._batch.memory(0, low, high, bank))
        return found if many else found[0]

    def __setitem__(self, key: Any, value: Any) -> None:
        bank, low, high, many = _place(key)
        given = [int(one) for one in (value if isinstance(value, list | tuple | bytes | np.ndarray) else [value])]
        given = given * (high - low) if many and len(given) == 1 else given
        if len(given) != high - low:
            raise EnvwrightError(f"{high - low} bytes of memory take as many numbers, not {len(given)}.")
        self._batch.write_memory(0, low, bytes(given), bank)


class DrawnScreen:
    """What was drawn last."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    @property
    def ndarray(self) -> NDArray[np.uint8]:
        """(144, 160, 4), red, green, blue and opacity."""
        grey = GREYS[np.frombuffer(self._batch.screen(0), np.uint8)].reshape(144, 160, 1)
        return np.concatenate([grey, grey, grey, np.full_like(grey, 255)], axis=2)


class RegisterFile:
    """The processor's registers, to be read."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def __getattr__(self, name: str) -> int:
        file = self._batch.registers(0)
        if name == "HL":
            return file["h"] << 8 | file["l"]
        if name.lower() not in file or not name.isupper():
            raise AttributeError(f"There is no register {name}; there are A, F, B, C, D, E, HL, SP and PC.")
        return file[name.lower()]


class PyBoy:
    """A Game Boy that was just switched on. Other options of PyBoy's are taken and not used."""

    def __init__(self, gamerom: str | Path, *, bootrom: str | Path | None = None, **unused: Any) -> None:
        del unused
        try:
            rom, boot = Path(gamerom).read_bytes(), None if bootrom is None else Path(bootrom).read_bytes()
        except OSError as error:
            raise GameError(f"The ROM {error.filename} cannot be read: {error.strerror}.") from None
        self._batch = machines(rom, 1, threads=1, boot=boot)
        self.cartridge_title: str = module().rom_info(rom)["title"]
        self.memory, self.screen = Memory(self._batch), DrawnScreen(self._batch)
        self.register_file = RegisterFile(self._batch)
        self._held = 0
        self._later: list[tuple[int, str]] = []  # ticks until a button is released, and which
        self._obs = np.empty((1, *self._batch.observation_shape), np.uint8)
        self.frame_count = 0

    def tick(self, count: int = 1, render: bool = True, sound: bool = True) -> bool:
        """So many ticks; the last one is drawn."""
        del sound
        held = np.empty((1, count), np.uint8)
        for i in range(count):
            held[0, i] = self._held
            self._later = [(left - 1, name) for left, name in self._later]
            for left, name in self._later:
                if left <= 0:
                    self.button_release(name)
            self._later = [one for one in self._later if one[0] > 0]
        if count:
            self._batch.step(held, self._obs if render else None, ticks=count)
        self.frame_count += count
        return True

    def button(self, name: str, delay: int = 1) -> None:
        """Press a button now, and release it after `delay` ticks."""
        self.button_press(name)
        self._later.append((delay, name))

    def button_press(self, name: str) -> None:
        self._held |= _bit(name)

    def button_release(self, name: str) -> None:
        self._held &= ~_bit(name)

    def send_input(self, event: int, delay: int = 0) -> None:
        """One of `WindowEvent`; a release may come some ticks later."""
        if not 1 <= event <= 2 * len(_EVENTS):
            raise EnvwrightError(f"The event {event} presses and releases nothing; see WindowEvent.")
        name = _EVENTS[(event - 1) % len(_EVENTS)]
        if event <= len(_EVENTS):
            self.button_press(name)
        elif delay:
            self._later.append((delay, name))
        else:
            self.button_release(name)

    def save_state(self, file: BinaryIO) -> None:
        """Our own format: PyBoy's is another."""
        file.write(self._batch.save(0))

    def load_state(self, file: BinaryIO) -> None:
        try:
            self._batch.load(0, file.read())
        except module().GameBoyError as error:
            raise EmulatorError(f"{str(error).rstrip('.')}.") from None

    def set_emulation_speed(self, speed: int) -> None:
        """There is one speed: as fast as it goes."""

    def stop(self, save: bool = True) -> None:
        """Nothing has to be ended, and nothing is written to the disk."""

    def __enter__(self) -> "PyBoy":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def _bit(name: str) -> int:
    if name.lower() not in BUTTONS:
        raise EnvwrightError(f"There is no button '{name}'; there are {', '.join(BUTTONS)}.")
    return BUTTONS[name.lower()]


def _place(key: Any) -> tuple[int | None, int, int, bool]:
    """Bank, from, to, and whether several bytes are meant."""
    bank, place = key if isinstance(key, tuple) else (None, key)
    if isinstance(place, slice):
        low, high, step = place.start or 0, 0x10000 if place.stop is None else place.stop, place.step or 1
        if step != 1 or not 0 <= low < high <= 0x10000:
            raise EnvwrightError(f"Memory has no {low}:{high}:{step}; slices go up by one, from 0 to 0x10000.")
        return bank, low, high, True
    if not 0 <= place <= 0xFFFF:
        raise EnvwrightError(f"Memory has no address {place}; they are from 0 to 0xFFFF.")
    return bank, place, place + 1, False
