"""Room that is a guess: of lists and sets that grow in a loop of which nobody knows how often it turns.

Whether one of them needs more than it has is noted for the rest of the step; then the episode is cut off.
"""

import ast
import math

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, Kind
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.values import Array, Static, as_array, cast

NOTE = (-1, "outgrown")  # an attribute of nobody, as the others are joined after branches and handed on by loops
FEWEST = 64  # turns that there is room for in any case


def turns(frame: Frame) -> int | None:
    """How often a loop may turn, by a guess: once for each place of the largest thing of the state. At the start of an
    episode, which cannot be cut off, nobody may guess."""
    if frame.writer.start or NOTE not in frame.memory.attributes:
        return None
    kinds = [kind for slot in frame.program.slots.values() for _, kind in slot.fields]
    return max([FEWEST, *(math.prod(kind.shape) for kind in kinds)])


def begin(memory: Memory) -> None:
    """Nothing has outgrown its room yet."""
    memory.attributes.setdefault(NOTE, Static(False))


def note(frame: Frame, when: Code) -> None:
    """Something outgrows its room under this condition."""
    made = code.binary(as_array(frame.memory.attributes[NOTE]).code, ast.BitOr(), when) if noted(frame.memory) else when
    frame.memory.attributes[NOTE] = Array(code.name(frame.bind("outgrown", made, auto=True)), Kind(BOOL))


def flag(memory: Memory) -> Array:
    """Whether something has, as a loop hands it on."""
    return cast(as_array(memory.attributes[NOTE]), BOOL)


def noted(memory: Memory) -> list[Code]:
    """The condition under which something has, if anything can."""
    found = memory.attributes.get(NOTE)
    return [found.code] if isinstance(found, Array) else []
