"""TypeScript and JavaScript: everything that the functions which reset and step an environment can reach."""

from collections.abc import Sequence
from os.path import commonpath
from pathlib import Path

from envwright.recipe.analyse import trees
from envwright.recipe.analyse.facts import Analysis, AnalysisError
from envwright.recipe.analyse.gather import gather, is_left_out, words
from envwright.recipe.analyse.typescript_classes import Reader
from envwright.recipe.analyse.typescript_files import TsFunction, TsProject
from envwright.recipe.analyse.typescript_scan import TsScan


def analyse_typescript(sources: Sequence[Path], entry: Sequence[str] = ()) -> Analysis:
    """What the entry functions or methods reach; by default those whose names speak of a reset or a step."""
    paths = [path.resolve() for path in sources]
    root = Path(commonpath([path.parent for path in paths]))
    project = TsProject(paths, root)
    functions = {function.id: function for file in project.files.values() for function in file.functions()}
    entries = _entries(functions, entry, paths)
    reader = Reader(project, next((functions[id].owner for id in entries if functions[id].owner), None))
    scanned = {id: TsScan(reader, function).unit for id, function in functions.items()}
    analysis = gather(
        scanned,
        entries,
        None,
        root=root,
        sources=[file.source() for file in project.files.values()],
        definitions={d.id: d for file in project.files.values() for d in file.definitions.values()},
        behind={cls.id: reader.behind(cls) for cls in reader.classes},
        variables=[f"{f.path.stem}.{name}" for f in project.files.values() for name in f.constants()],
        say_outside=lambda module: f"The package {module} is called, and its source was not looked at.",
    )
    return trees.with_faults(analysis, [(file.name, file.root) for file in project.files.values()])


def _entries(functions: dict[str, TsFunction], entry: Sequence[str], paths: Sequence[Path]) -> list[str]:
    found: list[str] = []
    for name in entry:
        hits = [id for id, f in functions.items() if name in (f.qualified, f.name)]
        if not hits:
            raise AnalysisError(f"{paths[0].name} has no function {name}; it has {_listed(functions)}.")
        found += hits
    if not entry:
        plain = [id for id, f in functions.items() if f.name in ("reset", "step")]
        spoken = [
            id for id, f in functions.items() if {"reset", "step"} & set(words(f.name)) and not is_left_out(f.name)
        ]
        found = plain or spoken
    if not found:
        raise AnalysisError(
            f"{paths[0].name} has no function whose name speaks of a reset or a step; name the entries, of "
            f"{_listed(functions)}."
        )
    return list(dict.fromkeys(found))


def _listed(functions: dict[str, TsFunction]) -> str:
    return ", ".join(f.qualified for f in functions.values()) or "none"
