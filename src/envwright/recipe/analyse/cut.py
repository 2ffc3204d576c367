"""Cutting functions into groups along their calls: no ring of groups, none too small, none too large if it can be."""

from collections.abc import Iterable
from dataclasses import dataclass

from envwright.recipe.analyse.facts import ENTRY, SETS_UP, Analysis, Unit
from envwright.recipe.analyse.graph import components, reachable


@dataclass
class Group:
    """Functions that stay together. Functions inside of others go with these."""

    units: list[Unit]
    last: bool = False  # the one with reset and step
    ring: bool = False  # its functions call each other in a ring
    small: int = 0  # how many of its functions joined because they were too few to stand alone

    @property
    def lines(self) -> int:
        return sum(unit.code_lines for unit in self.units)


def cut(analysis: Analysis, least: int, most: int) -> list[Group]:
    """The groups, each after those it calls; the one with the entries last."""
    home = outermost(analysis)
    outer = [unit for unit in analysis.units if home[unit.id] == unit.id]
    calls = {unit.id: dict[str, None]() for unit in outer}
    for unit in analysis.units:
        calls[home[unit.id]].update((home[call], None) for call in unit.calls if call in home)
    entries = [id for id in analysis.entries if id in calls]
    called = {call for id, found in calls.items() for call in found if call != id}
    for id in [u.id for u in outer if SETS_UP in u.flags and u.id not in called]:
        calls[entries[0]][id] = None  # what sets up is needed by what plays
    for one, other in zip(entries, [*entries[1:], entries[0]], strict=True):
        calls[one][other] = None  # they stay together
    cuts = _Cuts(calls, {unit.id: unit for unit in outer}, analysis.entries)
    while cuts.join_one(least, most):
        pass
    return cuts.ordered()


def outermost(analysis: Analysis) -> dict[str, str]:
    """For each function, the one that it is inside of in the end, or itself."""
    home: dict[str, str] = {}
    for unit in analysis.units:
        found = unit
        while found.parent in analysis.unit:
            found = analysis.unit[found.parent]
        home[unit.id] = found.id
    return home


class _Cuts:
    """Groups and the calls between them, numbered; numbers grow from callees to callers."""

    def __init__(self, calls: dict[str, dict[str, None]], units: dict[str, Unit], entries: Iterable[str]) -> None:
        self.groups: dict[int, Group] = {}
        self.entered = {id.rpartition(".")[0] for id in entries}
        number: dict[str, int] = {}
        for index, ids in enumerate(components(calls)):
            found = sorted((units[id] for id in ids), key=lambda u: (u.file, u.first))
            last = any(ENTRY in unit.flags for unit in found)
            self.groups[index] = Group(found, last, len(found) > 1 and not last)
            number |= dict.fromkeys(ids, index)
        self.calls = {
            index: {number[c] for unit in group.units for c in calls[unit.id]} - {index}
            for index, group in self.groups.items()
        }

    def join_one(self, least: int, most: int) -> bool:
        """Join the first group that is too small with the partner that suits it best; False if there is none."""
        self.callers: dict[int, set[int]] = {index: set() for index in self.groups}
        for index, called in self.calls.items():
            for other in called:
                self.callers[other].add(index)
        for index in self._order():
            group = self.groups[index]
            if group.last or group.lines >= least:
                continue
            fitting = [o for o in self.groups if o != index and self.groups[o].lines + group.lines <= most]
            for other in sorted(fitting, key=lambda o: self._distance(index, o, least)):
                if self._suits(index, other) and not self._makes_ring(index, other):
                    self._join(index, other)
                    return True
        return False

    def _distance(self, one: int, other: int, least: int) -> tuple[bool, bool, bool, bool, bool, bool, int, int]:
        """Groups of one class first, then linked ones, then others of the file; the last group, which has reset and
        step, after these, unless it is too small itself."""
        linked = other in self.calls[one] or one in self.calls[other]
        near = self._file(one) == self._file(other)
        group = self.groups[other]
        full = group.last and group.lines >= least
        kin = self._classes(one) & self._classes(other)
        return full, not kin, not linked, group.last, not near, not self._siblings(one, other), group.lines, other

    def _suits(self, one: int, other: int) -> bool:
        """Groups belong together if one calls the other, or if they are of one file or called by one group; what only
        sets up and what plays have nothing else in common."""
        linked = other in self.calls[one] or one in self.calls[other]
        near = self._file(one) == self._file(other) or self._siblings(one, other)
        return linked or (near and self._sets_up(one) == self._sets_up(other))

    def _sets_up(self, index: int) -> bool:
        return any(SETS_UP in unit.flags for unit in self.groups[index].units)

    def _siblings(self, one: int, other: int) -> bool:
        return bool(self.callers[one] & self.callers[other])

    def _classes(self, index: int) -> set[str]:
        """The classes that a group has methods of, but for those of the environment, which has many."""
        return {unit.id.rpartition(".")[0] for unit in self.groups[index].units if "." in unit.qualified} - self.entered

    def _file(self, index: int) -> str:
        return self.groups[index].units[0].file

    def _makes_ring(self, one: int, other: int) -> bool:
        """Whether there is a way from one to the other through a third."""
        return any(b in reachable(self.calls, self.calls[a] - {b}) for a, b in ((one, other), (other, one)))

    def _join(self, one: int, other: int) -> None:
        kept, gone = self.groups[other], self.groups.pop(one)
        units = sorted([*kept.units, *gone.units], key=lambda u: (u.file, u.first))
        self.groups[other] = Group(units, kept.last, kept.ring or gone.ring, kept.small + len(gone.units))
        self.calls[other] = (self.calls[other] | self.calls.pop(one)) - {one, other}
        for called in self.calls.values():
            if one in called:
                called.remove(one)
                called.add(other)
        self.calls[other].discard(other)

    def _order(self) -> list[int]:
        return [ids[0] for ids in components({index: sorted(self.calls[index]) for index in sorted(self.groups)})]

    def ordered(self) -> list[Group]:
        return [self.groups[index] for index in self._order()]
