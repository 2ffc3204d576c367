"""sorted(), list.sort(), and min and max by a key or of tuples: stable, as in Python."""

import ast
from typing import Literal

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.lists import flags_of, in_use, items_of
from envwright.compiler.ir.operators import compare, truth
from envwright.compiler.ir.phi import join
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array, cast, is_none
from envwright.compiler.middle.elementwise import columns, stacked
from envwright.compiler.refusal import RefusedError


def ordered(frame: CallFrame, value: Value, options: dict[str, Value]) -> Value:
    """A list in order."""
    value = frame.memory.deep(value)
    downwards = bool(known(options.get("reverse", ir.Static(False))))
    by = options.get("key", ir.NONE)
    if is_none(by) and getattr(getattr(value, "array", value), "kind", Aval(INT)).of:
        raise RefusedError("objects are ordered by a method of their class")
    if isinstance(value, ir.Static) and is_none(by):
        return ir.Items(tuple(ir.Static(v) for v in fold("sorted", sorted, value.value, reverse=downwards)), True)
    if isinstance(value, ir.Counted | ir.Masked):
        return _ordered_changing(frame, value, by, downwards)
    items = items_of(frame.memory, value)
    keys = _keys(frame, items, by)
    if isinstance(value, ir.Static):
        value = ir.Static(np.asarray(list(value.value)))
    array = as_array(value)
    order = _order(_parts(keys), downwards)
    return ir.Array(frame.named("in_order", code.index(array.code, order)), array.kind, listed=True)


def _ordered_changing(frame: CallFrame, value: ir.Counted | ir.Masked, by: Value, downwards: bool) -> ir.Counted:
    """The elements in use first, in order."""
    array, flags = value.array, flags_of(value)
    count = value.count if isinstance(value, ir.Counted) else ir.Array(code.call("jnp.sum", flags.code), Aval(INT))
    if is_none(by) and not downwards and len(array.kind.shape) == 1 and isinstance(value, ir.Counted):
        top = (
            code.dotted("jnp.inf")
            if array.kind.is_float
            else code.attribute(code.call("jnp.iinfo", code.dotted(f"jnp.{array.kind.dtype}")), "max")
        )
        filled = code.call("jnp.sort", code.call("jnp.where", in_use(value).code, array.code, top))
        return ir.Counted(ir.Array(frame.named("in_order", filled), array.kind, listed=True), count)
    keys = array if is_none(by) else columns(frame, value, lambda item: _called(frame, by, item))
    order = _order(_parts(keys), downwards, code.negated(flags.code))
    in_order = frame.named("in_order", code.index(array.code, order))
    return ir.Counted(ir.Array(in_order, array.kind, listed=True), count)


def _called(frame: CallFrame, by: Value, item: Value) -> Value:
    return frame.memory.deep(frame.program.call(frame, by, [item], {}, None))


def _keys(frame: CallFrame, items: list[Value], by: Value) -> Value:
    """The sort keys, stacked."""
    return stacked([frame.memory.deep(item) if is_none(by) else _called(frame, by, item) for item in items])


def _parts(keys: Value) -> list[ir.Array]:
    """The key columns, the most significant first."""
    if isinstance(keys, ir.Items):
        return [part for item in keys.items for part in _parts(item)]
    array = as_array(keys)
    length, *rest = array.kind.shape
    if not rest:
        return [array]
    if len(rest) > 1:
        raise RefusedError("lists of lists of lists are sorted")
    inner = Aval(array.kind.dtype, (length,))
    return [ir.Array(code.index(array.code, code.span(), code.const(i)), inner) for i in range(rest[0])]


def _order(parts: list[ir.Array], downwards: bool, last: Code | None = None) -> Code:
    """The sorting permutation; elements for which `last` holds come last."""
    keys = [_turned(part) if downwards else part.code for part in parts]
    keys = keys if last is None else [last, *keys]
    if len(keys) == 1:
        return code.call("jnp.argsort", keys[0], stable=code.const(True))
    return code.call("jnp.lexsort", code.tuple_of(reversed(keys)))


def _turned(keys: ir.Array) -> Code:
    """Keys for descending order, stable for ties."""
    if keys.kind.is_float:
        return code.negative(keys.code)
    return ast.UnaryOp(ast.Invert(), cast(keys, INT).code if keys.kind.is_bool else keys.code)


def extreme(frame: CallFrame, which: Literal["min", "max"], value: Value, by: Value, default: Value | None) -> Value:
    """The first of the smallest or largest, by a key, or of tuples."""
    if isinstance(value, ir.Counted | ir.Masked):
        keys = value.array if is_none(by) else columns(frame, value, lambda item: _called(frame, by, item))
        order = _order(_parts(keys), which == "max", code.negated(flags_of(value).code))
        place = ir.Array(code.index(order, code.const(0)), Aval(INT))
        found = read(frame.memory, value.array, (place,))
        return found if default is None else join(frame, as_array(truth(frame, value)), found, default)
    items = items_of(frame.memory, value)
    if not items:
        if default is None:
            raise RefusedError(f"{which} of an empty sequence")
        return default
    best, key = items[0], _key(frame, items[0], by)
    better = ast.Lt() if which == "min" else ast.Gt()
    for item in items[1:]:
        other = _key(frame, item, by)
        asked = compare(frame, better, other, key)
        if isinstance(asked, ir.Static):
            best, key = (item, other) if asked.value else (best, key)
            continue
        when = ir.Array(frame.condition(as_array(asked).code), Aval("bool"))
        best = join(frame, when, frame.memory.deep(item), frame.memory.deep(best))
        key = best if is_none(by) else join(frame, when, other, key)
    return best


def _key(frame: CallFrame, item: Value, by: Value) -> Value:
    return frame.memory.deep(item) if is_none(by) else _called(frame, by, item)
