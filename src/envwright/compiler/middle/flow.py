"""How a block of statements ends: at its end, by return, by break, by continue; and what holds then."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, Kind
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.merge import choose, join_memories
from envwright.compiler.ir.values import (
    NONE,
    Array,
    Value,
)
from envwright.compiler.refusal import RefusedError

Way = Literal["return", "break", "continue"]


@dataclass
class Exit:
    """A way out of a block, other than its end."""

    way: Way
    when: Array | None  # None: always
    value: Value  # of a return
    memory: Memory


@dataclass
class Flow:
    """How a block ends."""

    memory: Memory | None  # after its last statement; None: it is never reached
    exits: list[Exit] = field(default_factory=list)  # in the order of the program: the first whose condition holds

    @property
    def memories(self) -> list[Memory]:
        """Those of all ways out of it."""
        return [way.memory for way in self.exits] + ([self.memory] if self.memory else [])

    @property
    def going_on(self) -> list[Memory]:
        """Those of the ways that lead to the next turn of the loop around."""
        return [way.memory for way in self.exits if way.way == "continue"] + ([self.memory] if self.memory else [])

    def take(self, other: "Flow", when: Array | None = None) -> None:
        self.exits += [replace(way, when=_both(when, way.when)) for way in other.exits]


Execute = Callable[[Frame, Sequence[ast.stmt]], Flow]  # `statements.execute`, as it is handed to loops


def _both(a: Array | None, b: Array | None) -> Array | None:
    if a is None or b is None:
        return a if b is None else b
    return b if code.implies(b.code, a.code) else Array(code.both(a.code, b.code), Kind(BOOL))


def rejoin(frame: Frame, ways: list[Exit], memory: Memory | None) -> Memory | None:
    """What holds where ways out of a block come together again with its end."""
    for way in reversed(ways):
        if memory is None or way.when is None:
            memory = way.memory
        else:
            memory = join_memories(frame, way.when, way.memory, memory)
    return memory


def leaving(exits: list[Exit], way: Way, before: Sequence[Exit] = ()) -> list[Exit]:
    """The exits of one way, under the condition that no other one came before; `before` are earlier ones."""
    found: list[Exit] = []
    passed = [e.when for e in before]
    for each in exits:
        if each.way == way:
            when = each.when
            for earlier in passed:
                assert earlier is not None
                when = _both(Array(code.negated(earlier.code), Kind(BOOL)), when)
            found.append(replace(each, when=when))
        else:
            passed.append(each.when)
    return found


def unless(exits: list[Exit], before: Sequence[Exit]) -> list[Exit]:
    """Exits that are only reached if none of those before was taken."""
    found: list[Exit] = []
    for each in exits:
        when = each.when
        for earlier in before:
            assert earlier.when is not None
            when = _both(Array(code.negated(earlier.when.code), Kind(BOOL)), when)
        found.append(replace(each, when=when))
    return found


def settle(frame: Frame, flow: Flow) -> Value:
    """A function's value, and in `frame.memory` what it leaves behind, whichever way it ends."""
    exits = list(flow.exits)
    if flow.memory is not None:
        exits.append(Exit("return", None, NONE, flow.memory))
    if not exits:
        raise RefusedError("the function never returns")
    last = exits.pop()
    if not exits:
        frame.memory = last.memory
        return last.value  # it may still be a name for a list of the caller's
    value, memory = last.value, last.memory
    for way in reversed(exits):
        assert way.when is not None
        inner, other = (replace(m, names={}) for m in (way.memory, memory))
        joined = join_memories(frame, way.when, inner, other)
        value = choose(frame, way.when, (way.value, inner), (value, other), joined, hint="result")
        memory = joined
    frame.memory = memory
    return value
