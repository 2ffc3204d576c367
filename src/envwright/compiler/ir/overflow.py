"""The overflow flag of a step: set where a list, set or dict exceeds its capacity.

The capacity of lists and sets that grow in a loop without a known bound is an estimate. The flag truncates the episode.
"""

import ast
import math

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.values import as_array, cast

OVERFLOW = (-1, "outgrown")  # a pseudo attribute: joined after branches and carried by loops like the others
FEWEST = 64  # iterations that there is capacity for in any case


def guessed_iterations(frame: CallFrame) -> int | None:
    """The estimated number of iterations of an unbounded loop: one for each element of the largest array of the state.
    None at the start of an episode, which cannot be truncated."""
    if frame.writer.start or OVERFLOW not in frame.memory.attributes:
        return None
    kinds = [kind for slot in frame.program.slots.values() for _, kind in slot.fields]
    return max([FEWEST, *(math.prod(kind.shape) for kind in kinds)])


def begin(memory: Store) -> None:
    """Nothing has overflowed yet."""
    memory.attributes.setdefault(OVERFLOW, ir.Static(False))


def note(frame: CallFrame, when: Code) -> None:
    """Something overflows under this condition."""
    made = (
        code.binary(as_array(frame.memory.attributes[OVERFLOW]).code, ast.BitOr(), when)
        if noted(frame.memory)
        else when
    )
    frame.memory.attributes[OVERFLOW] = ir.Array(code.name(frame.bind("outgrown", made, auto=True)), Aval(BOOL))


def flag(memory: Store) -> ir.Array:
    """The overflow flag as a loop-carried value."""
    return cast(as_array(memory.attributes[OVERFLOW]), BOOL)


def noted(memory: Store) -> list[Code]:
    """The overflow condition, if there can be an overflow."""
    found = memory.attributes.get(OVERFLOW)
    return [found.code] if isinstance(found, ir.Array) else []
