"""Comparisons with constants that float32 cannot represent: rounded so that the answer is that of float64."""

import ast

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame


def exact_side(frame: CallFrame, how: ast.cmpop, a: ir.Array, b: ir.Array) -> Code:
    """The right side `b`; a constant that float32 cannot hold is rounded so that the answer is that of float64.

    Not so if the constant is also a value that the game takes on, as a limit that is clipped to: then both are rounded
    to the nearest.
    """
    value = _value(frame, b)
    if value is None or _value(frame, a) is not None or not a.kind.is_float or not np.isfinite(value):
        return b.code
    if float(np.float32(value)) == value or value in frame.program.flowing or -value in frame.program.flowing:
        return b.code
    if isinstance(how, ast.Gt | ast.LtE):
        return code.call("round_down", b.code)
    return code.call("round_up", b.code) if isinstance(how, ast.Lt | ast.GtE) else b.code


def _value(frame: CallFrame, array: ir.Array) -> float | None:
    """The number that an expression of constants evaluates to."""
    if array.kind.shape != () or not array.weak or code.names_arrays(array.code):
        return None
    try:
        return float(eval(code.text(array.code), {"__builtins__": {}}, dict(frame.program.constants)))
    except Exception:  # not made of numbers alone
        return None
