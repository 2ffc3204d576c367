"""The abstract locations that a value refers to."""

from envwright.compiler.ir import values as ir
from envwright.compiler.ir.values import Value


def locs_of(value: Value) -> set[int]:
    """The locations that a write to a reference changes."""
    if isinstance(value, ir.Ref):
        return {value.loc}
    if isinstance(value, ir.IndexView | ir.PermutedView):
        return locs_of(value.ref)
    return locs_of(value.yes) | locs_of(value.no) if isinstance(value, ir.Either) else set()


def locs_within(value: Value) -> set[int]:
    """The locations that a value refers to, through lists and dicts as well."""
    match value:
        case ir.Items():
            return {loc for item in value.items for loc in locs_within(item)}
        case ir.Keyed():
            return {loc for item in value.items.values() for loc in locs_within(item)}
        case ir.Method():
            return locs_within(value.owner)
        case ir.BoundMethod():
            return locs_within(value.base)
        case ir.Maybe():
            return locs_within(value.value)
    return locs_of(value)
