"""Modules, the pieces that a reference is translated in, and the plan that is made of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from envwright.core.errors import EnvwrightError
from envwright.recipe.analyse.cut import outermost
from envwright.recipe.analyse.facts import SETS_UP, Analysis, SourceFile, Unit

VERSION = 1
LAST = "rules"  # the module with reset and step


class PlanError(EnvwrightError, ValueError):
    """A plan cannot be read, or does not fit the source it is about."""


@dataclass(frozen=True)
class Part:
    """Some lines of a file, and the functions that they are."""

    file: str
    first: int
    last: int
    functions: tuple[str, ...]  # qualified names; those inside of another function, too


@dataclass(frozen=True)
class PlannedModule:
    """A piece of the reference that is translated as one."""

    name: str
    parts: tuple[Part, ...]
    lines: int  # of code
    needs: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()  # state
    chance: tuple[str, ...] = ()  # "blackjack.py:19 np_random.choice"
    why: str = ""

    @property
    def functions(self) -> tuple[str, ...]:
        """The ids of its functions."""
        return tuple(f"{part.file}:{name}" for part in self.parts for name in part.functions)


@dataclass(frozen=True)
class ModulePlan:
    """The modules, each after those it needs; the last one holds reset and step."""

    suggestion: str  # jax or rust
    reason: str
    sources: tuple[SourceFile, ...]
    modules: tuple[PlannedModule, ...]
    notes: tuple[str, ...] = ()  # what may be stumbled over
    version: int = VERSION


def parts_of(units: Iterable[Unit], analysis: Analysis) -> tuple[Part, ...]:
    """A part a function, with those that are inside of it."""
    home = outermost(analysis)
    return tuple(
        Part(u.file, u.first, u.last, tuple(i.qualified for i in analysis.units if home[i.id] == u.id)) for u in units
    )


def describe(name: str, parts: Sequence[Part], analysis: Analysis, home: Mapping[str, str], why: str) -> PlannedModule:
    """A module, with all that follows from its functions; `home` are the modules of outermost functions."""
    inside = outermost(analysis)
    ids = [f"{part.file}:{function}" for part in parts for function in part.functions]
    units = [analysis.unit[id] for id in ids]
    order = list(dict.fromkeys(home.values()))
    needs = {home[inside[call]] for unit in units for call in unit.calls if call in inside} - {name}
    if any(unit.id in analysis.entries for unit in units):  # what sets up is needed by what plays
        needs |= {home[id] for id in home if sets_up(analysis, id)} - {name}
    changing = dict(analysis.state)
    return PlannedModule(
        name=name,
        parts=tuple(parts),
        lines=sum(unit.code_lines for unit in units if inside[unit.id] == unit.id),
        needs=tuple(sorted(needs, key=order.index)),
        writes=tuple(sorted({written for unit in units for written in unit.writes if written in changing})),
        chance=tuple(f"{site.file}:{site.line} {site.what}" for unit in units for site in unit.chance),
        why=why,
    )


def sets_up(analysis: Analysis, id: str) -> bool:
    """Whether a function sets up, and nobody calls it."""
    flags = analysis.unit[id].flags
    return SETS_UP in flags and not any(id in unit.calls for unit in analysis.units if unit.id != id)
