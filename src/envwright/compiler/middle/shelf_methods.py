"""Methods of dicts by whole numbers, and what happens to them when they are set."""

import ast
from collections.abc import Callable

from envwright.compiler.ir import code, outgrown, shelves
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.merge import join, says
from envwright.compiler.ir.operators import contains
from envwright.compiler.ir.values import (
    NONE,
    PLACES,
    Array,
    Items,
    Keyed,
    Shelf,
    Static,
    Value,
    View,
    as_array,
)
from envwright.compiler.ir.writing import set_content
from envwright.compiler.middle.parts import part
from envwright.compiler.refusal import RefusedError


def key_at(frame: Frame, shelf: Shelf, i: Code) -> Value:
    """The key at a place among all keys, by the code for the place."""
    if len(shelf.first) == 1:
        (low,) = shelf.first
        made = i if low == 0 else code.binary(i, ast.Add(), code.const(low))
        return Array(made, Kind(INT), natural=low >= 0, most=shelf.keys[-1])
    table = frame.program.constant("KEYS", [*shelf.keys])
    if not isinstance(shelf.keys[0], tuple):
        return Array(code.index(table, i), Kind(INT))
    wide = range(shelves.width(shelf))
    return Items(tuple(Array(code.index(table, i, code.const(k)), Kind(INT)) for k in wide))


def value_under(frame: Frame, place: Value, key: Value, i: Code) -> Value:
    """The value at a place among all keys, as it is now; a row is still a part of the dict."""
    shelf = frame.memory.see(place)
    assert isinstance(shelf, Shelf)
    values = shelves.values_of(shelf)
    if isinstance(place, PLACES) and values.kind.shape[1:] and not shelf.tupled:
        return View(place, shelves.spread(shelf, (key,)))
    inner = values.kind.shaped(*values.kind.shape[1:])
    return Array(code.index(values.code, i), inner, shelf.array.listed and bool(inner.shape), shelf.tupled)


def value_of(frame: Frame, place: Value, i: int) -> Value:
    """The same, for a place that is known."""
    shelf = frame.memory.see(place)
    assert isinstance(shelf, Shelf)
    if isinstance(place, PLACES) and shelf.array.kind.shape[shelf.axes :] and not shelf.tupled:
        return View(place, shelves.spread(shelf, (Static(shelf.keys[i]),)))
    return shelves.value_at(shelf, i)


def note_key(frame: Frame, shelf: Shelf, where: tuple[Value, ...]) -> None:
    """Before a key of the game is set: if the dict may not have it, the original gets a key that this one cannot."""
    parts = shelves.spread(shelf, where)[: shelves.width(shelf)]
    if shelves.known_key(parts) is not None or shelves.is_inside(shelf, parts):
        return
    there = as_array(contains(frame, shelf, parts[0] if len(parts) == 1 else Items(parts)))
    if any(says(frame, guard, there.code) for guard in frame.guards):
        return
    if frame.writer.start or outgrown.NOTE not in frame.memory.attributes:
        raise RefusedError("a dict of the state is set at a key of the game, which may be one that it does not have")
    outgrown.note(frame, code.negated(there.code))


def _get(frame: Frame, base: Value, shelf: Shelf, arguments: list[Value]) -> Value:
    key = frame.memory.deep(arguments[0])
    default = frame.memory.deep(arguments[1]) if len(arguments) > 1 else NONE
    there = contains(frame, shelf, key)
    if isinstance(there, Static):
        return read(frame.memory, shelf, (key,)) if there.value else default
    found = read(frame.memory, shelf, (key,))
    if isinstance(found, Array) and found.kind.shape and not shelf.tupled:
        raise RefusedError("get() of a dict that holds lists, with a key of the game")
    return join(frame, as_array(there), found, default)


def _set_default(frame: Frame, base: Value, shelf: Shelf, arguments: list[Value]) -> Value:
    """The keys are always there, so there is nothing to be set."""
    key = (frame.memory.deep(arguments[0]),)
    note_key(frame, shelf, key)
    return read(frame.memory, shelf, key) if not isinstance(base, PLACES) else part(frame, base, key, "")


def _values(frame: Frame, base: Value, shelf: Shelf, arguments: list[Value]) -> Value:
    if shelf.array.kind.shape[shelf.axes :]:
        return Items(tuple(value_of(frame, base, i) for i in range(len(shelf.keys))), True)
    return shelves.values_of(shelf)


def _items(frame: Frame, base: Value, shelf: Shelf, arguments: list[Value]) -> Value:
    pairs = (Items((Static(key), value_of(frame, base, i))) for i, key in enumerate(shelf.keys))
    return Items(tuple(pairs), True)


def _copy(frame: Frame, base: Value, shelf: Shelf, arguments: list[Value]) -> Value:
    if shelf.array.kind.shape[shelf.axes :] and not shelf.tupled:
        raise RefusedError("a dict is copied whose lists would be in both")
    return shelf


def _update(frame: Frame, base: Value, shelf: Shelf, arguments: list[Value]) -> Value:
    more = frame.memory.deep(arguments[0])
    if isinstance(more, Shelf):
        more = Keyed({key: shelves.value_at(more, i) for i, key in enumerate(more.keys)})
    added = more.items if isinstance(more, Keyed) else {k: Static(v) for k, v in known(more).items()}
    for key, value in added.items():
        shelf = shelves.write(frame.memory, shelf, (Static(key),), value)
    set_content(frame, base, shelf)
    return NONE


METHODS: dict[str, Callable[[Frame, Value, Shelf, list[Value]], Value]] = {
    "get": _get, "keys": lambda f, b, shelf, a: Static([*shelf.keys]), "values": _values, "items": _items,
    "copy": _copy, "update": _update, "setdefault": _set_default,
}  # fmt: skip


def call_shelf(frame: Frame, base: Value, shelf: Shelf, name: str, arguments: list[Value]) -> Value:
    """A method of one."""
    if name in ("pop", "popitem", "clear"):
        raise RefusedError("a key is taken out of a dict of the state, which always has the same keys")
    if name not in METHODS:
        raise RefusedError(f"the method {name} of a dict is not covered")
    return METHODS[name](frame, base, shelf, arguments)
