"""The state as a record: attributes are read from it, and put back into a copy before another function needs it."""

from typing import Any

from envwright.compiler.ir import code, heaps, outgrown
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.memory import Attribute, Memory
from envwright.compiler.ir.values import Array, Items, Keyed, Ref, Static, Value, as_array
from envwright.compiler.ir.where import where


def load(frame: Frame, memory: Memory, state: str) -> None:
    """All attributes as a record has them; names for the same list go on meaning it."""
    memory.state, memory.clean = state, {}
    outgrown.begin(memory)
    heaps.load(frame, memory, code.name(state))
    for key, slot in frame.program.slots.items():
        value = slot.load(code.name(state)) if slot.form != "objects" else _objects(frame, key, slot, state)
        there = memory.attributes.get(key)
        if isinstance(there, Ref):
            memory.cells[there.cell] = value
        else:
            memory.attributes[key] = memory.hold(value)
        memory.clean[key] = _content(memory, key)
    for cell in memory.cells.keys() & frame.program.born.keys():
        if isinstance(memory.cells[cell], Keyed | Items) and not isinstance(
            born := frame.program.born[cell](memory), Static
        ):
            memory.cells[cell] = born  # a dict or list of the state


def _objects(frame: Frame, key: Attribute, slot: Any, state: str) -> Value:
    name, kind = slot.fields[-1]
    return heaps.numbers(frame.program, key, Array(code.attribute(code.name(state), name), kind))


def _content(memory: Memory, key: Attribute) -> Value:
    value = memory.attributes[key]
    return memory.cells[value.cell] if isinstance(value, Ref) else value


def changed(frame: Frame, memory: Memory) -> dict[str, Array]:
    """The fields that are not as the record has them."""
    fields: dict[str, Array] = {}
    for key, slot in frame.program.slots.items():
        if slot.form == "objects" and key in memory.attributes:
            same = _content(memory, key) is memory.clean.get(key) and heaps.is_clean(memory, slot)
            fields |= {} if memory.state and same else heaps.stored(memory, slot, memory.deep(memory.attributes[key]))
        elif key not in memory.attributes:
            if not memory.state:
                fields |= slot.blank()
        elif not memory.state or _content(memory, key) is not memory.clean.get(key):
            fields |= slot.store(memory.deep(memory.attributes[key]))
    return fields


def flush(frame: Frame, memory: Memory) -> str:
    """The record with everything that was changed since; its name."""
    fields = {name: array.code for name, array in changed(frame, memory).items()}
    fields = {name: frame.named(name, value) for name, value in fields.items()}
    if memory.state and not fields:
        return memory.state
    made = (
        code.call("State", **fields) if not memory.state else code.method(code.name(memory.state), "replace", **fields)
    )
    name = frame.writer.fresh("state", own=False)
    frame.emit(code.Assign([name], made))
    load(frame, memory, name)
    return name


def choose_states(frame: Frame, when: Array, yes: Memory, no: Memory) -> Memory:
    """After a branch in which the record was replaced: one of the two, as a whole."""
    names = []
    for side in (yes, no):
        names.append(flush(frame, side))
    name = frame.writer.fresh("state", own=False)
    frame.emit(code.Assign([name], code.call("choose", when.code, *(code.name(n) for n in names))))
    into = Memory(frame.program)
    for key in frame.program.slots:
        mine, other = yes.attributes.get(key), no.attributes.get(key)
        if isinstance(mine, Ref) and mine == other:
            into.attributes[key] = mine
    for key in [*yes.attributes, *no.attributes]:
        if key not in frame.program.slots:
            into.attributes[key] = no.attributes.get(key, yes.attributes.get(key))  # pyright: ignore[reportArgumentType]
    if any(outgrown.noted(side) for side in (yes, no)):
        one, other = (as_array(side.attributes[outgrown.NOTE]) for side in (yes, no))
        into.attributes[outgrown.NOTE] = where(frame, when, one, other, "outgrown")
    load(frame, into, name)
    return into
