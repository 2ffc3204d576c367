"""Lists: of fixed length, and of changing length as an array with a count."""

import ast
from dataclasses import replace

from envwright.compiler.ir import code, tables
from envwright.compiler.ir.kinds import BOOL, INT, Kind
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.sight import Sight
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Keyed,
    Masked,
    Maybe,
    Picked,
    Rows,
    Static,
    Value,
    as_array,
    cast,
    stack,
    told,
)
from envwright.compiler.refusal import RefusedError


def is_listlike(value: Value) -> bool:
    """Whether it is a list or tuple, as opposed to an array or a number."""
    if isinstance(value, Static):
        return isinstance(value.value, list | tuple)
    return isinstance(value, Items | Counted | Masked | Rows) or (isinstance(value, Array) and value.listed)


def items_of(memory: Sight, value: Value) -> list[Value]:
    """The elements of something of fixed length."""
    value = memory.see(value)
    match value:
        case Items():
            return list(value.items)
        case Static():
            try:
                return [Static(v) for v in value.value]
            except TypeError:
                raise RefusedError(f"{told(value)} cannot be gone through") from None
        case Array() if value.kind.shape:
            inner = Kind(value.kind.dtype, value.kind.shape[1:])
            parts = [code.index(value.code, code.const(i)) for i in range(value.kind.shape[0])]
            return [Array(part, inner, value.listed and bool(inner.shape)) for part in parts]
        case Rows():
            return [row(value, code.const(i)) for i in range(value.length)]
        case Keyed():
            return [Static(key) for key in value.items]
        case Maybe():
            return items_of(memory, value.value)
        case Picked():
            values, count = tables.elements(memory.program, value)
            if isinstance(count, Static):
                return values
            raise RefusedError("a list of changing length is unpacked")
    raise RefusedError(f"{told(value)} cannot be unpacked, for how long it is shows only in the game")


def row(value: Rows, where: code.Code) -> Maybe:
    inner = Kind(value.array.kind.dtype, value.array.kind.shape[1:])
    there = Array(code.index(value.present.code, where), Kind(BOOL))
    return Maybe(there, Array(code.index(value.array.code, where), inner, listed=True))


def counted(value: Value, room: int | None = None) -> Counted:
    """A list as an array with a count, with room for as many."""
    if isinstance(value, Masked):
        if value.flat:
            raise RefusedError("a part of an array with several axes, whose size changes in the game, is not covered")
        pair = code.call("compact", value.array.code, value.mask.code)
        array = Array(code.index(pair, code.const(0)), value.array.kind, listed=True)
        value = Counted(array, Array(code.index(pair, code.const(1)), Kind(INT)))
    if isinstance(value, Counted):
        return value if room is None or room == value.room else _with_room(value, room)
    array = as_array(value)
    if not array.kind.shape:
        raise RefusedError("a number stands where a list is expected")
    length = array.kind.shape[0]
    full = Counted(Array(array.code, array.kind, listed=True), Array(code.const(length), Kind(INT), weak=True))
    return full if room is None or room == length else _with_room(full, room)


def _with_room(value: Counted, room: int) -> Counted:
    have = value.room
    kind = Kind(value.array.kind.dtype, (room, *value.array.kind.shape[1:]))
    if have == 0:
        return replace(value, array=Array(zero(kind).code, kind, listed=True))
    if have > room:
        first = code.index(value.array.code, code.span(None, code.const(room)))
        return replace(value, array=Array(first, kind, listed=True))
    pads = [(0, room - have), *[(0, 0)] * (len(kind.shape) - 1)]
    padding = code.const(pads[0] if len(pads) == 1 else tuple(pads))
    return replace(value, array=Array(code.call("jnp.pad", value.array.code, padding), kind, listed=True))


def in_use(value: Counted) -> Array:
    """Which places of a list are in use."""
    own = isinstance(value.array.code, ast.Name)  # then it may be called with more room, or less
    places = code.call("jnp.arange", code.call("len", value.array.code) if own else code.const(value.room))
    return Array(code.compare(places, ast.Lt(), value.count.code), Kind(BOOL, (value.room,)))


def masked(value: Value) -> Masked:
    if isinstance(value, Masked):
        return value
    assert isinstance(value, Counted)
    return Masked(value.array, in_use(value))


def plus(count: Array, more: int) -> Array:
    if isinstance(count.code, ast.Constant) and isinstance(count.code.value, int):
        return Array(code.const(count.code.value + more), Kind(INT), weak=True)
    how = ast.Add() if more >= 0 else ast.Sub()
    return Array(code.binary(count.code, how, code.const(abs(more))), Kind(INT))


def concatenate(memory: Sight, left: Value, right: Value) -> Value:
    """Two lists, one after the other."""
    if isinstance(left, Counted | Masked):
        grown = counted(left)
        if isinstance(right, Counted | Masked):
            return _both(grown, counted(right))
        for item in items_of(memory, right):
            grown = appended(grown, item)
        return grown
    if isinstance(right, Counted | Masked):
        tail = counted(right)
        head = stack(Items(tuple(items_of(memory, left))), tail.array.kind.dtype)
        array = code.call("jnp.concatenate", code.list_of([head.code, tail.array.code]))
        length = head.kind.shape[0] + tail.room
        kind = Kind(tail.array.kind.dtype, (length, *tail.array.kind.shape[1:]))
        return Counted(Array(array, kind, listed=True), plus(tail.count, head.kind.shape[0]))
    is_list = not (isinstance(left, Items) and not left.is_list)
    return Items((*items_of(memory, left), *items_of(memory, right)), is_list)


def _both(left: Counted, right: Counted) -> Value:
    """Those in use of both: the first list's, then the second's."""
    dtype = left.array.kind.dtype
    array = code.call("jnp.concatenate", code.list_of([left.array.code, cast(right.array, dtype).code]))
    mask = code.call("jnp.concatenate", code.list_of([in_use(left).code, in_use(right).code]))
    length = left.room + right.room
    kind = Kind(dtype, (length, *left.array.kind.shape[1:]))
    return Masked(Array(array, kind, listed=True), Array(mask, Kind(BOOL, (length,))))


def repeated(value: Items, times: int) -> Items:
    return Items(value.items * times, value.is_list)


def appended(value: Counted, item: Value) -> Counted:
    made = code.call("put", value.array.code, value.count.code, _row(item).code)
    return replace(value, array=Array(made, value.array.kind, listed=True), count=plus(value.count, 1))


def _row(item: Value) -> Array:
    return stack(item) if isinstance(item, Items) else as_array(item)
