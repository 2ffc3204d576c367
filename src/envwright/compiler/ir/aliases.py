"""Whether a mutable value has more than one name."""

from typing import Any

from envwright.compiler.ir import values as ir
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.values import Value


def known_elsewhere(memory: Store, value: Value, own: tuple[str, Any] | None) -> bool:
    """Whether a mutation is visible through another name than its `own`, a table of the store and a key. The names of a
    function that returns do not count (None)."""
    if not isinstance(value, ir.Ref):
        return isinstance(value, ir.PLACES)  # a part of something
    if value.loc < 0 or value.loc in memory.above or value.loc in memory.positions:
        return True
    tables = {"attributes": memory.attributes, "locs": memory.locs}
    if own is not None:
        tables["names"] = memory.names
    others = (v for part, table in tables.items() for key, v in table.items() if (part, key) != own)
    return any(value.loc in locs_within(other) for other in others)


def holds_places(memory: Store, value: Value) -> bool:
    """Whether it holds references to lists or objects."""
    content = memory.locs.get(value.loc) if isinstance(value, ir.Ref) else value
    return isinstance(content, ir.Items | ir.Keyed) and bool(locs_within(content))
