"""Lists: of fixed length, and of variable length as an array with a count."""

import ast
import math
from collections.abc import Sequence
from dataclasses import replace

from envwright.compiler.ir import code, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.dtypes import dtype_code
from envwright.compiler.ir.resolver import Resolver
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.values import Value, as_array, cast, common, described, is_none, stack
from envwright.compiler.refusal import RefusedError


def is_listlike(value: Value) -> bool:
    """Whether it is a list or tuple, as opposed to an array or a number."""
    if isinstance(value, ir.Static):
        return isinstance(value.value, list | tuple)
    if isinstance(value, ir.Counted | ir.Masked):
        return value.array.listed
    return isinstance(value, ir.Items | ir.Rows) or (isinstance(value, ir.Array) and value.listed)


def items_of(memory: Resolver, value: Value) -> list[Value]:
    """The elements of something of fixed length."""
    value = memory.see(value)
    match value:
        case ir.Items():
            return list(value.items)
        case ir.Static():
            try:
                return [ir.Static(v) for v in value.value]
            except TypeError:
                raise RefusedError(f"{described(value)} cannot be iterated over") from None
        case ir.Array() if value.kind.shape:
            inner = value.kind.shaped(*value.kind.shape[1:])
            parts = [code.index(value.code, code.const(i)) for i in range(value.kind.shape[0])]
            return [ir.Array(part, inner, value.listed and bool(inner.shape)) for part in parts]
        case ir.Rows():
            return [row(value, code.const(i)) for i in range(value.length)]
        case ir.Keyed():
            return [ir.Static(key) for key in value.items]
        case ir.FixedKeyDict():
            return [ir.Static(key) for key in value.keys]
        case ir.Maybe():
            return items_of(memory, value.value)
        case ir.Picked():
            values, count = tables.elements(memory.program, value)
            if isinstance(count, ir.Static):
                return values
            raise RefusedError("a variable-length list is unpacked")
    raise RefusedError(f"{described(value)} cannot be unpacked, for its length is known only at run time")


def whole_rows(value: ir.Array) -> ir.Rows:
    """A list without None, as `Rows`."""
    return ir.Rows(
        value,
        ir.Array(
            code.call("jnp.ones", code.const(value.kind.shape[0]), code.dotted("bool")),
            Aval(BOOL, value.kind.shape[:1]),
        ),
    )


def as_rows(items: Sequence[Value], kind: Aval | None = None) -> ir.Rows:
    """A list of numbers, or rows of them, and None, as `Rows`."""
    inner = [item.value if isinstance(item, ir.Maybe) else item for item in items]
    there = [as_array(item) for item in inner if not is_none(item)]
    if kind is None:
        if not there or len({array.kind.shape for array in there}) != 1:
            raise RefusedError("a list that mixes None with anything but numbers is not supported")
        kind = Aval(common(there), (len(items), *there[0].kind.shape))
    blank: code.Code = code.const([0] * kind.shape[1]) if len(kind.shape) > 1 else code.const(0)
    rows = [blank if is_none(item) else as_array(item).code for item in inner]
    flags = [item.present.code if isinstance(item, ir.Maybe) else code.const(not is_none(item)) for item in items]
    array = code.call("jnp.array", code.list_of(rows), dtype_code(kind.dtype))
    present = ir.Array(code.call("jnp.array", code.list_of(flags)), Aval(BOOL, (len(items),)))
    return ir.Rows(ir.Array(array, kind, listed=True), present)


def holds_number(value: ir.Rows, item: Value) -> ir.Array:
    """Whether a number is in a list that has None in it."""
    if value.array.kind.shape[1:] or isinstance(item, ir.Maybe):
        raise RefusedError("`in` for a row and a list that may hold None is not supported")
    equal = code.compare(value.array.code, ast.Eq(), as_array(item).code)
    return ir.Array(code.call("jnp.any", code.both(value.present.code, equal)), Aval(BOOL))


def row(value: ir.Rows, where: code.Code) -> ir.Maybe:
    inner = Aval(value.array.kind.dtype, value.array.kind.shape[1:])
    there = ir.Array(code.index(value.present.code, where), Aval(BOOL))
    return ir.Maybe(there, ir.Array(code.index(value.array.code, where), inner, listed=bool(inner.shape)))


def order_matters() -> RefusedError:
    return RefusedError("a set is iterated over, and the order of its members may matter")


def counted(value: Value, room: int | None = None) -> ir.Counted:
    """A list as an array with a count, of some capacity."""
    if isinstance(value, ir.Masked):
        if value.unordered:
            raise order_matters()
        if value.flat:
            raise RefusedError("a run-time-sized part of an array with several axes is not supported")
        pair = code.call("compact", value.array.code, value.mask.code)
        array = ir.Array(code.index(pair, code.const(0)), value.array.kind, listed=value.array.listed)
        value = ir.Counted(array, ir.Array(code.index(pair, code.const(1)), Aval(INT)), clean=True)
    if isinstance(value, ir.Counted):
        return value if room is None or room == value.room else _with_room(value, room)
    array = as_array(value)
    if not array.kind.shape:
        raise RefusedError("a number is used where a list is expected")
    length = array.kind.shape[0]
    count = ir.Array(code.const(length), Aval(INT), weak=True)
    full = ir.Counted(ir.Array(array.code, array.kind, listed=True), count, clean=True)
    return full if room is None or room == length else _with_room(full, room)


def _with_room(value: ir.Counted, room: int) -> ir.Counted:
    have = value.room
    kind = value.array.kind.shaped(room, *value.array.kind.shape[1:])
    if have == 0:
        return replace(value, array=ir.Array(zero(kind).code, kind, listed=value.array.listed))
    if have > room:
        first = code.index(value.array.code, code.span(None, code.const(room)))
        return replace(value, array=ir.Array(first, kind, listed=value.array.listed))
    pads = [(0, room - have), *[(0, 0)] * (len(kind.shape) - 1)]
    padding = code.const(pads[0] if len(pads) == 1 else tuple(pads))
    made = ir.Array(code.call("jnp.pad", value.array.code, padding), kind, listed=value.array.listed)
    return replace(value, array=made)


def in_use(value: ir.Counted) -> ir.Array:
    """The mask of the elements in use."""
    own = isinstance(value.array.code, ast.Name)  # then it may be called with more capacity, or less
    places = code.call("jnp.arange", code.call("len", value.array.code) if own else code.const(value.room))
    return ir.Array(code.compare(places, ast.Lt(), value.count.code), Aval(BOOL, (value.room,)))


def fixed_length(value: Value) -> int | None:
    """The length of a list, if it is constant."""
    if isinstance(value, ir.Items):
        return len(value.items)
    if isinstance(value, ir.FixedKeyDict):
        return len(value.keys)
    if isinstance(value, ir.Static) and isinstance(value.value, list | tuple):
        return len(value.value)
    return value.kind.shape[0] if isinstance(value, ir.Array) and value.kind.shape else None


def longest_of(value: Value) -> int | None:
    """An upper bound of the length of a list, if there is one."""
    return value.array.kind.shape[0] if isinstance(value, ir.Counted | ir.Masked) else fixed_length(value)


def all_of(length: int) -> ir.Array:
    """A mask that is true everywhere."""
    return ir.Array(code.call("jnp.ones", code.const(length), code.dotted("bool")), Aval(BOOL, (length,)))


def flags_of(value: ir.Counted | ir.Masked) -> ir.Array:
    """The mask of the elements in use."""
    return value.mask if isinstance(value, ir.Masked) else in_use(value)


def equals(value: ir.Counted | ir.Masked, item: code.Code) -> code.Code:
    """The mask of the elements that equal a number or a row."""
    same = code.compare(value.array.code, ast.Eq(), item)
    for _ in value.array.kind.shape[1:]:
        same = code.call("jnp.all", same, axis=code.const(-1))
    return code.both(flags_of(value).code, same)


def how_often(value: ir.Counted, key: Value) -> ir.Array:
    """The count of an integer in a list."""
    one = as_array(key)
    if one.kind.shape or not one.kind.is_whole:
        raise RefusedError("a counter of integers is indexed by something else")
    return ir.Array(code.call("jnp.sum", equals(value, one.code)), Aval(INT), natural=True)


def cleaned(value: ir.Counted) -> ir.Counted:
    """A list with zeros beyond its count."""
    if value.clean:
        return value
    used = code.with_axes(in_use(value).code, len(value.array.kind.shape) - 1)
    made = code.call("jnp.where", used, value.array.code, code.const(False if value.array.kind.is_bool else 0))
    return replace(value, array=ir.Array(made, value.array.kind, listed=True), clean=True)


def masked(value: Value) -> ir.Masked:
    if isinstance(value, ir.Masked):
        return value
    assert isinstance(value, ir.Counted)
    return ir.Masked(value.array, in_use(value))


def plus(count: ir.Array, more: int) -> ir.Array:
    if isinstance(count.code, ast.Constant) and isinstance(count.code.value, int):
        return ir.Array(code.const(count.code.value + more), Aval(INT), weak=True)
    match count.code:
        case ast.BinOp(left=rest, op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=int(added))):
            more += added if isinstance(sign, ast.Add) else -added
            count = ir.Array(rest, Aval(INT))
    if more == 0:
        return count
    how = ast.Add() if more >= 0 else ast.Sub()
    return ir.Array(code.binary(count.code, how, code.const(abs(more))), Aval(INT))


def concatenate(memory: Resolver, left: Value, right: Value) -> Value:
    """Two lists, one after the other."""
    if isinstance(left, ir.Counted | ir.Masked):
        grown = counted(left)
        if isinstance(right, ir.Counted | ir.Masked):
            for value, more, front in ((grown, counted(right), False), (counted(right), grown, True)):
                if (fixed := _filled_up(value, more, front)) is not None:
                    return fixed
            return _both(grown, counted(right))
        items = [memory.deep(item) for item in items_of(memory, right)]
        grown = holding(counted(grown, grown.room + len(items)), items)
        for item in items:
            grown = appended(grown, item)
        return replace(grown, longest=None, roomy=0)
    if isinstance(right, ir.Counted | ir.Masked):
        items = [memory.deep(item) for item in items_of(memory, left)]
        tail = holding(counted(right), items)
        if not items:
            return tail
        head = stack(ir.Items(tuple(items)), tail.array.kind.dtype)
        array = code.call("jnp.concatenate", code.list_of([head.code, tail.array.code]))
        length = head.kind.shape[0] + tail.room
        kind = tail.array.kind.shaped(length, *tail.array.kind.shape[1:])
        return ir.Counted(ir.Array(array, kind, listed=True), plus(tail.count, head.kind.shape[0]), clean=tail.clean)
    is_list = not (isinstance(left, ir.Items) and not left.is_list)
    return ir.Items((*items_of(memory, left), *items_of(memory, right)), is_list)


def _both(left: ir.Counted, right: ir.Counted) -> Value:
    """The concatenation of two variable-length lists."""
    if left.array.kind.shape[1:] != right.array.kind.shape[1:]:
        raise RefusedError("lists of rows of different lengths are concatenated")
    dtype = common([left.array, right.array])
    array = code.call("jnp.concatenate", code.list_of(cast(side.array, dtype).code for side in (left, right)))
    mask = code.call("jnp.concatenate", code.list_of([in_use(left).code, in_use(right).code]))
    length = left.room + right.room
    kind = left.array.kind.shaped(length, *left.array.kind.shape[1:])
    return ir.Masked(ir.Array(array, kind, listed=True), ir.Array(mask, Aval(BOOL, (length,))))


def holding(value: ir.Counted, items: Sequence[Value]) -> ir.Counted:
    """A list in a dtype that can hold further elements, too."""
    if value.room == 0 and items:
        first = _row(items[0])
        blank = zero(first.kind.shaped(0, *first.kind.shape))
        value = replace(value, array=replace(blank, listed=True))
    dtype = common([value.array, *(_row(item) for item in items)])
    if dtype == value.array.kind.dtype:
        return value
    return replace(value, array=replace(cast(value.array, dtype), listed=True))


def extent(value: ir.Counted, name: str) -> Value:
    """`shape`, `size` or `ndim` of a variable-length array, such as `np.argwhere(grid == 0)`."""
    count, row = replace(value.count, natural=True), value.array.kind.shape[1:]
    if name == "ndim":
        return ir.Static(1 + len(row))
    if name == "shape":
        return ir.Items((count, *map(ir.Static, row)))
    return replace(count, code=code.binary(count.code, ast.Mult(), code.const(math.prod(row)))) if row else count


def repeated(value: ir.Items, times: int) -> ir.Items:
    return replace(value, items=value.items * times)


def repeated_often(value: Value, times: ir.Array) -> ir.Counted:
    """A list repeated a run-time number of times with a known bound, such as the padding `[0] * (5 - len(other))`."""
    item = as_array(value)
    if times.most is None or item.kind.shape[:1] != (1,):
        raise RefusedError("a list is repeated a run-time number of times, for which no bound is known")
    length, written = max(times.most, 0), times.code
    known = isinstance(written, ast.BinOp) and isinstance(written.op, ast.Sub) and not code.names_arrays(written.left)
    lacking = (length, written.right) if known and isinstance(written, ast.BinOp) else None
    kind = item.kind.shaped(length, *item.kind.shape[1:])
    array = ir.Array(code.call("jnp.broadcast_to", item.code, code.const(kind.shape)), kind, listed=True)
    often = code.call("jnp.maximum", times.code, code.const(0))
    return ir.Counted(array, ir.Array(often, Aval(INT), natural=True), missing=lacking)


def _filled_up(value: ir.Counted, more: ir.Counted, front: bool) -> ir.Array | None:
    """A list that is padded to a constant length, at its end or in front."""
    if more.missing is None or not code.same(more.missing[1], value.count.code):
        return None
    length = more.missing[0]
    kind = Aval(common([value.array, more.array]), more.array.kind.shape)
    held = code.compare(code.call("jnp.arange", code.const(length)), ast.Lt(), value.count.code)
    held = code.with_axes(held, len(kind.shape) - 1)
    made = code.call("jnp.where", held, counted(value, length).array.code, more.array.code)
    if front:
        made = code.call("jnp.roll", made, more.count.code, axis=code.const(0))
    return cast(ir.Array(made, kind, listed=True), kind.dtype)


def appended(value: ir.Counted, item: Value) -> ir.Counted:
    made = code.call("put", value.array.code, value.count.code, _row(item).code)
    return replace(value, array=ir.Array(made, value.array.kind, listed=True), count=plus(value.count, 1), missing=None)


def _row(item: Value) -> ir.Array:
    return stack(item) if isinstance(item, ir.Items) else as_array(item)


def equal_counted(value: ir.Counted, other: Value) -> Value:
    """Equality of a variable-length list and another list."""
    if isinstance(other, ir.Counted | ir.Masked):
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
        return ir.Array(code.both(length, same), Aval(BOOL))
    known = as_array(other)
    length = known.kind.shape[0]
    if length > value.room:
        return ir.Static(False)
    made = code.compare(value.count.code, ast.Eq(), code.const(length))
    if length:
        front = code.index(value.array.code, code.span(None, code.const(length)))
        made = code.both(made, code.call("jnp.all", code.compare(front, ast.Eq(), known.code)))
    return ir.Array(made, Aval(BOOL))
