"""Loops over a copy of a list: `for r in t[:]`. The copy is another list, but its rows are those of t."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import plus
from envwright.compiler.ir.trails import hold_copy, row_of_copy
from envwright.compiler.ir.twins import has_rows
from envwright.compiler.ir.values import Array, Counted, Items, Ref, Unknown, Value, View
from envwright.compiler.middle.flow import Execute, Flow
from envwright.compiler.middle.gone_through import ChangedError
from envwright.compiler.middle.turns import Evaluate, Turns, enumerated, turns_of


class Copy(NamedTuple):
    """What is gone through in place of a copy."""

    turns: Turns
    ref: Ref
    places: Code  # where its rows are in the list, at first
    numbered: bool = False


def rows_themselves(frame: Frame, node: ast.expr, evaluate: Evaluate) -> Copy | None:
    """The rows of the list that is copied, in the order of the copy."""
    match node:
        case ast.Call(ast.Name("enumerate"), [inner]):
            found = rows_themselves(frame, inner, evaluate)
            return found and found._replace(turns=enumerated(found.turns, 0), numbered=True)
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


def _last(length: Array) -> Code:
    return plus(length, -1).code


def _plus(i: Code, first: int) -> Code:
    return code.binary(i, ast.Add(), code.const(first)) if first else i


def _rows(
    frame: Frame, node: ast.expr, source: ast.expr, place: Callable[[Array, Code], Code], evaluate: Evaluate
) -> Copy | None:
    if not all(isinstance(n, ast.Name | ast.Attribute | ast.expr_context) for n in ast.walk(source)):
        return None  # what it computes may not be computed twice
    ref = evaluate(frame, source)
    content = frame.memory.see(ref) if isinstance(ref, Ref) else None
    if not isinstance(ref, Ref) or not isinstance(content, Counted) or not has_rows(content):
        return None
    memory = frame.memory
    frame.memory = memory.copy()
    copied = turns_of(frame, node, evaluate)
    frame.memory = memory  # nobody has the copy itself

    def element(i: Code) -> Value:
        return View(ref, (Array(place(content.count, i), Kind(INT), natural=True),))

    places = place(content.count, code.call("jnp.arange", code.const(content.room)))
    return Copy(Turns(None, element, copied.length, copied.count, lists=(ref,), reads=copied.reads), ref, places)


def of_moving_rows(frame: Frame, copied: Copy) -> tuple[Turns, int]:
    """The same, where rows of the list come and go meanwhile: those of the copy are followed; and its cell."""
    cell = hold_copy(frame, copied.ref, copied.places)

    def element(i: Code) -> Value:
        row = row_of_copy(frame, cell, i)
        return Items((Array(i, Kind(INT), natural=True), row)) if copied.numbered else row

    return replace(copied.turns, element=element, lists=()), cell


def followed(execute: Execute, cell: int) -> Execute:
    """Reads a body that changes a list only in ways in which its rows can be followed."""

    def reading(frame: Frame, body: Sequence[ast.stmt]) -> Flow:
        flow = execute(frame, body)
        for memory in flow.memories:
            if isinstance(lost := memory.cells.get(cell), Unknown):
                raise lost.why
        return flow

    return reading


def watched(execute: Execute, ref: Ref) -> Execute:
    """Reads a body in which no row of a list may move: else those of the copy would be others. A name for a row, which
    is anywhere in it, shows whether one does."""
    row = View(ref, (Array(code.name("anywhere"), Kind(INT)),))

    def reading(frame: Frame, body: Sequence[ast.stmt]) -> Flow:
        name = f" row {len(frame.memory.names)}"  # no name of Python's, and another one in a loop inside
        frame.memory.names[name] = row
        flow = execute(frame, body)
        for memory in flow.memories:
            if memory.names.pop(name, None) is not row:
                raise ChangedError("rows move in a list while a copy of it is gone through")
        return flow

    return reading
