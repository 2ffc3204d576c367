"""Dicts by whole numbers, or tuples of them, whose keys are always the same: an array of their values.

Where a key is in the array is a subtraction, if the keys fill a box, else it is looked up. What is asked for under a
key that such a dict does not have is an error of the original's, so it may be anything; `in` and `get` tell.
"""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code, tables, texts
from envwright.compiler.ir.array_index import of_array
from envwright.compiler.ir.array_writing import write_array
from envwright.compiler.ir.kinds import BOOL, INT, Kind, joined
from envwright.compiler.ir.sight import Sight
from envwright.compiler.ir.values import (
    Array,
    Items,
    Keyed,
    Shelf,
    Static,
    Value,
    as_array,
    cast,
    stack,
    told,
)
from envwright.compiler.refusal import RefusedError

Where = tuple[Value, ...]


def width(shelf: Shelf) -> int:
    """How many numbers a key is."""
    return len(shelf.keys[0]) if isinstance(shelf.keys[0], tuple) else 1


def spread(shelf: Shelf, where: Where) -> Where:
    """An index with a key that is a tuple as one with its parts."""
    first, rest = where[0], where[1:]
    if isinstance(first, Items) and not first.is_list:
        return (*first.items, *rest)
    if isinstance(first, Static) and isinstance(first.value, tuple):
        return (*(Static(part) for part in first.value), *rest)
    if isinstance(first, Array) and len(first.kind.shape) == 1 and isinstance(shelf.keys[0], tuple):
        one = Kind(first.kind.dtype)
        return (*(Array(code.index(first.code, code.const(i)), one) for i in range(first.kind.shape[0])), *rest)
    return where


def _key(shelf: Shelf, where: Where) -> tuple[Where, Where]:
    """The parts of the key, and what comes after it."""
    where, wide = spread(shelf, where), width(shelf)
    if len(where) < wide or not all(_is_whole(part) for part in where[:wide]):
        raise RefusedError(f"a dict is indexed by what its keys are not: {told(where[0])}")
    return where[:wide], where[wide:]


def _is_whole(part: Value) -> bool:
    if isinstance(part, Static):
        return isinstance(part.value, int | np.integer)
    return isinstance(part, Array) and part.kind.shape == () and not part.kind.is_float and not part.kind.of


def known_key(parts: Where) -> object | None:
    """A key that is known."""
    found = tuple(int(part.value) for part in parts if isinstance(part, Static))
    return None if len(found) < len(parts) else found[0] if len(found) == 1 else found


def _places(memory: Sight, shelf: Shelf, parts: Where) -> Where:
    """Where the value under a key is."""
    key = known_key(parts)
    if key is not None:
        if key not in shelf.keys:
            raise RefusedError(f"a dict of the state has no key {key!r} in any of the games played")
        place = shelf.keys.index(key)
        return tuple(Static(int(i)) for i in np.unravel_index(place, shelf.array.kind.shape[: shelf.axes]))
    arrays = [cast(as_array(part), INT) if as_array(part).kind.is_bool else as_array(part) for part in parts]
    if shelf.first:
        pairs = zip(arrays, shelf.first, strict=True)
        return tuple(Array(tables.minus(part.code, low), Kind(INT), natural=True) for part, low in pairs)
    by_key = {key: place for place, key in enumerate(shelf.keys)}
    if len(arrays) == 1:
        found = tables.pick(memory.program, by_key, arrays[0], "PLACE_OF_KEY")
    else:
        found = tables.by_tuple(memory.program, by_key, Items(tuple(arrays)), "PLACE_OF_KEY")  # pyright: ignore
    return (replace(as_array(found), natural=True),)


def read(memory: Sight, shelf: Shelf, where: Where) -> Value:
    """`shelf[where]`."""
    parts, rest = _key(shelf, where)
    found = of_array(shelf.array, (*_places(memory, shelf, parts), *rest))
    if isinstance(found, Array) and not rest:
        return replace(found, tupled=shelf.tupled and bool(found.kind.shape))
    return found


def write(memory: Sight, shelf: Shelf, where: Where, value: Value) -> Shelf:
    """The dict after `shelf[where] = value`; a key that it does not have is dropped, and noted by whoever asks."""
    parts, rest = _key(shelf, where)
    array = shelf.array
    new = texts.into(array.kind.letters, value) if array.kind.letters else as_array(value)
    if not rest and new.kind.shape != array.kind.shape[shelf.axes :]:
        raise RefusedError("a dict gets a value of another shape than it has")
    kind = joined(Kind(array.kind.dtype), Kind(new.kind.dtype), array.weak, new.weak)
    if kind.dtype != array.kind.dtype and rest and kind.is_float:
        raise RefusedError("a row gets a number of another kind than it has; if it is an array, that would be rounded")
    if kind.dtype != array.kind.dtype and not rest:
        array = cast(array, kind.dtype)
    return replace(shelf, array=write_array(array, (*_places(memory, shelf, parts), *rest), new))


def holds(shelf: Shelf, item: Value) -> Array | None:
    """`item in shelf`, for a key of the game, where the keys fill a box; None: they have to be gone through."""
    parts = spread(shelf, (item,))
    if not shelf.first or len(parts) != width(shelf) or not all(_is_whole(part) for part in parts):
        return None
    made = None
    for part, low, size in zip(parts, shelf.first, shelf.array.kind.shape, strict=False):
        inner = as_array(part).code
        fits = code.both(
            code.compare(inner, ast.GtE(), code.const(low)), code.compare(inner, ast.Lt(), code.const(low + size))
        )
        made = fits if made is None else code.both(made, fits)
    assert made is not None
    return Array(made, Kind(BOOL))


def is_inside(shelf: Shelf, parts: Where) -> bool:
    """Whether a key of the game is known to be one of the dict's."""
    if not shelf.first:
        return False
    bounds = zip(map(as_array, parts), shelf.first, shelf.array.kind.shape, strict=False)
    return all(p.natural and low <= 0 and p.most is not None and p.most < low + size for p, low, size in bounds)


def fitted(like: Shelf, value: Value) -> Shelf:
    """A dict, without references in it, in the form in which it is kept."""
    if isinstance(value, Static) and type(value.value) is dict:
        value = Keyed({key: Static(inner) for key, inner in value.value.items()})
    if isinstance(value, Shelf) and (value.keys, value.first) == (like.keys, like.first):
        return value
    if not isinstance(value, Keyed) or value.made:
        raise RefusedError(f"a dict by numbers becomes {told(value)}")
    if list(value.items) != [*like.keys]:
        raise RefusedError("a dict of the state gets other keys, or in another order, than in the games played")
    items = Items(tuple(value.items.values()), True)
    alphabet = like.array.kind.letters
    array = texts.into(alphabet, items) if alphabet else stack(items)
    kind = like.array.kind
    if array.kind.shape != (len(like.keys), *kind.shape[like.axes :]):
        raise RefusedError("a dict gets a value of another shape than it has")
    shaped = code.method(array.code, "reshape", code.const(kind.shape)) if like.axes > 1 else array.code
    return replace(like, array=Array(shaped, Kind(array.kind.dtype, kind.shape, kind.of), like.array.listed))


def values_of(shelf: Shelf) -> Array:
    """`shelf.values()`, as a list."""
    array = shelf.array
    shape = (len(shelf.keys), *array.kind.shape[shelf.axes :])
    made = code.method(array.code, "reshape", code.const(shape)) if shelf.axes > 1 else array.code
    return Array(made, array.kind.shaped(*shape), listed=True)


def value_at(shelf: Shelf, place: int) -> Value:
    """The value under one of the keys, by its place among them."""
    places = np.unravel_index(place, shelf.array.kind.shape[: shelf.axes])
    found = of_array(shelf.array, tuple(Static(int(i)) for i in places))
    return replace(as_array(found), tupled=shelf.tupled and bool(as_array(found).kind.shape))
