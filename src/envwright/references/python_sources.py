"""The source files of Python classes, found by name. Nothing of the environment is run or imported."""

import difflib
import importlib
import importlib.util
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError, missing_extra


class NoSourceError(EnvwrightError, ValueError):
    """The source of a reference cannot be found."""


def class_file(where: str, base: Path | None) -> Path:
    """The file of a class, which is in a module or in a file below `base`."""
    if where.endswith(tuple(EXTENSION_SUFFIXES)) or Path(where).suffix in EXTENSION_SUFFIXES:
        raise _compiled(where, where)
    return (base or Path()) / where if where.endswith(".py") else module_file(where)


def gymnasium_class(id: str) -> tuple[Path, str]:
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
            raise NoSourceError(f"The module '{module}' cannot be imported: {error}.") from None
    if name not in gymnasium.registry:
        if (entry := _in_gym(name)) is not None:
            raise NoSourceError(f"{name} is an id of gym, Gymnasium's predecessor; name its class instead: {entry}.")
        close = difflib.get_close_matches(name, gymnasium.registry, 3, 0.4)
        hint = f"did you mean {' or '.join(close)}?" if close else "for a class of your own, give file.py:Class."
        raise NoSourceError(f"Gymnasium has no environment '{name}'; {hint}")
    point = gymnasium.registry[name].entry_point
    if isinstance(point, str):
        where, _, cls = point.partition(":")
        return module_file(where), cls
    if isinstance(point, type):
        return module_file(point.__module__), point.__qualname__
    raise NoSourceError(f"{name} is made by a function, not by a class; name the class that it makes: module:Class.")


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
        raise NoSourceError(f"There is no module '{name}' here; install it, or go to the folder that it is in.")
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
    raise NoSourceError(f"The package '{top}' has no module '{name}'.")


def _compiled(name: str, where: str) -> NoSourceError:
    return NoSourceError(
        f"{name} is compiled ({Path(where).name}), so there is no source to analyse; give its source files."
    )
