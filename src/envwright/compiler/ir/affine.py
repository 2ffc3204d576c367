"""Affine expressions: whether two expressions differ by a constant, and by how much at most."""

import ast

import numpy as np

from envwright.compiler.ir.code import Code, text
from envwright.compiler.ir.frame import CallFrame


def difference(frame: CallFrame, low: Code, high: Code) -> int | None:
    """`high - low`, if it is a constant."""
    (terms, first), (others, second) = sum_of(frame, low), sum_of(frame, high)
    return int(second - first) if terms == others else None


def max_difference(frame: CallFrame, low: Code, high: Code) -> int | None:
    """An upper bound of `high - low`, if there is one: also for `min(n, x + 2)` and `max(0, x - 1)`."""
    lows, highs = _either(frame, low, "jnp.maximum"), _either(frame, high, "jnp.minimum")
    known = [found for a in lows for b in highs if (found := difference(frame, a, b)) is not None]
    return min(known) if known else None


def _either(frame: CallFrame, value: Code, function: str) -> list[Code]:
    """The expression, and the operands of a nested maximum or minimum."""
    unwrapped = frame.writer.meaning(value)
    if isinstance(unwrapped, ast.Call) and text(unwrapped.func) == function:
        return [value, *(inner for part in unwrapped.args for inner in _either(frame, part, function))]
    return [value]


def sum_of(frame: CallFrame, value: Code) -> tuple[dict[str, int], int]:
    """An expression as a linear combination of terms, and a constant."""
    value = frame.writer.meaning(value)
    if isinstance(value, ast.Constant) and isinstance(value.value, int):
        return {}, value.value
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        inner, rest = sum_of(frame, value.operand)
        return {name: -times for name, times in inner.items()}, -rest
    if isinstance(value, ast.Call) and text(value.func) == "jnp.int32" and isinstance(value.args[0], ast.Constant):
        return {}, int(value.args[0].value)  # pyright: ignore[reportArgumentType]
    if isinstance(value, ast.Name) and isinstance(number := frame.program.constants.get(value.id), int | np.integer):
        return {}, int(number)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        sign = 1 if isinstance(value.op, ast.Add) else -1
        (left, first), (right, second) = sum_of(frame, value.left), sum_of(frame, value.right)
        terms = {name: left.get(name, 0) + sign * right.get(name, 0) for name in {*left, *right}}
        return {name: times for name, times in terms.items() if times}, first + sign * second
    return {text(value): 1}, 0
