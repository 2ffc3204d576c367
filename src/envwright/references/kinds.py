"""The kinds of references that come with envwright. What runs them is imported when one is made."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.core.batch import Stepping
from envwright.core.errors import missing_extra
from envwright.core.spaces import Space
from envwright.references.protocol import Reference
from envwright.references.python_sources import NoSourceError, class_file, gymnasium_class, module_file
from envwright.references.registry import Racing, ReferenceKind, SourceCode


@dataclass(frozen=True)
class Gymnasium(ReferenceKind):
    """An id of Gymnasium's registry; `module:Id-v0` imports the module first, as `gymnasium.make` does."""

    usage = "gymnasium:ID"
    takes_settings = True

    def make(self, **options: Any) -> Reference:
        from envwright.references.gymnasium_env import gymnasium_reference

        return gymnasium_reference(self.rest, self.settings, **options)

    def stepping(
        self, num_envs: int, observations: Space, actions: Space, masked: bool = False, **options: Any
    ) -> Stepping:
        from envwright.references.batches import unwatched
        from envwright.references.gymnasium_env import id_maker, set_up

        try:
            import gymnasium
        except ImportError:
            raise missing_extra("gymnasium", "reference") from None
        make = id_maker(gymnasium, self.rest, options)
        envs = [set_up(make(), self.settings) for _ in range(num_envs)]
        return unwatched(envs, observations, actions, masked)

    def source(self) -> SourceCode:
        return SourceCode((), [gymnasium_class(self.rest)])

    def arguments(self, options: Mapping[str, Any]) -> dict[str, Any]:
        import gymnasium  # there, or the reference would not be

        module, _, name = self.rest.rpartition(":")
        if module:  # which registers the name
            importlib.import_module(module)
        return {**gymnasium.spec(name).kwargs, **options}


@dataclass(frozen=True)
class PythonClass(ReferenceKind):
    """A class with Gymnasium's interface, in a module or in a file."""

    usage = "module:Class or path/to/file.py:Class"
    takes_settings = True
    races = True
    races_most = 1024  # games, of some 10 KB each
    race_steps = 2**10

    def make(self, **options: Any) -> Reference:
        from envwright.references.gymnasium_env import gymnasium_reference

        return gymnasium_reference(self._path, self.settings, **options)

    def stepping(
        self, num_envs: int, observations: Space, actions: Space, masked: bool = False, **options: Any
    ) -> Stepping:
        from envwright.references.batches import unwatched
        from envwright.references.gymnasium_env import unwatched_maker

        make = unwatched_maker(self._path, self.settings, options)
        return unwatched([make() for _ in range(num_envs)], observations, actions, masked)

    def racing(self, num_envs: int, **options: Any) -> Racing:
        from envwright.references.python_race import PythonRace

        return PythonRace(self._path, self.settings, num_envs, options)

    @property
    def _path(self) -> str:
        return str((self.base or Path()) / self.rest) if ".py:" in self.rest else self.rest

    def source(self) -> SourceCode:
        where, _, name = self.rest.rpartition(":")
        if not where or not name:
            raise NoSourceError(f"{self.rest} names no class; write module:Class or path/to/file.py:Class.")
        return SourceCode((), [(class_file(where, self.base), name)])


@dataclass(frozen=True)
class MinAtar(ReferenceKind):
    """A game of MinAtar: two classes, the game, and the wrapper around it, which makes actions stick."""

    usage = "minatar:GAME"

    def make(self, **options: Any) -> Reference:
        from envwright.references.minatar_game import minatar_reference

        return minatar_reference(self.rest, **options)

    def source(self) -> SourceCode:
        wrapper = module_file("minatar.environment", extra=("minatar", "reference"))
        games = wrapper.parent / "environments"
        known = sorted(path.stem for path in games.glob("[a-z]*.py"))
        if self.rest not in known:
            raise NoSourceError(f"MinAtar has no game '{self.rest}'; it has {', '.join(known)}.")
        classes = [(wrapper, "Environment"), (games / f"{self.rest}.py", "Env")]
        return SourceCode((), classes, entry=("reset", "act", "state"))


@dataclass(frozen=True)
class Node(ReferenceKind):
    """A JavaScript file that runs in Node."""

    usage = "node:FILE.js"

    def make(self, **options: Any) -> Reference:
        from envwright.references.node import NodeReference

        return NodeReference(self._file, **options)

    def source(self) -> SourceCode:
        return SourceCode([self._file])

    @property
    def _file(self) -> Path:
        return (self.base or Path()) / self.rest
