"""One PyBoy, used through its public interface only: ticks, buttons, and everything that can be seen of the machine."""

import hashlib
import io
import tempfile
import warnings
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import missing_extra
from envwright.envs.gameboy.game import BUTTONS
from envwright.envs.gameboy.layout import REGISTERS, cartridge_banks

_ROMS = Path(tempfile.gettempdir()) / "envwright-gameboy"
_WARM = 5  # first frames that are drawn: PyBoy's window begins at a wrong line until one has been drawn


def pyboy() -> Any:
    """PyBoy's module, without what it says of SDL."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pyboy as found  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise missing_extra("pyboy", "pyboy") from error
    return found


def version() -> str:
    return metadata.version("pyboy")


class PyBoyMachine:
    """A Game Boy that was just switched on."""

    def __init__(self, rom: bytes, *, sound: bool = True) -> None:
        self._file = _file(rom)
        self._banks = cartridge_banks(rom)
        self._sound = sound
        self._held = 0
        self.ticks = 0
        self.pyboy: Any = pyboy().PyBoy(
            str(self._file), window="null", sound_emulated=sound, log_level="CRITICAL", cgb=False
        )
        self.pyboy.set_emulation_speed(0)

    def tick(self, buttons: int, ticks: int = 1, *, draw: bool = True) -> None:
        """So many ticks with these buttons held; the last one is drawn."""
        changed = 0xFF if self._held < 0 else self._held ^ buttons
        for name, bit in BUTTONS.items():
            if changed & bit:
                (self.pyboy.button_press if buttons & bit else self.pyboy.button_release)(name)
        self._held = buttons
        while ticks > 0 and self.ticks < _WARM:
            self.pyboy.tick(1, True, False)
            ticks, self.ticks = ticks - 1, self.ticks + 1
        if ticks > 0:
            self.pyboy.tick(ticks, draw, False)
            self.ticks += ticks

    def load(self, state: bytes) -> None:
        """A state that PyBoy saved. Of some of the machine it keeps nothing, so that nothing is compared after it."""
        self.pyboy.load_state(io.BytesIO(state))
        self._held = -1  # unknown: every button is pressed or released with the next tick

    # ---- what there is to see ----

    def registers(self) -> NDArray[np.uint16]:
        file = self.pyboy.register_file
        return np.array([getattr(file, name) for name in REGISTERS], np.uint16)

    @property
    def cycles(self) -> int:
        return int(self.pyboy._cycles())

    def memory(self, low: int, high: int) -> NDArray[np.uint8]:
        return np.array(self.pyboy.memory[low:high], np.uint8)

    def bytes_at(self, addresses: NDArray[np.intp]) -> NDArray[np.uint8]:
        memory = self.pyboy.memory
        return np.array([memory[address] for address in addresses.tolist()], np.uint8)

    def cartridge(self) -> NDArray[np.uint8]:
        """All banks of the cartridge's RAM; where PyBoy numbers none, what the processor sees of it."""
        if not self._banks:
            return self.memory(0xA000, 0xC000)
        memory = self.pyboy.memory
        # A slice of a bank may not reach its last byte, which is asked for by itself.
        banks = [[*memory[bank, 0xA000:0xBFFF], memory[bank, 0xBFFF]] for bank in range(self._banks)]
        return np.array(banks, np.uint8).ravel()

    def shades(self) -> NDArray[np.uint8]:
        """The screen in shades 0 (white) to 3."""
        return (3 - self.pyboy.screen.ndarray[:, :, 0] // 64).astype(np.uint8)

    def poke(self, address: int, data: NDArray[np.uint8]) -> None:
        self.pyboy.memory[address : address + len(data)] = data.tolist()

    def on(self, address: int, called: Callable[[], None]) -> Callable[[], None]:
        """Call whenever the processor comes to an address of the first bank; returns what ends it."""
        self.pyboy.hook_register(0, address, lambda _: called(), None)
        return lambda: self.pyboy.hook_deregister(0, address)

    def close(self) -> None:
        self.pyboy.stop(save=False)


def _file(rom: bytes) -> Path:
    """The ROM as a file of its own, away from the RAM that PyBoy would find beside it."""
    _ROMS.mkdir(exist_ok=True)
    path = _ROMS / f"{hashlib.sha256(rom).hexdigest()[:32]}.gb"
    if not path.exists():
        part = path.with_suffix(f".{id(rom)}.part")
        part.write_bytes(rom)
        part.replace(path)
    return path
