"""Subscripts of lists, arrays, dicts and tables; negative indices count from the end."""

import ast
import operator
from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code, fixed_key_dict, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.array_index import is_slice, of_array, part_code
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.lists import counted, how_often, in_use, plus, row
from envwright.compiler.ir.resolver import Resolver
from envwright.compiler.ir.sequences import backwards, sliced
from envwright.compiler.ir.values import Value, as_array, cast, described, is_function, plain_enum
from envwright.compiler.refusal import RefusedError


def read(memory: Resolver, base: Value, where: tuple[Value, ...], name: str = "TABLE") -> Value:
    """`base[where]`."""
    where = spread(memory, base, where)
    match base:
        case ir.Static():
            return _known(memory, base, where, name)
        case ir.Items():
            return _item(memory, base, where, name)
        case ir.Array():
            return of_array(base, where)
        case ir.Counted() | ir.Masked():
            return _of_counted(base, where)
        case ir.Rows():
            return _of_rows(memory, base, where)
        case ir.Picked():
            found: Value = base
            for part in where:
                found = (
                    _of_picked(memory, found, part)
                    if isinstance(found, ir.Picked)
                    else read(memory, found, (part,), name)
                )
            return found
        case ir.CounterDict():
            return how_often(base.listed, memory.deep(where[0]))
        case ir.Maybe():
            return read(memory, base.value, where, name)
        case ir.FixedKeyDict():
            return fixed_key_dict.read(memory, base, where)
        case ir.Keyed():
            found = _of_keyed(base, where[:1])
            return read(memory, memory.see(found), where[1:], name) if where[1:] else found
    raise RefusedError(f"{described(base)} cannot be indexed")


def spread(memory: Resolver, base: Value, where: tuple[Value, ...]) -> tuple[Value, ...]:
    """A tuple index as one index an axis, or as a key of a dict; a slice of constant length as an integer array."""
    where = as_places(base, tuple(_there(seen(memory, part)) for part in where))
    if isinstance(base, ir.FixedKeyDict):
        return fixed_key_dict.spread(base, where)
    held = base.items if isinstance(base, ir.Keyed) else base.value if isinstance(base, ir.Static) else None
    if isinstance(held, dict) and len(where) > 1:
        key = tuple(part.value for part in where if isinstance(part, ir.Static) and isinstance(part.value, Hashable))
        is_key = len(key) == len(where) and (key in held or key[0] not in held)  # it may be a new one
        return (ir.Static(key),) if is_key else where
    arrays = isinstance(base, ir.Array) or (isinstance(base, ir.Static) and isinstance(base.value, np.ndarray))
    if not arrays or len(where) != 1:
        return where
    (only,) = where
    if isinstance(only, ir.Items) and not only.is_list:
        return only.items
    if isinstance(only, ir.Static) and isinstance(only.value, tuple):
        return tuple(ir.Static(v) for v in only.value)
    if (
        isinstance(only, ir.Array)
        and len(only.kind.shape) == 1
        and only.kind.is_whole
        and _is_tuple(memory, base, only)
    ):
        return tuple(
            ir.Array(code.index(only.code, code.const(i)), Aval(only.kind.dtype)) for i in range(only.kind.shape[0])
        )
    return where


def _there(part: Value) -> Value:
    """A tuple that may be None, where it is used as an index."""
    tupled = (
        isinstance(part, ir.Maybe)
        and isinstance(part.value, ir.Items | ir.Array)
        and bool(as_array(part.value).kind.shape)
    )
    return part.value if isinstance(part, ir.Maybe) and tupled else part


def _is_tuple(memory: Resolver, base: Value, row: ir.Array) -> bool:
    """Whether an index is a tuple. A row of a list is, in games whose lists hold no lists."""
    if row.tupled or not row.listed or row.kind.shape[0] != len(as_array(base).kind.shape):
        return row.tupled
    if memory.program.lists_of_lists:
        raise RefusedError("an array is indexed by a row of a list, and whether that is a tuple is not known")
    return True


def as_places(base: Value, where: tuple[Value, ...]) -> tuple[Value, ...]:
    """Slices with run-time bounds but constant length, as integer arrays; not of variable-length lists, whose end they
    may cross."""
    first = 1 if isinstance(base, ir.Counted | ir.Masked) else 0
    return tuple(
        places_of(part) if i >= first and isinstance(part, ir.Span) and part.length is not None else part
        for i, part in enumerate(where)
    )


def places_of(part: ir.Span) -> ir.Array:
    assert part.length is not None
    places = code.call("jnp.arange", code.const(part.length))
    return ir.Array(code.binary(part.low.code, ast.Add(), places), Aval(INT, (part.length,)), sliced=True)


def seen(memory: Resolver, part: Value) -> Value:
    part = part if isinstance(part, ir.Span) else memory.deep(part)
    if isinstance(part, ir.Static):
        inner = plain_enum(part.value)
        return ir.Static(inner.__index__() if isinstance(inner, np.integer | bool) else inner)
    return part


def _known(memory: Resolver, base: ir.Static, where: tuple[Value, ...], name: str) -> Value:
    if all(isinstance(part, ir.Static) for part in where):
        key = tuple(part.value for part in where)  # pyright: ignore[reportAttributeAccessIssue]
        return ir.Static(fold("the index", operator.getitem, base.value, key[0] if len(key) == 1 else key))
    if len(where) > 1 and isinstance(base.value, dict) and all(isinstance(key, tuple) for key in base.value):
        where = (ir.Items(where),)
    program = memory.program
    if isinstance(base.value, np.ndarray) and base.value.dtype.kind in "biuf":
        constant = program.constant(name, base.value) if base.value.size > 8 else as_array(base).code
        return of_array(ir.Array(constant, as_array(base).kind), where)
    if len(where) == 1 and isinstance(where[0], ir.Picked) and isinstance(base.value, dict) and base.value:
        return tables.by_text(program, base.value, where[0])
    if len(where) == 1 and isinstance(where[0], ir.Items) and isinstance(base.value, dict):
        return tables.by_tuple(program, base.value, where[0], name)
    found: Value = base
    for part in where:
        if isinstance(found, ir.Static) and not isinstance(part, ir.Static):
            if is_slice(part) or not isinstance(part, ir.Array) or part.kind.shape != ():
                kind = "dict" if isinstance(found.value, dict) else "list"
                raise RefusedError(f"a {kind} is indexed by something that is not an integer: {described(part)}")
            which = replace(cast(part, INT), natural=True, most=1) if part.kind.is_bool else part
            found = tables.pick(program, found.value, which, name)
        elif isinstance(found, ir.Picked):
            found = _of_picked(memory, found, part)
        else:
            found = read(memory, found, (part,), name)
    return found


def _of_picked(memory: Resolver, picked: ir.Picked, part: Value) -> Value:
    if isinstance(part, ir.Static):
        return tables.part(memory.program, picked, part.value)
    return tables.deeper(memory.program, picked, as_array(part))


def _item(memory: Resolver, base: ir.Items, where: tuple[Value, ...], name: str) -> Value:
    first, rest = where[0], where[1:]
    if not isinstance(first, ir.Static) and all(isinstance(v, ir.Static) for v in base.items):
        return _known(memory, ir.Static([v.value for v in base.items]), where, name)  # pyright: ignore[reportAttributeAccessIssue]
    if isinstance(first, ir.Static):
        found = fold("the index", operator.getitem, base.items, first.value)
        value: Value = ir.Items(found, base.is_list) if isinstance(first.value, slice) else found
        return read(memory, memory.see(value), rest, name) if rest else value
    if not rest and all(is_function(option) for option in base.items):
        size = code.const(len(base.items))
        return tables.function_of(base.items, code.binary(as_array(first).code, ast.Mod(), size))
    if not rest and tables.are_texts(texts := [memory.deep(v) for v in base.items]):
        return tables.one_text(memory.program, texts, as_array(first))
    if len(base.items) <= 4 and not rest:
        deep = [memory.deep(v) for v in base.items]
        chosen = as_array(first)
        if not chosen.natural and code.text(chosen.code) != "action":  # which is never negative
            chosen = ir.Array(code.binary(chosen.code, ast.Mod(), code.const(len(deep))), chosen.kind)
        return tables.select(dict(enumerate(deep)), chosen)
    return of_array(as_array(memory.deep(base)), where)


def from_front(value: ir.Counted, place: Value) -> Value:
    """The place of an element of a variable-length list; negative ones count from its end."""
    if isinstance(place, ir.Static) and isinstance(place.value, int) and place.value < 0:
        return plus(value.count, place.value)
    if isinstance(place, ir.Array) and place.kind.shape == () and not place.natural:
        negative = code.compare(place.code, ast.Lt(), code.const(0))
        shifted = code.binary(place.code, ast.Add(), value.count.code)
        return ir.Array(code.call("jnp.where", negative, shifted, place.code), place.kind)
    return place


def _of_counted(base: ir.Counted | ir.Masked, where: tuple[Value, ...]) -> Value:
    base = counted(base)
    first, rest = where[0], where[1:]
    if is_slice(first):
        assert isinstance(first, ir.Static)
        return _part_of_counted(base, first.value)
    if isinstance(first, ir.Counted | ir.Masked) and first.array.kind.is_bool:
        return ir.Masked(
            base.array, ir.Array(code.both(in_use(base).code, counted(first).array.code), Aval(BOOL, (base.room,)))
        )
    if (
        isinstance(first, ir.Span)
        and first.high is not None
        and code.text(first.low.code) == "0"
        and first.high.natural
    ):
        fewer = code.call("jnp.minimum", base.count.code, first.high.code)
        return ir.Counted(base.array, ir.Array(fewer, Aval(INT)))
    if isinstance(first, ir.Span):
        return sliced(base, first.low, first.high or ir.Static(None), 1)
    return of_array(base.array, (from_front(base, first), *rest))


def _part_of_counted(base: ir.Counted, part: slice) -> Value:
    start, stop, step = part.start or 0, part.stop, part.step or 1
    if step == 1 and start >= 0 and (stop is None or stop >= 0):
        array, count = base.array, base.count.code
        if start:
            array = ir.Array(
                code.call("jnp.roll", array.code, code.const(-start), axis=code.const(0)), array.kind, True
            )
            count = code.call("jnp.maximum", code.binary(count, ast.Sub(), code.const(start)), code.const(0))
        if stop is not None and _at_least(count, stop - start):
            first = code.index(array.code, code.span(None, code.const(max(stop - start, 0))))
            return ir.Array(first, array.kind.shaped(max(stop - start, 0), *array.kind.shape[1:]), listed=True)
        if stop is not None:
            count = code.call("jnp.minimum", count, code.const(max(stop - start, 0)))
        return ir.Counted(array, ir.Array(count, Aval(INT)), clean=base.clean and not start and stop is None)
    if step == 1 and start == 0 and stop is not None:
        count = code.call("jnp.maximum", code.binary(base.count.code, ast.Sub(), code.const(-stop)), code.const(0))
        return ir.Counted(base.array, ir.Array(count, Aval(INT)))
    if (part.start, stop, step) == (None, None, -1):
        return backwards(base)
    return sliced(base, ir.Static(part.start), ir.Static(stop), step)


def _at_least(count: code.Code, wanted: int) -> bool:
    """Whether a list provably has this length: its count is a sum with a constant."""
    added = isinstance(count, ast.BinOp) and isinstance(count.op, ast.Add) and isinstance(count.right, ast.Constant)
    return added and isinstance(count, ast.BinOp) and count.right.value >= wanted  # pyright: ignore


def _of_rows(memory: Resolver, base: ir.Rows, where: tuple[Value, ...]) -> Value:
    if is_slice(where[0]):
        raise RefusedError("a slice of a list that holds None is not supported")
    found = row(base, part_code(where[0]))
    return read(memory, found, where[1:]) if len(where) > 1 else found


def _of_keyed(base: ir.Keyed, where: tuple[Value, ...]) -> Value:
    (key,) = where
    if isinstance(key, ir.Static):
        if key.value not in base.items:
            raise RefusedError(f"a dict has no key {key.value!r}")
        return base.items[key.value]
    if isinstance(key, ir.Items):
        raise RefusedError("a dict built at run time is indexed by a tuple")
    if isinstance(key, ir.Picked):
        return _of_keyed_by_text(base, key)
    return tables.keyed(base, as_array(key))


def _of_keyed_by_text(base: ir.Keyed, key: ir.Picked) -> Value:
    """A dict with known keys, indexed by one of several known strings."""
    names = list(key.table.flat)
    if key.table.ndim != 1 or any(name not in base.items for name in names):
        raise RefusedError("a dict is indexed by a string that may not be one of its keys")
    return tables.select({i: base.items[name] for i, name in enumerate(names)}, ir.Array(key.index[0], Aval(INT)))
