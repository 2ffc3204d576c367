"""What a contract is made of: the things that it names, each of which can be blamed, allowed for or looked at."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envwright.references.protocol import Watchpoint
from envwright.verifier.expression import Expression


@dataclass(frozen=True)
class Module:
    """A piece of the candidate that can be blamed."""

    name: str
    # state.NAME, observation, reward, terminated, truncated, legal_actions, acting, info, start, chance
    owns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Function:
    """A function that exists on both sides."""

    module: str
    reference: str
    candidate: str
    arguments: tuple[Expression, ...]  # the candidate's, over the names of the reference function's arguments
    result: Expression
    cases: str | None = None  # "file.py:function" that makes the reference's arguments, where play does not show them


@dataclass(frozen=True)
class Phase:
    """A place in the middle of a step where both sides can be looked at."""

    module: str  # empty: the owner of the value that differs
    point: Watchpoint
    values: dict[str, Expression]
    substeps: Expression | None = None  # how often a step goes through it; None: once, or the last time counts

    @property
    def name(self) -> str:
        return self.point.phase


@dataclass(frozen=True)
class Loop:
    """Phases in a row that a step goes through one after another, and then again."""

    phases: tuple[Phase, ...]

    @property
    def substeps(self) -> Expression | None:
        return self.phases[0].substeps

    def count(self, names: Mapping[str, Any]) -> int:
        """How often, by the reference's names."""
        return 1 if self.substeps is None else int(self.substeps(names))


@dataclass(frozen=True)
class Invariant:
    """Something that always holds of the candidate's state."""

    module: str
    name: str
    holds: Expression


@dataclass(frozen=True)
class Reach:
    """Which states play can reach; others are not compared."""

    holds: Expression  # over the reference's names
    reason: str


@dataclass(frozen=True)
class Tolerance:
    """Columns that need not be equal in every bit, and why."""

    columns: tuple[str, ...]
    reason: str
    setting: str = ""  # how the reference is also set, to see how far that takes it from itself
