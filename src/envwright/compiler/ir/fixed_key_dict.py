"""Dicts with integer keys, or tuples of them, that never change: an array of their values.

If the keys fill a box, the index of a key is a subtraction, else it is looked up. The value of a missing key may be
anything, since the original would raise; `in` and `get` are exact.
"""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code, strings, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.array_index import of_array
from envwright.compiler.ir.array_writing import write_array
from envwright.compiler.ir.avals import BOOL, INT, Aval, joined
from envwright.compiler.ir.resolver import Resolver
from envwright.compiler.ir.values import Value, as_array, cast, described, stack
from envwright.compiler.refusal import RefusedError

Where = tuple[Value, ...]


def width(mapping: ir.FixedKeyDict) -> int:
    """How many numbers a key is."""
    return len(mapping.keys[0]) if isinstance(mapping.keys[0], tuple) else 1


def spread(mapping: ir.FixedKeyDict, where: Where) -> Where:
    """An index with a tuple key, as one with its parts."""
    first, rest = where[0], where[1:]
    if isinstance(first, ir.Items) and not first.is_list:
        return (*first.items, *rest)
    if isinstance(first, ir.Static) and isinstance(first.value, tuple):
        return (*(ir.Static(part) for part in first.value), *rest)
    if isinstance(first, ir.Array) and len(first.kind.shape) == 1 and isinstance(mapping.keys[0], tuple):
        one = Aval(first.kind.dtype)
        return (*(ir.Array(code.index(first.code, code.const(i)), one) for i in range(first.kind.shape[0])), *rest)
    return where


def _key(mapping: ir.FixedKeyDict, where: Where) -> tuple[Where, Where]:
    """The parts of the key, and what comes after it."""
    where, wide = spread(mapping, where), width(mapping)
    if len(where) < wide or not all(_is_whole(part) for part in where[:wide]):
        raise RefusedError(f"a dict is indexed by something that its keys are not: {described(where[0])}")
    return where[:wide], where[wide:]


def _is_whole(part: Value) -> bool:
    if isinstance(part, ir.Static):
        return isinstance(part.value, int | np.integer)
    return isinstance(part, ir.Array) and part.kind.shape == () and not part.kind.is_float and not part.kind.of


def known_key(parts: Where) -> object | None:
    """A constant key, or None."""
    found = tuple(int(part.value) for part in parts if isinstance(part, ir.Static))
    return None if len(found) < len(parts) else found[0] if len(found) == 1 else found


def _places(memory: Resolver, mapping: ir.FixedKeyDict, parts: Where) -> Where:
    """The index of a key in the array."""
    key = known_key(parts)
    if key is not None:
        if key not in mapping.keys:
            raise RefusedError(f"a dict of the state has no key {key!r} in any recorded episode")
        place = mapping.keys.index(key)
        return tuple(ir.Static(int(i)) for i in np.unravel_index(place, mapping.array.kind.shape[: mapping.axes]))
    arrays = [cast(as_array(part), INT) if as_array(part).kind.is_bool else as_array(part) for part in parts]
    if mapping.first:
        pairs = zip(arrays, mapping.first, strict=True)
        return tuple(ir.Array(tables.minus(part.code, low), Aval(INT), natural=True) for part, low in pairs)
    by_key = {key: place for place, key in enumerate(mapping.keys)}
    if len(arrays) == 1:
        found = tables.pick(memory.program, by_key, arrays[0], "PLACE_OF_KEY")
    else:
        found = tables.by_tuple(memory.program, by_key, ir.Items(tuple(arrays)), "PLACE_OF_KEY")  # pyright: ignore
    return (replace(as_array(found), natural=True),)


def read(memory: Resolver, mapping: ir.FixedKeyDict, where: Where) -> Value:
    """`mapping[where]`."""
    parts, rest = _key(mapping, where)
    found = of_array(mapping.array, (*_places(memory, mapping, parts), *rest))
    if isinstance(found, ir.Array) and not rest:
        return replace(found, tupled=mapping.tupled and bool(found.kind.shape))
    return found


def write(memory: Resolver, mapping: ir.FixedKeyDict, where: Where, value: Value) -> ir.FixedKeyDict:
    """The dict after `mapping[where] = value`; a missing key is dropped, and noted by the caller."""
    parts, rest = _key(mapping, where)
    array = mapping.array
    new = strings.into(array.kind.letters, value) if array.kind.letters else as_array(value)
    if not rest and new.kind.shape != array.kind.shape[mapping.axes :]:
        raise RefusedError("a dict gets a value of another shape")
    kind = joined(Aval(array.kind.dtype), Aval(new.kind.dtype), array.weak, new.weak)
    if kind.dtype != array.kind.dtype and rest and kind.is_float:
        raise RefusedError("a row gets a number of another type, which would be rounded if the row is an array")
    if kind.dtype != array.kind.dtype and not rest:
        array = cast(array, kind.dtype)
    return replace(mapping, array=write_array(array, (*_places(memory, mapping, parts), *rest), new))


def holds(mapping: ir.FixedKeyDict, item: Value) -> ir.Array | None:
    """`item in mapping` for a run-time key, if the keys fill a box."""
    parts = spread(mapping, (item,))
    if not mapping.first or len(parts) != width(mapping) or not all(_is_whole(part) for part in parts):
        return None
    made = None
    for part, low, size in zip(parts, mapping.first, mapping.array.kind.shape, strict=False):
        inner = as_array(part).code
        fits = code.both(
            code.compare(inner, ast.GtE(), code.const(low)), code.compare(inner, ast.Lt(), code.const(low + size))
        )
        made = fits if made is None else code.both(made, fits)
    assert made is not None
    return ir.Array(made, Aval(BOOL))


def is_inside(mapping: ir.FixedKeyDict, parts: Where) -> bool:
    """Whether a run-time key is provably one of the keys."""
    if not mapping.first:
        return False
    bounds = zip(map(as_array, parts), mapping.first, mapping.array.kind.shape, strict=False)
    return all(p.natural and low <= 0 and p.most is not None and p.most < low + size for p, low, size in bounds)


def fitted(like: ir.FixedKeyDict, value: Value) -> ir.FixedKeyDict:
    """A dict, without references in it, as a `FixedKeyDict`."""
    if isinstance(value, ir.Static) and type(value.value) is dict:
        value = ir.Keyed({key: ir.Static(inner) for key, inner in value.value.items()})
    if isinstance(value, ir.FixedKeyDict) and (value.keys, value.first) == (like.keys, like.first):
        return value
    if not isinstance(value, ir.Keyed) or value.made:
        raise RefusedError(f"a dict with integer keys becomes {described(value)}")
    if list(value.items) != [*like.keys]:
        raise RefusedError("the keys of a dict of the state, or their order, differ from the recorded episodes")
    items = ir.Items(tuple(value.items.values()), True)
    alphabet = like.array.kind.letters
    array = strings.into(alphabet, items) if alphabet else stack(items)
    kind = like.array.kind
    if array.kind.shape != (len(like.keys), *kind.shape[like.axes :]):
        raise RefusedError("a dict gets a value of another shape")
    shaped = code.method(array.code, "reshape", code.const(kind.shape)) if like.axes > 1 else array.code
    return replace(like, array=ir.Array(shaped, Aval(array.kind.dtype, kind.shape, kind.of), like.array.listed))


def values_of(mapping: ir.FixedKeyDict) -> ir.Array:
    """`mapping.values()`, as a list."""
    array = mapping.array
    shape = (len(mapping.keys), *array.kind.shape[mapping.axes :])
    made = code.method(array.code, "reshape", code.const(shape)) if mapping.axes > 1 else array.code
    return ir.Array(made, array.kind.shaped(*shape), listed=True)


def value_at(mapping: ir.FixedKeyDict, place: int) -> Value:
    """The value of the key at this position."""
    places = np.unravel_index(place, mapping.array.kind.shape[: mapping.axes])
    found = of_array(mapping.array, tuple(ir.Static(int(i)) for i in places))
    return replace(as_array(found), tupled=mapping.tupled and bool(as_array(found).kind.shape))
