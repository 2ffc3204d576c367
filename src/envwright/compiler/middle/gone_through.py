"""Lists that are changed while a loop goes through them.

Python's iterator counts places, and looks before each turn how long the list is.
"""

import ast

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import counted, fixed_length, plus
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.trails import hold_row
from envwright.compiler.ir.values import Array, Counted, Items, Masked, Place, Ref, Static, Value, as_array
from envwright.compiler.middle.carried import Begin
from envwright.compiler.middle.comprehensions import unpack
from envwright.compiler.middle.flow import Flow
from envwright.compiler.middle.generators import check_reads
from envwright.compiler.middle.turns import Turns
from envwright.compiler.refusal import RefusedError


class ChangedError(RefusedError):
    """A list gets longer or shorter while a loop goes through it."""


def check(turns: Turns | None, before: Memory, flow: Flow) -> bool:
    """Whether a turn changes the length of what is gone through; an error if another turn may follow."""
    if turns is None:
        return False
    going_on = flow.going_on
    check_reads(turns.reads, before, going_on)
    if any(_changed(ref, before, memory) for ref in turns.lists for memory in going_on):
        raise ChangedError("a list is changed while it is gone through in this way")
    return any(_changed(ref, before, e.memory) for ref in turns.lists for e in flow.exits)


def _changed(place: Place, before: Memory, after: Memory) -> bool:
    old, new = (now(place, memory) for memory in (before, after))
    if old is new or old is None or new is None:
        return old is not new
    if isinstance(old, Counted) and isinstance(new, Counted):
        return not code.same(old.count.code, new.count.code)
    return fixed_length(old) is None or fixed_length(old) != fixed_length(new)


def now(place: Place, memory: Memory) -> Value | None:
    """What is gone through, as it is at some point of the program."""
    if isinstance(place, Ref):
        return memory.cells.get(place.cell)
    return memory.see(place)


def following(node: ast.For, turns: Turns) -> Begin | None:
    """For a loop that is left when the list has changed: the row of a turn stays the same one until then."""
    ref = turns.lists[0] if turns.lists else None
    if turns.form != "plain" or not isinstance(ref, Ref):
        return None

    def begin(frame: Frame, i: Code) -> None:
        unpack(frame, node.target, hold_row(frame, ref, Array(i, Kind(INT))))

    return begin


def as_while(frame: Frame, node: ast.For, turns: Turns) -> tuple[ast.While, Begin, int, int]:
    """The loop by places: its condition and body, what a turn begins with, how many turns there are at most, and the
    cell of the list."""
    ref = turns.lists[0]
    if not turns.form or len(turns.lists) != 1 or not isinstance(ref, Ref):
        raise RefusedError("a list is changed while it is gone through in this way")
    memory = frame.memory
    content = memory.see(ref)
    if not isinstance(content, Counted):
        content = counted(content if isinstance(content, Masked) else memory.deep(content))
        memory.cells[ref.cell] = content
    backwards = turns.form == "reversed"
    at, items = frame.writer.fresh("place"), frame.writer.fresh("items")
    memory.names[items] = ref
    memory.names[at] = plus(content.count, -1) if backwards else Static(0)

    def begin(frame: Frame, i: Code) -> None:
        names = frame.memory.names
        place = as_array(frame.memory.see(names[at]))
        value = hold_row(frame, ref, place)
        names[at] = plus(place, -1 if backwards else 1)
        if turns.form == "enumerated":
            value = Items((plus(place, turns.first) if turns.first else place, value))
        unpack(frame, node.target, value)

    low = f"0 <= {_PLACE} < len({_LIST})" if backwards else f"{_PLACE} < len({_LIST})"
    test = _Named({_PLACE: at, _LIST: items}).visit(ast.parse(low, mode="eval").body)
    made = ast.While(test, node.body, node.orelse)
    for part in ast.walk(test):
        ast.copy_location(part, node.iter)
    return ast.copy_location(made, node), begin, content.room, ref.cell


_PLACE, _LIST = "place", "items"


class _Named(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)
