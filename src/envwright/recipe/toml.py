"""The TOML files of a project, as they are written: by tomli-w, with comments above."""

import importlib
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from envwright.core.errors import missing_extra


def dumps(table: Mapping[str, Any]) -> str:
    """A table as TOML, which has no word for None: `none = true` in a table of its own stands for it, see
    `verifier/contract.py`."""
    return _tomli_w().dumps(_without_none(table))


def inline(value: Any) -> str:
    """A value on one line, so that it can be moved as one."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {inline(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inline, value))}]"
    return _tomli_w().dumps({"": value}).removeprefix('"" = ').rstrip("\n")


def commented(lines: Iterable[str]) -> str:
    """Lines as comments; no character in them ends one or is forbidden there."""
    printable = ("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return "".join(f"# {line}".rstrip() + "\n" for line in printable)


def _tomli_w() -> ModuleType:
    try:
        return importlib.import_module("tomli_w")
    except ImportError:
        raise missing_extra("tomli-w", "analyse") from None


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_none(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_none(inner) for inner in value]
    return {"none": True} if value is None else value
