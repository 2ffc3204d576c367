"""The verbatim text of a module, with what it uses from around it."""

from collections.abc import Sequence

from envwright.recipe.analyse.facts import PYTHON, Analysis, Definition
from envwright.recipe.analyse.graph import reachable
from envwright.recipe.analyse.modules import PlanError, PlannedModule


def source_of(module: PlannedModule, analysis: Analysis) -> str:
    """The verbatim text of a module's functions, and of the imports, constants and class attributes that they use."""
    unknown = [id for id in module.functions if id not in analysis.unit]
    if unknown:
        raise PlanError(
            f"Module {module.name} holds {unknown[0]}, which no reset or step reaches; make the plan again."
        )
    known = {definition.id: definition for definition in analysis.definitions}
    used = reachable(
        {id: definition.uses for id, definition in known.items()},
        [use for id in module.functions for use in analysis.unit[id].uses],
    )
    files = dict.fromkeys([*(known[id].file for id in used), *(part.file for part in module.parts)])
    own = list(dict.fromkeys(part.file for part in module.parts))
    pieces = []
    for file in sorted(files, key=lambda f: (f in own, f)):
        pieces += _pieces(file, module, [known[id] for id in used if known[id].file == file], analysis)
    return "\n".join(pieces)


def _pieces(file: str, module: PlannedModule, definitions: Sequence[Definition], analysis: Analysis) -> list[str]:
    """A file's pieces in the order of its lines, each under a line that says where it is from."""
    lines = analysis.text(file).splitlines()
    mark = "#" if next(s for s in analysis.sources if s.path == file).language == PYTHON else "//"
    spans = [(part.first, part.last, part.functions[0]) for part in module.parts if part.file == file]
    spans += [(a, b, "") for d in definitions for a, b in d.spans]
    merged: list[tuple[int, int, str]] = []
    for first, last, name in sorted(set(spans)):
        if merged and not name and not merged[-1][2] and not "".join(lines[merged[-1][1] : first - 1]).strip():
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]), "")
        else:
            merged.append((first, last, name))
    pieces = [f"{mark} ==== {file}\n"]
    for first, last, name in merged:
        where = f"lines {first}-{last}" if last > first else f"line {first}"
        title = f"{mark} {where}" + (f": {name}" if name else "")
        pieces.append("\n".join([title, *lines[first - 1 : last], ""]))
    return pieces
