"""Whether something that can be changed in place has more than one name."""

from dataclasses import replace
from typing import Any

from envwright.compiler.ir.memory import Memory, deep_or_unknown
from envwright.compiler.ir.values import PLACES, Bound, Items, Keyed, Maybe, Method, Ref, Value, cells_of


def known_elsewhere(memory: Memory, value: Value, own: tuple[str, Any] | None) -> bool:
    """Whether a change of it is seen by another name than its own: `own` is the table of the memory and the key. Names
    of a function that ends do not count (None)."""
    if not isinstance(value, Ref):
        return isinstance(value, PLACES)  # a part of something
    if value.cell < 0 or value.cell in memory.above or value.cell in memory.positions:
        return True
    tables = {"attributes": memory.attributes, "cells": memory.cells}
    if own is not None and own[0] == "names":
        tables["names"] = memory.names
    others = (v for part, table in tables.items() for key, v in table.items() if (part, key) != own)
    return any(value.cell in cells_within(other) for other in others)


def holds_places(memory: Memory, value: Value) -> bool:
    """Whether it is an object, a dict or a list that holds lists or objects, which may have names of their own."""
    content = memory.cells.get(value.cell) if isinstance(value, Ref) else value
    return isinstance(content, Items | Keyed) and bool(cells_within(content))


def cells_within(value: Value) -> set[int]:
    """The cells that a value leads to, through lists and dicts as well."""
    match value:
        case Items():
            return {cell for item in value.items for cell in cells_within(item)}
        case Keyed():
            return {cell for item in value.items.values() for cell in cells_within(item)}
        case Method():
            return cells_within(value.owner)
        case Bound():
            return cells_within(value.base)
        case Maybe():
            return cells_within(value.value)
    return cells_of(value)


def apart(value: Value, memory: Memory, other: Value) -> Value:
    """A list of one side of a branch: what it holds by name there, but not on the other side, is held as it is."""
    if not isinstance(value, Items) or not any(isinstance(item, PLACES) for item in value.items):
        return value
    alike = isinstance(other, Items) and len(other.items) == len(value.items)
    others = other.items if alike and isinstance(other, Items) else (None,) * len(value.items)
    return replace(
        value,
        items=tuple(
            item if not isinstance(item, PLACES) or item is its or item == its else deep_or_unknown(memory, item)
            for item, its in zip(value.items, others, strict=True)
        ),
    )
