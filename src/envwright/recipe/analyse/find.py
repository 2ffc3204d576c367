"""From the name of a reference to its source, and from there to the analysis. Nothing of the environment is run."""

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from envwright.core.errors import missing_extra
from envwright.recipe.analyse.c import analyse_c
from envwright.recipe.analyse.facts import Analysis, AnalysisError
from envwright.recipe.analyse.python import Target, analyse_classes
from envwright.recipe.analyse.typescript import analyse_typescript
from envwright.recipe.analyse.typescript_files import SUFFIXES

_C = (".c", ".h")
_MINATAR = ("reset", "act", "state")  # how envwright plays MinAtar's games


def analyse(
    reference: str, sources: Sequence[Path] = (), entry: Sequence[str] = (), base: Path | None = None
) -> Analysis:
    """What the source of a reference says. `sources` are its files, where the name does not lead to them; `entry` the
    functions or methods that reset and step it; `base` the folder that relative names are relative to."""
    if sources:
        return _by_language(reference, [(base or Path()) / path for path in sources], entry)
    kind, _, rest = reference.partition(":")
    if kind == "minatar":
        return analyse_classes(_minatar(rest, entry))
    if kind == "node":
        return analyse_typescript([(base or Path()) / rest], entry)
    if reference == "pufferlib:pong":
        from envwright.envs.pong.reference import header

        return analyse_c([header()], entry)
    if kind == "gymnasium":
        return analyse_classes([Target(*_of_id(rest), entry)])
    where, _, name = reference.rpartition(":")
    if not where or not name:
        raise AnalysisError(f"{reference} names no class; write module:Class or path/to/file.py:Class.")
    if Path(where).suffix in EXTENSION_SUFFIXES or where.endswith(tuple(EXTENSION_SUFFIXES)):
        raise _compiled(reference, where)
    file = (base or Path()) / where if where.endswith(".py") else module_file(where)
    return analyse_classes([Target(file, name, entry)])


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


def _minatar(game: str, entry: Sequence[str]) -> list[Target]:
    """A game is two classes: the game, and the wrapper around it, which makes actions stick."""
    names = entry or _MINATAR
    wrapper = module_file("minatar.environment", extra=("minatar", "reference"))
    known = sorted(path.stem for path in (wrapper.parent / "environments").glob("[a-z]*.py"))
    if game not in known:
        raise AnalysisError(f"MinAtar has no game '{game}'; it has {', '.join(known)}.")
    return [Target(wrapper, "Environment", names), Target(wrapper.parent / "environments" / f"{game}.py", "Env", names)]


def _of_id(id: str) -> tuple[Path, str]:
    """The file and the class behind an id of Gymnasium, by its registry."""
    try:
        gymnasium: Any = importlib.import_module("gymnasium")
    except ImportError:
        raise missing_extra("gymnasium", "reference") from None
    module, _, name = id.rpartition(":")
    if module:  # its import registers it
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise AnalysisError(f"The module '{module}' cannot be imported: {error}.") from None
    if name not in gymnasium.registry:
        if (entry := _in_gym(name)) is not None:
            raise AnalysisError(f"{name} is an id of gym, Gymnasium's predecessor; name its class instead: {entry}.")
        close = difflib.get_close_matches(name, gymnasium.registry, 3, 0.4)
        hint = f"did you mean {' or '.join(close)}?" if close else "for a class of your own, give file.py:Class."
        raise AnalysisError(f"Gymnasium has no environment '{name}'; {hint}")
    point = gymnasium.registry[name].entry_point
    if isinstance(point, str):
        where, _, cls = point.partition(":")
        return module_file(where), cls
    if isinstance(point, type):
        return module_file(point.__module__), point.__qualname__
    raise AnalysisError(f"{name} is made by a function, not by a class; name the class that it makes: module:Class.")


def _in_gym(name: str) -> str | None:
    """The class of an id that was registered with gym rather than Gymnasium, if a package has imported it."""
    registry = getattr(sys.modules.get("gym.envs.registration"), "registry", {})
    spec = registry.get(name) if isinstance(registry, dict) else None
    return str(spec.entry_point) if spec is not None else None


def module_file(name: str, extra: tuple[str, str] | None = None) -> Path:
    """The source file of a module. Only its outermost package is looked for, and nothing is imported."""
    top, *rest = name.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        if extra:
            raise missing_extra(*extra)
        raise AnalysisError(f"There is no module '{name}' here; install it, or go to the folder that it is in.")
    if not rest and not spec.submodule_search_locations:
        if spec.origin is None or not spec.origin.endswith(".py"):
            raise _compiled(name, spec.origin or "Python itself")
        return Path(spec.origin)
    for folder in spec.submodule_search_locations or ():
        place = Path(folder).joinpath(*rest)
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return path
        for suffix in EXTENSION_SUFFIXES:
            if place.with_name(place.name + suffix).is_file():
                raise _compiled(name, place.name + suffix)
    raise AnalysisError(f"The package '{top}' has no module '{name}'.")


def _compiled(name: str, where: str) -> AnalysisError:
    return AnalysisError(
        f"{name} is compiled ({Path(where).name}), so there is no source to analyse; give its source files."
    )
