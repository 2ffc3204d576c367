"""Loops over a copy of a list, `for r in t[:]`: the copy is another list, but its rows are those of t."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import has_rows
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import plus
from envwright.compiler.ir.tracked_rows import row_of_copy, track_copy
from envwright.compiler.ir.values import Value
from envwright.compiler.middle.control_flow import ControlFlow, Execute
from envwright.compiler.middle.iteration_space import Evaluate, IterationSpace, enumerated, iteration_space_of
from envwright.compiler.middle.mutated_iteration import MutatedIterationError


class Copy(NamedTuple):
    """The iteration space of a loop over a copy."""

    iterations: IterationSpace
    ref: ir.Ref
    places: Code  # where its rows are in the list, at first
    numbered: bool = False


def rows_themselves(frame: CallFrame, node: ast.expr, evaluate: Evaluate) -> Copy | None:
    """The rows of the copied list, in the order of the copy."""
    match node:
        case ast.Call(ast.Name("enumerate"), [inner]):
            found = rows_themselves(frame, inner, evaluate)
            return found and found._replace(iterations=enumerated(found.iterations, 0), numbered=True)
        case ast.Call(ast.Name("list" | "tuple"), [source], []):
            return _rows(frame, node, source, lambda length, i: i, evaluate)
        case ast.Call(ast.Attribute(source, "copy"), [], []):
            return _rows(frame, node, source, lambda length, i: i, evaluate)
        case ast.Subscript(source, ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))):
            return _rows(frame, node, source, lambda length, i: code.binary(_last(length), ast.Sub(), i), evaluate)
        case ast.Subscript(source, ast.Slice(None | ast.Constant() as low, _, None)):
            first = low.value if low is not None else 0
            if isinstance(first, int):
                return _rows(frame, node, source, lambda length, i: _plus(i, first), evaluate)
    return None


def _last(length: ir.Array) -> Code:
    return plus(length, -1).code


def _plus(i: Code, first: int) -> Code:
    return code.binary(i, ast.Add(), code.const(first)) if first else i


def _rows(
    frame: CallFrame, node: ast.expr, source: ast.expr, place: Callable[[ir.Array, Code], Code], evaluate: Evaluate
) -> Copy | None:
    if not all(isinstance(n, ast.Name | ast.Attribute | ast.expr_context) for n in ast.walk(source)):
        return None  # what it computes may not be computed twice
    ref = evaluate(frame, source)
    content = frame.memory.see(ref) if isinstance(ref, ir.Ref) else None
    if not isinstance(ref, ir.Ref) or not isinstance(content, ir.Counted) or not has_rows(content):
        return None
    memory = frame.memory
    frame.memory = memory.copy()
    copied = iteration_space_of(frame, node, evaluate)
    frame.memory = memory  # nobody has the copy itself

    def element(i: Code) -> Value:
        return ir.IndexView(ref, (ir.Array(place(content.count, i), Aval(INT), natural=True),))

    places = place(content.count, code.call("jnp.arange", code.const(content.room)))
    return Copy(
        IterationSpace(None, element, copied.length, copied.count, lists=(ref,), reads=copied.reads), ref, places
    )


def of_moving_rows(frame: CallFrame, copied: Copy) -> tuple[IterationSpace, int]:
    """The same, where rows are added or removed meanwhile: those of the copy are tracked; and its location."""
    loc = track_copy(frame, copied.ref, copied.places)

    def element(i: Code) -> Value:
        row = row_of_copy(frame, loc, i)
        return ir.Items((ir.Array(i, Aval(INT), natural=True), row)) if copied.numbered else row

    return replace(copied.iterations, element=element, lists=()), loc


def followed(execute: Execute, loc: int) -> Execute:
    """Read a body that changes the list only in ways that can be tracked."""

    def reading(frame: CallFrame, body: Sequence[ast.stmt]) -> ControlFlow:
        flow = execute(frame, body)
        for memory in flow.memories:
            if isinstance(lost := memory.locs.get(loc), ir.Unknown):
                raise lost.why
        return flow

    return reading


def watched(execute: Execute, ref: ir.Ref) -> Execute:
    """Read a body in which no row of the list may move. A probe, a reference to a row at an unknown index, shows
    whether one does."""
    row = ir.IndexView(ref, (ir.Array(code.name("anywhere"), Aval(INT)),))

    def reading(frame: CallFrame, body: Sequence[ast.stmt]) -> ControlFlow:
        name = f" row {len(frame.memory.names)}"  # no name of Python's, and another one in a loop inside
        frame.memory.names[name] = row
        flow = execute(frame, body)
        for memory in flow.memories:
            if memory.names.pop(name, None) is not row:
                raise MutatedIterationError("rows of a list move while a copy of it is iterated over")
        return flow

    return reading
