"""The plan as a file: TOML that a person reads and edits, checked when it is read again."""

import difflib
import keyword
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from envwright.recipe.analyse.cut import outermost
from envwright.recipe.analyse.facts import Analysis, SourceFile
from envwright.recipe.analyse.graph import ordered, ring
from envwright.recipe.analyse.modules import LAST, VERSION, ModulePlan, Part, PlanError, PlannedModule, describe
from envwright.recipe.analyse.suggest import JAX, RUST
from envwright.recipe.toml import inline
from envwright.verifier.contract import unknown_key

_HEAD = """\
# How the reference is cut into modules. Each is translated as one, after those it needs.
#
# To change the cut, move lines of `parts` from one module to another, rename modules, split them or join them, and put
# into `needs` the modules whose functions a module calls. The module `rules` holds reset and step, and comes last.
# lines, writes and chance follow from the functions and are worked out again; sources are not to be changed.
"""


def write_plan(plan: ModulePlan) -> str:
    """The plan's text; `read_plan` gives the same plan again."""
    blocks = [_HEAD]
    blocks.append(f"version = {plan.version}")
    blocks.append(f"suggestion = {inline(plan.suggestion)} # or {inline(RUST if plan.suggestion == JAX else JAX)}")
    blocks.append(f"reason = {inline(plan.reason)}")
    blocks.append(f"notes = {_list(plan.notes)} # what may be stumbled over\n")
    for module in plan.modules:
        blocks.append(f"[[module]]\nname = {inline(module.name)}\nwhy = {inline(module.why)}")
        blocks.append(f"lines = {module.lines}\nneeds = {inline(module.needs)}")
        blocks.append(f"writes = {_list(module.writes)}\nchance = {_list(module.chance)}")
        blocks.append(f"parts = {_list(asdict(part) for part in module.parts)}\n")
    for source in plan.sources:
        blocks.append(f"[[source]]\npath = {inline(source.path)}\nlanguage = {inline(source.language)}")
        blocks.append(f"lines = {source.lines}\nsha256 = {inline(source.sha256)}\nimports = {inline(source.imports)}\n")
    return "\n".join(blocks)


def _list(items: Iterable[Any]) -> str:
    """One item a line, so that lines can be moved."""
    lines = "".join(f"  {inline(item)},\n" for item in items)
    return f"[\n{lines}]" if lines else "[]"


def read_plan(given: str | Path, analysis: Analysis | None = None) -> ModulePlan:
    """The plan of a text or a file. With the analysis that it is about, it is also checked against that: every function
    is in one module, where the plan says, and no call leads to a module that is not needed."""
    name, text = _open(given)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{name} is not valid TOML: {error}.") from None
    if table.get("version") != VERSION:
        raise PlanError(f"{name} is of version {table.get('version')}; this envwright reads version {VERSION}.")
    _only(table, {"version", "suggestion", "reason", "notes", "module", "source"}, name)
    plan = ModulePlan(
        suggestion=_str(table, "suggestion", name),
        reason=_str(table, "reason", name),
        notes=_strings(table, "notes", name),
        sources=tuple(_source(row, name) for row in _rows(table, "source", name)),
        modules=tuple(_module(row, name) for row in _rows(table, "module", name)),
    )
    _check(plan, name)
    if analysis is not None:
        plan = _fit(plan, analysis, name)
    needs = {module.name: module.needs for module in plan.modules}
    modules = {module.name: module for module in plan.modules}
    return replace(plan, modules=tuple(modules[key] for key in ordered(needs)))


def _open(given: str | Path) -> tuple[str, str]:
    if isinstance(given, str):
        return "The plan", given
    try:
        return given.name, given.read_text(encoding="utf-8")
    except OSError as error:
        raise PlanError(f"The plan {given} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise PlanError(f"The plan {given} is not text.") from None


def _source(row: dict[str, Any], name: str) -> SourceFile:
    where = f"{name}, [[source]] {row.get('path', '')}"
    _only(row, {"path", "language", "lines", "sha256", "imports"}, where)
    path, language, digest = (_str(row, key, where) for key in ("path", "language", "sha256"))
    return SourceFile(path, language, digest, _int(row, "lines", where), _strings(row, "imports", where))


def _module(row: dict[str, Any], name: str) -> PlannedModule:
    where = f"{name}, [[module]] {row.get('name', '')}"
    _only(row, {"name", "why", "lines", "needs", "writes", "chance", "parts"}, where)
    label = _str(row, "name", where)
    if not label.isidentifier() or keyword.iskeyword(label):
        raise PlanError(f"{name}: a module cannot be called {label!r}; its name becomes that of a file of code.")
    return PlannedModule(
        name=label,
        parts=tuple(_read_part(part, where) for part in _rows(row, "parts", where)),
        lines=_int(row, "lines", where),
        needs=_strings(row, "needs", where),
        writes=_strings(row, "writes", where),
        chance=_strings(row, "chance", where),
        why=row.get("why", ""),
    )


def _read_part(row: dict[str, Any], where: str) -> Part:
    _only(row, {"file", "first", "last", "functions"}, f"{where}, parts")
    first, last = _int(row, "first", where), _int(row, "last", where)
    return Part(_str(row, "file", where), first, last, _strings(row, "functions", where))


# ---- what makes sense by itself ----


def _check(plan: ModulePlan, name: str) -> None:
    if plan.suggestion not in (JAX, RUST):
        raise PlanError(f"{name}: suggestion is {plan.suggestion!r}; it can be {JAX} or {RUST}.")
    names = [module.name for module in plan.modules]
    twice = next((label for label in names if names.count(label) > 1), None)
    if twice:
        raise PlanError(f"{name}: there are two modules called {twice}; give one of them another name.")
    if LAST not in names:
        raise PlanError(f"{name}: there is no module called {LAST}; the one with reset and step has that name.")
    for module in plan.modules:
        for need in module.needs:
            if need not in names:
                raise PlanError(f"{name}: {module.name} needs {need}, {_closest(need, names, 'which is no module')}")
            if need == LAST:
                raise PlanError(f"{name}: {module.name} needs {LAST}, which comes last; move what it calls.")
        for part in module.parts:
            _check_part(plan, module, part, name)
    circle = ring({module.name: module.needs for module in plan.modules})
    if circle:
        raise PlanError(f"{name}: {' needs '.join(circle)}; no module can be the first, so join two of them.")
    held: dict[str, str] = {}
    for module in plan.modules:
        for id in module.functions:
            if id in held:
                raise PlanError(f"{name}: {id} is in {held[id]} and in {module.name}; take it out of one of them.")
            held[id] = module.name


def _check_part(plan: ModulePlan, module: PlannedModule, part: Part, name: str) -> None:
    source = next((source for source in plan.sources if source.path == part.file), None)
    if source is None:
        paths = [source.path for source in plan.sources]
        raise PlanError(f"{name}: {module.name} is of {part.file}, {_closest(part.file, paths, 'which is no source')}")
    if not 1 <= part.first <= part.last <= source.lines:
        raise PlanError(
            f"{name}: {module.name} is of lines {part.first}-{part.last} of {part.file}, which ends at {source.lines}."
        )
    if not part.functions:
        raise PlanError(f"{name}: {module.name} has a part of {part.file} without functions; name those in it.")


# ---- what fits the source ----


def _fit(plan: ModulePlan, analysis: Analysis, name: str) -> ModulePlan:
    """The plan, checked against the analysis, with all that follows from the functions worked out again."""
    for source in analysis.sources:
        planned = next((s for s in plan.sources if s.path == source.path), None)
        if planned is None or planned.sha256 != source.sha256:
            raise PlanError(f"{name}: {source.path} has changed since the plan was made; make it again.")
    held = {id: module.name for module in plan.modules for id in module.functions}
    for id in held:
        if id not in analysis.unit:
            hint = _closest(id, list(analysis.unit), "which no reset or step reaches")
            raise PlanError(f"{name}: {held[id]} holds {id}, {hint}")
    for id in analysis.unit:
        if id not in held:
            raise PlanError(
                f"{name}: {id} is in no module; put it into one of {', '.join(m.name for m in plan.modules)}."
            )
    for id in analysis.entries:
        if held[id] != LAST:
            raise PlanError(f"{name}: {id} is in {held[id]}; what resets and steps belongs into {LAST}.")
    home = _homes(plan, analysis, held, name)
    return replace(plan, modules=tuple(_refit(module, analysis, home, name) for module in plan.modules))


def _homes(plan: ModulePlan, analysis: Analysis, held: Mapping[str, str], name: str) -> dict[str, str]:
    """The modules of outermost functions; what is inside of a function is where that is."""
    inside = outermost(analysis)
    for id, outer in inside.items():
        if held[id] != held[outer]:
            raise PlanError(f"{name}: {id} is in {held[id]}, but it is a piece of {outer}, which is in {held[outer]}.")
    for module in plan.modules:
        for part in module.parts:
            for function in part.functions:
                unit = analysis.unit[f"{part.file}:{function}"]
                if not part.first <= unit.first <= unit.last <= part.last:
                    raise PlanError(
                        f"{name}: {module.name} has {function} in lines {part.first}-{part.last} of {part.file}, but "
                        f"it is in lines {unit.first}-{unit.last}."
                    )
    return {outer: held[outer] for module in plan.modules for outer in _outer(module, inside)}


def _outer(module: PlannedModule, inside: Mapping[str, str]) -> list[str]:
    return [id for id in module.functions if inside[id] == id]


def _refit(module: PlannedModule, analysis: Analysis, home: Mapping[str, str], name: str) -> PlannedModule:
    made = describe(module.name, module.parts, analysis, home, module.why)
    missing = [need for need in made.needs if need not in module.needs]
    if missing:
        raise PlanError(f"{name}: {module.name} calls functions of {missing[0]}; put that into its needs.")
    return replace(made, needs=module.needs)


# ---- small checks ----


def _rows(table: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    rows = table.get(key)
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise PlanError(f"{where}: {key} is missing, or no list of tables.")
    return rows


def _str(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise PlanError(f"{where}: {key} is missing, or no text.")
    return value


def _int(row: Mapping[str, Any], key: str, where: str) -> int:
    value = row.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise PlanError(f"{where}: {key} is missing, or no whole number.")
    return value


def _strings(row: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise PlanError(f"{where}: {key} is no list of texts.")
    return tuple(value)


def _only(table: Mapping[str, Any], known: set[str], where: str) -> None:
    if problem := unknown_key(table, known):
        raise PlanError(f"{where}: {problem}")


def _closest(name: str, known: Sequence[str], what: str) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"{what}; did you mean {close[0]}?" if close else f"{what}."
