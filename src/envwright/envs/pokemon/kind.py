"""`showdown:gen1randombattle`: what can be done with the reference by its name."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.core.batch import Stepping
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space
from envwright.envs.pokemon import package
from envwright.envs.pokemon.batched import ShowdownBattles
from envwright.envs.pokemon.learning import ShowdownBatch
from envwright.envs.pokemon.racing import ShowdownRace
from envwright.envs.pokemon.reference import ShowdownBattle
from envwright.references.protocol import BatchedReference, Reference
from envwright.references.registry import Racing, ReferenceKind, SourceCode

FORMAT = "gen1randombattle"


@dataclass(frozen=True)
class Showdown(ReferenceKind):
    """Formats of Pokemon Showdown, of which random battles of generation 1 are the one that envwright runs."""

    usage = f"showdown:{FORMAT}"
    plays_many = races = True
    races_most = 4096  # battles, of some 100 KB each in Node
    race_steps = 2**11

    def __post_init__(self) -> None:
        if self.rest != FORMAT:
            raise EnvwrightError(f"envwright runs no '{self.rest}' of Pokemon Showdown; it runs {FORMAT}.")

    def make(self, **options: Any) -> Reference:
        return ShowdownBattle(**options)

    def batched(self, num_envs: int, **options: Any) -> BatchedReference:
        return ShowdownBattles(num_envs, **options)

    def stepping(
        self, num_envs: int, observations: Space, actions: Space, masked: bool = False, **options: Any
    ) -> Stepping:
        del options  # learners play with random teams
        return ShowdownBatch(num_envs, observations, actions, masked)

    def racing(self, num_envs: int, **options: Any) -> Racing:
        del options
        return ShowdownRace(num_envs)

    def source(self) -> SourceCode:
        place = package.folder()
        return SourceCode([place / "sim" / "battle.ts", place / "data" / "mods" / "gen1" / "scripts.ts"])

    def obtain(self, archive: Path | None = None) -> str:
        return f"{package.REQUIREMENT}, in {package.install(archive)}"
