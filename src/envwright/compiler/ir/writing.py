"""Writing to parts of lists, arrays and tables, seen by all their names."""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import expanded, mask_of, part_code, seen, shape_of, spread
from envwright.compiler.ir.kinds import BOOL, Kind
from envwright.compiler.ir.lists import masked, plus
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.merge import join
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Either,
    Items,
    Keyed,
    Masked,
    Maybe,
    Ref,
    Rows,
    Span,
    Static,
    Turned,
    Value,
    View,
    as_array,
    cast,
    told,
)
from envwright.compiler.refusal import RefusedError


def write(memory: Memory, base: Value, where: tuple[Value, ...], value: Value) -> Value:
    """`base` after `base[where] = value`."""
    where = spread(base, tuple(seen(memory, part) for part in where))
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
        case Array():
            return _write_array(base, where, value)
        case Counted():
            first = where[0]
            if isinstance(first, Static) and isinstance(first.value, int) and first.value < 0:
                where = (plus(base.count, first.value), *where[1:])
            written = _write_array(base.array, where, value)
            return replace(base, array=written)
        case Rows():
            return _write_row(base, where, value)
        case Maybe():
            return Maybe(base.present, write(memory, base.value, where, value))
        case Keyed():
            (key,) = where
            if not isinstance(key, Static):
                raise RefusedError("a dict gets a key that is not known")
            return Keyed({**base.items, key.value: value})
    raise RefusedError(f"{told(base)} cannot be changed in place")


def _write_known(base: Static, where: tuple[Value, ...], value: Value) -> Value:
    if all(isinstance(p, Static) for p in where) and isinstance(value, Static):
        changed = base.value.copy()
        key = tuple(p.value for p in where)  # pyright: ignore[reportAttributeAccessIssue]
        changed[key[0] if len(key) == 1 else key] = value.value
        return Static(changed)
    if base.value.dtype.kind not in "biuf":
        raise RefusedError("an array of texts is changed in the game")
    return _write_array(as_array(base), where, value)


def _write_item(memory: Memory, base: Items, where: tuple[Value, ...], value: Value) -> Value:
    first, rest = where[0], where[1:]
    if isinstance(first, Static) and isinstance(first.value, int):
        items = list(base.items)
        try:
            inner = items[first.value]
        except IndexError as error:
            raise RefusedError(f"the index fails: {error}") from None
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
    return _write_array(as_array(memory.deep(base)), where, value)


def _write_array(base: Array, where: tuple[Value, ...], value: Value) -> Array:
    if base.shared:
        raise RefusedError("a part of a part of an array, or one of two arrays, is written to")
    parts = expanded(where, len(base.kind.shape))
    new = as_array(value) if not isinstance(value, Counted | Masked) else value.array
    if len(parts) == 1 and isinstance(parts[0], Array) and parts[0].kind.is_bool and parts[0].kind.shape:
        mask = parts[0]
        if isinstance(value, Masked):
            new = Array(code.method(value.array.code, "reshape", code.const(base.kind.shape)), base.kind)
        shown = mask.code
        for _ in range(len(base.kind.shape) - len(mask.kind.shape)):
            shown = code.index(shown, code.const(...), code.const(None))
        fitted = cast(new, base.kind.dtype) if new.kind.shape or not new.weak else new
        return Array(code.call("jnp.where", shown, fitted.code, base.code), base.kind, base.listed)
    if len(parts) == 1 and isinstance(parts[0], Counted | Masked):
        return _write_counted(base, parts[0], new)
    if any(isinstance(p, Span) for p in parts):
        if new.kind.shape:
            raise RefusedError("an array is written to a slice whose ends change in the game")
        return Array(code.call("jnp.where", mask_of(base, parts).code, new.code, base.code), base.kind, base.listed)
    fancy = any(not (isinstance(p, Static) or (isinstance(p, Array) and p.kind.shape == ())) for p in parts)
    codes = [part_code(p) for p in parts]
    if fancy:
        at = code.index(code.attribute(base.code, "at"), *codes)
        return Array(code.method(at, "set", new.code), base.kind, base.listed)
    shape_of(base.kind.shape, parts)
    key = [code.call("slice", *_ends(c)) if isinstance(c, ast.Slice) else c for c in codes]
    index = key[0] if len(key) == 1 else code.tuple_of(key)
    return Array(code.call("put", base.code, index, new.code), base.kind, base.listed)


def _write_counted(base: Array, places: Counted | Masked, new: Array) -> Array:
    """At the places of a list of changing length: those that are not in use lie outside, where nothing is written."""
    chosen = masked(places)
    where = code.call("jnp.where", chosen.mask.code, chosen.array.code, code.const(base.kind.shape[0]))
    at = code.index(code.attribute(base.code, "at"), where)
    return Array(code.method(at, "set", new.code, mode=code.const("drop")), base.kind, base.listed)


def _ends(part: ast.Slice) -> list[Code]:
    ends = [part.lower, part.upper, part.step]
    if part.step is None:
        ends.pop()
    return (
        [code.const(None) if end is None else end for end in ends]
        if part.lower or part.upper or part.step
        else [code.const(None)]
    )


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


def set_content(frame: Frame, base: Value, value: Value) -> None:
    """Change what is behind a name, for all names of it."""
    if isinstance(value, Counted):  # under names, for it will be used more than once
        array = replace(value.array, code=frame.named("items", value.array.code))
        value = replace(value, array=array, count=replace(value.count, code=frame.named("count", value.count.code)))
    if isinstance(base, Ref):
        frame.memory.cells[base.cell] = value
        return
    if isinstance(base, View):
        set_content(frame, base.ref, write(frame.memory, frame.memory.see(base.ref), base.where, value))
        return
    if isinstance(base, Turned):
        set_content(frame, base.ref, base.back(as_array(value)))
        return
    if isinstance(base, Either):
        for side, yes in ((base.yes, True), (base.no, False)):
            old = frame.memory.deep(side)
            pair = (value, old) if yes else (old, value)
            set_content(frame, side, join(frame, base.when, *pair))
        return
    raise RefusedError("something that has no name is changed in place")
