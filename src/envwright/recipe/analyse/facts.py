"""What is known of a reference's source without running it, whatever it is written in.

Files go by their path below the analysis' root, functions and definitions by "FILE:NAME", so nothing in here depends on
where the source lies. State is named as a person would: `ball_x` is a member of the environment itself, `Car.speed` one
of another class or struct, `cards.deck` a variable of the file cards.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from envwright.core.errors import EnvwrightError

PYTHON, C, TYPESCRIPT, JAVASCRIPT = "python", "c", "typescript", "javascript"

DRAWS = "draws on the screen"  # flags of a unit
SETS_UP = "only sets up"
ALLOCATES = "allocates memory"
ENTRY = "entry"


class AnalysisError(EnvwrightError, ValueError):
    """A source cannot be found, read or understood."""


@dataclass(frozen=True)
class Chance:
    """A place where something is drawn at random."""

    file: str
    line: int
    what: str  # as the source has it: "self.np_random.choice"


@dataclass(frozen=True)
class Hazard:
    """Something that a translation, or a proof that it is right, may stumble over."""

    file: str
    line: int
    sentence: str


@dataclass(frozen=True)
class FixedArray:
    """An array whose size is written in the source."""

    file: str
    line: int
    name: str
    count: int  # elements


@dataclass(frozen=True)
class Definition:
    """Something of a file that functions use: an import, a constant, a macro, a type, an attribute of a class."""

    file: str
    name: str
    kind: str  # import, constant, class, attribute, macro, type
    spans: tuple[tuple[int, int], ...]  # first and last lines of its statements
    uses: tuple[str, ...] = ()  # further definitions

    @property
    def id(self) -> str:
        return f"{self.file}:{self.name}"


@dataclass(frozen=True)
class Unit:
    """A function or a method that a reset or a step can reach."""

    file: str
    name: str
    qualified: str  # "BlackjackEnv.step"; inside of another function "rk4.inner"
    first: int  # with decorators and the comment above
    last: int
    code_lines: int  # without blanks, comments and docstrings
    calls: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()  # state and constants of objects
    writes: tuple[str, ...] = ()
    chance: tuple[Chance, ...] = ()
    loops: tuple[str, ...] = ()  # for, while, do, comprehension
    arms: int = 0  # of its widest choice
    recursive: bool = False
    flags: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()  # ids of definitions
    parent: str = ""  # the function that it is inside of

    @property
    def id(self) -> str:
        return f"{self.file}:{self.qualified}"


@dataclass(frozen=True)
class SourceFile:
    """A file."""

    path: str  # below the root
    language: str
    sha256: str
    lines: int
    imports: tuple[str, ...] = ()  # paths of those of the reference's own files that it imports


@dataclass(frozen=True)
class Analysis:
    """A reference, as far as its source tells."""

    root: Path
    sources: tuple[SourceFile, ...]
    units: tuple[Unit, ...]  # reachable from the entries, by file and line
    entries: tuple[str, ...]
    state: tuple[tuple[str, tuple[str, ...]], ...]  # what changes, and the units that write it
    drawn: tuple[str, ...] = ()  # state that is only drawn on the screen
    left_out: tuple[str, ...] = ()  # units that draw or close
    idle: tuple[tuple[str, str], ...] = ()  # state that leads to nothing that is asked for, and why
    left: tuple[str, ...] = ()  # state that a reset may leave as it was
    read_at: tuple[tuple[str, str], ...] = ()  # state that matters in the next call: where it is read
    hazards: tuple[Hazard, ...] = ()
    memory: tuple[FixedArray, ...] = ()
    outside: tuple[str, ...] = ()  # packages of others that the units call
    definitions: tuple[Definition, ...] = ()

    @cached_property
    def unit(self) -> dict[str, Unit]:
        return {unit.id: unit for unit in self.units}

    @property
    def chance(self) -> tuple[Chance, ...]:
        return tuple(site for unit in self.units for site in unit.chance)

    def text(self, path: str) -> str:
        """A source, as it was when it was analysed."""
        source = next(s for s in self.sources if s.path == path)
        text = read_text(self.root / path)
        if digest(text) != source.sha256:
            raise AnalysisError(f"{self.root / path} has changed since it was analysed; analyse it again.")
        return text


def read_text(path: Path) -> str:
    """The text of a source file; line ends as they are, so that hashes are those of the file."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise AnalysisError(f"There is no file {path}.") from None
    except OSError as error:
        raise AnalysisError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise AnalysisError(f"{path} is not text in UTF-8.") from None


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
