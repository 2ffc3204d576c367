"""Lists that a loop makes longer: they get room for all its turns, if it is known how many there can be."""

import ast
from dataclasses import replace
from typing import NamedTuple

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import counted, longest_of
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.set_algebra import no_members, sized
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.sums import difference
from envwright.compiler.ir.values import Array, Counted, Items, Masked, Ref, Static, Value, as_array, cast, common
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.refusal import RefusedError

LARGEST = 4096  # places of a list that grows in a loop


def most_turns(frame: Frame, node: ast.While, after: list[Memory]) -> int | None:
    """How often a while loop turns at most: while a number that every turn makes larger is below a known one."""
    for asked in _conditions(node.test):
        match asked:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.LtE() as how], comparators=[end]):
                start = frame.memory.names.get(name)
                top = _top(frame, end, after)
                if top is None or not isinstance(start, Static) or not isinstance(start.value, int):
                    continue
                if all(_climbs(frame, start, memory.names.get(name)) for memory in after):
                    return max(top - start.value + isinstance(how, ast.LtE), 0)
    return None


def longest(frame: Frame, node: ast.While, after: list[Memory]) -> dict[int, int]:
    """Lists that a while loop makes longer only while they are short: how long they are at most before a turn."""
    found: dict[int, int] = {}
    for asked in _conditions(node.test):
        match asked:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
                ops=[ast.Lt() | ast.LtE() as how],
                comparators=[ast.Constant() | ast.Attribute() | ast.Name() as end],
            ):
                ref, top = frame.memory.names.get(name), _top(frame, end, after)
                if isinstance(ref, Ref) and top is not None:
                    found[ref.cell] = top - isinstance(how, ast.Lt)
    return found


def _conditions(test: ast.expr) -> list[ast.expr]:
    """Those that must all hold."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _top(frame: Frame, end: ast.expr, after: list[Memory]) -> int | None:
    """The largest value of an end, if a turn does not change it: a known number, or the length of a list."""
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
                    tops.add(value.value if isinstance(value, Static) and isinstance(value.value, int) else None)
                case _:
                    return None
        except RefusedError:
            return None
        finally:
            frame.memory = before
    return tops.pop() if len(tops) == 1 else None


def _climbs(frame: Frame, start: Static, value: Value | None) -> bool:
    """Whether a number gets larger by 1 at least, whichever way a turn takes."""
    return value is not None and isinstance(value, Array | Static) and _rises(frame, start, as_array(value).code)


def _rises(frame: Frame, start: Static, value: Code) -> bool:
    meant = frame.writer.meaning(value)
    if isinstance(meant, ast.Call) and code.text(meant.func) == "jnp.where":
        return all(_rises(frame, start, side) for side in meant.args[1:])
    more = difference(frame, as_array(start).code, meant)
    return more is not None and more >= 1


def is_list(value: Value) -> bool:
    """Whether it is a list that could have another length."""
    return isinstance(value, Counted | Masked) or (isinstance(value, Items) and value.is_list)


class Turning(NamedTuple):
    """What is known of a loop in which a list or a set grows."""

    most: int | None  # how often it turns
    top: int | None = None  # how many elements there are before a turn, at most
    guess: int | None = None  # how often it may turn, if nobody knows


def grown(before: Value, after: Value, turning: Turning) -> Counted:
    """A list of before a loop, with room for what one turn after the other adds; the same object if there is enough."""
    later = _with_count(after)
    if isinstance(before, Items):  # as a list that may grow; then it is read once more, for how much it does
        return _like(_with_count(before), later)
    first = before if isinstance(before, Counted) else counted(before)
    more = later.room - first.room
    dtype = common([first.array, later.array]) if later.room else first.array.kind.dtype
    if dtype != first.array.kind.dtype:
        first = replace(first, array=replace(cast(first.array, dtype), listed=True))
    if more <= first.roomy:
        return first
    room = _room(first.room, first.roomy, more, turning)
    return replace(counted(first, room), roomy=more, guessed=_is_guess(turning))


def _room(have: int, roomy: int, more: int, turning: Turning) -> int:
    """Room for what one turn after the other adds."""
    if roomy:
        raise RefusedError("a list or set grows in a loop by more with every turn")
    if turning.top is not None:
        return max(have, turning.top + more)
    often = turning.guess if turning.most is None else turning.most
    if often is None:
        raise RefusedError(
            "a list or set that is not part of the state grows in a loop, and how often that turns is not known"
        )
    if have + more * often > LARGEST and turning.most is not None:
        raise RefusedError(f"a list or set may get more than {LARGEST} elements in a loop")
    return max(have, min(have + more * often, LARGEST))


def _is_guess(turning: Turning) -> bool:
    return turning.most is None and turning.top is None


def grown_set(before: Value, after: Value, turning: Turning) -> Masked:
    """The same for a set; one that is empty is of the kind of what comes into it."""
    assert isinstance(after, Masked)
    width = after.array.kind.shape[1:]
    first = before if isinstance(before, Masked) else no_members(after)
    if first.array.kind.shape[1:] != width:
        raise RefusedError("a set holds tuples of different lengths")
    have = first.array.kind.shape[0]
    more = after.array.kind.shape[0] - have
    if more <= first.roomy:
        return first
    room = _room(have, first.roomy, more, turning)
    return replace(sized(first, room), roomy=more, guessed=_is_guess(turning))


def _with_count(value: Value) -> Counted:
    full = counted(value)
    return replace(full, count=cast(full.count, INT))


def _like(first: Counted, later: Counted) -> Counted:
    """An empty list takes the kind of what comes into it."""
    if first.room or not later.room:
        return first
    kind = later.array.kind.shaped(0, *later.array.kind.shape[1:])
    blank = Array(zero(kind).code, kind, listed=True)
    return replace(first, array=blank, count=cast(Array(code.const(0), Kind(INT), weak=True), INT))
