"""Objects in lists: an object is a number, and what it holds is in columns, an array for each attribute.

All names of an object are names of its number, so all see a change of it, whichever list it is in. The state has the
columns of each list of objects; while a step is read, those of one class lie one after the other in a heap, with room
behind them for objects that are made in the step.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import counted, in_use, plus
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.values import (
    PLACES,
    Array,
    Counted,
    Items,
    Keyed,
    Masked,
    Maybe,
    Picked,
    Ref,
    Static,
    Unknown,
    Value,
    as_array,
    cast,
    stack,
)
from envwright.compiler.refusal import RefusedError

MADE = "__made__"  # how many objects there are in a heap
SPARE = 8  # objects that there is room for in any case


@dataclass
class Heap:
    """The objects of one class, or the dicts of one list."""

    number: int  # `of` of the numbers that stand for them
    made: Any  # the class
    columns: dict[str, Any]  # attribute or key -> the slot of one of them
    lists: dict[Any, int] = field(default_factory=dict)  # list of the state -> its room

    @property
    def room(self) -> int:
        return 3 * sum(self.lists.values()) + SPARE

    def hint(self, name: str) -> str:
        """What a column is called."""
        ((field_name, _),) = self.columns[name].fields
        return field_name if len(self.lists) == 1 else f"all_{name}"

    def kind(self, name: str) -> Kind:
        """Of a column."""
        ((_, one),) = self.columns[name].fields
        return one.shaped(self.room, *one.shape)


def heap_of(memory: Any, value: Value) -> Heap | None:
    """Where an object is, if this is the number of one."""
    if isinstance(value, Array) and value.kind.of in memory.program.heaps and value.kind.shape == ():
        return memory.program.heaps[value.kind.of]
    return None


def heap_for(frame: Frame, value: Value) -> Heap | None:
    """Where an object goes that has no number yet."""
    if not isinstance(value, Keyed):
        return None
    fitting = [h for h in frame.program.heaps.values() if h.made is (value.made or dict)]
    return next((h for h in fitting if h.columns.keys() == value.items.keys()), None)


def of(frame: Frame, value: Counted | Masked) -> Heap:
    """Where the objects of a list are."""
    return frame.program.heaps[value.array.kind.of]


# ---- the state ----


def blank(memory: Memory) -> None:
    """Heaps without objects, as they are before an episode."""
    for number, heap in memory.program.heaps.items():
        for name in heap.columns:
            memory.attributes[number, name] = zero(heap.kind(name))
        memory.attributes[number, MADE] = Static(0)


def load(frame: Frame, memory: Memory, state: code.Code) -> None:
    """The columns of all lists of a record."""
    for number, heap in memory.program.heaps.items():
        slots = [memory.program.slots[key] for key in heap.lists]
        for name in heap.columns:
            kind = heap.kind(name)
            parts = [code.attribute(state, slot.extra.fields[name]) for slot in slots]
            rest = zero(kind.shaped(heap.room - sum(heap.lists.values()), *kind.shape[1:]))
            whole = frame.bind(
                heap.hint(name), code.call("jnp.concatenate", code.list_of([*parts, rest.code])), auto=True
            )
            memory.attributes[number, name] = Array(code.name(whole), kind)
            memory.clean[number, name] = memory.attributes[number, name]
        memory.attributes[number, MADE] = Static(sum(heap.lists.values()))


def too_many(memory: Memory) -> list[code.Code]:
    """Conditions under which more objects were made in a step than there is room for."""
    counts = [(memory.attributes[number, MADE], heap.room) for number, heap in memory.program.heaps.items()]
    return [code.compare(count.code, ast.Gt(), code.const(room)) for count, room in counts if isinstance(count, Array)]


def is_clean(memory: Memory, slot: Any) -> bool:
    """Whether the objects of a class are as the record has them."""
    heap = memory.program.heaps[slot.extra.heap]
    keys = [(heap.number, name) for name in heap.columns]
    return all(memory.attributes[key] is memory.clean.get(key) for key in keys)


def numbers(program: Any, key: Any, count: Array) -> Counted | Items:
    """A list of the state: the numbers of its objects, right after it is loaded."""
    heap = program.heaps[program.slots[key].extra.heap]
    start = 0
    for other, room in heap.lists.items():
        if other == key:
            break
        start += room
    if (length := program.lengths.get(program.slots[key].count)) is not None:
        return Items(tuple(Array(code.const(start + i), Kind(INT, (), heap.number)) for i in range(length)), True)
    room = heap.lists[key]
    places = code.call("jnp.arange", *([code.const(start)] if start else []), code.const(start + room))
    return Counted(Array(places, Kind(INT, (room,), heap.number), listed=True), count)


def stored(memory: Memory, slot: Any, value: Value) -> dict[str, Array]:
    """The fields of a list of objects; nothing is left where none is."""
    program = memory.program
    heap = program.heaps[slot.extra.heap]
    length = program.lengths.get(slot.count)
    if length is not None and (not isinstance(value, Items) or len(value.items) != length):
        program.unsteady.add(slot.count)
        raise RefusedError(f"a list that always seemed to hold {length} objects may hold more or fewer")
    if isinstance(value, Items):
        value = _lined(heap, slot.room, [as_array(number) for number in value.items])
    if not isinstance(value, Counted):
        raise RefusedError("a list of objects becomes something else")
    fields: dict[str, Array] = {}
    for name, own in slot.extra.fields.items():
        kind = heap.kind(name).shaped(value.room, *heap.kind(name).shape[1:])
        there = code.with_axes(in_use(value).code, len(kind.shape) - 1)
        column = as_array(memory.attributes[heap.number, name])
        chosen = code.index(column.code, value.array.code)
        fields[own] = Array(code.call("jnp.where", there, chosen, zero(kind.shaped()).code), kind)
    count, kind = slot.fields[-1]
    fields[count] = cast(value.count, kind.dtype)
    return fields


# ---- one object ----


def get(memory: Any, number: Array, name: str) -> Value:
    """An attribute, or what a dict holds under a key."""
    heap = memory.program.heaps[number.kind.of]
    slot = heap.columns[name]
    ((_, kind),) = slot.fields
    column = as_array(memory.attributes[heap.number, name])
    return slot.value_of([Array(code.index(column.code, number.code), kind, slot.listed, slot.tupled)])


def put(frame: Frame, number: Array, name: str, value: Value) -> None:
    """`number.name = value`."""
    heap = frame.program.heaps[number.kind.of]
    if name not in heap.columns:
        raise RefusedError(f"{name} of {called(heap)} is set, but was never seen in the games played")
    slot = heap.columns[name]
    new = _encoded(frame, slot, value)
    column = as_array(frame.memory.attributes[heap.number, name])
    made = code.call("put", column.code, number.code, new.code)
    bound = code.name(frame.bind(heap.hint(name), made, auto=True))
    frame.memory.attributes[heap.number, name] = Array(bound, column.kind)


def make(frame: Frame, heap: Heap, parts: Mapping[Any, Value]) -> Array:
    """A new object in a heap."""
    _complete(heap, parts)
    count = frame.memory.attributes[heap.number, MADE]
    if isinstance(count, Static) and count.value >= heap.room:
        raise RefusedError(f"more than {heap.room} objects are made in one step")
    place = as_array(count)
    kind = Kind(INT, (), heap.number)
    number = Array(code.name(frame.bind("number", place.code, auto=True)), kind)
    for name in heap.columns:
        put(frame, number, name, parts[name])
    more = Static(count.value + 1) if isinstance(count, Static) else plus(place, 1)
    frame.memory.attributes[heap.number, MADE] = more
    return number


def _encoded(frame: Frame, slot: Any, value: Value) -> Array:
    """A value as its column has it; texts that are picked from a table, by a table of their numbers."""
    ((own, kind),) = slot.fields
    value = frame.memory.deep(value)
    texts = list(slot.extra[0]) if slot.form == "texts" and isinstance(value, Picked) else []
    if isinstance(value, Picked) and set(value.table.flat) <= set(texts) and list(value.table.flat) != texts:
        numbers = np.array([texts.index(text) for text in value.table.flat]).reshape(value.table.shape)
        table = frame.program.constant(f"{value.name}_numbers", numbers)
        return Array(code.index(table, *value.index), kind)
    return slot.store(value)[own]


def _complete(heap: Heap, parts: Mapping[Any, Value]) -> Mapping[Any, Value]:
    if missing := [name for name in heap.columns if name not in parts]:
        raise RefusedError(f"{called(heap)} is made without {missing[0]}")
    if strange := [name for name in parts if name not in heap.columns]:
        raise RefusedError(f"{called(heap)} holds {strange[0]}, which the contract does not have")
    return parts


def number_of(frame: Frame, heap: Heap, value: Value) -> Array:
    """The number of an object; one that has none gets one, and all its names know it by that."""
    content = _content(frame, value)
    if isinstance(content, Array) and content.kind.of == heap.number:
        return content
    if isinstance(content, Maybe | Array):
        raise RefusedError(f"something else than {called(heap)} gets into a list of them")
    made = make(frame, heap, _parts(heap, content))
    if isinstance(value, Ref):
        frame.memory.cells[value.cell] = made
    return made


def _content(frame: Frame, value: Value) -> Value:
    """What gets into a list; all names of it must be known, so that they can go on meaning it."""
    content = frame.memory.see(value)
    known = isinstance(content, Static) and isinstance(content.value, dict)
    if isinstance(value, PLACES) and not isinstance(value, Ref) and (known or isinstance(content, Keyed)):
        raise RefusedError("an object that may be one of two, or is a part of something else, gets into a list")
    return content


def numbers_of(frame: Frame, heap: Heap, values: list[Value]) -> list[Array]:
    """The numbers of several objects; those of a long list of new ones are put into the heap at once."""
    contents = [_content(frame, value) for value in values]
    count = frame.memory.attributes[heap.number, MADE]
    new = all(isinstance(c, Keyed | Items | Static) for c in contents) and len({id(c) for c in contents}) == len(values)
    if len(values) < 3 or not new or not isinstance(count, Static) or count.value + len(values) > heap.room:
        return [number_of(frame, heap, value) for value in values]
    parts = [_complete(heap, _parts(heap, content)) for content in contents]
    first, after = count.value, count.value + len(values)
    for name, slot in heap.columns.items():
        rows = stack(Items(tuple(_encoded(frame, slot, p[name]) for p in parts), True))
        column = as_array(frame.memory.attributes[heap.number, name])
        where = code.call("slice", code.const(first), code.const(after))
        bound = frame.bind(heap.hint(name), code.call("put", column.code, where, rows.code), auto=True)
        frame.memory.attributes[heap.number, name] = Array(code.name(bound), column.kind)
    frame.memory.attributes[heap.number, MADE] = Static(after)
    made = [Array(code.const(i), Kind(INT, (), heap.number)) for i in range(first, after)]
    for value, number in zip(values, made, strict=True):
        if isinstance(value, Ref):
            frame.memory.cells[value.cell] = number
    return made


def number_all(frame: Frame, place: Value) -> Value:
    """A list of new objects, such as the lists of the state hold, gets to hold their numbers."""
    content = frame.memory.see(place)
    if isinstance(content, Static) and isinstance(content.value, list):
        content = Items(tuple(Static(v) for v in content.value), True)
    if not isinstance(content, Items) or not content.items:
        return place
    inside = [frame.memory.see(item) for item in content.items]
    heap = next((h for h in frame.program.heaps.values() if all(_fits(h, one) for one in inside)), None)
    if heap is None:
        return place
    given = numbers_of(frame, heap, list(content.items))
    numbered = _lined(heap, len(given), given)
    if isinstance(place, Ref):
        frame.memory.cells[place.cell] = numbered
        return place
    return numbered


def _fits(heap: Heap, content: Value) -> bool:
    """Whether this is an object of a heap that has no number yet."""
    try:
        return _parts(heap, content).keys() == heap.columns.keys()
    except RefusedError:
        return False


def opened(memory: Any, value: Value) -> Value:
    """A named tuple of a list as a tuple."""
    heap = heap_of(memory, value)
    if heap is None or not issubclass(heap.made, tuple):
        return value
    assert isinstance(value, Array)
    names = tuple(heap.columns) if heap.made is not tuple else ()
    return Items(tuple(get(memory, value, name) for name in heap.columns), names=names)


def _parts(heap: Heap, content: Value) -> Mapping[Any, Value]:
    if isinstance(content, Keyed) and content.shared:
        raise RefusedError("an object that may be one of two gets into a list")
    if isinstance(content, Keyed) and (content.made or dict) is heap.made:
        return content.items
    if isinstance(content, Static) and isinstance(content.value, dict) and heap.made is dict:
        return {key: Static(value) for key, value in content.value.items()}
    if isinstance(content, Items) and issubclass(heap.made, tuple) and len(content.items) == len(heap.columns):
        return dict(zip(heap.columns, content.items, strict=True))
    if isinstance(content, Static) and type(content.value) is heap.made and issubclass(heap.made, tuple):
        return {name: Static(value) for name, value in zip(heap.columns, content.value, strict=True)}
    raise RefusedError(f"something else than {called(heap)} gets into a list of them")


def called(heap: Heap) -> str:
    return "a dict" if heap.made is dict else f"an object of the class {heap.made.__name__}"


# ---- lists of objects ----


def numbered(frame: Frame, lists: list[Value]) -> list[Value]:
    """Lists that are about to become one: if there are numbers of objects in one of them, the others have such, too."""
    seen = [frame.memory.see(one) for one in lists]
    like = next((v for v in seen if isinstance(v, Counted | Masked) and v.array.kind.is_object), None)
    if like is None:
        return lists
    heap = of(frame, like)
    return [
        Items(tuple(numbers_of(frame, heap, list(value.items))), True) if isinstance(value, Items) else one
        for value, one in zip(seen, lists, strict=True)
    ]


def fitted(frame: Frame, slot: Any, value: Value) -> Value:
    """A list in the form in which a list of objects is kept."""
    heap = frame.program.heaps[slot.extra.heap]
    room = slot.fields[0][1].shape[0]
    content = frame.memory.see(value)
    if isinstance(content, Unknown):
        return content
    if isinstance(content, Static) and isinstance(content.value, list | tuple):
        content = Items(tuple(Static(v) for v in content.value), True)
    if isinstance(content, Items):
        if len(content.items) > room:
            raise RefusedError(f"a list of {len(content.items)} objects gets more than its room, which is {room}")
        given = numbers_of(frame, heap, list(content.items))
        steady = len(given) == frame.program.lengths.get(slot.count)
        return Items(tuple(given), True) if steady else _lined(heap, room, given)
    if isinstance(content, Counted | Masked) and content.array.kind.of == heap.number:
        return counted(content, room)
    raise RefusedError(f"a list of objects becomes a list of something else than {called(heap)}")


def _lined(heap: Heap, room: int, given: list[Array]) -> Counted:
    """Numbers of objects as a list that can grow."""
    kind = Kind(INT, (room,), heap.number)
    if not given:
        return Counted(Array(zero(kind).code, kind, listed=True), Array(code.const(0), Kind(INT), weak=True))
    if (first := _row(given)) is not None:
        places = code.call("jnp.arange", code.const(first), code.const(first + room))
        return Counted(Array(places, kind, listed=True), Array(code.const(len(given)), Kind(INT), weak=True))
    return counted(stack(Items(tuple(given), True)), room)


def _row(numbers: list[Array]) -> int | None:
    """The first, if they are known, one after the other."""
    known = [n.code.value if isinstance(n.code, ast.Constant) else None for n in numbers]
    first = known[0]
    return first if isinstance(first, int) and known == [*range(first, first + len(known))] else None
