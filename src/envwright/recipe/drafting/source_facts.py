"""What the source of a reference says of its attributes, as far as a contract depends on it."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from envwright.recipe.analyse.drawn_again import drawn_again
from envwright.recipe.analyse.facts import Analysis, Unit


@dataclass(frozen=True)
class SourceFacts:
    """What the source of the reference says of its attributes."""

    drawn: Container[str] = ()  # read by nothing but what draws the screen
    unread: Container[str] = ()  # read by nothing at all
    changed: Container[str] = ()  # written by a reset or a step, without the names of their classes
    changed_in_steps: Container[str] = ()  # of those, what a step can change
    in_steps: Container[str] = ()  # names of the functions that a step can reach
    idle: Mapping[str, str] = field(default_factory=dict)  # dead code, and why
    left: Container[str] = ()  # a reset may leave it as it was
    read_at: Mapping[str, str] = field(default_factory=dict)  # matters in the next call: file and line that read it
    again: Container[str] = ()  # functions, and lines of them, `f:12`, that may draw again and again

    def is_of_no_use(self, name: str) -> bool:
        """Whether an attribute may be anything when an episode begins, for nothing comes of it."""
        return name in self.drawn or name in self.unread or name in self.idle


def facts_of(analysis: Analysis) -> SourceFacts:
    """The same, from an analysis."""
    read = {name for unit in analysis.units for name in unit.reads}
    written = [name for name, _ in analysis.state]
    unread = {n for n in written if not any(r == n or r.startswith(f"{n}.") or n.startswith(f"{r}.") for r in read)}
    changed = frozenset(n.rpartition(".")[2] for n in written)
    reached = _reached_by_steps(analysis)
    return SourceFacts(
        frozenset(analysis.drawn),
        frozenset(unread),
        changed,
        frozenset(n.rpartition(".")[2] for unit in reached for n in unit.writes),
        frozenset(unit.name for unit in reached),
        dict(analysis.idle),
        frozenset(analysis.left),
        dict(analysis.read_at),
        drawn_again(analysis),
    )


def _reached_by_steps(analysis: Analysis) -> list[Unit]:
    """All functions that something else than a reset leads to."""
    units = {unit.id: unit for unit in analysis.units}
    found: set[str] = set()
    waiting = [id for id in analysis.entries if id in units and units[id].name != "reset"]
    while waiting:
        id = waiting.pop()
        if id in units and id not in found:
            found.add(id)
            waiting += units[id].calls
    return [units[id] for id in found]
