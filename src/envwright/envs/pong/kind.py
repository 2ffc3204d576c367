"""`pufferlib:pong`: what can be done with the reference by its name."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.core.batch import Stepping
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space
from envwright.envs.pong.batched import PongBatch, PongBatchedReference
from envwright.envs.pong.game import PongGame
from envwright.envs.pong.reference import ARCHIVE, PongReference, header, library
from envwright.references.protocol import BatchedReference, Reference
from envwright.references.registry import ReferenceKind, SourceCode


@dataclass(frozen=True)
class PufferLib(ReferenceKind):
    """PufferLib's C environments, of which Pong is the one that envwright runs."""

    usage = "pufferlib:pong"
    plays_many = races = True

    def __post_init__(self) -> None:
        if self.rest != "pong":
            raise EnvwrightError(f"envwright runs no '{self.rest}' of PufferLib; it runs pong.")

    def make(self, **options: Any) -> Reference:
        return PongGame(**options)

    def batched(self, num_envs: int, **options: Any) -> BatchedReference:
        return PongBatchedReference(num_envs, **options)

    def stepping(
        self, num_envs: int, observations: Space, actions: Space, masked: bool = False, **options: Any
    ) -> Stepping:
        del observations, actions, masked
        return PongBatch(num_envs, **options)

    def racing(self, num_envs: int, **options: Any) -> PongReference:
        games = PongReference(num_envs, **options)
        games.reset()
        return games

    def source(self) -> SourceCode:
        return SourceCode([header()])

    def obtain(self, archive: Path | None = None) -> str:
        return f"{ARCHIVE.requirement}, compiled to {library(archive)}"
