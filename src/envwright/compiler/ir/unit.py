"""The translation unit: what is known of the original, and what has been generated so far."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.avals import narrow
from envwright.compiler.ir.code import Code, Written
from envwright.compiler.ir.dtypes import dtype_code

LONG = 8  # numbers that may stand in the middle of an expression


@dataclass
class TranslationUnit:
    """What all functions of a translation share."""

    slots: dict[tuple[int, Any], Any] = field(default_factory=dict)  # attribute -> where it is in the state
    ignored: set[tuple[int, str]] = field(default_factory=set)  # attributes that the contract leaves out
    read: set[tuple[int, str]] = field(default_factory=set)  # those of them that are read
    written: set[tuple[int, str]] = field(default_factory=set)  # those that get other values
    passing: set[tuple[int, str]] = field(default_factory=set)  # those that go from place to place within a step
    before: dict[tuple[int, str], Any] = field(default_factory=dict)  # what attributes of the state hold now
    arenas: dict[Any, Any] = field(default_factory=dict)  # objects in lists, by number (ir/object_arena.py)
    live: dict[str, int] = field(default_factory=dict)  # how long lists of objects are in the original, by their count
    lengths: dict[str, int] = field(default_factory=dict)  # those that are taken to be as long always
    unsteady: set[str] = field(default_factory=set)  # those of them that turned out not to be
    lists_of_lists: bool = False  # whether the state has any: rows that are not tuples
    chance: dict[str, dict[tuple[str, str], Any]] = field(default_factory=dict)  # "start", "step" -> the chance fields
    draws: dict[tuple[str, str], list[Any]] = field(default_factory=dict)  # (when, field) -> how it is drawn
    constants: dict[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)  # the constants, when it was written for the first time
    functions: dict[str, Written] = field(default_factory=dict)
    grown: dict[str, Any] = field(default_factory=dict)  # lists that a step makes longer, by field -> a place
    shrunk: set[str] = field(default_factory=set)  # those that a step makes shorter, or anew
    longer: dict[str, set[str]] = field(default_factory=lambda: {"start": set(), "step": set()})  # that get any longer
    growing: dict[str, set[str]] = field(default_factory=lambda: {"start": set(), "step": set()})  # as known before
    cache: dict[Any, Any] = field(default_factory=dict)  # functions that were read already
    flowing: set[float] = field(default_factory=set)  # constants that become run-time values
    born: dict[int, Callable[[Any], Any]] = field(default_factory=dict)  # what a location of the original's begins with
    names: set[str] = field(default_factory=set)  # taken on the level of the module
    call: Callable[..., Any] = lambda *_: None  # set by translate.py: how a function of the original is called

    def rooms(self, when: str) -> dict[str, Any]:
        """The capacity of each chance field of the start or a step; None: one draw."""
        return {piece.name: piece.room for piece in self.chance[when].values()}

    def constant(self, name: str, value: Any) -> Code:
        """A table, under a name if it is long; equal tables are written once."""
        array = np.asarray(value)
        if array.dtype.kind in "biuf" and array.size <= LONG:
            return code.call("jnp.array", code.const(array), dtype_code(narrow(array.dtype)))
        found = self._named(name, value)
        return code.call("jnp.asarray", code.name(found)) if array.ndim else code.name(found)

    def number(self, name: str, value: Any) -> Code:
        """A number of the original's configuration, under its name."""
        return code.name(self._named(name, value))

    def _named(self, name: str, value: Any) -> str:
        base = re.sub(r"\W+", "_", name).strip("_").upper() or "TABLE"
        base = base if not base[0].isdigit() else f"TABLE_{base}"
        if base == "TABLE":  # found on a way that has no name for it, but another may have had
            named = {name: known for name, known in self.tables.items() if not name.startswith("TABLE")}
            base = next((name for name, known in named.items() if _same(known, value)), base)
        found, n = base, 1
        while found in self.constants and not _same(self.constants[found], value):
            found, n = f"{base}_{n + 1}", n + 1
        self.constants[found] = value
        return found


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(np.array_equal(np.asarray(a), np.asarray(b)))
