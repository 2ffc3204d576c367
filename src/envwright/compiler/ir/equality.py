"""Identity, equality and truth of objects in lists; comparisons with None."""

import ast
import dataclasses
from typing import Any

from envwright.compiler.ir import code, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.object_arena import ObjectArena, arena_of, called, number_of
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.refusal import RefusedError


def compared(frame: CallFrame, how: ast.cmpop, left: Value, right: Value) -> Value:
    """Two objects: whether they are the same, or equal."""
    if isinstance(left, ir.Maybe) or isinstance(right, ir.Maybe):
        raise RefusedError("an object is compared with one that may be None")
    arena = arena_of(frame.memory, left) or arena_of(frame.memory, right)
    assert arena is not None
    if isinstance(how, ast.Is | ast.IsNot):
        one, other = (number_of(frame, arena, side) for side in (left, right))
        found = ir.Array(code.compare(one.code, ast.Eq(), other.code), Aval(BOOL))
    elif isinstance(how, ast.Eq | ast.NotEq):
        found = same(frame, *(number_of(frame, arena, side) for side in (left, right)))
    else:
        raise RefusedError("objects are ordered by a method of their class")
    return ir.Array(code.negated(found.code), Aval(BOOL)) if isinstance(how, ast.IsNot | ast.NotEq) else found


def both_maybe(how: ast.cmpop, left: ir.Maybe, right: ir.Maybe, equal: ir.Array) -> ir.Array:
    """Equality of two values that may be None."""
    alike = code.compare(left.present.code, ast.Eq(), right.present.code)
    nothing = code.negated(left.present.code)
    found = code.both(alike, code.binary(nothing, ast.BitOr(), equal.code))
    return ir.Array(code.negated(found) if isinstance(how, ast.NotEq) else found, Aval(BOOL))


def with_none(frame: CallFrame, how: ast.cmpop, other: Value) -> Value:
    """`other is None`, `other == None` and their opposites."""
    asked = isinstance(how, ast.Is | ast.Eq)
    if isinstance(other, ir.Maybe):
        return ir.Array(code.negated(other.present.code) if asked else other.present.code, Aval(BOOL))
    if isinstance(other, ir.Picked):
        return tables.asks(frame.program, other, lambda one: (one is None) == asked)
    return ir.Static(not asked)


def truth(frame: CallFrame, number: ir.Array) -> Value:
    """`if thing:`. An object is true, unless its class says something else."""
    made = frame.program.arenas[number.kind.of].made
    if made is not dict and not issubclass(made, tuple) and (hasattr(made, "__bool__") or hasattr(made, "__len__")):
        raise RefusedError(f"the class {made.__name__} defines its own truth value, which is not supported")
    return ir.Static(True)


def same(frame: CallFrame, one: ir.Array, other: ir.Array) -> ir.Array:
    """Equality of objects: identity, or field by field where the class compares so."""
    arena = frame.program.arenas[one.kind.of]
    shape = one.kind.shape or other.kind.shape
    if other.kind.of != arena.number:
        raise RefusedError(f"{called(arena)} is compared with something else")
    if arena.made is not dict and arena.made.__eq__ is object.__eq__:
        return ir.Array(code.compare(one.code, ast.Eq(), other.code), Aval(BOOL, shape))
    tuples = issubclass(arena.made, tuple) and arena.made.__eq__ is tuple.__eq__
    generated = arena.made is dict or tuples or (dataclasses.is_dataclass(arena.made) and _compares_all(arena))
    if not generated or any(arena.kind(name).shape[1:] for name in arena.columns):
        raise RefusedError(f"{called(arena)} defines its own comparison, which is not supported")
    made: code.Code | None = None
    for name in arena.columns:
        column = as_array(frame.memory.attributes[arena.number, name]).code
        equal = code.compare(code.index(column, one.code), ast.Eq(), code.index(column, other.code))
        made = equal if made is None else code.both(made, equal)
    assert made is not None
    return ir.Array(made, Aval(BOOL, shape))


def _compares_all(arena: ObjectArena) -> bool:
    """Whether a dataclass compares field by field, and has no others."""
    own: Any = vars(arena.made).get("__eq__")
    fields = {f.name for f in dataclasses.fields(arena.made) if f.compare}
    return getattr(own, "__qualname__", "").endswith(f"{arena.made.__name__}.__eq__") and fields == set(arena.columns)
