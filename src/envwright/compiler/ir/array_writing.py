"""NumPy assignment `x[where] = value`, as a functional update."""

import ast
import math

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.array_index import (
    Parts,
    expanded,
    flat_mask,
    in_turn,
    is_mask,
    is_number,
    is_slice,
    mask_of,
    of_array,
    part_code,
    shape_of,
)
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.lists import counted, masked
from envwright.compiler.ir.values import Value, as_array, cast
from envwright.compiler.refusal import RefusedError


def write_array(base: ir.Array, where: tuple[Value, ...], value: Value) -> ir.Array:
    """`base` after `base[where] = value`."""
    if base.shared:
        raise RefusedError("a view that may alias several arrays, or a copy, is written to")
    parts = expanded(where, len(base.kind.shape))
    if any(isinstance(p, ir.Static) and p.value is None for p in parts):
        return _without_new_axes(base, parts, value)
    if (apart := in_turn(parts)) is not None:
        first, second = apart
        inner = write_array(as_array(of_array(base, tuple(first))), tuple(second), value)
        return write_array(base, tuple(first), inner)
    if any(is_mask(p) for p in parts):
        return _write_masked(base, parts, value)
    if any(isinstance(p, ir.Span) for p in parts):
        return _write_span(base, parts, value)
    new = value.array if isinstance(value, ir.Counted | ir.Masked) else as_array(value)
    if len(parts) == 1 and isinstance(parts[0], ir.Counted | ir.Masked):
        return _write_counted(base, parts[0], new)
    if isinstance(value, ir.Counted | ir.Masked) and all(is_number(p) or is_slice(p) for p in parts):
        new = _cut(counted(value).array, shape_of(base.kind.shape, parts))
    codes = [part_code(p) for p in parts]
    if not all(is_number(p) or is_slice(p) for p in parts):  # `put` takes one place an axis, or a slice
        at = code.index(code.attribute(base.code, "at"), *codes)
        return ir.Array(code.method(at, "set", cast_in(new, base).code), base.kind, base.listed)
    shape_of(base.kind.shape, parts)
    key = [code.call("slice", *_ends(c)) if isinstance(c, ast.Slice) else c for c in codes]
    index = key[0] if len(key) == 1 else code.tuple_of(key)
    return ir.Array(code.call("put", base.code, index, new.code), base.kind, base.listed)


def _cut(new: ir.Array, wanted: tuple[int, ...]) -> ir.Array:
    """As many elements of a variable-length list as fit."""
    if len(new.kind.shape) != len(wanted) or not wanted or new.kind.shape[0] <= wanted[0]:
        return new
    return ir.Array(code.index(new.code, code.span(None, code.const(wanted[0]))), new.kind.shaped(*wanted), new.listed)


def _without_new_axes(base: ir.Array, parts: Parts, value: Value) -> ir.Array:
    """`x[None, :] = value`: an axis of length one more or less is the same memory."""
    rest = [p for p in parts if not (isinstance(p, ir.Static) and p.value is None)]
    new = as_array(value)
    if new.kind.shape:
        wide, plain = shape_of(base.kind.shape, parts), shape_of(base.kind.shape, rest)
        spread = code.call("jnp.broadcast_to", new.code, code.const(wide))
        new = ir.Array(code.method(spread, "reshape", code.const(plain)), new.kind.shaped(*plain))
    return write_array(base, tuple(rest) or (ir.Static(slice(None)),), new)


def _write_masked(base: ir.Array, parts: Parts, value: Value) -> ir.Array:
    """`base[mask] = value`."""
    mask = as_array(parts[0]) if len(parts) == 1 else mask_of(base, parts)
    shown = code.with_axes(mask.code, len(base.kind.shape) - len(mask.kind.shape))
    new = _as_picked(base, mask, value, several=len(parts) == 1)
    return ir.Array(code.call("jnp.where", shown, cast_in(new, base).code, base.code), base.kind, base.listed)


def _as_picked(base: ir.Array, mask: ir.Array, value: Value, several: bool) -> ir.Array:
    """The values for the elements that a mask selects; `several`: there may be one for each."""
    if isinstance(value, ir.Masked) and code.same(value.mask.code, flat_mask(mask).code):
        return ir.Array(code.method(value.array.code, "reshape", code.const(base.kind.shape)), base.kind)
    new = counted(value).array if isinstance(value, ir.Counted | ir.Masked) else as_array(value)
    if _fits(new.kind.shape, base.kind.shape[len(mask.kind.shape) :]):
        return new
    if not several:
        raise RefusedError("an array is written to through a mask along one of several axes")
    return _in_order(base, mask, new)


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, wanted) == wanted
    except ValueError:
        return False


def _in_order(base: ir.Array, mask: ir.Array, values: ir.Array) -> ir.Array:
    """Scatter values to the places where a mask holds, in order."""
    if mask.kind.shape != base.kind.shape or len(values.kind.shape) != 1:
        raise RefusedError("several values are written through a mask, which is not supported here")
    place: Code = code.binary(code.call("jnp.cumsum", mask.code), ast.Sub(), code.const(1))
    if len(base.kind.shape) > 1:
        place = code.method(place, "reshape", code.const(base.kind.shape))
    return ir.Array(code.index(values.code, place), values.kind.shaped(*base.kind.shape))


def _write_span(base: ir.Array, parts: Parts, value: Value) -> ir.Array:
    """`base[low:high] = value`, with run-time bounds."""
    others = [p for p in parts if not isinstance(p, ir.Span)]
    if others and len(others) == len(parts) - 1 == len(base.kind.shape) - 1 and all(map(is_number, others)):
        row = tuple(
            ir.Static(slice(None)) if isinstance(p, ir.Span) else p for p in parts
        )  # of which a part is written to
        part = next(p for p in parts if isinstance(p, ir.Span))
        return write_array(base, row, write_array(as_array(of_array(base, row)), (part,), value))
    mask = mask_of(base, parts)
    new = _as_picked(base, mask, value, several=len(base.kind.shape) == 1)
    return ir.Array(code.call("jnp.where", mask.code, cast_in(new, base).code, base.code), base.kind, base.listed)


def cast_in(new: ir.Array, base: ir.Array) -> ir.Array:
    """A value in the dtype of the array it is written to."""
    fits = new.weak and not new.kind.shape and not new.kind.is_float and not base.kind.is_bool
    return new if fits else cast(new, base.kind.dtype)


def _write_counted(base: ir.Array, places: ir.Counted | ir.Masked, new: ir.Array) -> ir.Array:
    """`base[places] = value` for variable-length places: unused ones lie out of bounds and are dropped."""
    chosen = masked(places)
    size = math.prod(base.kind.shape[:1])
    where = code.call("jnp.where", chosen.mask.code, chosen.array.code, code.const(size))
    at = code.index(code.attribute(base.code, "at"), where)
    return ir.Array(code.method(at, "set", new.code, mode=code.const("drop")), base.kind, base.listed)


def _ends(part: ast.Slice) -> list[Code]:
    ends = [part.lower, part.upper, part.step]
    if part.step is None:
        ends.pop()
    return (
        [code.const(None) if end is None else end for end in ends]
        if part.lower or part.upper or part.step
        else [code.const(None)]
    )
