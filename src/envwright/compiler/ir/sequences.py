"""Variable-length lists, rearranged: slices, reversal, insertion, distinct elements, zip."""

import ast
from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.lists import flags_of, plus
from envwright.compiler.ir.values import Value, as_array, is_none
from envwright.compiler.refusal import RefusedError


def gathered(base: ir.Counted, places: Code, count: Code, room: int) -> ir.Counted:
    """The elements at some indices; those beyond the count may be anything."""
    kind = base.array.kind.shaped(room, *base.array.kind.shape[1:])
    taken = ir.Array(code.index(base.array.code, places), kind, listed=True)
    return ir.Counted(taken, ir.Array(count, Aval(INT)))


def sliced(base: ir.Counted, low: Value, high: Value, step: int) -> ir.Counted:
    """`base[low:high:step]`, with Python's semantics of negative and out-of-range bounds."""
    if step == 0:
        raise RefusedError("a slice has the step 0")
    count = base.count.code
    top = count if step > 0 else plus(base.count, -1).code
    bottom = code.const(0) if step > 0 else code.const(-1)
    first, last = (bottom, top) if step > 0 else (top, bottom)
    start = first if is_none(low) else _end(as_array(low).code, count, bottom, top)
    stop = last if is_none(high) else _end(as_array(high).code, count, bottom, top)
    length = code.call("jnp.maximum", range_length(start, stop, code.const(step)), code.const(0))
    room = -(-base.room // abs(step))
    if step == 1:
        room = min(room, _width(low, high, base.room))
    spread = code.call("jnp.arange", code.const(room))
    spread = spread if step == 1 else code.binary(spread, ast.Mult(), code.const(step))
    return gathered(base, code.binary(start, ast.Add(), spread), length, room)


def _end(end: Code, count: Code, bottom: Code, top: Code) -> Code:
    """A bound of a slice, normalised and clipped."""
    if isinstance(end, ast.Constant):
        shifted = end
    elif isinstance(end, ast.UnaryOp) and isinstance(end.operand, ast.Constant):
        shifted = code.binary(count, ast.Sub(), end.operand)
    else:
        negative = code.compare(end, ast.Lt(), code.const(0))
        shifted = code.call("jnp.where", negative, code.binary(end, ast.Add(), count), end)
    return code.call("jnp.clip", shifted, bottom, top)


def _width(low: Value, high: Value, room: int) -> int:
    """An upper bound of the length of a slice."""
    start, stop = (None if is_none(end) else getattr(end, "value", "?") for end in (low, high))
    start = 0 if start is None else start
    if not isinstance(start, int) or not isinstance(stop, int | None):
        return room
    if stop is None:
        return max(room - start, 0) if start >= 0 else min(-start, room)
    return max(stop - start, 0) if (start < 0) == (stop < 0) else room


def range_length(start: Code, stop: Code, step: Code) -> Code:
    """The length of a range; negative if it is empty."""
    if isinstance(step, ast.Constant) and step.value == 1:
        return stop if code.is_zero(start) else code.binary(stop, ast.Sub(), start)
    span = code.binary(start, ast.Sub(), stop)
    return code.negative(code.binary(span, ast.FloorDiv(), step))


def backwards(base: ir.Counted) -> ir.Counted:
    """The reversed list."""
    last = plus(base.count, -1).code
    places = code.binary(last, ast.Sub(), code.call("jnp.arange", code.const(base.room)))
    turned = gathered(base, places, base.count.code, base.room)
    return replace(turned, count=base.count, longest=base.longest)


def place_inside(base: ir.Counted, where: Value) -> Code:
    """The index before which something is inserted."""
    return _end(as_array(where).code, base.count.code, code.const(0), base.count.code)


def inserted(base: ir.Counted, where: Value, item: ir.Array) -> ir.Counted:
    """A list with one more element; there must be capacity for it."""
    place = place_inside(base, where)
    places = code.call("jnp.arange", code.const(base.room))
    axes = len(base.array.kind.shape) - 1
    before, here = (code.with_axes(code.compare(places, how, place), axes) for how in (ast.Lt(), ast.Eq()))
    moved = code.call("jnp.roll", base.array.code, code.const(1), axis=code.const(0))
    later = code.call("jnp.where", here, item.code, moved)
    made = code.call("jnp.where", before, base.array.code, later)
    return replace(base, array=ir.Array(made, base.array.kind, listed=True), count=plus(base.count, 1), missing=None)


def distinct(value: ir.Counted | ir.Masked) -> ir.Masked:
    """The set of the elements: first occurrences."""
    array, mask = value.array, flags_of(value)
    length = array.kind.shape[0]
    same = each_with_each(array, array)
    before = code.call("jnp.tri", code.const(length), k=code.const(-1), dtype=code.dotted("bool"))
    seen = code.call("jnp.any", code.both(code.both(same, before), mask.code), axis=code.const(1))
    return ir.Masked(array, ir.Array(code.both(mask.code, code.negated(seen)), Aval(BOOL, (length,))), unordered=True)


def each_with_each(a: ir.Array, b: ir.Array) -> Code:
    """Equality of all pairs of elements of a and b."""
    same = code.compare(
        code.index(a.code, code.span(), code.const(None)), ast.Eq(), code.index(b.code, code.const(None))
    )
    return code.call("jnp.all", same, axis=code.const(-1)) if len(a.kind.shape) > 1 else same


def side_by_side(lists: list[ir.Counted]) -> ir.Counted:
    """`zip` of variable-length lists."""
    room = min(one.room for one in lists)
    dtypes = {one.array.kind.dtype for one in lists}
    if any(len(one.array.kind.shape) > 1 for one in lists) or len(dtypes) > 1:
        raise RefusedError("variable-length lists of different element types are zipped")
    fronts = [one.array.code if one.room == room else code.index(one.array.code, code.span(None, code.const(room)))
              for one in lists]  # fmt: skip
    array = code.call("jnp.stack", code.list_of(fronts), axis=code.const(1))
    count = lists[0].count.code
    for other in lists[1:]:
        count = count if code.same(count, other.count.code) else code.call("jnp.minimum", count, other.count.code)
    kind = Aval(dtypes.pop(), (room, len(lists)))
    return ir.Counted(ir.Array(array, kind, listed=True), ir.Array(count, Aval(INT)))
