"""`rulebook:tcg_pocket`: what can be done with the reference by its name."""

from dataclasses import dataclass
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.references.kinds import PythonClass
from envwright.references.protocol import BatchedReference
from envwright.references.registry import SourceCode

NAME = "tcg_pocket"
CLASS = "envwright.envs.tcg_pocket.reference.game:PocketGame"


@dataclass(frozen=True)
class Rulebook(PythonClass):
    """References that were written from a rulebook, of which there is one: a class in Python, and many of its games
    in several processes."""

    usage = f"rulebook:{NAME}"
    plays_many = True

    def __post_init__(self) -> None:
        if self.rest != NAME:
            raise EnvwrightError(f"envwright has no rulebook '{self.rest}'; it has {NAME}.")

    def batched(self, num_envs: int, **options: Any) -> BatchedReference:
        from envwright.envs.tcg_pocket.batched import PocketGames

        return PocketGames(num_envs, **options)

    def source(self) -> SourceCode:
        return PythonClass(CLASS).source()

    @property
    def _path(self) -> str:
        return CLASS
