"""Control flow: how a block of statements ends (fall through, return, break, continue), and the store at each exit."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.phi import choose, join_memories
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.values import Value
from envwright.compiler.refusal import RefusedError

Way = Literal["return", "break", "continue"]


@dataclass
class Exit:
    """An exit of a block, other than its end."""

    way: Way
    when: ir.Array | None  # None: always
    value: Value  # of a return
    memory: Store


@dataclass
class ControlFlow:
    """The exits of a block."""

    memory: Store | None  # after its last statement; None: it is never reached
    exits: list[Exit] = field(default_factory=list)  # in the order of the program: the first whose condition holds

    @property
    def memories(self) -> list[Store]:
        """The stores of all exits."""
        return [way.memory for way in self.exits] + ([self.memory] if self.memory else [])

    @property
    def going_on(self) -> list[Store]:
        """The stores of the exits that lead to the next iteration."""
        return [way.memory for way in self.exits if way.way == "continue"] + ([self.memory] if self.memory else [])

    def take(self, other: "ControlFlow", when: ir.Array | None = None) -> None:
        self.exits += [replace(way, when=_both(when, way.when)) for way in other.exits]


Execute = Callable[[CallFrame, Sequence[ast.stmt]], ControlFlow]  # `statements.execute`, as it is passed to loops


def _both(a: ir.Array | None, b: ir.Array | None) -> ir.Array | None:
    if a is None or b is None:
        return a if b is None else b
    return b if code.implies(b.code, a.code) else ir.Array(code.both(a.code, b.code), Aval(BOOL))


def rejoin(frame: CallFrame, ways: list[Exit], memory: Store | None) -> Store | None:
    """The store where exits of a block meet its end."""
    for way in reversed(ways):
        if memory is None or way.when is None:
            memory = way.memory
        else:
            memory = join_memories(frame, way.when, way.memory, memory)
    return memory


def leaving(exits: list[Exit], way: Way, before: Sequence[Exit] = ()) -> list[Exit]:
    """The exits of one kind, under the condition that no other was taken before; `before` are earlier ones."""
    found: list[Exit] = []
    passed = [e.when for e in before]
    for each in exits:
        if each.way == way:
            when = each.when
            for earlier in passed:
                assert earlier is not None
                when = _both(ir.Array(code.negated(earlier.code), Aval(BOOL)), when)
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
            when = _both(ir.Array(code.negated(earlier.when.code), Aval(BOOL)), when)
        found.append(replace(each, when=when))
    return found


def settle(frame: CallFrame, flow: ControlFlow) -> Value:
    """The return value of a function; `frame.memory` becomes the store after it."""
    exits = list(flow.exits)
    if flow.memory is not None:
        exits.append(Exit("return", None, ir.NONE, flow.memory))
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
