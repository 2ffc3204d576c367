"""Objects in lists, as a structure of arrays: an object is an index, and each attribute a column.

All aliases of an object hold its index, so all see a change of it, whichever list it is in. The state has the columns
of each list of objects; during a step, those of one class are concatenated into an arena, with spare capacity for
objects that are allocated in the step.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, in_use, plus
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.values import Value, as_array, cast, stack
from envwright.compiler.refusal import RefusedError

MADE = "__made__"  # how many objects there are in an arena
SPARE = 8  # objects that there is capacity for in any case


@dataclass
class ObjectArena:
    """The objects of one class, or the dicts of one list."""

    number: int  # `of` of the numbers that stand for them
    made: Any  # the class
    columns: dict[str, Any]  # attribute or key -> the slot of one of them
    lists: dict[Any, int] = field(default_factory=dict)  # list of the state -> its capacity

    @property
    def room(self) -> int:
        return 3 * sum(self.lists.values()) + SPARE

    def hint(self, name: str) -> str:
        """The name of a column."""
        ((field_name, _),) = self.columns[name].fields
        return field_name if len(self.lists) == 1 else f"all_{name}"

    def kind(self, name: str) -> Aval:
        """The aval of a column."""
        ((_, one),) = self.columns[name].fields
        return one.shaped(self.room, *one.shape)


def arena_of(memory: Any, value: Value) -> ObjectArena | None:
    """The arena of an object, if this is the index of one."""
    if isinstance(value, ir.Array) and value.kind.of in memory.program.arenas and value.kind.shape == ():
        return memory.program.arenas[value.kind.of]
    return None


def arena_for(frame: CallFrame, value: Value) -> ObjectArena | None:
    """The arena for an object that has no index yet."""
    if not isinstance(value, ir.Keyed):
        return None
    fitting = [h for h in frame.program.arenas.values() if h.made is (value.made or dict)]
    return next((h for h in fitting if h.columns.keys() == value.items.keys()), None)


def of(frame: CallFrame, value: ir.Counted | ir.Masked) -> ObjectArena:
    """The arena of the objects of a list."""
    return frame.program.arenas[value.array.kind.of]


# ---- the state ----


def blank(memory: Store) -> None:
    """Empty arenas, as before an episode."""
    for number, arena in memory.program.arenas.items():
        for name in arena.columns:
            memory.attributes[number, name] = zero(arena.kind(name))
        memory.attributes[number, MADE] = ir.Static(0)


def load(frame: CallFrame, memory: Store, state: code.Code) -> None:
    """The columns of all lists of a record."""
    for number, arena in memory.program.arenas.items():
        slots = [memory.program.slots[key] for key in arena.lists]
        for name in arena.columns:
            kind = arena.kind(name)
            parts = [code.attribute(state, slot.extra.fields[name]) for slot in slots]
            rest = zero(kind.shaped(arena.room - sum(arena.lists.values()), *kind.shape[1:]))
            whole = frame.bind(
                arena.hint(name), code.call("jnp.concatenate", code.list_of([*parts, rest.code])), auto=True
            )
            memory.attributes[number, name] = ir.Array(code.name(whole), kind)
            memory.clean[number, name] = memory.attributes[number, name]
        memory.attributes[number, MADE] = ir.Static(sum(arena.lists.values()))


def too_many(memory: Store) -> list[code.Code]:
    """The conditions under which an arena overflows."""
    counts = [(memory.attributes[number, MADE], arena.room) for number, arena in memory.program.arenas.items()]
    return [
        code.compare(count.code, ast.Gt(), code.const(room)) for count, room in counts if isinstance(count, ir.Array)
    ]


def is_clean(memory: Store, slot: Any) -> bool:
    """Whether the objects of a class are as in the record."""
    arena = memory.program.arenas[slot.extra.heap]
    keys = [(arena.number, name) for name in arena.columns]
    return all(memory.attributes[key] is memory.clean.get(key) for key in keys)


def numbers(program: Any, key: Any, count: ir.Array) -> ir.Counted | ir.Items:
    """A list of the state: the indices of its objects, right after it is loaded."""
    arena = program.arenas[program.slots[key].extra.heap]
    start = 0
    for other, room in arena.lists.items():
        if other == key:
            break
        start += room
    if (length := program.lengths.get(program.slots[key].count)) is not None:
        return ir.Items(
            tuple(ir.Array(code.const(start + i), Aval(INT, (), arena.number)) for i in range(length)), True
        )
    room = arena.lists[key]
    places = code.call("jnp.arange", *([code.const(start)] if start else []), code.const(start + room))
    return ir.Counted(ir.Array(places, Aval(INT, (room,), arena.number), listed=True), count)


def stored(memory: Store, slot: Any, value: Value) -> dict[str, ir.Array]:
    """The fields of a list of objects, zero beyond its count."""
    program = memory.program
    arena = program.arenas[slot.extra.heap]
    length = program.lengths.get(slot.count)
    if length is not None and (not isinstance(value, ir.Items) or len(value.items) != length):
        program.unsteady.add(slot.count)
        raise RefusedError(f"a list that always held {length} objects so far may hold more or fewer")
    if isinstance(value, ir.Items):
        value = _lined(arena, slot.room, [as_array(number) for number in value.items])
    if not isinstance(value, ir.Counted):
        raise RefusedError("a list of objects is replaced by something else")
    fields: dict[str, ir.Array] = {}
    for name, own in slot.extra.fields.items():
        kind = arena.kind(name).shaped(value.room, *arena.kind(name).shape[1:])
        there = code.with_axes(in_use(value).code, len(kind.shape) - 1)
        column = as_array(memory.attributes[arena.number, name])
        chosen = code.index(column.code, value.array.code)
        fields[own] = ir.Array(code.call("jnp.where", there, chosen, zero(kind.shaped()).code), kind)
    count, kind = slot.fields[-1]
    fields[count] = cast(value.count, kind.dtype)
    return fields


# ---- one object ----


def get(memory: Any, number: ir.Array, name: str) -> Value:
    """An attribute, or the value of a key of a dict."""
    arena = memory.program.arenas[number.kind.of]
    slot = arena.columns[name]
    ((_, kind),) = slot.fields
    column = as_array(memory.attributes[arena.number, name])
    return slot.value_of([ir.Array(code.index(column.code, number.code), kind, slot.listed, slot.tupled)])


def put(frame: CallFrame, number: ir.Array, name: str, value: Value) -> None:
    """`number.name = value`."""
    arena = frame.program.arenas[number.kind.of]
    if name not in arena.columns:
        raise RefusedError(f"{name} of {called(arena)} is set, but never was in the recorded episodes")
    slot = arena.columns[name]
    new = _encoded(frame, slot, value)
    column = as_array(frame.memory.attributes[arena.number, name])
    made = code.call("put", column.code, number.code, new.code)
    bound = code.name(frame.bind(arena.hint(name), made, auto=True))
    frame.memory.attributes[arena.number, name] = ir.Array(bound, column.kind)


def make(frame: CallFrame, arena: ObjectArena, parts: Mapping[Any, Value]) -> ir.Array:
    """A new object in an arena."""
    _complete(arena, parts)
    count = frame.memory.attributes[arena.number, MADE]
    if isinstance(count, ir.Static) and count.value >= arena.room:
        raise RefusedError(f"more than {arena.room} objects are allocated in one step")
    place = as_array(count)
    kind = Aval(INT, (), arena.number)
    number = ir.Array(code.name(frame.bind("number", place.code, auto=True)), kind)
    for name in arena.columns:
        put(frame, number, name, parts[name])
    more = ir.Static(count.value + 1) if isinstance(count, ir.Static) else plus(place, 1)
    frame.memory.attributes[arena.number, MADE] = more
    return number


def _encoded(frame: CallFrame, slot: Any, value: Value) -> ir.Array:
    """A value as its column encodes it."""
    ((own, kind),) = slot.fields
    value = frame.memory.deep(value)
    texts = list(slot.extra[0]) if slot.form == "texts" and isinstance(value, ir.Picked) else []
    if isinstance(value, ir.Picked) and set(value.table.flat) <= set(texts) and list(value.table.flat) != texts:
        numbers = np.array([texts.index(text) for text in value.table.flat]).reshape(value.table.shape)
        table = frame.program.constant(f"{value.name}_numbers", numbers)
        return ir.Array(code.index(table, *value.index), kind)
    return slot.store(value)[own]


def _complete(arena: ObjectArena, parts: Mapping[Any, Value]) -> Mapping[Any, Value]:
    if missing := [name for name in arena.columns if name not in parts]:
        raise RefusedError(f"{called(arena)} is created without {missing[0]}")
    if strange := [name for name in parts if name not in arena.columns]:
        raise RefusedError(f"{called(arena)} holds {strange[0]}, which the contract does not have")
    return parts


def number_of(frame: CallFrame, arena: ObjectArena, value: Value) -> ir.Array:
    """The index of an object; a new object is allocated, and all its aliases get the index."""
    content = _content(frame, value)
    if isinstance(content, ir.Array) and content.kind.of == arena.number:
        return content
    if isinstance(content, ir.Maybe | ir.Array):
        raise RefusedError(f"something else than {called(arena)} is put into a list of them")
    made = make(frame, arena, _parts(arena, content))
    if isinstance(value, ir.Ref):
        frame.memory.locs[value.loc] = made
    return made


def _content(frame: CallFrame, value: Value) -> Value:
    """What is put into a list; all its aliases must be known."""
    content = frame.memory.see(value)
    known = isinstance(content, ir.Static) and isinstance(content.value, dict)
    if isinstance(value, ir.PLACES) and not isinstance(value, ir.Ref) and (known or isinstance(content, ir.Keyed)):
        raise RefusedError("an object that may be one of two, or is part of something else, is put into a list")
    return content


def numbers_of(frame: CallFrame, arena: ObjectArena, values: list[Value]) -> list[ir.Array]:
    """The indices of several objects; many new ones are allocated at once."""
    contents = [_content(frame, value) for value in values]
    count = frame.memory.attributes[arena.number, MADE]
    new = all(isinstance(c, ir.Keyed | ir.Items | ir.Static) for c in contents) and len(
        {id(c) for c in contents}
    ) == len(values)
    if len(values) < 3 or not new or not isinstance(count, ir.Static) or count.value + len(values) > arena.room:
        return [number_of(frame, arena, value) for value in values]
    parts = [_complete(arena, _parts(arena, content)) for content in contents]
    first, after = count.value, count.value + len(values)
    for name, slot in arena.columns.items():
        rows = stack(ir.Items(tuple(_encoded(frame, slot, p[name]) for p in parts), True))
        column = as_array(frame.memory.attributes[arena.number, name])
        where = code.call("slice", code.const(first), code.const(after))
        bound = frame.bind(arena.hint(name), code.call("put", column.code, where, rows.code), auto=True)
        frame.memory.attributes[arena.number, name] = ir.Array(code.name(bound), column.kind)
    frame.memory.attributes[arena.number, MADE] = ir.Static(after)
    made = [ir.Array(code.const(i), Aval(INT, (), arena.number)) for i in range(first, after)]
    for value, number in zip(values, made, strict=True):
        if isinstance(value, ir.Ref):
            frame.memory.locs[value.loc] = number
    return made


def number_all(frame: CallFrame, place: Value) -> Value:
    """Allocate the new objects of a list."""
    content = frame.memory.see(place)
    if isinstance(content, ir.Static) and isinstance(content.value, list):
        content = ir.Items(tuple(ir.Static(v) for v in content.value), True)
    if not isinstance(content, ir.Items) or not content.items:
        return place
    inside = [frame.memory.see(item) for item in content.items]
    arena = next((h for h in frame.program.arenas.values() if all(_fits(h, one) for one in inside)), None)
    if arena is None:
        return place
    given = numbers_of(frame, arena, list(content.items))
    numbered = _lined(arena, len(given), given)
    if isinstance(place, ir.Ref):
        frame.memory.locs[place.loc] = numbered
        return place
    return numbered


def _fits(arena: ObjectArena, content: Value) -> bool:
    """Whether this is an object of the arena without an index."""
    try:
        return _parts(arena, content).keys() == arena.columns.keys()
    except RefusedError:
        return False


def opened(memory: Any, value: Value) -> Value:
    """A named tuple of a list as a tuple."""
    arena = arena_of(memory, value)
    if arena is None or not issubclass(arena.made, tuple):
        return value
    assert isinstance(value, ir.Array)
    names = tuple(arena.columns) if arena.made is not tuple else ()
    return ir.Items(tuple(get(memory, value, name) for name in arena.columns), names=names)


def _parts(arena: ObjectArena, content: Value) -> Mapping[Any, Value]:
    if isinstance(content, ir.Keyed) and content.shared:
        raise RefusedError("an object that may be one of two is put into a list")
    if isinstance(content, ir.Keyed) and (content.made or dict) is arena.made:
        return content.items
    if isinstance(content, ir.Static) and isinstance(content.value, dict) and arena.made is dict:
        return {key: ir.Static(value) for key, value in content.value.items()}
    if isinstance(content, ir.Items) and issubclass(arena.made, tuple) and len(content.items) == len(arena.columns):
        return dict(zip(arena.columns, content.items, strict=True))
    if isinstance(content, ir.Static) and type(content.value) is arena.made and issubclass(arena.made, tuple):
        return {name: ir.Static(value) for name, value in zip(arena.columns, content.value, strict=True)}
    raise RefusedError(f"something else than {called(arena)} is put into a list of them")


def called(arena: ObjectArena) -> str:
    return "a dict" if arena.made is dict else f"an object of the class {arena.made.__name__}"


# ---- lists of objects ----


def numbered(frame: CallFrame, lists: list[Value]) -> list[Value]:
    """Lists that are concatenated: if one holds indices of objects, the others do, too."""
    seen = [frame.memory.see(one) for one in lists]
    like = next((v for v in seen if isinstance(v, ir.Counted | ir.Masked) and v.array.kind.is_object), None)
    if like is None:
        return lists
    arena = of(frame, like)
    return [
        ir.Items(tuple(numbers_of(frame, arena, list(value.items))), True) if isinstance(value, ir.Items) else one
        for value, one in zip(seen, lists, strict=True)
    ]


def fitted(frame: CallFrame, slot: Any, value: Value) -> Value:
    """A list in the form in which the state keeps a list of objects."""
    arena = frame.program.arenas[slot.extra.heap]
    room = slot.fields[0][1].shape[0]
    content = frame.memory.see(value)
    if isinstance(content, ir.Unknown):
        return content
    if isinstance(content, ir.Static) and isinstance(content.value, list | tuple):
        content = ir.Items(tuple(ir.Static(v) for v in content.value), True)
    if isinstance(content, ir.Items):
        if len(content.items) > room:
            raise RefusedError(f"a list of {len(content.items)} objects exceeds its capacity of {room}")
        given = numbers_of(frame, arena, list(content.items))
        steady = len(given) == frame.program.lengths.get(slot.count)
        return ir.Items(tuple(given), True) if steady else _lined(arena, room, given)
    if isinstance(content, ir.Counted | ir.Masked) and content.array.kind.of == arena.number:
        return counted(content, room)
    raise RefusedError(f"a list of objects becomes a list of something else than {called(arena)}")


def _lined(arena: ObjectArena, room: int, given: list[ir.Array]) -> ir.Counted:
    """Indices of objects as a variable-length list."""
    kind = Aval(INT, (room,), arena.number)
    if not given:
        return ir.Counted(ir.Array(zero(kind).code, kind, listed=True), ir.Array(code.const(0), Aval(INT), weak=True))
    if (first := _row(given)) is not None:
        places = code.call("jnp.arange", code.const(first), code.const(first + room))
        return ir.Counted(ir.Array(places, kind, listed=True), ir.Array(code.const(len(given)), Aval(INT), weak=True))
    return counted(stack(ir.Items(tuple(given), True)), room)


def _row(numbers: list[ir.Array]) -> int | None:
    """The first index, if they are constant and consecutive."""
    known = [n.code.value if isinstance(n.code, ast.Constant) else None for n in numbers]
    first = known[0]
    return first if isinstance(first, int) and known == [*range(first, first + len(known))] else None
