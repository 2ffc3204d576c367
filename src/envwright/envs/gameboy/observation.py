"""What can be seen of a game: the screen in four layouts, or numbers from its memory."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box
from envwright.envs.gameboy.values import Values

RAM = "ram"
SCREENS = {"grey": (144, 160), "half": (72, 80), "packed": (144, 40), "half_packed": (72, 20)}
KINDS = (*SCREENS, RAM)


class ObservationError(EnvwrightError, ValueError):
    """There is no such observation of this game."""


@dataclass(frozen=True)
class Observation:
    """A kind of observation, and for `ram` the names of its numbers."""

    kind: str
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ObservationError(f"There is no observation '{self.kind}'; there are {', '.join(KINDS)}.")
        if self.kind == RAM and not self.names:
            raise ObservationError("The observation 'ram' needs `seen` in the game's TOML file; it names the values.")

    @property
    def is_screen(self) -> bool:
        return self.kind != RAM

    @property
    def layout(self) -> str:
        """How the emulator draws."""
        return self.kind if self.is_screen else "grey"

    @property
    def space(self) -> Box:
        if self.is_screen:
            return Box(0, 255, SCREENS[self.kind], np.dtype(np.uint8))
        return Box(-(2.0**31), 2.0**31, (len(self.names),))

    def numbers(self, values: Values) -> NDArray[np.float32]:
        """The observation `ram`."""
        return in_columns(values, self.names)


def in_columns(values: Values, names: Sequence[str]) -> NDArray[np.float32]:
    return np.stack([values[name] for name in names], axis=-1).astype(np.float32)
