"""Slices whose ends are numbers of the game."""

from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.sums import difference
from envwright.compiler.ir.values import (
    Span,
    Static,
    Value,
    as_array,
)
from envwright.compiler.refusal import RefusedError


def span(frame: Frame, ends: list[Value]) -> Value:
    """`low:high:step`, or an object `slice(low, high, step)`, which means the same between brackets."""
    try:
        return Static(slice(*(None if known(end) is None else int(known(end)) for end in ends)))
    except RefusedError:
        return _moving(frame, ends)


def slice_object(frame: Frame, arguments: list[Value]) -> Value:
    """`slice(high)`, `slice(low, high)`, `slice(low, high, step)`."""
    given = [frame.memory.deep(a) for a in arguments]
    ends = [Static(None), *given] if len(given) == 1 else given
    return span(frame, [*ends, Static(None)][:3])


def _moving(frame: Frame, ends: list[Value]) -> Value:
    """A slice whose ends are numbers of the game."""
    low, high, step = ends
    if isinstance(step, Static) and step.value in (None, 1) and not (isinstance(high, Static) and high.value is None):
        start = Static(0) if isinstance(low, Static) and low.value is None else low
        length = difference(frame, as_array(start).code, as_array(high).code)
        return Span(as_array(start), as_array(high), length if length is not None and length >= 0 else None)
    if isinstance(step, Static) and step.value in (None, 1):
        return Span(as_array(low), None)
    raise RefusedError("a slice whose ends change in the game, with a step, is not covered")
