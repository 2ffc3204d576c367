"""The cells that a value leads to: what is changed, or seen to change, by its names."""

from envwright.compiler.ir.values import Bound, Either, Items, Keyed, Maybe, Method, Ref, Turned, Value, View


def cells_of(value: Value) -> set[int]:
    """The cells that a name leads to, and that are changed by what is written to it."""
    if isinstance(value, Ref):
        return {value.cell}
    if isinstance(value, View | Turned):
        return cells_of(value.ref)
    return cells_of(value.yes) | cells_of(value.no) if isinstance(value, Either) else set()


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
