"""Reductions of variable-length lists."""

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.arithmetic import side_by_side
from envwright.compiler.ir.avals import BOOL, FLOAT, INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, flags_of
from envwright.compiler.ir.sorted_search import first_above
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, cast
from envwright.compiler.middle.numpy_generic import Options, generic
from envwright.compiler.refusal import RefusedError

REDUCTIONS = {
    "sum", "prod", "min", "max", "amin", "amax", "any", "all", "mean", "average", "std", "var", "count_nonzero",
    "argmax", "argmin", "size",
}  # fmt: skip


def reduce(name: str, value: Value, axis: Any = None) -> Value:
    """A reduction of the elements in use."""
    if isinstance(value, ir.Array):
        return generic(name, [value], {} if axis is None else {"axis": ir.Static(axis)})
    if isinstance(value, ir.Masked) and name.startswith("arg"):
        value = counted(value)  # the place is one among those that are picked
    mask = flags_of(value)  # pyright: ignore[reportArgumentType]
    array: ir.Array = value.array  # pyright: ignore[reportAttributeAccessIssue]
    if array.kind.of:
        raise RefusedError(f"{name} of objects is not supported")
    axes = len(array.kind.shape)
    if axis is not None:
        if isinstance(value, ir.Masked) and value.flat:
            raise RefusedError("a run-time-sized part of an array is reduced along an axis")
        if axis % axes:
            inner = generic(name, [array], {"axis": ir.Static(axis % axes)})
            return replace(side_by_side([value])[0], array=inner)  # pyright: ignore[reportArgumentType]
    for _ in range(axes - 1):
        mask = ir.Array(code.index(mask.code, code.const(...), code.const(None)), Aval(BOOL, (*mask.kind.shape, 1)))
    return _reduced(name, array, mask.code, axis is not None and axes > 1)


def _reduced(name: str, array: ir.Array, mask: Code, along: bool) -> ir.Array:
    """Over all elements, or `along` the first axis."""
    options = {"axis": code.const(0)} if along else {}
    shape = array.kind.shape[1:] if along else ()
    if name in ("any", "all", "count_nonzero"):
        flags = array.code if array.kind.is_bool else code.compare(array.code, ast.NotEq(), code.const(0))
        if name == "all":
            held = code.binary(flags, ast.BitOr(), code.negated(mask))
            return ir.Array(code.call("jnp.all", held, **options), Aval(BOOL, shape))
        kind, function = (BOOL, "jnp.any") if name == "any" else (INT, "jnp.sum")
        return ir.Array(code.call(function, code.both(flags, mask), **options), Aval(kind, shape))
    if name in ("std", "var"):
        return _spread(name, array, mask, along)
    if name in ("mean", "average"):
        total = _reduced("sum", array, mask, along)
        each = 1 if along else math.prod(array.kind.shape[1:])
        count = code.call("jnp.sum", mask)
        count = count if each == 1 else code.binary(count, ast.Mult(), code.const(each))
        return ir.Array(code.binary(total.code, ast.Div(), count), Aval(FLOAT, shape))
    array = cast(array, INT) if array.kind.is_bool else array
    fills: dict[str, Code] = {"sum": code.const(0), "prod": code.const(1)}
    low, high = ends(array.kind)
    fills |= {"max": low, "argmax": low, "min": high, "argmin": high}
    held = code.call("jnp.where", mask, array.code, fills[name])
    dtype = INT if name.startswith("arg") else array.kind.dtype
    return ir.Array(code.call(f"jnp.{name}", held, **options), Aval(dtype, shape))


def _spread(name: str, array: ir.Array, mask: Code, along: bool) -> ir.Array:
    """Variance or standard deviation, in two passes as NumPy computes it."""
    mean = _reduced("mean", array, mask, along)
    far = code.call("jnp.square", code.binary(array.code, ast.Sub(), mean.code))
    made = _reduced("mean", ir.Array(far, Aval(FLOAT, array.kind.shape)), mask, along)
    return made if name == "var" else ir.Array(code.call("jnp.sqrt", made.code), made.kind)


def axis_of(arguments: list[Value], options: Options) -> Any:
    """The axis of a reduction of a variable-length list; other options are refused."""
    rest = {key: value for key, value in options.items() if key != "axis"}
    if rest or len(arguments) > 2:
        raise RefusedError("options of a reduction over a variable-length list are not supported")
    return known(options.get("axis", arguments[1] if len(arguments) > 1 else ir.Static(None)))


def ends(kind: Aval) -> tuple[Code, Code]:
    """The least and the largest value of a dtype."""
    if kind.is_float:
        return code.negative(code.dotted("jnp.inf")), code.dotted("jnp.inf")
    info = np.iinfo(kind.dtype)
    return code.const(int(info.min) + (1 if info.min < 0 else 0)), code.const(int(info.max))


def extreme(name: str) -> Callable[[CallFrame, list[Value], Options], Value]:
    def find(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
        value = arguments[0]
        if isinstance(value, ir.Items) and len(value.items) == 1 and isinstance(value.items[0], ir.Counted | ir.Masked):
            value = value.items[0]
        if isinstance(value, ir.Counted | ir.Masked):
            return reduce(name, value, axis_of(arguments, options))
        return generic(name, [value, *arguments[1:]], options)

    return find


def first_extreme(name: str) -> Callable[[CallFrame, list[Value], Options], Value]:
    def find(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
        if isinstance(arguments[0], ir.Counted | ir.Masked):
            return reduce(name, arguments[0], axis_of(arguments, options))
        flags = arguments[0] if name == "argmax" and len(arguments) == 1 and not options else None
        if isinstance(flags, ir.Array) and (first := first_above(flags)) is not None:
            return first
        found = generic(name, arguments, options)
        return replace(found, natural=True) if isinstance(found, ir.Array) else found

    return find


def over_counted(name: str) -> Callable[[CallFrame, list[Value], Options], Value]:
    """Prefix functions: what lies beyond the count does not matter."""

    def compute(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
        value = arguments[0]
        if isinstance(value, ir.Counted | ir.Masked):
            full = counted(value)
            inner = generic(name, [full.array, *arguments[1:]], options)
            assert isinstance(inner, ir.Array)
            return ir.Counted(inner, full.count)
        return generic(name, arguments, options)

    return compute


def differences(frame: CallFrame, arguments: list[Value], options: Options) -> Value:
    """Of each element and the one before it; of a variable-length list there is one less, or none."""
    value = arguments[0]
    if not isinstance(value, ir.Counted | ir.Masked):
        return generic("diff", arguments, options)
    full = counted(value)
    if len(arguments) > 1 or options or full.array.kind.is_bool or len(full.array.kind.shape) > 1:
        raise RefusedError("np.diff of a variable-length list, with options or of more than numbers, is not supported")
    later, sooner = (
        code.index(full.array.code, code.span(*ends)) for ends in ((code.const(1), None), (None, code.const(-1)))
    )
    less = code.call("jnp.maximum", code.binary(full.count.code, ast.Sub(), code.const(1)), code.const(0))
    kind = full.array.kind.shaped(max(full.room - 1, 0))
    return ir.Counted(ir.Array(code.binary(later, ast.Sub(), sooner), kind), ir.Array(less, Aval(INT)))
