"""From the name of a reference to its source, and from there to the analysis. Nothing of the environment is run."""

from collections.abc import Sequence
from pathlib import Path

from envwright.recipe.analyse.c import analyse_c
from envwright.recipe.analyse.facts import Analysis, AnalysisError
from envwright.recipe.analyse.python import Target, analyse_classes
from envwright.recipe.analyse.typescript import analyse_typescript
from envwright.recipe.analyse.typescript_files import SUFFIXES
from envwright.references.registry import find_kind

_C = (".c", ".h")


def analyse(
    reference: str, sources: Sequence[Path] = (), entry: Sequence[str] = (), base: Path | None = None
) -> Analysis:
    """What the source of a reference says. `sources` are its files, where the name does not lead to them; `entry` the
    functions or methods that reset and step it; `base` the folder that relative names are relative to."""
    if sources:
        return _by_language(reference, [(base or Path()) / path for path in sources], entry)
    found = find_kind(reference, base).source()
    entry = entry or found.entry
    if found.classes:
        return analyse_classes([Target(file, name, entry) for file, name in found.classes])
    return _by_language(reference, found.files, entry)


def _by_language(reference: str, paths: Sequence[Path], entry: Sequence[str]) -> Analysis:
    suffixes = {path.suffix for path in paths}
    if suffixes <= set(_C):
        return analyse_c(paths, entry)
    if suffixes <= set(SUFFIXES):
        return analyse_typescript(paths, entry)
    if suffixes == {".py"}:
        name = reference.rpartition(":")[2]
        holder = next((path for path in paths if _defines(path, name)), paths[0])
        return analyse_classes([Target(holder, name, entry)])
    names = ", ".join(path.name for path in paths)
    raise AnalysisError(f"{names}: give files of one language, which can be Python, C, TypeScript or JavaScript.")


def _defines(path: Path, name: str) -> bool:
    return path.is_file() and f"class {name}" in path.read_text(errors="replace")
