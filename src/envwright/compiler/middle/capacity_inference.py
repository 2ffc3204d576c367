"""Capacity inference for lists and sets that grow in a loop, from a bound on its iterations."""

import ast
from dataclasses import replace
from typing import NamedTuple

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.affine import difference
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, longest_of
from envwright.compiler.ir.set_algebra import no_members, sized
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.values import Value, as_array, cast, common
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.refusal import RefusedError

LARGEST = 4096  # places of a list that grows in a loop


def max_iterations(frame: CallFrame, node: ast.While, after: list[Store]) -> int | None:
    """An upper bound of the iterations of a while loop: an increasing number is compared with a constant."""
    for asked in _conditions(node.test):
        match asked:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.LtE() as how], comparators=[end]):
                start = frame.memory.names.get(name)
                top = _top(frame, end, after)
                if top is None or not isinstance(start, ir.Static) or not isinstance(start.value, int):
                    continue
                if all(_climbs(frame, start, memory.names.get(name)) for memory in after):
                    return max(top - start.value + isinstance(how, ast.LtE), 0)
    return None


def max_lengths(frame: CallFrame, node: ast.While, after: list[Store]) -> dict[int, int]:
    """Upper bounds of lists that a while loop extends only while they are short."""
    found: dict[int, int] = {}
    for asked in _conditions(node.test):
        match asked:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
                ops=[ast.Lt() | ast.LtE() as how],
                comparators=[ast.Constant() | ast.Attribute() | ast.Name() as end],
            ):
                ref, top = frame.memory.names.get(name), _top(frame, end, after)
                if isinstance(ref, ir.Ref) and top is not None:
                    found[ref.loc] = top - isinstance(how, ast.Lt)
    return found


def _conditions(test: ast.expr) -> list[ast.expr]:
    """The conjuncts of a condition."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _top(frame: CallFrame, end: ast.expr, after: list[Store]) -> int | None:
    """An upper bound of a loop-invariant expression: a constant, or the length of a list."""
    before, tops = frame.memory, set[int | None]()
    for memory in (before, *after):
        frame.memory = memory.copy()
        try:
            match end:
                case ast.Call(func=ast.Name(id="len"), args=[ast.Name() | ast.Attribute() as inner]):
                    content = frame.memory.deep(evaluate(frame, inner))
                    tops.add(longest_of(content))
                case ast.Constant() | ast.Name() | ast.Attribute():
                    value = frame.memory.see(evaluate(frame, end))
                    tops.add(value.value if isinstance(value, ir.Static) and isinstance(value.value, int) else None)
                case _:
                    return None
        except RefusedError:
            return None
        finally:
            frame.memory = before
    return tops.pop() if len(tops) == 1 else None


def _climbs(frame: CallFrame, start: ir.Static, value: Value | None) -> bool:
    """Whether every iteration increases a number by at least 1."""
    return value is not None and isinstance(value, ir.Array | ir.Static) and _rises(frame, start, as_array(value).code)


def _rises(frame: CallFrame, start: ir.Static, value: Code) -> bool:
    unwrapped = frame.writer.meaning(value)
    if isinstance(unwrapped, ast.Call) and code.text(unwrapped.func) == "jnp.where":
        return all(_rises(frame, start, side) for side in unwrapped.args[1:])
    more = difference(frame, as_array(start).code, unwrapped)
    return more is not None and more >= 1


def is_list(value: Value) -> bool:
    """Whether it is a list that could have another length."""
    return isinstance(value, ir.Counted | ir.Masked) or (isinstance(value, ir.Items) and value.is_list)


class LoopBounds(NamedTuple):
    """What is known of the loop in which a list or set grows."""

    most: int | None  # how many iterations it has
    top: int | None = None  # how many elements there are before an iteration, at most
    guess: int | None = None  # the estimated number of iterations, if there is no bound


def grown_list(before: Value, after: Value, bounds: LoopBounds) -> ir.Counted:
    """A list with capacity for what all iterations append; the same object if it is large enough."""
    later = _with_count(after)
    if isinstance(before, ir.Items):  # as a list that may grow; then it is read once more, for how much it does
        return _like(_with_count(before), later)
    first = before if isinstance(before, ir.Counted) else counted(before)
    more = later.room - first.room
    dtype = common([first.array, later.array]) if later.room else first.array.kind.dtype
    if dtype != first.array.kind.dtype:
        first = replace(first, array=replace(cast(first.array, dtype), listed=True))
    if more <= first.roomy:
        return first
    room = _room(first.room, first.roomy, more, bounds)
    return replace(counted(first, room), roomy=more, guessed=_is_guess(bounds))


def _room(have: int, roomy: int, more: int, bounds: LoopBounds) -> int:
    """The capacity for what all iterations add."""
    if roomy:
        raise RefusedError("a list or set grows by more with every iteration")
    if bounds.top is not None:
        return max(have, bounds.top + more)
    often = bounds.guess if bounds.most is None else bounds.most
    if often is None:
        raise RefusedError("a local list or set grows in a loop, and no bound on the number of iterations is known")
    if have + more * often > LARGEST and bounds.most is not None:
        raise RefusedError(f"a list or set may grow to more than {LARGEST} elements in a loop")
    return max(have, min(have + more * often, LARGEST))


def _is_guess(bounds: LoopBounds) -> bool:
    return bounds.most is None and bounds.top is None


def grown_set(before: Value, after: Value, bounds: LoopBounds) -> ir.Masked:
    """The same for a set; an empty one takes the aval of what is added."""
    assert isinstance(after, ir.Masked)
    width = after.array.kind.shape[1:]
    first = before if isinstance(before, ir.Masked) else no_members(after)
    if first.array.kind.shape[1:] != width:
        raise RefusedError("a set holds tuples of different lengths")
    have = first.array.kind.shape[0]
    more = after.array.kind.shape[0] - have
    if more <= first.roomy:
        return first
    room = _room(have, first.roomy, more, bounds)
    return replace(sized(first, room), roomy=more, guessed=_is_guess(bounds))


def _with_count(value: Value) -> ir.Counted:
    full = counted(value)
    return replace(full, count=cast(full.count, INT))


def _like(first: ir.Counted, later: ir.Counted) -> ir.Counted:
    """An empty list takes the aval of what is added."""
    if first.room or not later.room:
        return first
    kind = later.array.kind.shaped(0, *later.array.kind.shape[1:])
    blank = ir.Array(zero(kind).code, kind, listed=True)
    return replace(first, array=blank, count=cast(ir.Array(code.const(0), Aval(INT), weak=True), INT))
