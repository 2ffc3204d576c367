"""Functions of table entries that are picked at run time: computed at compile time, for all entries."""

import ast
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from envwright.compiler.ir import code, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.ir.values import Value, as_array

MOST = 4096  # combinations that are computed beforehand
QUARTERS = 4  # of an iteration
METHODS = {  # of strings, tuples, lists and arrays, that change nothing
    "count", "index", "find", "upper", "lower", "startswith", "endswith", "isupper", "islower", "isalpha", "isdigit",
    "strip", "split", "replace", "sum", "any", "all", "min", "max", "tolist",
}  # fmt: skip


def applied(
    program: TranslationUnit, function: Callable[..., Any], arguments: Sequence[Value], name: str
) -> Value | None:
    """`function(*arguments)`, evaluated for all table entries; None if an argument is a run-time value. Where the
    original would raise, the entry may be anything."""
    picked = [a for a in arguments if isinstance(a, ir.Picked)]
    if not picked or not all(isinstance(a, ir.Picked | ir.Static) for a in arguments):
        return None
    shape = tuple(size for one in picked for size in one.table.shape)
    if np.prod(shape) > MOST:
        return None
    table, good = np.empty(shape, object), None
    for places in itertools.product(*(np.ndindex(*one.table.shape) for one in picked)):
        chosen = iter([one.table[place] for one, place in zip(picked, places, strict=True)])
        given = [next(chosen) if isinstance(a, ir.Picked) else a.value for a in arguments]  # pyright: ignore
        try:
            good = table[tuple(i for place in places for i in place)] = function(*given)
        except Exception:  # whatever the original would raise
            continue
    if good is None:
        return None
    for place in np.ndindex(*shape):
        table[place] = good if table[place] is None else table[place]
    index = tuple(part for one in picked for part in one.index)
    return tables.settle(program, ir.Picked(table, index, f"{picked[0].name}_{name}"))


def turned(program: TranslationUnit, picked: ir.Picked, times: ir.Array) -> Value:
    """`np.rot90(picked, times)`: one of four orientations."""
    table = np.empty((*picked.table.shape, QUARTERS), object)
    for place in np.ndindex(*table.shape):
        table[place] = np.rot90(picked.table[place[:-1]], place[-1])
    way = code.binary(as_array(times).code, ast.Mod(), code.const(QUARTERS))
    return tables.settle(program, ir.Picked(table, (*picked.index, way), f"{picked.name}_turned"))
