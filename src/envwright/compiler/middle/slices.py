"""Slices with run-time bounds."""

from envwright.compiler.ir import values as ir
from envwright.compiler.ir.affine import difference
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.refusal import RefusedError


def span(frame: CallFrame, ends: list[Value]) -> Value:
    """`low:high:step`, or an object `slice(low, high, step)`, which means the same between brackets."""
    try:
        return ir.Static(slice(*(None if known(end) is None else int(known(end)) for end in ends)))
    except RefusedError:
        return _moving(frame, ends)


def slice_object(frame: CallFrame, arguments: list[Value]) -> Value:
    """`slice(high)`, `slice(low, high)`, `slice(low, high, step)`."""
    given = [frame.memory.deep(a) for a in arguments]
    ends = [ir.Static(None), *given] if len(given) == 1 else given
    return span(frame, [*ends, ir.Static(None)][:3])


def _moving(frame: CallFrame, ends: list[Value]) -> Value:
    """A slice whose ends are run-time values."""
    low, high, step = ends
    if (
        isinstance(step, ir.Static)
        and step.value in (None, 1)
        and not (isinstance(high, ir.Static) and high.value is None)
    ):
        start = ir.Static(0) if isinstance(low, ir.Static) and low.value is None else low
        length = difference(frame, as_array(start).code, as_array(high).code)
        return ir.Span(as_array(start), as_array(high), length if length is not None and length >= 0 else None)
    if isinstance(step, ir.Static) and step.value in (None, 1):
        return ir.Span(as_array(low), None)
    raise RefusedError("a slice with run-time bounds and a step is not supported")
