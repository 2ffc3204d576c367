"""Assignments to parts of lists, arrays and tables, visible through all aliases."""

import ast
import operator
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code, fixed_key_dict, strings
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import ITSELF, ROWS, invalidate_aliases
from envwright.compiler.ir.array_index import is_slice, part_code
from envwright.compiler.ir.array_writing import write_array
from envwright.compiler.ir.avals import BOOL, Aval, joined
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import from_front, spread
from envwright.compiler.ir.lists import as_rows, whole_rows
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.phi import join
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.tracked_rows import write_through
from envwright.compiler.ir.values import Value, as_array, cast, described, is_none, number
from envwright.compiler.refusal import RefusedError


def write(memory: Store, base: Value, where: tuple[Value, ...], value: Value) -> Value:
    """`base` after `base[where] = value`."""
    where = spread(memory, base, where)
    value = memory.deep(value)
    match base:
        case ir.Static() if isinstance(base.value, np.ndarray):
            return _write_known(base, where, value)
        case ir.Static() if isinstance(base.value, list):
            return write(memory, ir.Items(tuple(ir.Static(v) for v in base.value), True), where, value)
        case ir.Static() if isinstance(base.value, dict):
            return write(memory, ir.Keyed({k: ir.Static(v) for k, v in base.value.items()}), where, value)
        case ir.Items():
            return _write_item(memory, base, where, value)
        case ir.FixedKeyDict():
            return fixed_key_dict.write(memory, base, where, value)
        case ir.Array() if base.kind.letters:
            return write_array(base, where, strings.into(base.kind.letters, value))
        case ir.Array() if base.listed and len(where) == 1 and (is_none(value) or isinstance(value, ir.Maybe)):
            return _write_row(whole_rows(base), where, value)
        case ir.Array():
            return write_array(_taking(base, where, value), where, value)
        case ir.Counted():
            if isinstance(where[0], ir.Span) or is_slice(where[0]):
                raise RefusedError("a slice of a variable-length list is assigned")
            array = _taking(base.array, where, value)
            written = write_array(array, (from_front(base, where[0]), *where[1:]), value)
            return replace(base, array=written, missing=None)
        case ir.Rows():
            return _write_row(base, where, value)
        case ir.Maybe():
            return ir.Maybe(base.present, write(memory, base.value, where, value))
        case ir.Keyed():
            return _write_key(memory, base, where, value)
    raise RefusedError(f"{described(base)} cannot be changed in place")


def _write_key(memory: Store, base: ir.Keyed, where: tuple[Value, ...], value: Value) -> Value:
    key, *rest = where
    if not isinstance(key, ir.Static):
        raise RefusedError("a dict gets a key that is known only at run time")
    if not rest:
        return replace(base, items={**base.items, key.value: value})
    changed = _write_item(memory, ir.Items((base.items[key.value],), True), (ir.Static(0), *rest), value)
    assert isinstance(changed, ir.Items)
    return replace(base, items={**base.items, key.value: changed.items[0]})


def _write_known(base: ir.Static, where: tuple[Value, ...], value: Value) -> Value:
    if all(isinstance(p, ir.Static) for p in where) and isinstance(value, ir.Static):
        changed = base.value.copy()
        key = tuple(p.value for p in where)  # pyright: ignore[reportAttributeAccessIssue]
        fold("the index", operator.setitem, changed, key[0] if len(key) == 1 else key, value.value)
        return ir.Static(changed)
    if base.value.dtype.kind not in "biuf":
        raise RefusedError("an array of strings is mutated")
    return write_array(as_array(base), where, value)


def _write_item(memory: Store, base: ir.Items, where: tuple[Value, ...], value: Value) -> Value:
    first, rest = where[0], where[1:]
    if isinstance(first, ir.Static) and isinstance(first.value, int):
        items = list(base.items)
        inner = fold("the index", operator.getitem, items, first.value)
        if rest and isinstance(inner, ir.Ref):  # it may be in more places than this
            memory.locs[inner.loc] = write(memory, memory.see(inner), rest, value)
            invalidate_aliases(memory, inner.loc, len(rest))
            return base
        if rest and isinstance(inner, ir.PLACES):
            raise RefusedError("a part of a list that has several aliases is written to")
        items[first.value] = write(memory, memory.see(inner), rest, value) if rest else value
        return replace(base, items=tuple(items))
    if isinstance(first, ir.Static) and isinstance(first.value, slice) and not rest:
        items = list(base.items)
        new = (
            list(value.items)
            if isinstance(value, ir.Items)
            else [ir.Static(v) for v in value.value]
            if isinstance(value, ir.Static)
            else None
        )
        if new is None:
            raise RefusedError("a slice of a list is replaced by something that is not a list")
        items[first.value] = new
        return replace(base, items=tuple(items))
    if any(isinstance(item, ir.PLACES) for item in base.items):
        return _write_shared(memory, base, as_array(first), rest, value)
    deep = memory.deep(base)
    assert isinstance(deep, ir.Items)
    if not rest and any(is_none(v) or isinstance(v, ir.Maybe) for v in (*deep.items, value)):
        return _write_row(as_rows(deep.items), where, value)
    return write_array(_taking(as_array(deep), where, value), where, value)


def _taking(base: ir.Array, where: tuple[Value, ...], value: Value) -> ir.Array:
    """A list in the dtype for a number: a list keeps it as it is, an array casts it."""
    if not base.listed or not number(value):
        return base
    new = as_array(value)
    kind = joined(Aval(base.kind.dtype), Aval(new.kind.dtype), base.weak, new.weak)
    if kind.dtype == base.kind.dtype:
        return base
    if len(where) > 1 and not kind.is_float:
        return base
    if len(where) > 1:
        raise RefusedError("a row gets a number of another type, which would be rounded if the row is an array")
    return cast(base, kind.dtype)


def _write_shared(memory: Store, base: ir.Items, first: ir.Array, rest: tuple[Value, ...], value: Value) -> Value:
    """Write to one of several lists that have aliases: to each, under its condition."""
    if not rest:
        raise RefusedError("which of several lists is replaced is known only at run time")
    place = code.binary(first.code, ast.Mod(), code.const(len(base.items)))
    items = list(base.items)
    for i, item in enumerate(items):
        old = as_array(memory.deep(item))
        new = as_array(write(memory, old, rest, value))
        chosen = code.call("jnp.where", code.compare(place, ast.Eq(), code.const(i)), new.code, old.code)
        if isinstance(item, ir.Ref):
            memory.locs[item.loc] = replace(new, code=chosen)
            invalidate_aliases(memory, item.loc, len(rest))
        elif isinstance(item, ir.PLACES):
            raise RefusedError("which of several parts of lists is written to is known only at run time")
        else:
            items[i] = replace(new, code=chosen)
    return replace(base, items=tuple(items))


def _write_row(base: ir.Rows, where: tuple[Value, ...], value: Value) -> Value:
    first, rest = where[0], where[1:]
    place = part_code(first)
    if rest:
        key = code.tuple_of([place, *(part_code(p) for p in rest)])
        made = code.call("put", base.array.code, key, as_array(value).code)
        return ir.Rows(ir.Array(made, base.array.kind, listed=True), base.present)
    if isinstance(value, ir.Static) and value.value is None:
        present = code.call("put", base.present.code, place, code.const(False))
        return ir.Rows(base.array, ir.Array(present, Aval(BOOL, (base.length,))))
    there: Code = code.const(True)
    if isinstance(value, ir.Maybe):
        there, value = value.present.code, value.value
    array = code.call("put", base.array.code, place, as_array(value).code)
    present = code.call("put", base.present.code, place, there)
    return ir.Rows(ir.Array(array, base.array.kind, listed=True), ir.Array(present, Aval(BOOL, (base.length,))))


def holds_lists(memory: Store, place: Value) -> bool:
    """Whether a list or dict holds references, so that it cannot be copied."""
    content = memory.see(place)
    return isinstance(content, ir.Items | ir.Keyed) and bool(locs_within(content))


def set_content(frame: CallFrame, base: Value, value: Value, moved: bool = False, deep: int = ITSELF) -> None:
    """Replace the content behind a reference; `moved`: its rows are tracked already; `deep`: the depth of the
    mutation."""
    if isinstance(value, ir.Counted):  # under names, for it will be used more than once
        array = replace(value.array, code=frame.named("items", value.array.code))
        count = replace(value.count, code=frame.named("count", value.count.code))
        value = replace(value, array=array, count=count, missing=None)
    if isinstance(base, ir.Ref):
        frame.memory.locs[base.loc] = value
        invalidate_aliases(frame.memory, base.loc, deep)
        if not moved:
            write_through(frame, base.loc)
        return
    if isinstance(base, ir.IndexView):
        whole = write(frame.memory, frame.memory.see(base.ref), base.where, value)
        set_content(frame, base.ref, whole, deep=deep + len(base.where))
        return
    if isinstance(base, ir.PermutedView):
        set_content(frame, base.ref, base.back(as_array(value)), deep=ROWS)
        return
    if isinstance(base, ir.Either):
        for side, yes in ((base.yes, True), (base.no, False)):
            if holds_lists(frame.memory, side):
                raise RefusedError("one of two lists is mutated, and one of them holds a list that may have an alias")
            old = frame.memory.deep(side)
            pair = (value, old) if yes else (old, value)
            set_content(frame, side, join(frame, base.when, *pair), deep=deep)
        return
    raise RefusedError("a temporary value is mutated")
