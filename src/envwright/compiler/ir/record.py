"""The state record: attributes are loaded from it, and flushed into a copy before another function needs it."""

from typing import Any

from envwright.compiler.ir import code, object_arena, overflow
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.select import select
from envwright.compiler.ir.store import Attribute, Store
from envwright.compiler.ir.values import Value, as_array


def load(frame: CallFrame, memory: Store, state: str) -> None:
    """Load all attributes from a record; existing references keep their locations."""
    memory.state, memory.clean = state, {}
    overflow.begin(memory)
    object_arena.load(frame, memory, code.name(state))
    for key, slot in frame.program.slots.items():
        value = slot.load(code.name(state)) if slot.form != "objects" else _objects(frame, key, slot, state)
        there = memory.attributes.get(key)
        if isinstance(there, ir.Ref):
            memory.locs[there.loc] = value
        else:
            memory.attributes[key] = memory.hold(value)
        memory.clean[key] = _content(memory, key)
    for loc in memory.locs.keys() & frame.program.born.keys():
        if isinstance(memory.locs[loc], ir.Keyed | ir.Items) and not isinstance(
            born := frame.program.born[loc](memory), ir.Static
        ):
            memory.locs[loc] = born  # a dict or list of the state


def _objects(frame: CallFrame, key: Attribute, slot: Any, state: str) -> Value:
    name, kind = slot.fields[-1]
    return object_arena.numbers(frame.program, key, ir.Array(code.attribute(code.name(state), name), kind))


def _content(memory: Store, key: Attribute) -> Value:
    value = memory.attributes[key]
    return memory.locs[value.loc] if isinstance(value, ir.Ref) else value


def changed(frame: CallFrame, memory: Store) -> dict[str, ir.Array]:
    """The fields that differ from the record."""
    fields: dict[str, ir.Array] = {}
    for key, slot in frame.program.slots.items():
        if slot.form == "objects" and key in memory.attributes:
            same = _content(memory, key) is memory.clean.get(key) and object_arena.is_clean(memory, slot)
            fields |= (
                {} if memory.state and same else object_arena.stored(memory, slot, memory.deep(memory.attributes[key]))
            )
        elif key not in memory.attributes:
            if not memory.state:
                fields |= slot.blank()
        elif not memory.state or _content(memory, key) is not memory.clean.get(key):
            fields |= slot.store(memory.deep(memory.attributes[key]))
    return fields


def flush(frame: CallFrame, memory: Store) -> str:
    """The name of a record with everything that was changed since."""
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


def choose_states(frame: CallFrame, when: ir.Array, yes: Store, no: Store) -> Store:
    """After a branch in which the record was replaced: one of the two records."""
    names = []
    for side in (yes, no):
        names.append(flush(frame, side))
    name = frame.writer.fresh("state", own=False)
    frame.emit(code.Assign([name], code.call("choose", when.code, *(code.name(n) for n in names))))
    into = Store(frame.program)
    for key in frame.program.slots:
        mine, other = yes.attributes.get(key), no.attributes.get(key)
        if isinstance(mine, ir.Ref) and mine == other:
            into.attributes[key] = mine
    for key in [*yes.attributes, *no.attributes]:
        if key not in frame.program.slots:
            into.attributes[key] = no.attributes.get(key, yes.attributes.get(key))  # pyright: ignore[reportArgumentType]
    if any(overflow.noted(side) for side in (yes, no)):
        one, other = (as_array(side.attributes[overflow.OVERFLOW]) for side in (yes, no))
        into.attributes[overflow.OVERFLOW] = select(frame, when, one, other, "outgrown")
    load(frame, into, name)
    return into
