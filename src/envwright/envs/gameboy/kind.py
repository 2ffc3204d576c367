"""`pyboy:GAME`: what can be done with the reference by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from envwright.core.batch import Stepping
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space
from envwright.envs.gameboy import pyboy_machine
from envwright.envs.gameboy.batched import PyBoyGames
from envwright.envs.gameboy.env import GameBoy
from envwright.envs.gameboy.learning import PyBoyBatch, PyBoyRace
from envwright.envs.gameboy.reference import PyBoyGame
from envwright.references.protocol import BatchedReference, Reference
from envwright.references.registry import Racing, ReferenceKind, SourceCode

VERSION = "2.8.1"


@dataclass(frozen=True)
class PyBoyKind(ReferenceKind):
    """Games on PyBoy: one of ours, a ROM or a TOML file."""

    usage = "pyboy:GAME"
    plays_many = True
    # A state takes a tenth of a second to be in: it is played from power-on. So fewer are tried than elsewhere.
    effort: ClassVar[Mapping[str, Any]] = {
        "episodes": 2, "limit": 250, "states": 24, "corners": 24, "pool": 200, "draws": 120, "watched": 12,
        "smaller": 8, "checked": (2, 6), "games": 8,
    }  # fmt: skip
    races_most = 256
    race_steps = 2**8

    def make(self, **options: Any) -> Reference:
        return PyBoyGame(**self.arguments(options))

    def batched(self, num_envs: int, **options: Any) -> BatchedReference:
        return PyBoyGames(num_envs, **self.arguments(options))

    def stepping(
        self, num_envs: int, observations: Space, actions: Space, masked: bool = False, **options: Any
    ) -> Stepping:
        return PyBoyBatch(GameBoy(**self.arguments(options)), num_envs)

    def racing(self, num_envs: int, **options: Any) -> Racing:
        return PyBoyRace(GameBoy(**self.arguments(options)), num_envs)

    def source(self) -> SourceCode:
        raise EnvwrightError("PyBoy is compared with as it is, and its source is not read; see docs/gameboy.md.")

    def obtain(self, archive: Path | None = None) -> str:
        pyboy_machine.pyboy()
        return f"PyBoy {pyboy_machine.version()}, which is there as soon as its package is installed"

    def arguments(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"rom": self.rest, **options}
