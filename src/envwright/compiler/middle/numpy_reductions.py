"""Sums and the like over those elements of a list of changing length that are there."""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, FLOAT, INT, Kind
from envwright.compiler.ir.lists import counted, in_use
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Masked,
    Value,
    as_array,
    cast,
)
from envwright.compiler.middle.numpy_generic import Options, generic

REDUCTIONS = {
    "sum",
    "prod",
    "min",
    "max",
    "amin",
    "amax",
    "any",
    "all",
    "mean",
    "count_nonzero",
    "argmax",
    "argmin",
    "size",
}


def reduce(frame: Frame, name: str, value: Value, axis: Any) -> Value:
    """A sum and the like over those elements that are there."""
    if isinstance(value, Array):
        return generic(name, [value], {})
    mask = value.mask if isinstance(value, Masked) else in_use(value)  # pyright: ignore[reportArgumentType]
    array: Array = value.array  # pyright: ignore[reportAttributeAccessIssue]
    if name in ("any", "count_nonzero") or (name == "all"):
        flags = array.code if array.kind.is_bool else code.compare(array.code, ast.NotEq(), code.const(0))
        if name == "all":
            return Array(code.call("jnp.all", code.binary(flags, ast.BitOr(), code.negated(mask.code))), Kind(BOOL))
        held = code.both(flags, mask.code)
        return Array(code.call("jnp.any" if name == "any" else "jnp.sum", held), Kind(BOOL if name == "any" else INT))
    if name == "mean":
        total = as_array(reduce(frame, "sum", value, axis))
        count = code.call("jnp.sum", mask.code)
        return Array(code.binary(total.code, ast.Div(), count), Kind(FLOAT))
    array = cast(array, INT) if array.kind.is_bool else array
    fills: dict[str, Code] = {"sum": code.const(0), "prod": code.const(1)}
    low, high = _ends(array.kind)
    fills |= {"max": low, "argmax": low, "min": high, "argmin": high}
    held = code.call("jnp.where", mask.code, array.code, fills[name])
    dtype = INT if name.startswith("arg") else array.kind.dtype
    return Array(code.call(f"jnp.{name}", held), Kind(dtype))


def _ends(kind: Kind) -> tuple[Code, Code]:
    if kind.is_float:
        return code.negative(code.dotted("jnp.inf")), code.dotted("jnp.inf")
    info = np.iinfo(kind.dtype)
    return code.const(int(info.min) + (1 if info.min < 0 else 0)), code.const(int(info.max))


def extreme(name: str) -> Callable[[Frame, list[Value], Options], Value]:
    def find(frame: Frame, arguments: list[Value], options: Options) -> Value:
        value = arguments[0]
        if isinstance(value, Items) and len(value.items) == 1 and isinstance(value.items[0], Counted | Masked):
            value = value.items[0]
        if isinstance(value, Counted | Masked):
            return reduce(frame, name, value, None)
        return generic(name, [value, *arguments[1:]], options)

    return find


def first_extreme(name: str) -> Callable[[Frame, list[Value], Options], Value]:
    def find(frame: Frame, arguments: list[Value], options: Options) -> Value:
        if isinstance(arguments[0], Counted | Masked):
            return reduce(frame, name, arguments[0], None)
        return generic(name, arguments, options)

    return find


def over_counted(name: str) -> Callable[[Frame, list[Value], Options], Value]:
    """Functions of each element, or of all before it: what lies behind the end does not matter."""

    def compute(frame: Frame, arguments: list[Value], options: Options) -> Value:
        value = arguments[0]
        if isinstance(value, Counted | Masked):
            full = counted(value)
            inner = generic(name, [full.array, *arguments[1:]], options)
            assert isinstance(inner, Array)
            return Counted(inner, full.count)
        return generic(name, arguments, options)

    return compute
