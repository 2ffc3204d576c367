"""Which modules are the reference's own: those that live where its classes do."""

import sys
import sysconfig
import types
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from envwright.references.python.walk import attributes

_LIBRARIES = ("numpy", "builtins", "random", "abc", "typing", "collections", "enum", "dataclasses", "envwright")
_BASES = ("gymnasium.core", "gymnasium.utils.record_constructor", "gym.core")  # every environment's, so nobody's own


def classes_of(roots: Sequence[Any], within: bool = True) -> list[type]:
    """The classes of the objects, and with `within` of what they hold, and their bases; none of Python's."""
    values = [*roots, *(value for root in roots for _, value in attributes(root) if within)]
    found = dict.fromkeys(base for value in values for base in type(value).__mro__)
    return [cls for cls in found if _is_own(cls.__module__)]


def _is_own(module: str) -> bool:
    root = _package(module)
    library = root in _LIBRARIES or root in sys.stdlib_module_names or module in _BASES
    return module == "__main__" or (not library and module in sys.modules)  # compiled code makes up names of modules


def modules_of(classes: Iterable[type]) -> list[types.ModuleType]:
    """The loaded modules in the packages of the classes, or beside their files if they are in no package."""
    names = {cls.__module__ for cls in classes}
    packages = {_package(name) for name in names if "." in name}
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), sysconfig.get_path("stdlib")}
    folders = {_folder(name) for name in names if "." not in name} - libraries - {None}
    return [
        module
        for name, module in list(sys.modules.items())
        if isinstance(module, types.ModuleType)
        and (name in names or _package(name) in packages or ("." not in name and _folder(name) in folders))
    ]


def _package(module: str) -> str:
    """The outermost package of a module. envwright is a library, but for the references that it comes with: their
    package is `envwright.envs.NAME.reference`."""
    parts = module.split(".")
    ours = parts[:2] == ["envwright", "envs"] and parts[3:4] == ["reference"]
    return ".".join(parts[: 4 if ours else 1])


def _folder(module: str) -> str | None:
    file = file_of(module)
    return str(Path(file).parent) if file else None


def file_of(module: str) -> str | None:
    """The source file of a loaded module."""
    return getattr(sys.modules.get(module), "__file__", None)


def raised_at(error: BaseException, files: set[str]) -> str:
    """ "file.py:LINE" of the innermost line of the reference that an error came through."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    file, line = next((frame for frame in reversed(frames) if frame[0] in files), frames[-1])
    return f"{Path(file).name}:{line}"
