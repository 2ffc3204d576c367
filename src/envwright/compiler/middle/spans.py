"""Slices whose ends are numbers of the game."""

import ast

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.values import (
    Array,
    Span,
    Static,
    Value,
    as_array,
)
from envwright.compiler.refusal import RefusedError


def moving_span(frame: Frame, ends: list[Value]) -> Value:
    """A slice whose ends are numbers of the game: its places, if it is always as long."""
    low, high, step = ends
    if isinstance(step, Static) and step.value in (None, 1) and not (isinstance(high, Static) and high.value is None):
        start = Static(0) if isinstance(low, Static) and low.value is None else low
        length = _difference(frame, as_array(start).code, as_array(high).code)
        if length is not None:
            places = code.call("jnp.arange", code.const(length))
            return Array(code.binary(as_array(start).code, ast.Add(), places), Kind(INT, (length,)), sliced=True)
        return Span(as_array(start), as_array(high))
    if isinstance(step, Static) and step.value in (None, 1):
        return Span(as_array(low), None)
    raise RefusedError("a slice whose ends change in the game, with a step, is not covered")


def _difference(frame: Frame, low: code.Code, high: code.Code) -> int | None:
    """`high - low`, if it is a known number: both are sums of the same terms."""
    (terms, first), (others, second) = _sum_of(frame, low), _sum_of(frame, high)
    return int(second - first) if terms == others and second >= first else None


def _sum_of(frame: Frame, value: code.Code) -> tuple[dict[str, int], int]:
    """An expression as a sum: how often each term is in it, and the known rest."""
    value = frame.writer.meaning(value)
    if isinstance(value, ast.Constant) and isinstance(value.value, int):
        return {}, value.value
    if isinstance(value, ast.Name) and isinstance(number := frame.program.constants.get(value.id), int | np.integer):
        return {}, int(number)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        sign = 1 if isinstance(value.op, ast.Add) else -1
        (left, first), (right, second) = _sum_of(frame, value.left), _sum_of(frame, value.right)
        terms = {name: left.get(name, 0) + sign * right.get(name, 0) for name in {*left, *right}}
        return {name: times for name, times in terms.items() if times}, first + sign * second
    return {code.text(value): 1}, 0
