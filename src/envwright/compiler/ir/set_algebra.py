"""Sets beside sets: `a - b`, `a | b`, `a <= b`. Each is a list of what may be in it, of which some elements are."""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code, outgrown
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind
from envwright.compiler.ir.lists import all_of, counted, equals
from envwright.compiler.ir.sequences import distinct, each_with_each
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.tallies import keys
from envwright.compiler.ir.values import (
    Array,
    Gathered,
    Items,
    Masked,
    Members,
    Shelf,
    Static,
    Tally,
    Value,
    as_array,
    stack,
    told,
)
from envwright.compiler.ir.where import where
from envwright.compiler.refusal import RefusedError

_OTHERS = "sets of something else than whole numbers, or as many of them, are compared or joined"


def is_set(value: Value) -> bool:
    """Whether it is a set, known or not."""
    if isinstance(value, Static):
        return isinstance(value.value, set | frozenset)
    return isinstance(value, Members | Gathered) or (isinstance(value, Masked) and value.unordered)


def members_in_use(frame: Frame, value: Members) -> Masked:
    """The members as numbers or rows of them; those that are there are kept."""
    if value.texts:
        raise RefusedError("a set of texts is gone through")
    places = np.array(value.places)
    table = frame.program.constant("PLACES", places)
    flat = code.method(value.array.code, "ravel")
    kind = Kind(INT, places.shape)
    flags = Array(flat, Kind(value.array.kind.dtype, places.shape[:1]))
    return Masked(Array(table, kind, listed=True), flags, unordered=True)


def some_of(frame: Frame, value: Value) -> Value:
    """A set as a list of which some elements are there, in no order; other things as they are."""
    value = frame.memory.deep(value)
    if isinstance(value, Tally):
        return keys(frame, value)
    if isinstance(value, Shelf):
        return Static([*value.keys])
    if isinstance(value, Gathered) and len(value.items) == 1:
        only = stack(Items(tuple(frame.memory.deep(item) for item in value.items), True))
        return Masked(only, all_of(1), unordered=True)
    if isinstance(value, Gathered):
        return distinct(counted(frame.memory.deep(Items(value.items, True))))
    return members_in_use(frame, value) if isinstance(value, Members) else value


def combined(frame: Frame, how: ast.operator, left: Value, right: Value) -> Value:
    """`left - right` and the like."""
    a, b = _both(frame, left, right)
    match how:
        case ast.Sub():
            return _only(a, code.negated(_held(a, b)))
        case ast.BitAnd():
            return _only(a, _held(a, b))
        case ast.BitOr():
            return _joined(a, _only(b, code.negated(_held(b, a))))
        case ast.BitXor():
            return _joined(_only(a, code.negated(_held(a, b))), _only(b, code.negated(_held(b, a))))
    raise RefusedError("sets are combined in a way that Python does not know")


def compared(frame: Frame, how: ast.cmpop, left: Value, right: Value) -> Value:
    """`left <= right` and the like: whether one holds all that the other does."""
    a, b = _both(frame, left, right)
    below, above = _within(a, b), _within(b, a)
    match how:
        case ast.Eq():
            made = code.both(below, above)
        case ast.NotEq():
            made = code.negated(code.both(below, above))
        case ast.LtE():
            made = below
        case ast.GtE():
            made = above
        case ast.Lt():
            made = code.both(below, code.negated(above))
        case ast.Gt():
            made = code.both(above, code.negated(below))
        case _:
            raise RefusedError("whether two sets are the same object depends on the game")
    return Array(made, Kind(BOOL))


def either(frame: Frame, when: Array, yes: Value, no: Value) -> Masked:
    """One of two sets, by a condition."""
    a, b = _both(frame, yes, no)
    room = max(a.array.kind.shape[0], b.array.kind.shape[0])
    longer = a if a.array.kind.shape[0] == room else b
    a, b = sized(a, room), sized(b, room)
    array = replace(where(frame, when, a.array, b.array, "members"), listed=True)
    mask = where(frame, when, a.mask, b.mask, "there")
    return replace(longer, array=array, mask=mask, guessed=a.guessed or b.guessed)


def no_members(like: Masked) -> Masked:
    """An empty set, without room for anything."""
    kind = like.array.kind
    return Masked(zero(kind.shaped(0, *kind.shape[1:])), zero(Kind(BOOL, (0,))), unordered=True)


def sized(value: Value, room: int) -> Masked:
    """A set with room for so many."""
    if not isinstance(value, Masked) or not value.unordered:
        raise RefusedError(f"a set becomes {told(value)}")
    array, mask = value.array, value.mask
    have = array.kind.shape[0]
    if have == room:
        return value
    kind = array.kind.shaped(room, *array.kind.shape[1:])
    flags = Kind(BOOL, (room,))
    if have == 0:
        return replace(value, array=zero(kind), mask=zero(flags))
    if have > room:
        raise RefusedError("a set becomes one that may hold more")
    pads = [(0, room - have), *[(0, 0)] * (len(kind.shape) - 1)]
    padding = code.const(pads[0] if len(pads) == 1 else tuple(pads))
    longer = code.call("jnp.pad", mask.code, code.const(pads[0]))
    return replace(
        value, array=Array(code.call("jnp.pad", array.code, padding), kind, listed=True), mask=Array(longer, flags)
    )


def added(frame: Frame, value: Masked, item: Value) -> Masked:
    """`value.add(item)`, of a set that has room for it."""
    a, _ = _both(frame, value, Gathered((item,)))  # refused, if it is of another kind
    one = frame.named("member", as_array(frame.memory.deep(item)).code)
    new = frame.named("new", code.negated(code.call("jnp.any", equals(a, one))))
    place = frame.named("place", code.call("jnp.argmin", a.mask.code))  # the first that is free
    if value.guessed:
        outgrown.note(frame, code.both(new, code.index(a.mask.code, place)))
    array = replace(a.array, code=code.call("put", a.array.code, place, one, when=new))
    mask = replace(a.mask, code=code.call("put", a.mask.code, place, code.const(True), when=new))
    return _named(frame, replace(a, array=array, mask=mask))


def _both(frame: Frame, left: Value, right: Value) -> tuple[Masked, Masked]:
    sides = [_members(frame, value) for value in (left, right)]
    for i, side in enumerate(sides):
        if side is None:  # empty: of the kind that the other is
            other = sides[1 - i]
            width = other.array.kind.shape[1:] if other is not None else ()
            sides[i] = Masked(zero(Kind(INT, (0, *width))), all_of(0), unordered=True)
    a, b = sides
    assert a is not None
    assert b is not None
    kinds = a.array.kind, b.array.kind
    if kinds[0].shape[1:] != kinds[1].shape[1:] or any(not k.is_whole or k.of for k in kinds):
        raise RefusedError(_OTHERS)
    return _named(frame, a), _named(frame, b)


def _named(frame: Frame, value: Masked) -> Masked:
    """Under names, for it will be used more than once."""
    array = replace(value.array, code=frame.named("members", value.array.code))
    return replace(value, array=array, mask=replace(value.mask, code=frame.named("there", value.mask.code)))


def _members(frame: Frame, value: Value) -> Masked | None:
    if (isinstance(value, Static) and not value.value) or (isinstance(value, Gathered) and not value.items):
        return None
    if isinstance(value, Static):
        try:
            members = np.array(sorted(value.value))
        except (TypeError, ValueError):
            raise RefusedError(_OTHERS) from None
        if members.dtype.kind != "i" or members.ndim > 2:
            raise RefusedError(_OTHERS)
        made = frame.program.constant("MEMBERS", members)
        return Masked(Array(made, Kind(INT, members.shape), listed=True), all_of(len(members)), unordered=True)
    found = some_of(frame, value)
    assert isinstance(found, Masked)
    return found


def _held(a: Masked, b: Masked) -> Code:
    """Which elements of a are in b."""
    return code.call("jnp.any", code.both(each_with_each(a.array, b.array), b.mask.code), axis=code.const(1))


def _only(a: Masked, some: Code) -> Masked:
    return replace(a, mask=replace(a.mask, code=code.both(a.mask.code, some)))


def _joined(a: Masked, b: Masked) -> Masked:
    arrays, masks = ([getattr(one, part).code for one in (a, b)] for part in ("array", "mask"))
    length = a.array.kind.shape[0] + b.array.kind.shape[0]
    kind = a.array.kind.shaped(length, *a.array.kind.shape[1:])
    array = Array(code.call("jnp.concatenate", code.list_of(arrays)), kind, listed=True)
    mask = Array(code.call("jnp.concatenate", code.list_of(masks)), Kind(BOOL, (length,)))
    return Masked(array, mask, unordered=True)


def _within(a: Masked, b: Masked) -> Code:
    inside = code.binary(code.negated(a.mask.code), ast.BitOr(), _held(a, b))
    return code.call("jnp.all", inside)
