"""References by name: `kind:rest`, such as `gymnasium:CartPole-v1`; each kind is imported only when it is asked for.

What can be done with a reference by its name is a method of its kind, so that nothing else looks at the name. Other
packages add kinds under the entry point group `envwright.references`: `kind = "module:Kind"`.
"""

import importlib.metadata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from envwright.core.batch import Stepping
from envwright.core.errors import DuplicateEnvError, EnvwrightError
from envwright.core.spaces import Space
from envwright.core.spec import load_object
from envwright.references.protocol import BatchedReference, Reference

ENTRY_POINTS = "envwright.references"
PYTHON = "python"  # the kind of names without one: `module:Class` and `path/to/file.py:Class`

_kinds: dict[str, str] = {
    "gymnasium": "envwright.references.kinds:Gymnasium",
    "minatar": "envwright.references.kinds:MinAtar",
    "node": "envwright.references.kinds:Node",
    PYTHON: "envwright.references.kinds:PythonClass",
}


@dataclass(frozen=True)
class SourceCode:
    """Where the source of a reference lies."""

    files: Sequence[Path]
    classes: Sequence[tuple[Path, str]] = ()  # in Python, those whose methods are played
    entry: Sequence[str] = ()  # the functions or methods that reset and step it, where their names do not say so


class Racing(Protocol):
    """Games stepped in their own language, as fast as they go."""

    def race(self, steps: int, seed: int) -> None:
        """Step all games `steps` times with random actions; Python's lock is released meanwhile."""
        ...


@dataclass(frozen=True)
class ReferenceKind(ABC):
    """A kind of reference, and what stands after the colon: an id, a file, a class."""

    rest: str
    base: Path | None = None  # the folder that a path is relative to
    settings: Mapping[str, Any] = field(default_factory=dict)  # attributes of what is made, set by their dotted names

    usage = ""  # "gymnasium:ID"
    takes_settings = False  # whether it has such attributes
    plays_many = False  # whether `batched` gives anything
    races = False  # whether `racing` does
    effort: ClassVar[Mapping[str, Any]] = {}  # what is tried of one that plays many games at once, where not the usual
    races_most = 2**17  # games in a race, above which it takes too long or too much memory
    race_steps = 2**20  # of the games of one core together, between two looks at the clock

    @abstractmethod
    def make(self, **options: Any) -> Reference:
        """One game, watched and recorded."""

    def batched(self, num_envs: int, **options: Any) -> BatchedReference | None:
        """Many games at once, recorded; None where they cannot be had so."""
        return None

    def stepping(
        self, num_envs: int, observations: Space, actions: Space, masked: bool = False, **options: Any
    ) -> Stepping | None:
        """Many games that nobody watches, for learners, `masked` if they tell which actions are legal; None where the
        reference is only to be had watched."""
        return None

    def racing(self, num_envs: int, **options: Any) -> Racing | None:
        """Games that take random actions of their own, for benchmarks, in a language or a process of their own; None
        where there is no such thing."""
        return None

    def source(self) -> SourceCode:
        """Its source. Nothing of it is run."""
        raise EnvwrightError(f"envwright does not know where the source of {self.usage} is; give its files.")

    def obtain(self, archive: Path | None = None) -> str:
        """Fetch and build what is needed to run it, and say where it is; `archive` is a copy for want of a network."""
        return f"{self.rest}, which is there as soon as its package is installed"

    def arguments(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """All that its constructor is given, `options` among it."""
        return dict(options)


def register_reference(kind: str, entry_point: str) -> None:
    """Name a kind of reference: `register_reference("pyboy", "my_package.pyboy:PyBoy")`, a `ReferenceKind`."""
    if kind in _kinds:
        raise DuplicateEnvError(f"The kind of reference '{kind}' is registered already, as {_kinds[kind]}.")
    _kinds[kind] = entry_point


def kinds() -> dict[str, str]:
    """The entry point of every kind, those of installed packages too."""
    installed = importlib.metadata.entry_points(group=ENTRY_POINTS)
    return {point.name: point.value for point in installed} | _kinds


def find_kind(name: str, base: Path | None = None, settings: Mapping[str, Any] | None = None) -> ReferenceKind:
    """The reference called `name`, not made yet."""
    known = kinds()
    kind, colon, rest = name.partition(":")
    if not colon or not rest:
        raise EnvwrightError(f"There is no reference called {name}; a reference is {usages()}.")
    chosen, rest = (kind, rest) if kind in known else (PYTHON, name)
    return load_object(known[chosen], f"References of the kind '{chosen}' should be")(rest, base, settings or {})


def usages() -> str:
    """How references are written."""
    known = kinds()
    last = known.pop(PYTHON)  # what is of no other kind
    usage = [load_object(point, f"References of the kind '{kind}' should be").usage for kind, point in known.items()]
    return ", ".join([*usage, load_object(last, "Python classes should be").usage])


def find_reference(name: str, options: Mapping[str, Any] | None = None, base: Path | None = None) -> Reference:
    """A reference by name."""
    return find_kind(name, base).make(**(options or {}))


def maker(name: str, options: Mapping[str, Any], base: Path | None = None) -> Callable[[], Reference]:
    """What makes it, also in another process, which need not know the kinds that this one has registered."""
    return partial(find_kind(name, base).make, **options)
