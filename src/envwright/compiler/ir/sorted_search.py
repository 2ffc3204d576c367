"""Comparisons of a sorted constant table with a number: the first element above it is found by binary search.

So `np.argmax(np.cumsum(p) > u)` samples from a constant distribution.
"""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, FLOAT, INT, Aval, aval_of
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.unit import LONG
from envwright.compiler.ir.values import Value


def above(frame: CallFrame, how: ast.cmpop, left: Value, right: Value) -> ir.Array | None:
    """`table > number` or `number < table`, with the operands for `first_above`."""
    for table, number, asked in ((left, right, ast.Gt), (right, left, ast.Lt)):
        if not isinstance(how, asked) or not isinstance(table, ir.Static) or not _is_rising(table.value):
            continue
        if isinstance(number, ir.Array) and number.kind == Aval(FLOAT):
            made = frame.program.constant("LIMITS", table.value)
            flags = ir.Array(code.compare(made, ast.Gt(), number.code), Aval(BOOL, aval_of(table.value).shape))
            return replace(flags, rising=(made, number.code))
    return None


def first_above(flags: ir.Array) -> ir.Array | None:
    """`np.argmax(flags)`: the index of the first element above, or 0."""
    if flags.rising is None:
        return None
    table, number = flags.rising
    way = {"side": code.const("right"), "method": code.const("scan_unrolled")}
    found = code.call("jnp.searchsorted", table, number, **way)
    return ir.Array(code.binary(found, ast.Mod(), code.const(flags.kind.shape[0])), Aval(INT), natural=True)


def _is_rising(table: object) -> bool:
    if not isinstance(table, np.ndarray) or table.ndim != 1 or table.size <= LONG or table.dtype.kind != "f":
        return False
    return bool((np.diff(table.astype(np.float32)) >= 0).all())
