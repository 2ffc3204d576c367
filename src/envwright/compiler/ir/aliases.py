"""Whether something that can be changed in place has more than one name."""

from typing import Any

from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.values import PLACES, Items, Keyed, Ref, Value


def known_elsewhere(memory: Memory, value: Value, own: tuple[str, Any] | None) -> bool:
    """Whether a change of it is seen by another name than its own: `own` is the table of the memory and the key. Names
    of a function that ends do not count (None)."""
    if not isinstance(value, Ref):
        return isinstance(value, PLACES)  # a part of something
    if value.cell < 0 or value.cell in memory.above or value.cell in memory.positions:
        return True
    tables = {"attributes": memory.attributes, "cells": memory.cells}
    if own is not None:
        tables["names"] = memory.names
    others = (v for part, table in tables.items() for key, v in table.items() if (part, key) != own)
    return any(value.cell in cells_within(other) for other in others)


def holds_places(memory: Memory, value: Value) -> bool:
    """Whether it is an object, a dict or a list that holds lists or objects, which may have names of their own."""
    content = memory.cells.get(value.cell) if isinstance(value, Ref) else value
    return isinstance(content, Items | Keyed) and bool(cells_within(content))
