"""NumPy functions that differ from jax.numpy's, or take variable-length lists."""

import ast
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, FLOAT, INT, Aval, is_number, narrow, promote
from envwright.compiler.ir.dtypes import dtype_code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import concatenate, counted, in_use
from envwright.compiler.ir.operators import numbers
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array, cast, stack
from envwright.compiler.middle.attributes import flow
from envwright.compiler.middle.numpy_generic import Options, generic
from envwright.compiler.middle.numpy_reductions import differences, ends, extreme, first_extreme, over_counted
from envwright.compiler.refusal import RefusedError


def note_constants(frame: CallFrame, values: list[Value]) -> None:
    for value in values:
        if isinstance(value, ir.Static) and is_number(value.value):
            for number in np.ravel(value.value):
                flow(frame, float(number) if isinstance(number, np.floating) else number)


def astype(value: Value, dtype: Value) -> Value:
    wanted = known(dtype)
    if isinstance(value, ir.Masked):
        return replace(value, array=cast(value.array, narrow(wanted)), shared=False)
    if isinstance(value, ir.Counted):
        return ir.Counted(cast(value.array, narrow(wanted)), value.count)
    if isinstance(value, ir.Static):
        return ir.Static(np.asarray(value.value).astype(wanted))
    array = as_array(value)
    if array.kind.letters:
        raise RefusedError("strings are parsed as numbers")
    if np.dtype(wanted).kind not in "biuf":
        raise RefusedError("numbers are converted to strings")
    if wanted == np.float32 and array.kind.is_float and not array.weak:
        rounded = code.method(array.code, "astype", code.dotted("jnp.float32"))  # in double precision, too
        return ir.Array(rounded, array.kind)
    return cast(ir.Array(array.code, array.kind, weak=array.weak), narrow(wanted))


def _array(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    """`np.array(...)`: a copy, perhaps in another type."""
    value = arguments[0]
    dtype = options.get("dtype", arguments[1] if len(arguments) > 1 else ir.Static(None))
    if isinstance(value, ir.Counted | ir.Masked):
        full = counted(value)
        array = ir.Array(full.array.code, full.array.kind)
        return ir.Counted(array if known(dtype) is None else cast(array, narrow(known(dtype))), full.count)
    wanted = None if known(dtype) is None else narrow(known(dtype))
    if isinstance(value, ir.Items):
        array = stack(value, wanted)
        return ir.Array(array.code, array.kind)
    array = as_array(value)
    array = ir.Array(array.code, array.kind, weak=array.weak)
    return array if wanted is None else cast(array, wanted)


def _full(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    shape = known(options.get("shape", arguments[0]))
    value = as_array(options.get("fill_value", arguments[1] if len(arguments) > 1 else ir.Static(0)))
    dtype = options.get("dtype", arguments[2] if len(arguments) > 2 else ir.Static(None))
    wanted = value.kind.dtype if known(dtype) is None else narrow(known(dtype))
    size = tuple(shape) if isinstance(shape, tuple | list) else (int(shape),)
    made = code.call("jnp.full", code.const(size), value.code, dtype_code(wanted))
    return ir.Array(made, Aval(wanted, size))


def _like(name: str) -> Callable[[CallFrame, list[Value], Options], Value]:
    def make(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
        array = as_array(arguments[0])
        dtype = options.get("dtype", ir.Static(None))
        wanted = array.kind.dtype if known(dtype) is None else narrow(known(dtype))
        plain = {"empty_like": "zeros_like"}.get(name, name).removesuffix("_like")
        shape = code.const(array.kind.shape if len(array.kind.shape) != 1 else array.kind.shape[0])
        fill = [as_array(arguments[1]).code] if name == "full_like" else []
        made = code.call(f"jnp.{plain}", shape, *fill, dtype_code(wanted))
        return ir.Array(made, Aval(wanted, array.kind.shape))

    return make


def _where(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    """With one argument, the indices where it holds; with three, a select."""
    if len(arguments) == 3:
        return generic("where", arguments, options)
    mask = as_array(arguments[0])
    if not mask.kind.is_bool:
        mask = ir.Array(code.compare(mask.code, ast.NotEq(), code.const(0)), Aval(BOOL, mask.kind.shape))
    flat = int(np.prod(mask.kind.shape))
    if len(mask.kind.shape) == 1:
        places = ir.Array(code.call("jnp.arange", code.const(flat)), Aval(INT, (flat,)))
        return ir.Items((ir.Masked(places, mask),))
    spread = code.method(mask.code, "ravel")
    kept = ir.Array(spread, Aval(BOOL, (flat,)))
    places = (_places(mask.kind.shape, axis) for axis in range(len(mask.kind.shape)))
    return ir.Items(tuple(ir.Masked(ir.Array(p, Aval(INT, (flat,)), natural=True), kept) for p in places))


def _places(shape: tuple[int, ...], axis: int) -> code.Code:
    """The index of each element along an axis."""
    step = math.prod(shape[axis + 1 :])
    made = code.call("jnp.arange", code.const(math.prod(shape)))
    made = made if step == 1 else code.binary(made, ast.FloorDiv(), code.const(step))
    return made if axis == 0 else code.binary(made, ast.Mod(), code.const(shape[axis]))


def _argwhere(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    found = _where(frame, arguments, options)
    assert isinstance(found, ir.Items)
    parts = [m for m in found.items if isinstance(m, ir.Masked)]
    made = code.call("jnp.stack", code.list_of(p.array.code for p in parts), axis=code.const(-1))
    length = parts[0].array.kind.shape[0]
    return ir.Masked(ir.Array(made, Aval(INT, (length, len(parts)))), parts[0].mask)


def _flatnonzero(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    array = as_array(arguments[0])
    flat = ir.Array(code.method(array.code, "ravel"), Aval(array.kind.dtype, (int(np.prod(array.kind.shape)),)))
    found = _where(frame, [flat], {})
    assert isinstance(found, ir.Items)
    return found.items[0]


def _append(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    first, second = (as_array(a) for a in arguments[:2])
    if first.kind.shape and second.kind.shape == ():
        second = ir.Array(code.list_of([second.code]), Aval(second.kind.dtype, (1,)), weak=second.weak)
        made = code.call("jnp.append", first.code, second.code.elts[0])  # pyright: ignore[reportAttributeAccessIssue]
        dtype = (
            promote(first.kind, second.kind, first.weak, second.weak)
            if first.kind.dtype != second.kind.dtype
            else first.kind.dtype
        )
        return ir.Array(made, Aval(dtype, (first.kind.shape[0] + 1,)))
    return generic("append", arguments, options)


def _ravel_index(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    parts, shape = arguments[0], known(arguments[1])
    items = parts.items if isinstance(parts, ir.Items) else None
    if items is None:
        array = as_array(parts)
        items = [ir.Array(code.index(array.code, code.const(i)), Aval(INT)) for i in range(array.kind.shape[0])]
    made: ir.Array = as_array(items[0])
    for part, size in zip(items[1:], shape[1:], strict=True):
        made = numbers(ast.Add(), numbers(ast.Mult(), made, as_array(ir.Static(int(size)))), as_array(part))
    return made


def _unravel_index(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    place, shape = as_array(arguments[0]), known(arguments[1])
    parts: list[Value] = []
    for i, size in enumerate(shape):
        step = int(np.prod(shape[i + 1 :]))
        part = place if step == 1 else numbers(ast.FloorDiv(), place, as_array(ir.Static(step)))
        parts.append(part if i == 0 else numbers(ast.Mod(), part, as_array(ir.Static(int(size)))))
    return ir.Items(tuple(parts))


def _isscalar(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    return ir.Static(as_array(arguments[0]).kind.shape == ())


def _shape(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    return ir.Static(as_array(arguments[0]).kind.shape)


def _stack(name: str) -> Callable[[CallFrame, list[Value], Options], Value]:
    def make(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
        rows = arguments[0]
        if isinstance(rows, ir.Items) and any(isinstance(row, ir.Counted | ir.Masked) for row in rows.items):
            if name == "concatenate":
                made = rows.items[0]
                for row in rows.items[1:]:
                    made = concatenate(frame.memory, made, row)
                return made
            return rows  # rows of one changing length: each for itself
        return generic(name, arguments, options)

    return make


def _unique(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    """Each value once, in order: of equal ones, the first is kept."""
    counts = known(options.get("return_counts", ir.Static(False)))
    if len(arguments) > 1 or options.keys() - {"return_counts"}:
        raise RefusedError("np.unique with options is not supported")
    value = arguments[0]
    full = counted(value) if isinstance(value, ir.Counted | ir.Masked) else counted(_raveled(as_array(value)))
    if len(full.array.kind.shape) != 1:
        raise RefusedError("np.unique of rows is not supported")
    array, kind = full.array, Aval(BOOL, full.array.kind.shape)
    used = in_use(full).code if isinstance(value, ir.Counted | ir.Masked) else None
    if used is not None:
        array = replace(array, code=code.call("jnp.where", used, array.code, ends(array.kind)[1]))
    line = code.name(frame.bind("sorted", code.call("jnp.sort", array.code), auto=True))
    first = code.call("jnp.array", code.list_of([code.const(True)]))
    rest = (code.index(line, code.span(*ends_)) for ends_ in ((code.const(1), None), (None, code.const(-1))))
    keep = code.call("jnp.append", first, code.compare(next(rest), ast.NotEq(), next(rest)))
    keep = keep if used is None else code.both(keep, used)
    found = ir.Masked(ir.Array(line, array.kind), ir.Array(keep, kind))
    if not counts:
        return found
    same = code.compare(code.index(line, code.span(), code.const(None)), ast.Eq(), line)
    same = same if used is None else code.both(same, used)
    often = code.call("jnp.sum", same, axis=code.const(1))
    return ir.Items((found, ir.Masked(ir.Array(often, Aval(INT, array.kind.shape)), ir.Array(keep, kind))))


def _raveled(array: ir.Array) -> ir.Array:
    size = int(np.prod(array.kind.shape))
    return (
        ir.Array(code.method(array.code, "ravel"), Aval(array.kind.dtype, (size,))) if array.kind.shape[1:] else array
    )


def _bincount(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    """How often each number is there; up to which one must be known."""
    length = known(options.get("minlength", arguments[2] if len(arguments) > 2 else ir.Static(0)))
    if not length:
        raise RefusedError("np.bincount without minlength has a run-time length")
    weights = options.get("weights", arguments[1] if len(arguments) > 1 else ir.Static(None))
    numbers_, kind = as_array(arguments[0]), Aval(INT, (int(length),))
    if isinstance(weights, ir.Static) and weights.value is None:
        return ir.Array(code.call("jnp.bincount", numbers_.code, length=code.const(int(length))), kind)
    made = code.call("jnp.bincount", numbers_.code, as_array(weights).code, length=code.const(int(length)))
    return cast(ir.Array(made, Aval(FLOAT, kind.shape)), FLOAT)


def _norm(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    return generic("norm", arguments, options)


def _delete(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    """Without the element at a place."""
    array, place = arguments[0], arguments[1]
    axis = known(options.get("axis", arguments[2] if len(arguments) > 2 else ir.Static(None)))
    if isinstance(place, ir.Static) and not isinstance(array, ir.Counted | ir.Masked):
        return generic("delete", [array, place, ir.Static(axis)], {})
    if isinstance(array, ir.Counted | ir.Masked) or as_array(place).kind.shape or not as_array(place).kind.is_whole:
        raise RefusedError("np.delete of more than one run-time index is not supported")
    whole, where = as_array(array), as_array(place).code
    if axis not in (0, None) or (axis is None and len(whole.kind.shape) > 1):
        raise RefusedError("np.delete along another axis than the first is not supported")
    length = math.prod(whole.kind.shape[:1])
    if not as_array(place).natural:
        shifted = code.binary(where, ast.Add(), code.const(length))
        where = code.call("jnp.where", code.compare(where, ast.Lt(), code.const(0)), shifted, where)
    places = code.call("jnp.arange", code.const(length - 1))
    kept = code.binary(places, ast.Add(), code.compare(places, ast.GtE(), where))
    return ir.Array(code.index(whole.code, kept), Aval(whole.kind.dtype, (length - 1, *whole.kind.shape[1:])))


def _clip(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    low = options.pop("a_min", options.pop("min", arguments[1] if len(arguments) > 1 else ir.Static(None)))
    high = options.pop("a_max", options.pop("max", arguments[2] if len(arguments) > 2 else ir.Static(None)))
    note_constants(frame, [low, high])
    return generic("clip", [arguments[0], low, high], {})


def _rot90(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    """By a run-time number of quarter turns: one of four."""
    quarters = arguments[1] if len(arguments) > 1 else options.get("k", ir.Static(1))
    array = as_array(arguments[0])
    if isinstance(quarters, ir.Static) or len(arguments) > 2 or "axes" in options:
        return generic("rot90", arguments, options)
    if len(array.kind.shape) < 2 or array.kind.shape[0] != array.kind.shape[1]:
        raise RefusedError("np.rot90 of an array that is not square, by a run-time number of turns")
    turned = [array.code, *(code.call("jnp.rot90", array.code, code.const(k)) for k in (1, 2, 3))]
    chosen = code.binary(as_array(quarters).code, ast.Mod(), code.const(4))
    return ir.Array(code.index(code.call("jnp.array", code.list_of(turned)), chosen), array.kind)


OWN: dict[str, Callable[[CallFrame, list[Value], Options], Value]] = {
    "array": _array, "asarray": _array, "asanyarray": _array, "copy": _array, "full": _full, "where": _where,
    "zeros_like": _like("zeros_like"), "ones_like": _like("ones_like"), "empty_like": _like("empty_like"),
    "full_like": _like("full_like"), "argwhere": _argwhere, "flatnonzero": _flatnonzero, "nonzero": _where,
    "max": extreme("max"), "min": extreme("min"), "amax": extreme("max"), "amin": extreme("min"), "append": _append,
    "ravel_multi_index": _ravel_index, "unravel_index": _unravel_index, "isscalar": _isscalar, "shape": _shape,
    "argmax": first_extreme("argmax"), "argmin": first_extreme("argmin"), "cumsum": over_counted("cumsum"),
    "stack": _stack("stack"), "diff": differences,
    "vstack": _stack("vstack"), "concatenate": _stack("concatenate"), "unique": _unique, "bincount": _bincount,
    "norm": _norm, "delete": _delete, "clip": _clip, "rot90": _rot90,
}  # fmt: skip
