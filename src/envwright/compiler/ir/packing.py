"""Values as the arrays they consist of, and back: for loops and calls, which hand over arrays only."""

from collections.abc import Callable
from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.kinds import BOOL, INT, Kind
from envwright.compiler.ir.lists import as_rows, cleaned, counted, whole_rows
from envwright.compiler.ir.set_algebra import no_members, sized
from envwright.compiler.ir.shapes import cast_to
from envwright.compiler.ir.texts import into
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Gathered,
    Items,
    Keyed,
    Masked,
    Maybe,
    Members,
    Picked,
    Ref,
    Rows,
    Shelf,
    Static,
    Unknown,
    Value,
    as_array,
    is_none,
    told,
)
from envwright.compiler.refusal import RefusedError


def pack(value: Value, like: Value) -> list[Code]:
    """The arrays of a value, in the kinds of another one of the same form."""
    if isinstance(value, Unknown):
        raise value.why
    match like:
        case Array():
            value = into(like.kind.letters, value) if like.kind.letters else value
            return [cast_to(as_array(value), like.kind).code]
        case Items():
            if not isinstance(value, Items) or len(value.items) != len(like.items):
                raise RefusedError("a list changes its length")
            return [part for v, k in zip(value.items, like.items, strict=True) for part in pack(v, k)]
        case Counted():
            full = counted(value, like.room)
            full = cleaned(full) if like.clean else full
            return [cast_to(full.array, like.array.kind).code, cast_to(full.count, Kind(INT)).code]
        case Masked():
            if like.unordered:
                value = sized(no_members(like) if isinstance(value, Gathered) else value, like.array.kind.shape[0])
            assert isinstance(value, Masked)
            return [cast_to(value.array, like.array.kind).code, value.mask.code]
        case Gathered(items=()):
            if not isinstance(value, Gathered) or value.items:
                raise RefusedError("a set that was empty becomes one of something")
            return []
        case Members():
            if not isinstance(value, Members):
                raise RefusedError(f"a set becomes {told(value)}")
            return [value.array.code, cast_to(value.count, Kind(INT)).code]
        case Shelf():
            if not isinstance(value, Shelf) or value.keys != like.keys:
                raise RefusedError(f"a dict by numbers becomes {told(value)}")
            return [cast_to(value.array, like.array.kind).code]
        case Rows():
            value = whole_rows(as_array(value)) if isinstance(value, Array) else value
            value = as_rows(value.items, like.array.kind) if isinstance(value, Items) else value
            assert isinstance(value, Rows)
            return [value.array.code, value.present.code]
        case Maybe():
            if is_none(value):
                return [code.call("jnp.bool_", code.const(False)), *pack(like.value, like.value)]
            present = value.present.code if isinstance(value, Maybe) else code.call("jnp.bool_", code.const(True))
            return [present, *pack(value.value if isinstance(value, Maybe) else value, like.value)]
        case Picked():
            if isinstance(value, Picked) and value.table is like.table:
                return list(value.index)
            raise RefusedError("one of several known things becomes one of others")
        case Keyed():
            assert isinstance(value, Keyed)
            return [part for key in like.items for part in pack(value.items[key], like.items[key])]
        case Static():
            return []
        case Ref():
            if value == like:
                return []  # still a name for the same list
            raise RefusedError("a name for one list becomes a name for another")
    raise RefusedError(f"{told(like)} cannot be handed over")


def rebuild(like: Value, fresh: Callable[[str], str], hint: str) -> tuple[Value, list[str]]:
    """A value of the same form under new names, and the names."""

    def one(array: Array, name: str, listed: bool = False) -> tuple[Array, list[str]]:
        made = fresh(name)
        listed = listed or array.listed
        return replace(array, code=code.name(made), listed=listed, weak=False, natural=False, most=None), [made]

    match like:
        case Array():
            return one(like, hint)
        case Items():
            parts = [rebuild(v, fresh, f"{hint}_{i}") for i, v in enumerate(like.items)]
            return replace(like, items=tuple(v for v, _ in parts)), [n for _, own in parts for n in own]
        case Counted():
            (array, a), (count, b) = (
                one(like.array, hint, True),
                one(Array(like.count.code, Kind(INT)), f"{hint}_count"),
            )
            return replace(like, array=array, count=count, missing=None), [*a, *b]
        case Masked():
            (array, a), (mask, b) = one(like.array, hint), one(like.mask, f"{hint}_mask")
            return replace(like, array=array, mask=mask), [*a, *b]
        case Members():
            (array, a), (count, b) = one(like.array, hint), one(Array(like.count.code, Kind(INT)), f"{hint}_count")
            return replace(like, array=array, count=count), [*a, *b]
        case Shelf():
            array, names = one(like.array, hint)
            return replace(like, array=array), names
        case Rows():
            (array, a), (present, b) = one(like.array, hint), one(like.present, f"{hint}_present")
            return Rows(array, present), [*a, *b]
        case Maybe():
            (there, a), (inner, b) = (
                one(Array(like.present.code, Kind(BOOL)), f"{hint}_is_there"),
                rebuild(like.value, fresh, hint),
            )
            return Maybe(there, inner), [*a, *b]
        case Picked():
            names = [fresh(f"{hint}_index") for _ in like.index]
            return Picked(like.table, tuple(code.name(n) for n in names), like.name), names
        case Keyed():
            made = {k: rebuild(v, fresh, f"{hint}_{k}") for k, v in like.items.items()}
            items = {k: v for k, (v, _) in made.items()}
            return replace(like, items=items), [n for _, own in made.values() for n in own]
        case Static() | Ref() | Gathered(items=()):
            return like, []
    raise RefusedError(f"{told(like)} cannot be handed over")


def leaf_kinds(like: Value) -> list[Kind]:
    """The kinds of the arrays of a value."""
    match like:
        case Array():
            return [like.kind]
        case Items():
            return [kind for item in like.items for kind in leaf_kinds(item)]
        case Counted():
            return [like.array.kind, Kind(INT)]
        case Masked():
            return [like.array.kind, like.mask.kind]
        case Members():
            return [like.array.kind, Kind(INT)]
        case Shelf():
            return [like.array.kind]
        case Rows():
            return [like.array.kind, like.present.kind]
        case Maybe():
            return [Kind(BOOL), *leaf_kinds(like.value)]
        case Picked():
            return [Kind(INT)] * len(like.index)
        case Keyed():
            return [kind for item in like.items.values() for kind in leaf_kinds(item)]
    return []


def same_shape(a: Value, b: Value) -> bool:
    """Whether two values have the same form, so that one can stand where the other stood."""
    if a is b:
        return True
    match a, b:
        case Array(), Array():
            return a.kind == b.kind
        case Static(), Static():
            return a.value is b.value or a.value == b.value
        case Items(), Items():
            return len(a.items) == len(b.items) and all(map(same_shape, a.items, b.items))
        case (Rows(), Rows()) | (Counted(), Counted()):
            return a.array.kind == b.array.kind
        case Members(), Members():
            return (a.array.kind, a.first, a.texts) == (b.array.kind, b.first, b.texts)
        case Maybe(), Maybe():
            return same_shape(a.value, b.value)
        case Maybe(), _:
            return is_none(b) or same_shape(a.value, b)
        case Picked(), Picked():
            return a.table is b.table
        case Ref(), Ref():
            return a == b
    if isinstance(a, Shelf) and isinstance(b, Shelf):
        return (a.array.kind, a.keys, a.first) == (b.array.kind, b.keys, b.first)
    if isinstance(a, Keyed) and isinstance(b, Keyed):
        others = b.items
        return a.items.keys() == others.keys() and all(same_shape(v, others[k]) for k, v in a.items.items())
    return False
