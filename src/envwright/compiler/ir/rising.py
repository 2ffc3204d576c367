"""Which numbers of a known table in rising order are above a number of the game: the first one is found by halving.

So chances are drawn: `np.argmax(np.cumsum(p) > u)`, where p is known.
"""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, FLOAT, INT, Kind, kind_of
from envwright.compiler.ir.program import LONG
from envwright.compiler.ir.values import Array, Static, Value


def above(frame: Frame, how: ast.cmpop, left: Value, right: Value) -> Array | None:
    """`table > number` or `number < table`, with what is needed to find the first of them."""
    for table, number, asked in ((left, right, ast.Gt), (right, left, ast.Lt)):
        if not isinstance(how, asked) or not isinstance(table, Static) or not _is_rising(table.value):
            continue
        if isinstance(number, Array) and number.kind == Kind(FLOAT):
            made = frame.program.constant("LIMITS", table.value)
            flags = Array(code.compare(made, ast.Gt(), number.code), Kind(BOOL, kind_of(table.value).shape))
            return replace(flags, rising=(made, number.code))
    return None


def first_above(flags: Array) -> Array | None:
    """`np.argmax(flags)`: the first that is above, or 0 if none is."""
    if flags.rising is None:
        return None
    table, number = flags.rising
    way = {"side": code.const("right"), "method": code.const("scan_unrolled")}
    found = code.call("jnp.searchsorted", table, number, **way)
    return Array(code.binary(found, ast.Mod(), code.const(flags.kind.shape[0])), Kind(INT), natural=True)


def _is_rising(table: object) -> bool:
    if not isinstance(table, np.ndarray) or table.ndim != 1 or table.size <= LONG or table.dtype.kind != "f":
        return False
    return bool((np.diff(table.astype(np.float32)) >= 0).all())
