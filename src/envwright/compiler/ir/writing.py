"""Writing to parts of lists, arrays and tables, seen by all their names."""

import ast
import operator
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code, shelves, texts
from envwright.compiler.ir.array_index import is_slice, part_code
from envwright.compiler.ir.array_writing import write_array
from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import from_front, spread
from envwright.compiler.ir.kinds import BOOL, Kind, joined
from envwright.compiler.ir.lists import as_rows, whole_rows
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.merge import join
from envwright.compiler.ir.trails import follow
from envwright.compiler.ir.twins import ITSELF, ROWS, touched
from envwright.compiler.ir.values import (
    PLACES,
    Array,
    Counted,
    Either,
    Items,
    Keyed,
    Maybe,
    Ref,
    Rows,
    Shelf,
    Span,
    Static,
    Turned,
    Value,
    View,
    as_array,
    cast,
    is_none,
    number,
    told,
)
from envwright.compiler.refusal import RefusedError


def write(memory: Memory, base: Value, where: tuple[Value, ...], value: Value) -> Value:
    """`base` after `base[where] = value`."""
    where = spread(memory, base, where)
    value = memory.deep(value)
    match base:
        case Static() if isinstance(base.value, np.ndarray):
            return _write_known(base, where, value)
        case Static() if isinstance(base.value, list):
            return write(memory, Items(tuple(Static(v) for v in base.value), True), where, value)
        case Static() if isinstance(base.value, dict):
            return write(memory, Keyed({k: Static(v) for k, v in base.value.items()}), where, value)
        case Items():
            return _write_item(memory, base, where, value)
        case Shelf():
            return shelves.write(memory, base, where, value)
        case Array() if base.kind.letters:
            return write_array(base, where, texts.into(base.kind.letters, value))
        case Array() if base.listed and len(where) == 1 and (is_none(value) or isinstance(value, Maybe)):
            return _write_row(whole_rows(base), where, value)
        case Array():
            return write_array(_taking(base, where, value), where, value)
        case Counted():
            if isinstance(where[0], Span) or is_slice(where[0]):
                raise RefusedError("a slice of a list of changing length is set")
            array = _taking(base.array, where, value)
            written = write_array(array, (from_front(base, where[0]), *where[1:]), value)
            return replace(base, array=written, missing=None)
        case Rows():
            return _write_row(base, where, value)
        case Maybe():
            return Maybe(base.present, write(memory, base.value, where, value))
        case Keyed():
            return _write_key(memory, base, where, value)
    raise RefusedError(f"{told(base)} cannot be changed in place")


def _write_key(memory: Memory, base: Keyed, where: tuple[Value, ...], value: Value) -> Value:
    key, *rest = where
    if not isinstance(key, Static):
        raise RefusedError("a dict gets a key that is not known")
    if not rest:
        return replace(base, items={**base.items, key.value: value})
    changed = _write_item(memory, Items((base.items[key.value],), True), (Static(0), *rest), value)
    assert isinstance(changed, Items)
    return replace(base, items={**base.items, key.value: changed.items[0]})


def _write_known(base: Static, where: tuple[Value, ...], value: Value) -> Value:
    if all(isinstance(p, Static) for p in where) and isinstance(value, Static):
        changed = base.value.copy()
        key = tuple(p.value for p in where)  # pyright: ignore[reportAttributeAccessIssue]
        fold("the index", operator.setitem, changed, key[0] if len(key) == 1 else key, value.value)
        return Static(changed)
    if base.value.dtype.kind not in "biuf":
        raise RefusedError("an array of texts is changed in the game")
    return write_array(as_array(base), where, value)


def _write_item(memory: Memory, base: Items, where: tuple[Value, ...], value: Value) -> Value:
    first, rest = where[0], where[1:]
    if isinstance(first, Static) and isinstance(first.value, int):
        items = list(base.items)
        inner = fold("the index", operator.getitem, items, first.value)
        if rest and isinstance(inner, Ref):  # it may be in more places than this
            memory.cells[inner.cell] = write(memory, memory.see(inner), rest, value)
            touched(memory, inner.cell, len(rest))
            return base
        if rest and isinstance(inner, PLACES):
            raise RefusedError("a part of a list that is in more places than one is written to")
        items[first.value] = write(memory, memory.see(inner), rest, value) if rest else value
        return replace(base, items=tuple(items))
    if isinstance(first, Static) and isinstance(first.value, slice) and not rest:
        items = list(base.items)
        new = (
            list(value.items)
            if isinstance(value, Items)
            else [Static(v) for v in value.value]
            if isinstance(value, Static)
            else None
        )
        if new is None:
            raise RefusedError("a slice of a list is replaced by what is not a list")
        items[first.value] = new
        return replace(base, items=tuple(items))
    if any(isinstance(item, PLACES) for item in base.items):
        return _write_shared(memory, base, as_array(first), rest, value)
    deep = memory.deep(base)
    assert isinstance(deep, Items)
    if not rest and any(is_none(v) or isinstance(v, Maybe) for v in (*deep.items, value)):
        return _write_row(as_rows(deep.items), where, value)
    return write_array(_taking(as_array(deep), where, value), where, value)


def _taking(base: Array, where: tuple[Value, ...], value: Value) -> Array:
    """A list, ready for a number: it keeps that as it is, where an array takes it in its own type."""
    if not base.listed or not number(value):
        return base
    new = as_array(value)
    kind = joined(Kind(base.kind.dtype), Kind(new.kind.dtype), base.weak, new.weak)
    if kind.dtype == base.kind.dtype:
        return base
    if len(where) > 1 and not kind.is_float:
        return base
    if len(where) > 1:
        raise RefusedError("a row gets a number of another kind than it has; if it is an array, that would be rounded")
    return cast(base, kind.dtype)


def _write_shared(memory: Memory, base: Items, first: Array, rest: tuple[Value, ...], value: Value) -> Value:
    """One of several lists that have other names, too, is written to: each of them is, if it is the one."""
    if not rest:
        raise RefusedError("which of several lists is replaced depends on the game")
    place = code.binary(first.code, ast.Mod(), code.const(len(base.items)))
    items = list(base.items)
    for i, item in enumerate(items):
        old = as_array(memory.deep(item))
        new = as_array(write(memory, old, rest, value))
        chosen = code.call("jnp.where", code.compare(place, ast.Eq(), code.const(i)), new.code, old.code)
        if isinstance(item, Ref):
            memory.cells[item.cell] = replace(new, code=chosen)
            touched(memory, item.cell, len(rest))
        elif isinstance(item, PLACES):
            raise RefusedError("which of several parts of lists is written to depends on the game")
        else:
            items[i] = replace(new, code=chosen)
    return replace(base, items=tuple(items))


def _write_row(base: Rows, where: tuple[Value, ...], value: Value) -> Value:
    first, rest = where[0], where[1:]
    place = part_code(first)
    if rest:
        key = code.tuple_of([place, *(part_code(p) for p in rest)])
        made = code.call("put", base.array.code, key, as_array(value).code)
        return Rows(Array(made, base.array.kind, listed=True), base.present)
    if isinstance(value, Static) and value.value is None:
        present = code.call("put", base.present.code, place, code.const(False))
        return Rows(base.array, Array(present, Kind(BOOL, (base.length,))))
    there: Code = code.const(True)
    if isinstance(value, Maybe):
        there, value = value.present.code, value.value
    array = code.call("put", base.array.code, place, as_array(value).code)
    present = code.call("put", base.present.code, place, there)
    return Rows(Array(array, base.array.kind, listed=True), Array(present, Kind(BOOL, (base.length,))))


def holds_lists(memory: Memory, place: Value) -> bool:
    """Whether a list or dict holds others by their names, so that it cannot be copied."""
    content = memory.see(place)
    return isinstance(content, Items | Keyed) and bool(cells_within(content))


def set_content(frame: Frame, base: Value, value: Value, moved: bool = False, deep: int = ITSELF) -> None:
    """Change what is behind a name, for all names of it; `moved` says that its rows are followed already, `deep` how
    deep inside of it the change is."""
    if isinstance(value, Counted):  # under names, for it will be used more than once
        array = replace(value.array, code=frame.named("items", value.array.code))
        count = replace(value.count, code=frame.named("count", value.count.code))
        value = replace(value, array=array, count=count, missing=None)
    if isinstance(base, Ref):
        frame.memory.cells[base.cell] = value
        touched(frame.memory, base.cell, deep)
        if not moved:
            follow(frame, base.cell)
        return
    if isinstance(base, View):
        whole = write(frame.memory, frame.memory.see(base.ref), base.where, value)
        set_content(frame, base.ref, whole, deep=deep + len(base.where))
        return
    if isinstance(base, Turned):
        set_content(frame, base.ref, base.back(as_array(value)), deep=ROWS)
        return
    if isinstance(base, Either):
        for side, yes in ((base.yes, True), (base.no, False)):
            if holds_lists(frame.memory, side):
                raise RefusedError("one of two lists is changed, of which one holds a list that may have a name")
            old = frame.memory.deep(side)
            pair = (value, old) if yes else (old, value)
            set_content(frame, side, join(frame, base.when, *pair), deep=deep)
        return
    raise RefusedError("something that has no name is changed in place")
