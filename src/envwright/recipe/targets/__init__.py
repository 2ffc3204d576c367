"""What a translation is written in: the files that are given, how it is built and run. A package a target."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from envwright.candidates.protocol import Candidate
from envwright.core.errors import EnvwrightError
from envwright.sandbox.process import Limits
from envwright.verifier.interface import Interface

NAMES = ("jax", "rust")


class Closable(Candidate, Protocol):
    """A candidate with a process behind it."""

    def close(self) -> None: ...


class TranslationTarget(Protocol):
    """A language to translate to."""

    NAME: str
    IMPORTED_FROM: str  # the folder of the package, seen from that of its files
    LAST: str  # the module that holds the rules of a step, translated last

    def scaffold(self, interface: Interface, modules: Sequence[str]) -> dict[str, str]:
        """Every file by its path; those of the modules are only there to be replaced."""
        ...

    def written(self, interface: Interface, module: str) -> str:
        """The file that a module is written to."""
        ...

    def signatures(self, interface: Interface, module: str) -> str:
        """The functions that a module has to have."""
        ...

    def shown(self, interface: Interface) -> tuple[str, ...]:
        """The given files that whoever writes a module has to know."""
        ...

    def called(self, interface: Interface) -> str:
        """The candidate's name in a contract."""
        ...

    def build(self, folder: Path) -> str:
        """Make the files in `folder` ready to be imported; gives what is wrong with them, if they cannot be."""
        ...

    def workers(self, interface: Interface) -> Mapping[str, Sequence[str]]:
        """By layout, the command of a process that can be timed: it speaks as `jax_timer.py` does."""
        ...

    def candidate(
        self, interface: Interface, folder: Path, options: Mapping[str, Any], limits: Limits
    ) -> tuple[Closable | None, str]:
        """The translation in `folder` as a candidate; or None and the sentence why it cannot be built."""
        ...


def find_target(name: str) -> TranslationTarget:
    """A target by its name."""
    if name not in NAMES:
        raise EnvwrightError(f"There is no target {name}; there are {' and '.join(NAMES)}.")
    return importlib.import_module(f"envwright.recipe.targets.{name}")  # pyright: ignore[reportReturnType]
