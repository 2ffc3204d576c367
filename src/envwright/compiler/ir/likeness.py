"""Whether objects in lists are the same, or equal, or true; whether something is None."""

import ast
import dataclasses
from typing import Any

from envwright.compiler.ir import code, tables
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.heaps import Heap, called, heap_of, number_of
from envwright.compiler.ir.kinds import BOOL, Kind
from envwright.compiler.ir.values import Array, Maybe, Picked, Static, Value, as_array
from envwright.compiler.refusal import RefusedError


def compared(frame: Frame, how: ast.cmpop, left: Value, right: Value) -> Value:
    """Two objects: whether they are the same, or equal."""
    if isinstance(left, Maybe) or isinstance(right, Maybe):
        raise RefusedError("an object is compared with one that may not be there")
    heap = heap_of(frame.memory, left) or heap_of(frame.memory, right)
    assert heap is not None
    if isinstance(how, ast.Is | ast.IsNot):
        one, other = (number_of(frame, heap, side) for side in (left, right))
        found = Array(code.compare(one.code, ast.Eq(), other.code), Kind(BOOL))
    elif isinstance(how, ast.Eq | ast.NotEq):
        found = same(frame, *(number_of(frame, heap, side) for side in (left, right)))
    else:
        raise RefusedError("objects are put in order by a rule of their own")
    return Array(code.negated(found.code), Kind(BOOL)) if isinstance(how, ast.IsNot | ast.NotEq) else found


def both_maybe(how: ast.cmpop, left: Maybe, right: Maybe, equal: Array) -> Array:
    """Two things that may be None: equal, if both are, or neither, and then what they are."""
    alike = code.compare(left.present.code, ast.Eq(), right.present.code)
    nothing = code.negated(left.present.code)
    found = code.both(alike, code.binary(nothing, ast.BitOr(), equal.code))
    return Array(code.negated(found) if isinstance(how, ast.NotEq) else found, Kind(BOOL))


def with_none(frame: Frame, how: ast.cmpop, other: Value) -> Value:
    """`other is None`, `other == None` and their opposites."""
    asked = isinstance(how, ast.Is | ast.Eq)
    if isinstance(other, Maybe):
        return Array(code.negated(other.present.code) if asked else other.present.code, Kind(BOOL))
    if isinstance(other, Picked):
        return tables.asks(frame.program, other, lambda one: (one is None) == asked)
    return Static(not asked)


def truth(frame: Frame, number: Array) -> Value:
    """`if thing:`. An object is true, unless its class says something else."""
    made = frame.program.heaps[number.kind.of].made
    if made is not dict and not issubclass(made, tuple) and (hasattr(made, "__bool__") or hasattr(made, "__len__")):
        raise RefusedError(f"whether an object of the class {made.__name__} is true is a rule of its own")
    return Static(True)


def same(frame: Frame, one: Array, other: Array) -> Array:
    """Which objects are equal: those that are the same, or, if their class compares what they hold, hold the same."""
    heap = frame.program.heaps[one.kind.of]
    shape = one.kind.shape or other.kind.shape
    if other.kind.of != heap.number:
        raise RefusedError(f"{called(heap)} is compared with something else")
    if heap.made is not dict and heap.made.__eq__ is object.__eq__:
        return Array(code.compare(one.code, ast.Eq(), other.code), Kind(BOOL, shape))
    tuples = issubclass(heap.made, tuple) and heap.made.__eq__ is tuple.__eq__
    generated = heap.made is dict or tuples or (dataclasses.is_dataclass(heap.made) and _compares_all(heap))
    if not generated or any(heap.kind(name).shape[1:] for name in heap.columns):
        raise RefusedError(f"{called(heap)} is compared by rules of its own")
    made: code.Code | None = None
    for name in heap.columns:
        column = as_array(frame.memory.attributes[heap.number, name]).code
        equal = code.compare(code.index(column, one.code), ast.Eq(), code.index(column, other.code))
        made = equal if made is None else code.both(made, equal)
    assert made is not None
    return Array(made, Kind(BOOL, shape))


def _compares_all(heap: Heap) -> bool:
    """Whether a dataclass compares field by field, and has no others."""
    own: Any = vars(heap.made).get("__eq__")
    fields = {f.name for f in dataclasses.fields(heap.made) if f.compare}
    return getattr(own, "__qualname__", "").endswith(f"{heap.made.__name__}.__eq__") and fields == set(heap.columns)
