"""The plan of a translation: the reference cut into modules, each after those it needs."""

import keyword
from collections.abc import Sequence
from pathlib import PurePosixPath

from envwright.recipe.analyse.cut import Group, cut
from envwright.recipe.analyse.excerpt import source_of
from envwright.recipe.analyse.facts import Analysis
from envwright.recipe.analyse.gather import words
from envwright.recipe.analyse.modules import (
    LAST,
    ModulePlan,
    Part,
    PlanError,
    PlannedModule,
    describe,
    parts_of,
    sets_up,
)
from envwright.recipe.analyse.plan_file import read_plan, write_plan
from envwright.recipe.analyse.suggest import suggest

__all__ = ["ModulePlan", "Part", "PlanError", "PlannedModule", "make_plan", "read_plan", "source_of", "write_plan"]

_TAKEN = {
    LAST,
    "state",
    "env",
    "render",
    "reference",
    "specification",
    "tests",
    "lib",
    "main",
    "mod",
    "constants",
    "init",
    "self",
}


def make_plan(analysis: Analysis, least: int = 100, most: int = 500) -> ModulePlan:
    """Cut what was analysed into modules of `least` to `most` lines of code, as far as its calls allow."""
    if not 0 < least <= most:
        raise PlanError(f"Modules of {least} to {most} lines cannot be cut; give two numbers, the smaller one first.")
    groups = cut(analysis, least, most)
    names = _names(groups, analysis)
    home = {unit.id: name for group, name in zip(groups, names, strict=True) for unit in group.units}
    modules = tuple(
        describe(name, parts_of(group.units, analysis), analysis, home, _why(group, least, most, analysis))
        for group, name in zip(groups, names, strict=True)
    )
    suggestion, reason = suggest(analysis)
    return ModulePlan(suggestion, reason, analysis.sources, modules, _notes(analysis))


def _notes(analysis: Analysis) -> tuple[str, ...]:
    drawn = [f"{name} is only drawn on the screen, so a translation can do without it." for name in analysis.drawn]
    return (*(f"{hazard.file}:{hazard.line} {hazard.sentence}" for hazard in analysis.hazards), *drawn)


def _why(group: Group, least: int, most: int, analysis: Analysis) -> str:
    files = list(dict.fromkeys(PurePosixPath(unit.file).name for unit in group.units))
    place = files[0] if len(files) == 1 else f"{', '.join(files[:-1])} and {files[-1]}"
    if group.last:
        held = [analysis.unit[id].name for id in analysis.entries]
        said = f"It holds {' and '.join(dict.fromkeys(held))}"
        few = "1 function that is" if group.small == 1 else f"{group.small} functions that are"
        said += f", and {few} too small to stand alone" if group.small else ""
    elif any(sets_up(analysis, unit.id) for unit in group.units):
        said = f"What makes the environment, in {place}"
    elif len(group.units) == 1:
        said = f"One function of {place}"
    elif group.ring:
        said = f"Functions of {place} that call each other in a ring"
    else:
        said = f"Functions of {place} that belong together by their calls"
    if group.lines > most:
        said += f"; more than {most} lines, but it cannot be cut without a ring of modules"
    elif group.lines < least and not group.last:
        said += f"; fewer than {least} lines, but no module that it belongs to has room"
    return f"{said}."


# ---- names ----


def _names(groups: Sequence[Group], analysis: Analysis) -> list[str]:
    """Short names that tell the modules apart: of the file, the class, or the main function."""
    names: list[str] = []
    for group in groups:
        wished = LAST if group.last else _wished(group, groups, analysis)
        name, count = wished, 1
        while name in names or (name in _TAKEN and not group.last):
            count += 1
            name = f"{wished}_{count}"
        names.append(name)
    return names


def _wished(group: Group, groups: Sequence[Group], analysis: Analysis) -> str:
    files = {unit.file for unit in group.units}
    file = group.units[0].file
    if len(files) == 1 and not any(unit.file == file for other in groups if other is not group for unit in other.units):
        return _identifier(PurePosixPath(file).stem)
    entered = {analysis.unit[id].qualified.rpartition(".")[0] for id in analysis.entries}
    lines: dict[str, int] = {}
    for unit in group.units:
        owner = unit.qualified.rpartition(".")[0]
        lines[owner] = lines.get(owner, 0) + unit.code_lines
    owner = max(lines, key=lambda name: (lines[name], name))
    if owner and owner not in entered and 2 * lines[owner] > group.lines:
        return _identifier(owner)
    if any(sets_up(analysis, unit.id) for unit in group.units):
        return "setup"
    inside = {unit.id for unit in group.units}
    played = {analysis.unit[id].name for id in analysis.entries}  # a base class may have one of the same name
    asked = [unit for unit in group.units if not any(unit.id in u.calls for u in group.units if u is not unit)]
    asked = [unit for unit in asked if unit.name not in played] or asked
    wanted = {id for unit in analysis.units if unit.id not in inside for id in unit.calls}
    main = max(asked or group.units, key=lambda u: (u.id in wanted, u.code_lines, -u.first))
    owner, _, name = main.qualified.rpartition(".")
    return _identifier(owner if owner and name in ("__init__", "constructor") else name)


def _identifier(name: str) -> str:
    wished = "_".join(words(name)) or "part"
    wished = f"part_{wished}" if wished[0].isdigit() else wished
    return f"{wished}_part" if keyword.iskeyword(wished) else wished
