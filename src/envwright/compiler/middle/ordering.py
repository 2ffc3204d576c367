"""sorted(), list.sort(), and min and max of more than numbers: stable and by the first, as Python's are."""

import ast
from typing import Literal

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import flags_of, in_use, items_of
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.merge import join
from envwright.compiler.ir.operators import compare, truth
from envwright.compiler.ir.values import (
    NONE,
    Array,
    Counted,
    Items,
    Masked,
    Static,
    Value,
    as_array,
    cast,
    is_none,
)
from envwright.compiler.middle.each import columns, stacked
from envwright.compiler.refusal import RefusedError


def ordered(frame: Frame, value: Value, options: dict[str, Value]) -> Value:
    """A list in order."""
    value = frame.memory.deep(value)
    downwards = bool(known(options.get("reverse", Static(False))))
    by = options.get("key", NONE)
    if is_none(by) and getattr(getattr(value, "array", value), "kind", Kind(INT)).of:
        raise RefusedError("objects are put in order by a rule of their own")
    if isinstance(value, Static) and is_none(by):
        return Items(tuple(Static(v) for v in fold("sorted", sorted, value.value, reverse=downwards)), True)
    if isinstance(value, Counted | Masked):
        return _ordered_changing(frame, value, by, downwards)
    items = items_of(frame.memory, value)
    keys = _keys(frame, items, by)
    if isinstance(value, Static):
        value = Static(np.asarray(list(value.value)))
    array = as_array(value)
    order = _order(_parts(keys), downwards)
    return Array(frame.named("in_order", code.index(array.code, order)), array.kind, listed=True)


def _ordered_changing(frame: Frame, value: Counted | Masked, by: Value, downwards: bool) -> Counted:
    """Those in use first, in order; the rest behind them."""
    array, flags = value.array, flags_of(value)
    count = value.count if isinstance(value, Counted) else Array(code.call("jnp.sum", flags.code), Kind(INT))
    if is_none(by) and not downwards and len(array.kind.shape) == 1 and isinstance(value, Counted):
        top = (
            code.dotted("jnp.inf")
            if array.kind.is_float
            else code.attribute(code.call("jnp.iinfo", code.dotted(f"jnp.{array.kind.dtype}")), "max")
        )
        filled = code.call("jnp.sort", code.call("jnp.where", in_use(value).code, array.code, top))
        return Counted(Array(frame.named("in_order", filled), array.kind, listed=True), count)
    keys = array if is_none(by) else columns(frame, value, lambda item: _called(frame, by, item))
    order = _order(_parts(keys), downwards, code.negated(flags.code))
    in_order = frame.named("in_order", code.index(array.code, order))
    return Counted(Array(in_order, array.kind, listed=True), count)


def _called(frame: Frame, by: Value, item: Value) -> Value:
    return frame.memory.deep(frame.program.call(frame, by, [item], {}, None))


def _keys(frame: Frame, items: list[Value], by: Value) -> Value:
    """What elements are compared by, one below the other."""
    return stacked([frame.memory.deep(item) if is_none(by) else _called(frame, by, item) for item in items])


def _parts(keys: Value) -> list[Array]:
    """The columns that are compared, the one that matters most first."""
    if isinstance(keys, Items):
        return [part for item in keys.items for part in _parts(item)]
    array = as_array(keys)
    length, *rest = array.kind.shape
    if not rest:
        return [array]
    if len(rest) > 1:
        raise RefusedError("lists of lists of lists are put in order")
    inner = Kind(array.kind.dtype, (length,))
    return [Array(code.index(array.code, code.span(), code.const(i)), inner) for i in range(rest[0])]


def _order(parts: list[Array], downwards: bool, last: Code | None = None) -> Code:
    """The places of elements in order; those for which `last` holds come last."""
    keys = [_turned(part) if downwards else part.code for part in parts]
    keys = keys if last is None else [last, *keys]
    if len(keys) == 1:
        return code.call("jnp.argsort", keys[0], stable=code.const(True))
    return code.call("jnp.lexsort", code.tuple_of(reversed(keys)))


def _turned(keys: Array) -> Code:
    """Keys that are in order where the others are in the opposite one; equal ones stay as they are."""
    if keys.kind.is_float:
        return code.negative(keys.code)
    return ast.UnaryOp(ast.Invert(), cast(keys, INT).code if keys.kind.is_bool else keys.code)


def extreme(frame: Frame, which: Literal["min", "max"], value: Value, by: Value, default: Value | None) -> Value:
    """The first of the smallest or largest, by a key, or of tuples."""
    if isinstance(value, Counted | Masked):
        keys = value.array if is_none(by) else columns(frame, value, lambda item: _called(frame, by, item))
        order = _order(_parts(keys), which == "max", code.negated(flags_of(value).code))
        place = Array(code.index(order, code.const(0)), Kind(INT))
        found = read(frame.memory, value.array, (place,))
        return found if default is None else join(frame, as_array(truth(frame, value)), found, default)
    items = items_of(frame.memory, value)
    if not items:
        if default is None:
            raise RefusedError(f"{which} of nothing")
        return default
    best, key = items[0], _key(frame, items[0], by)
    better = ast.Lt() if which == "min" else ast.Gt()
    for item in items[1:]:
        other = _key(frame, item, by)
        asked = compare(frame, better, other, key)
        if isinstance(asked, Static):
            best, key = (item, other) if asked.value else (best, key)
            continue
        when = Array(frame.condition(as_array(asked).code), Kind("bool"))
        best = join(frame, when, frame.memory.deep(item), frame.memory.deep(best))
        key = best if is_none(by) else join(frame, when, other, key)
    return best


def _key(frame: Frame, item: Value, by: Value) -> Value:
    return frame.memory.deep(item) if is_none(by) else _called(frame, by, item)
