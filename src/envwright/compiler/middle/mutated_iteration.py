"""Mutation during iteration: lists that are changed while a loop iterates over them.

Like Python's iterator, the loop counts indices and compares with the length before each iteration.
"""

import ast

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, fixed_length, plus
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.tracked_rows import track_row
from envwright.compiler.ir.values import Place, Value, as_array
from envwright.compiler.middle.comprehensions import unpack
from envwright.compiler.middle.control_flow import ControlFlow
from envwright.compiler.middle.generators import check_reads
from envwright.compiler.middle.iteration_space import IterationSpace
from envwright.compiler.middle.loop_carried import Begin
from envwright.compiler.refusal import RefusedError


class MutatedIterationError(RefusedError):
    """A list gets longer or shorter while a loop iterates over it."""


def check_mutation(iterations: IterationSpace | None, before: Store, flow: ControlFlow) -> bool:
    """Whether an iteration changes the length of what is iterated over; an error if another one may follow."""
    if iterations is None:
        return False
    going_on = flow.going_on
    check_reads(iterations.reads, before, going_on)
    if any(_changed(ref, before, memory) for ref in iterations.lists for memory in going_on):
        raise MutatedIterationError("a list is mutated while it is iterated over in this way")
    return any(_changed(ref, before, e.memory) for ref in iterations.lists for e in flow.exits)


def _changed(place: Place, before: Store, after: Store) -> bool:
    old, new = (now(place, memory) for memory in (before, after))
    if old is new or old is None or new is None:
        return old is not new
    if isinstance(old, ir.Counted) and isinstance(new, ir.Counted):
        return not code.same(old.count.code, new.count.code)
    return fixed_length(old) is None or fixed_length(old) != fixed_length(new)


def now(place: Place, memory: Store) -> Value | None:
    """What is iterated over, as a store has it."""
    if isinstance(place, ir.Ref):
        return memory.locs.get(place.loc)
    return memory.see(place)


def following(node: ast.For, iterations: IterationSpace) -> Begin | None:
    """For a loop that is left once the list has changed: its row is tracked until then."""
    ref = iterations.lists[0] if iterations.lists else None
    if iterations.form != "plain" or not isinstance(ref, ir.Ref):
        return None

    def begin(frame: CallFrame, i: Code) -> None:
        unpack(frame, node.target, track_row(frame, ref, ir.Array(i, Aval(INT))))

    return begin


def as_while(frame: CallFrame, node: ast.For, iterations: IterationSpace) -> tuple[ast.While, Begin, int, int]:
    """The loop over indices: its condition and body, what an iteration begins with, the maximal number of iterations,
    and the location of the list."""
    ref = iterations.lists[0]
    if not iterations.form or len(iterations.lists) != 1 or not isinstance(ref, ir.Ref):
        raise RefusedError("a list is mutated while it is iterated over in this way")
    memory = frame.memory
    content = memory.see(ref)
    if not isinstance(content, ir.Counted):
        content = counted(content if isinstance(content, ir.Masked) else memory.deep(content))
        memory.locs[ref.loc] = content
    backwards = iterations.form == "reversed"
    at, items = frame.writer.fresh("place"), frame.writer.fresh("items")
    memory.names[items] = ref
    memory.names[at] = plus(content.count, -1) if backwards else ir.Static(0)

    def begin(frame: CallFrame, i: Code) -> None:
        names = frame.memory.names
        place = as_array(frame.memory.see(names[at]))
        value = track_row(frame, ref, place)
        names[at] = plus(place, -1 if backwards else 1)
        if iterations.form == "enumerated":
            value = ir.Items((plus(place, iterations.first) if iterations.first else place, value))
        unpack(frame, node.target, value)

    low = f"0 <= {_PLACE} < len({_LIST})" if backwards else f"{_PLACE} < len({_LIST})"
    test = _Renamed({_PLACE: at, _LIST: items}).visit(ast.parse(low, mode="eval").body)
    made = ast.While(test, node.body, node.orelse)
    for part in ast.walk(test):
        ast.copy_location(part, node.iter)
    return ast.copy_location(made, node), begin, content.room, ref.loc


_PLACE, _LIST = "place", "items"


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)
