"""Lists: of fixed length, and of changing length as an array with a count."""

import ast
import math
from collections.abc import Sequence
from dataclasses import replace

from envwright.compiler.ir import code, tables
from envwright.compiler.ir.dtypes import dtype_code
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
    Shelf,
    Static,
    Value,
    as_array,
    cast,
    common,
    is_none,
    stack,
    told,
)
from envwright.compiler.refusal import RefusedError


def is_listlike(value: Value) -> bool:
    """Whether it is a list or tuple, as opposed to an array or a number."""
    if isinstance(value, Static):
        return isinstance(value.value, list | tuple)
    if isinstance(value, Counted | Masked):
        return value.array.listed
    return isinstance(value, Items | Rows) or (isinstance(value, Array) and value.listed)


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
            inner = value.kind.shaped(*value.kind.shape[1:])
            parts = [code.index(value.code, code.const(i)) for i in range(value.kind.shape[0])]
            return [Array(part, inner, value.listed and bool(inner.shape)) for part in parts]
        case Rows():
            return [row(value, code.const(i)) for i in range(value.length)]
        case Keyed():
            return [Static(key) for key in value.items]
        case Shelf():
            return [Static(key) for key in value.keys]
        case Maybe():
            return items_of(memory, value.value)
        case Picked():
            values, count = tables.elements(memory.program, value)
            if isinstance(count, Static):
                return values
            raise RefusedError("a list of changing length is unpacked")
    raise RefusedError(f"{told(value)} cannot be unpacked, for how long it is shows only in the game")


def whole_rows(value: Array) -> Rows:
    """A list without None as one that may get some."""
    return Rows(
        value,
        Array(
            code.call("jnp.ones", code.const(value.kind.shape[0]), code.dotted("bool")),
            Kind(BOOL, value.kind.shape[:1]),
        ),
    )


def as_rows(items: Sequence[Value], kind: Kind | None = None) -> Rows:
    """A list of numbers, or rows of them, and None."""
    inner = [item.value if isinstance(item, Maybe) else item for item in items]
    there = [as_array(item) for item in inner if not is_none(item)]
    if kind is None:
        if not there or len({array.kind.shape for array in there}) != 1:
            raise RefusedError("a list of None and other things than numbers is not covered")
        kind = Kind(common(there), (len(items), *there[0].kind.shape))
    blank: code.Code = code.const([0] * kind.shape[1]) if len(kind.shape) > 1 else code.const(0)
    rows = [blank if is_none(item) else as_array(item).code for item in inner]
    flags = [item.present.code if isinstance(item, Maybe) else code.const(not is_none(item)) for item in items]
    array = code.call("jnp.array", code.list_of(rows), dtype_code(kind.dtype))
    present = Array(code.call("jnp.array", code.list_of(flags)), Kind(BOOL, (len(items),)))
    return Rows(Array(array, kind, listed=True), present)


def holds_number(value: Rows, item: Value) -> Array:
    """Whether a number is in a list that has None in it."""
    if value.array.kind.shape[1:] or isinstance(item, Maybe):
        raise RefusedError("it is asked whether a list with None in it holds a row")
    equal = code.compare(value.array.code, ast.Eq(), as_array(item).code)
    return Array(code.call("jnp.any", code.both(value.present.code, equal)), Kind(BOOL))


def row(value: Rows, where: code.Code) -> Maybe:
    inner = Kind(value.array.kind.dtype, value.array.kind.shape[1:])
    there = Array(code.index(value.present.code, where), Kind(BOOL))
    return Maybe(there, Array(code.index(value.array.code, where), inner, listed=bool(inner.shape)))


def order_matters() -> RefusedError:
    return RefusedError("a set is gone through, and the order in which its members come may matter")


def counted(value: Value, room: int | None = None) -> Counted:
    """A list as an array with a count, with room for as many."""
    if isinstance(value, Masked):
        if value.unordered:
            raise order_matters()
        if value.flat:
            raise RefusedError("a part of an array with several axes, whose size changes in the game, is not covered")
        pair = code.call("compact", value.array.code, value.mask.code)
        array = Array(code.index(pair, code.const(0)), value.array.kind, listed=value.array.listed)
        value = Counted(array, Array(code.index(pair, code.const(1)), Kind(INT)), clean=True)
    if isinstance(value, Counted):
        return value if room is None or room == value.room else _with_room(value, room)
    array = as_array(value)
    if not array.kind.shape:
        raise RefusedError("a number stands where a list is expected")
    length = array.kind.shape[0]
    count = Array(code.const(length), Kind(INT), weak=True)
    full = Counted(Array(array.code, array.kind, listed=True), count, clean=True)
    return full if room is None or room == length else _with_room(full, room)


def _with_room(value: Counted, room: int) -> Counted:
    have = value.room
    kind = value.array.kind.shaped(room, *value.array.kind.shape[1:])
    if have == 0:
        return replace(value, array=Array(zero(kind).code, kind, listed=value.array.listed))
    if have > room:
        first = code.index(value.array.code, code.span(None, code.const(room)))
        return replace(value, array=Array(first, kind, listed=value.array.listed))
    pads = [(0, room - have), *[(0, 0)] * (len(kind.shape) - 1)]
    padding = code.const(pads[0] if len(pads) == 1 else tuple(pads))
    made = Array(code.call("jnp.pad", value.array.code, padding), kind, listed=value.array.listed)
    return replace(value, array=made)


def in_use(value: Counted) -> Array:
    """Which places of a list are in use."""
    own = isinstance(value.array.code, ast.Name)  # then it may be called with more room, or less
    places = code.call("jnp.arange", code.call("len", value.array.code) if own else code.const(value.room))
    return Array(code.compare(places, ast.Lt(), value.count.code), Kind(BOOL, (value.room,)))


def fixed_length(value: Value) -> int | None:
    """How long a list is, if the game does not change it."""
    if isinstance(value, Items):
        return len(value.items)
    if isinstance(value, Shelf):
        return len(value.keys)
    if isinstance(value, Static) and isinstance(value.value, list | tuple):
        return len(value.value)
    return value.kind.shape[0] if isinstance(value, Array) and value.kind.shape else None


def longest_of(value: Value) -> int | None:
    """How long a list can get, if that is known."""
    return value.array.kind.shape[0] if isinstance(value, Counted | Masked) else fixed_length(value)


def all_of(length: int) -> Array:
    """Flags of a list whose places all hold something."""
    return Array(code.call("jnp.ones", code.const(length), code.dotted("bool")), Kind(BOOL, (length,)))


def flags_of(value: Counted | Masked) -> Array:
    """Which places of a list hold something."""
    return value.mask if isinstance(value, Masked) else in_use(value)


def equals(value: Counted | Masked, item: code.Code) -> code.Code:
    """Which places of a list or a set hold a number, or a row."""
    same = code.compare(value.array.code, ast.Eq(), item)
    for _ in value.array.kind.shape[1:]:
        same = code.call("jnp.all", same, axis=code.const(-1))
    return code.both(flags_of(value).code, same)


def how_often(value: Counted, key: Value) -> Array:
    """How often a whole number is in a list of them."""
    one = as_array(key)
    if one.kind.shape or not one.kind.is_whole:
        raise RefusedError("a dict that counts whole numbers is asked for something else")
    return Array(code.call("jnp.sum", equals(value, one.code)), Kind(INT), natural=True)


def cleaned(value: Counted) -> Counted:
    """With zeros behind its end."""
    if value.clean:
        return value
    used = code.with_axes(in_use(value).code, len(value.array.kind.shape) - 1)
    made = code.call("jnp.where", used, value.array.code, code.const(False if value.array.kind.is_bool else 0))
    return replace(value, array=Array(made, value.array.kind, listed=True), clean=True)


def masked(value: Value) -> Masked:
    if isinstance(value, Masked):
        return value
    assert isinstance(value, Counted)
    return Masked(value.array, in_use(value))


def plus(count: Array, more: int) -> Array:
    if isinstance(count.code, ast.Constant) and isinstance(count.code.value, int):
        return Array(code.const(count.code.value + more), Kind(INT), weak=True)
    match count.code:
        case ast.BinOp(left=rest, op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=int(added))):
            more += added if isinstance(sign, ast.Add) else -added
            count = Array(rest, Kind(INT))
    if more == 0:
        return count
    how = ast.Add() if more >= 0 else ast.Sub()
    return Array(code.binary(count.code, how, code.const(abs(more))), Kind(INT))


def concatenate(memory: Sight, left: Value, right: Value) -> Value:
    """Two lists, one after the other."""
    if isinstance(left, Counted | Masked):
        grown = counted(left)
        if isinstance(right, Counted | Masked):
            for value, more, front in ((grown, counted(right), False), (counted(right), grown, True)):
                if (fixed := _filled_up(value, more, front)) is not None:
                    return fixed
            return _both(grown, counted(right))
        items = [memory.deep(item) for item in items_of(memory, right)]
        grown = holding(counted(grown, grown.room + len(items)), items)
        for item in items:
            grown = appended(grown, item)
        return replace(grown, longest=None, roomy=0)
    if isinstance(right, Counted | Masked):
        items = [memory.deep(item) for item in items_of(memory, left)]
        tail = holding(counted(right), items)
        if not items:
            return tail
        head = stack(Items(tuple(items)), tail.array.kind.dtype)
        array = code.call("jnp.concatenate", code.list_of([head.code, tail.array.code]))
        length = head.kind.shape[0] + tail.room
        kind = tail.array.kind.shaped(length, *tail.array.kind.shape[1:])
        return Counted(Array(array, kind, listed=True), plus(tail.count, head.kind.shape[0]), clean=tail.clean)
    is_list = not (isinstance(left, Items) and not left.is_list)
    return Items((*items_of(memory, left), *items_of(memory, right)), is_list)


def _both(left: Counted, right: Counted) -> Value:
    """Those in use of both: the first list's, then the second's."""
    if left.array.kind.shape[1:] != right.array.kind.shape[1:]:
        raise RefusedError("lists of rows of different lengths are put together")
    dtype = common([left.array, right.array])
    array = code.call("jnp.concatenate", code.list_of(cast(side.array, dtype).code for side in (left, right)))
    mask = code.call("jnp.concatenate", code.list_of([in_use(left).code, in_use(right).code]))
    length = left.room + right.room
    kind = left.array.kind.shaped(length, *left.array.kind.shape[1:])
    return Masked(Array(array, kind, listed=True), Array(mask, Kind(BOOL, (length,))))


def holding(value: Counted, items: Sequence[Value]) -> Counted:
    """A list in a type that can hold some more elements, too."""
    if value.room == 0 and items:
        first = _row(items[0])
        blank = zero(first.kind.shaped(0, *first.kind.shape))
        value = replace(value, array=replace(blank, listed=True))
    dtype = common([value.array, *(_row(item) for item in items)])
    if dtype == value.array.kind.dtype:
        return value
    return replace(value, array=replace(cast(value.array, dtype), listed=True))


def extent(value: Counted, name: str) -> Value:
    """`np.argwhere(grid == 0).shape`, or its `size` or `ndim`: how many rows there are, and how long they are."""
    count, row = replace(value.count, natural=True), value.array.kind.shape[1:]
    if name == "ndim":
        return Static(1 + len(row))
    if name == "shape":
        return Items((count, *map(Static, row)))
    return replace(count, code=code.binary(count.code, ast.Mult(), code.const(math.prod(row)))) if row else count


def repeated(value: Items, times: int) -> Items:
    return replace(value, items=value.items * times)


def repeated_often(value: Value, times: Array) -> Counted:
    """A list as often as the game says, if it cannot be more than a known number: what another list lacks to a length,
    `[0] * (5 - len(other))`."""
    item = as_array(value)
    if times.most is None or item.kind.shape[:1] != (1,):
        raise RefusedError("a list is repeated as often as the game says, and nothing says how often that can be")
    length, written = max(times.most, 0), times.code
    known = isinstance(written, ast.BinOp) and isinstance(written.op, ast.Sub) and not code.names_arrays(written.left)
    lacking = (length, written.right) if known and isinstance(written, ast.BinOp) else None
    kind = item.kind.shaped(length, *item.kind.shape[1:])
    array = Array(code.call("jnp.broadcast_to", item.code, code.const(kind.shape)), kind, listed=True)
    often = code.call("jnp.maximum", times.code, code.const(0))
    return Counted(array, Array(often, Kind(INT), natural=True), missing=lacking)


def _filled_up(value: Counted, more: Counted, front: bool) -> Array | None:
    """A list that is filled up to a length, from behind or in front: then its length is fixed."""
    if more.missing is None or not code.same(more.missing[1], value.count.code):
        return None
    length = more.missing[0]
    kind = Kind(common([value.array, more.array]), more.array.kind.shape)
    held = code.compare(code.call("jnp.arange", code.const(length)), ast.Lt(), value.count.code)
    held = code.with_axes(held, len(kind.shape) - 1)
    made = code.call("jnp.where", held, counted(value, length).array.code, more.array.code)
    if front:
        made = code.call("jnp.roll", made, more.count.code, axis=code.const(0))
    return cast(Array(made, kind, listed=True), kind.dtype)


def appended(value: Counted, item: Value) -> Counted:
    made = code.call("put", value.array.code, value.count.code, _row(item).code)
    return replace(value, array=Array(made, value.array.kind, listed=True), count=plus(value.count, 1), missing=None)


def _row(item: Value) -> Array:
    return stack(item) if isinstance(item, Items) else as_array(item)


def equal_counted(value: Counted, other: Value) -> Value:
    """Whether a list of changing length is equal to another list: as long, and the same in every place."""
    if isinstance(other, Counted | Masked):
        others = counted(other)
        room = min(value.room, others.room)
        first, second = (
            v.array.code if v.room == room else code.index(v.array.code, code.span(None, code.const(room)))
            for v in (value, others)
        )
        length = code.compare(value.count.code, ast.Eq(), others.count.code)
        outside = code.call("jnp.arange", code.const(room))
        free = code.compare(outside, ast.GtE(), value.count.code)
        same = code.call("jnp.all", code.binary(code.compare(first, ast.Eq(), second), ast.BitOr(), free))
        return Array(code.both(length, same), Kind(BOOL))
    known = as_array(other)
    length = known.kind.shape[0]
    if length > value.room:
        return Static(False)
    made = code.compare(value.count.code, ast.Eq(), code.const(length))
    if length:
        front = code.index(value.array.code, code.span(None, code.const(length)))
        made = code.both(made, code.call("jnp.all", code.compare(front, ast.Eq(), known.code)))
    return Array(made, Kind(BOOL))
