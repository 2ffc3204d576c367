"""Flattening of abstract values into arrays, and back, for loops and calls, which pass arrays only."""

from collections.abc import Callable
from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.lists import as_rows, cleaned, counted, whole_rows
from envwright.compiler.ir.set_algebra import no_members, sized
from envwright.compiler.ir.shapes import cast_to
from envwright.compiler.ir.strings import into
from envwright.compiler.ir.values import Value, as_array, described, is_none
from envwright.compiler.refusal import RefusedError


def flatten(value: Value, like: Value) -> list[Code]:
    """The arrays of a value, in the avals of another one of the same structure."""
    if isinstance(value, ir.Unknown):
        raise value.why
    match like:
        case ir.Array():
            value = into(like.kind.letters, value) if like.kind.letters else value
            return [cast_to(as_array(value), like.kind).code]
        case ir.Items():
            if not isinstance(value, ir.Items) or len(value.items) != len(like.items):
                raise RefusedError("a list changes its length")
            return [part for v, k in zip(value.items, like.items, strict=True) for part in flatten(v, k)]
        case ir.Counted():
            full = counted(value, like.room)
            full = cleaned(full) if like.clean else full
            return [cast_to(full.array, like.array.kind).code, cast_to(full.count, Aval(INT)).code]
        case ir.Masked():
            if like.unordered:
                value = sized(no_members(like) if isinstance(value, ir.Gathered) else value, like.array.kind.shape[0])
            assert isinstance(value, ir.Masked)
            return [cast_to(value.array, like.array.kind).code, value.mask.code]
        case ir.Gathered(items=()):
            if not isinstance(value, ir.Gathered) or value.items:
                raise RefusedError("an empty set gets members")
            return []
        case ir.Members():
            if not isinstance(value, ir.Members):
                raise RefusedError(f"a set becomes {described(value)}")
            return [value.array.code, cast_to(value.count, Aval(INT)).code]
        case ir.FixedKeyDict():
            if not isinstance(value, ir.FixedKeyDict) or value.keys != like.keys:
                raise RefusedError(f"a dict with integer keys becomes {described(value)}")
            return [cast_to(value.array, like.array.kind).code]
        case ir.Rows():
            value = whole_rows(as_array(value)) if isinstance(value, ir.Array) else value
            value = as_rows(value.items, like.array.kind) if isinstance(value, ir.Items) else value
            assert isinstance(value, ir.Rows)
            return [value.array.code, value.present.code]
        case ir.Maybe():
            if is_none(value):
                return [code.call("jnp.bool_", code.const(False)), *flatten(like.value, like.value)]
            present = value.present.code if isinstance(value, ir.Maybe) else code.call("jnp.bool_", code.const(True))
            return [present, *flatten(value.value if isinstance(value, ir.Maybe) else value, like.value)]
        case ir.Picked():
            if isinstance(value, ir.Picked) and value.table is like.table:
                return list(value.index)
            raise RefusedError("a value picked from a table becomes one of another table")
        case ir.Keyed():
            assert isinstance(value, ir.Keyed)
            return [part for key in like.items for part in flatten(value.items[key], like.items[key])]
        case ir.Static():
            return []
        case ir.Ref():
            if value == like:
                return []  # still a name for the same list
            raise RefusedError("a name is rebound to another list")
    raise RefusedError(f"{described(like)} cannot be passed to a loop or a function")


def unflatten(like: Value, fresh: Callable[[str], str], hint: str) -> tuple[Value, list[str]]:
    """A value of the same structure under new names, and the names."""

    def one(array: ir.Array, name: str, listed: bool = False) -> tuple[ir.Array, list[str]]:
        made = fresh(name)
        listed = listed or array.listed
        return replace(array, code=code.name(made), listed=listed, weak=False, natural=False, most=None), [made]

    match like:
        case ir.Array():
            return one(like, hint)
        case ir.Items():
            parts = [unflatten(v, fresh, f"{hint}_{i}") for i, v in enumerate(like.items)]
            return replace(like, items=tuple(v for v, _ in parts)), [n for _, own in parts for n in own]
        case ir.Counted():
            (array, a), (count, b) = (
                one(like.array, hint, True),
                one(ir.Array(like.count.code, Aval(INT)), f"{hint}_count"),
            )
            return replace(like, array=array, count=count, missing=None), [*a, *b]
        case ir.Masked():
            (array, a), (mask, b) = one(like.array, hint), one(like.mask, f"{hint}_mask")
            return replace(like, array=array, mask=mask), [*a, *b]
        case ir.Members():
            (array, a), (count, b) = one(like.array, hint), one(ir.Array(like.count.code, Aval(INT)), f"{hint}_count")
            return replace(like, array=array, count=count), [*a, *b]
        case ir.FixedKeyDict():
            array, names = one(like.array, hint)
            return replace(like, array=array), names
        case ir.Rows():
            (array, a), (present, b) = one(like.array, hint), one(like.present, f"{hint}_present")
            return ir.Rows(array, present), [*a, *b]
        case ir.Maybe():
            (there, a), (inner, b) = (
                one(ir.Array(like.present.code, Aval(BOOL)), f"{hint}_is_there"),
                unflatten(like.value, fresh, hint),
            )
            return ir.Maybe(there, inner), [*a, *b]
        case ir.Picked():
            names = [fresh(f"{hint}_index") for _ in like.index]
            return ir.Picked(like.table, tuple(code.name(n) for n in names), like.name), names
        case ir.Keyed():
            made = {k: unflatten(v, fresh, f"{hint}_{k}") for k, v in like.items.items()}
            items = {k: v for k, (v, _) in made.items()}
            return replace(like, items=items), [n for _, own in made.values() for n in own]
        case ir.Static() | ir.Ref() | ir.Gathered(items=()):
            return like, []
    raise RefusedError(f"{described(like)} cannot be passed to a loop or a function")


def leaf_avals(like: Value) -> list[Aval]:
    """The avals of the arrays of a value."""
    match like:
        case ir.Array():
            return [like.kind]
        case ir.Items():
            return [kind for item in like.items for kind in leaf_avals(item)]
        case ir.Counted():
            return [like.array.kind, Aval(INT)]
        case ir.Masked():
            return [like.array.kind, like.mask.kind]
        case ir.Members():
            return [like.array.kind, Aval(INT)]
        case ir.FixedKeyDict():
            return [like.array.kind]
        case ir.Rows():
            return [like.array.kind, like.present.kind]
        case ir.Maybe():
            return [Aval(BOOL), *leaf_avals(like.value)]
        case ir.Picked():
            return [Aval(INT)] * len(like.index)
        case ir.Keyed():
            return [kind for item in like.items.values() for kind in leaf_avals(item)]
    return []


def same_structure(a: Value, b: Value) -> bool:
    """Whether two values have the same structure."""
    if a is b:
        return True
    match a, b:
        case ir.Array(), ir.Array():
            return a.kind == b.kind
        case ir.Static(), ir.Static():
            return a.value is b.value or a.value == b.value
        case ir.Items(), ir.Items():
            return len(a.items) == len(b.items) and all(map(same_structure, a.items, b.items))
        case (ir.Rows(), ir.Rows()) | (ir.Counted(), ir.Counted()):
            return a.array.kind == b.array.kind
        case ir.Members(), ir.Members():
            return (a.array.kind, a.first, a.texts) == (b.array.kind, b.first, b.texts)
        case ir.Maybe(), ir.Maybe():
            return same_structure(a.value, b.value)
        case ir.Maybe(), _:
            return is_none(b) or same_structure(a.value, b)
        case ir.Picked(), ir.Picked():
            return a.table is b.table
        case ir.Ref(), ir.Ref():
            return a == b
    if isinstance(a, ir.FixedKeyDict) and isinstance(b, ir.FixedKeyDict):
        return (a.array.kind, a.keys, a.first) == (b.array.kind, b.keys, b.first)
    if isinstance(a, ir.Keyed) and isinstance(b, ir.Keyed):
        others = b.items
        return a.items.keys() == others.keys() and all(same_structure(v, others[k]) for k, v in a.items.items())
    return False
