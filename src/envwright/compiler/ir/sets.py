"""Mutable sets: a membership flag for each element of a domain that the contract knows from play, and a count.

An element outside of the domain is counted but has no flag, so that the overflow is detected.
"""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.resolver import Resolver
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.values import Value, as_array, described
from envwright.compiler.refusal import RefusedError


def empty(like: ir.Members) -> ir.Members:
    """The empty set over the same domain."""
    array = zero(Aval(BOOL, like.array.kind.shape))
    return replace(like, array=array, count=ir.Array(code.const(0), Aval(INT), weak=True))


def fitted(memory: Resolver, like: ir.Members, value: Value) -> ir.Members:
    """A set as `Members` over the domain of another."""
    if isinstance(value, ir.Members):
        if (value.array.kind.shape, value.first, value.texts) != (like.array.kind.shape, like.first, like.texts):
            raise RefusedError("a set is replaced by one of another element type")
        return value
    if isinstance(value, ir.Static) and isinstance(value.value, set | frozenset):
        return _known(like, value.value)
    if isinstance(value, ir.Gathered):
        made = empty(like)
        for item in value.items:
            made = added(memory, made, item)
        return made
    if isinstance(value, ir.Masked) and value.unordered:
        return _some(like, value)
    raise RefusedError(f"a set becomes {described(value)}")


def _some(like: ir.Members, value: ir.Masked) -> ir.Members:
    """A set of the elements that a mask selects."""
    shape, array = like.array.kind.shape, value.array
    if like.texts or not array.kind.is_whole or array.kind.shape[1:] != (shape[1:] and (len(shape),)):
        raise RefusedError("a set gets something other than integers, or tuples of another length")
    parts = (
        [array.code]
        if len(shape) == 1
        else [code.index(array.code, code.span(), code.const(i)) for i in range(len(shape))]
    )
    there, index = value.mask.code, []
    for part, first, size in zip(parts, like.first, shape, strict=True):
        place, fits = _inside(part, first, size)
        index.append(place)
        there = code.both(there, fits)
    flags = code.attribute(zero(like.array.kind).code, "at")
    made = code.method(code.index(flags, *index), "max", there)
    count = ir.Array(code.call("jnp.sum", value.mask.code), Aval(INT))
    return replace(like, array=ir.Array(made, like.array.kind), count=count)


def _known(like: ir.Members, members: set[object] | frozenset[object]) -> ir.Members:
    if not members:
        return empty(like)
    places = like.places
    if strange := [m for m in members if m not in places]:
        raise RefusedError(f"a set holds {strange[0]!r}, which it never held in the recorded episodes")
    flags = np.array([p in members for p in places]).reshape(like.array.kind.shape)
    count = ir.Array(code.const(len(members)), Aval(INT), weak=True)
    return replace(like, array=ir.Array(code.call("jnp.array", code.const(flags)), like.array.kind), count=count)


def added(memory: Resolver, value: ir.Members, item: Value) -> ir.Members:
    """`value.add(item)`."""
    index, inside = _place(memory, value, item)
    was = code.both(inside, code.index(value.array.code, *index))
    made = code.call("put", value.array.code, _key(index), code.const(True), when=inside)
    more = code.binary(value.count.code, ast.Add(), code.method(code.negated(was), "astype", code.dotted("jnp.int32")))
    return replace(value, array=ir.Array(made, value.array.kind), count=ir.Array(more, Aval(INT)))


def removed(memory: Resolver, value: ir.Members, item: Value) -> ir.Members:
    """`value.discard(item)`."""
    index, inside = _place(memory, value, item)
    was = code.both(inside, code.index(value.array.code, *index))
    made = code.call("put", value.array.code, _key(index), code.const(False), when=inside)
    fewer = code.binary(value.count.code, ast.Sub(), code.method(was, "astype", code.dotted("jnp.int32")))
    return replace(value, array=ir.Array(made, value.array.kind), count=ir.Array(fewer, Aval(INT)))


def holds(memory: Resolver, value: ir.Members, item: Value) -> ir.Array:
    """`item in value`."""
    index, inside = _place(memory, value, item)
    return ir.Array(code.both(inside, code.index(value.array.code, *index)), Aval(BOOL))


def _key(index: list[Code]) -> Code:
    return index[0] if len(index) == 1 else code.tuple_of(index)


def _place(memory: Resolver, value: ir.Members, item: Value) -> tuple[list[Code], Code]:
    """The index of an element's flag, and whether it has one."""
    item = memory.deep(item)
    if value.texts:
        return _place_of_text(memory, value, item)
    parts = _parts(item, len(value.first))
    index, inside = [], None
    for part, first, size in zip(parts, value.first, value.array.kind.shape, strict=True):
        place, fits = _inside(part, first, size)
        index.append(place)
        inside = fits if inside is None else code.both(inside, fits)
    assert inside is not None
    return index, inside


def _inside(part: Code, first: int, size: int) -> tuple[Code, Code]:
    """The index of a number along an axis, and whether it is in range."""
    place = part if first == 0 else code.binary(part, ast.Sub(), code.const(first))
    fits = code.both(code.compare(place, ast.GtE(), code.const(0)), code.compare(place, ast.Lt(), code.const(size)))
    return code.call("jnp.clip", place, code.const(0), code.const(size - 1)), fits


def _parts(item: Value, wanted: int) -> list[Code]:
    if isinstance(item, ir.Static):
        item = ir.Items(tuple(ir.Static(v) for v in item.value)) if isinstance(item.value, tuple) else item
    if wanted == 1:
        parts = [as_array(item)]
    elif isinstance(item, ir.Items):
        parts = [as_array(part) for part in item.items]
    else:
        array = as_array(item)
        one = Aval(array.kind.dtype)
        parts = [ir.Array(code.index(array.code, code.const(i)), one) for i in range(*array.kind.shape[:1] or (0,))]
    if len(parts) != wanted or any(p.kind.shape or not p.kind.is_whole for p in parts):
        raise RefusedError("a set gets something other than integers, or tuples of another length")
    return [code.call("jnp.int32", p.code) if isinstance(p.code, ast.Constant) else p.code for p in parts]


def _place_of_text(memory: Resolver, value: ir.Members, item: Value) -> tuple[list[Code], Code]:
    numbers = {text: i for i, text in enumerate(value.texts)}
    if isinstance(item, ir.Static):
        place = numbers.get(item.value, -1)
        return [code.const(max(place, 0))], code.call("jnp.bool_", code.const(place >= 0))
    if not isinstance(item, ir.Picked):
        raise RefusedError(f"{described(item)} is used where a set holds strings")
    table = np.array([numbers.get(text, -1) for text in item.table.flat]).reshape(item.table.shape)
    same = table.ndim == 1 and table.tolist() == [*range(len(table))]
    place = item.index[0] if same else code.index(memory.program.constant(f"{item.name}_members", table), *item.index)
    inside = code.compare(place, ast.GtE(), code.const(0))
    return [code.call("jnp.maximum", place, code.const(0))], inside
