"""Operators on sets: `a - b`, `a | b`, `a <= b`. A set is an array of candidates and a membership mask."""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code, overflow
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.counter_dict import keys
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import all_of, counted, equals
from envwright.compiler.ir.select import select
from envwright.compiler.ir.sequences import distinct, each_with_each
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.values import Value, as_array, described, stack
from envwright.compiler.refusal import RefusedError

_OTHERS = "sets of anything but integers, or equally long tuples of them, are combined or compared"


def is_set(value: Value) -> bool:
    """Whether it is a set, known or not."""
    if isinstance(value, ir.Static):
        return isinstance(value.value, set | frozenset)
    return isinstance(value, ir.Members | ir.Gathered) or (isinstance(value, ir.Masked) and value.unordered)


def members_in_use(frame: CallFrame, value: ir.Members) -> ir.Masked:
    """The domain of a set as an array, with its membership mask."""
    if value.texts:
        raise RefusedError("a set of strings is iterated over")
    places = np.array(value.places)
    table = frame.program.constant("PLACES", places)
    flat = code.method(value.array.code, "ravel")
    kind = Aval(INT, places.shape)
    flags = ir.Array(flat, Aval(value.array.kind.dtype, places.shape[:1]))
    return ir.Masked(ir.Array(table, kind, listed=True), flags, unordered=True)


def some_of(frame: CallFrame, value: Value) -> Value:
    """A set as an array with a membership mask, in no order; other values as they are."""
    value = frame.memory.deep(value)
    if isinstance(value, ir.CounterDict):
        return keys(frame, value)
    if isinstance(value, ir.FixedKeyDict):
        return ir.Static([*value.keys])
    if isinstance(value, ir.Gathered) and len(value.items) == 1:
        only = stack(ir.Items(tuple(frame.memory.deep(item) for item in value.items), True))
        return ir.Masked(only, all_of(1), unordered=True)
    if isinstance(value, ir.Gathered):
        return distinct(counted(frame.memory.deep(ir.Items(value.items, True))))
    return members_in_use(frame, value) if isinstance(value, ir.Members) else value


def combined(frame: CallFrame, how: ast.operator, left: Value, right: Value) -> Value:
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
    raise RefusedError("an operator that sets do not have")


def compared(frame: CallFrame, how: ast.cmpop, left: Value, right: Value) -> Value:
    """`left <= right` and the like."""
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
            raise RefusedError("whether two sets are the same object is known only at run time")
    return ir.Array(made, Aval(BOOL))


def either(frame: CallFrame, when: ir.Array, yes: Value, no: Value) -> ir.Masked:
    """One of two sets, by a condition."""
    a, b = _both(frame, yes, no)
    room = max(a.array.kind.shape[0], b.array.kind.shape[0])
    longer = a if a.array.kind.shape[0] == room else b
    a, b = sized(a, room), sized(b, room)
    array = replace(select(frame, when, a.array, b.array, "members"), listed=True)
    mask = select(frame, when, a.mask, b.mask, "there")
    return replace(longer, array=array, mask=mask, guessed=a.guessed or b.guessed)


def no_members(like: ir.Masked) -> ir.Masked:
    """An empty set of capacity 0."""
    kind = like.array.kind
    return ir.Masked(zero(kind.shaped(0, *kind.shape[1:])), zero(Aval(BOOL, (0,))), unordered=True)


def sized(value: Value, room: int) -> ir.Masked:
    """A set of a larger capacity."""
    if not isinstance(value, ir.Masked) or not value.unordered:
        raise RefusedError(f"a set becomes {described(value)}")
    array, mask = value.array, value.mask
    have = array.kind.shape[0]
    if have == room:
        return value
    kind = array.kind.shaped(room, *array.kind.shape[1:])
    flags = Aval(BOOL, (room,))
    if have == 0:
        return replace(value, array=zero(kind), mask=zero(flags))
    if have > room:
        raise RefusedError("a set is replaced by one of a larger capacity")
    pads = [(0, room - have), *[(0, 0)] * (len(kind.shape) - 1)]
    padding = code.const(pads[0] if len(pads) == 1 else tuple(pads))
    longer = code.call("jnp.pad", mask.code, code.const(pads[0]))
    return replace(
        value,
        array=ir.Array(code.call("jnp.pad", array.code, padding), kind, listed=True),
        mask=ir.Array(longer, flags),
    )


def added(frame: CallFrame, value: ir.Masked, item: Value) -> ir.Masked:
    """`value.add(item)`, of a set with capacity for it."""
    a, _ = _both(frame, value, ir.Gathered((item,)))  # refused, if it is of another kind
    one = frame.named("member", as_array(frame.memory.deep(item)).code)
    new = frame.named("new", code.negated(code.call("jnp.any", equals(a, one))))
    place = frame.named("place", code.call("jnp.argmin", a.mask.code))  # the first that is free
    if value.guessed:
        overflow.note(frame, code.both(new, code.index(a.mask.code, place)))
    array = replace(a.array, code=code.call("put", a.array.code, place, one, when=new))
    mask = replace(a.mask, code=code.call("put", a.mask.code, place, code.const(True), when=new))
    return _named(frame, replace(a, array=array, mask=mask))


def _both(frame: CallFrame, left: Value, right: Value) -> tuple[ir.Masked, ir.Masked]:
    sides = [_members(frame, value) for value in (left, right)]
    for i, side in enumerate(sides):
        if side is None:  # empty: of the kind that the other is
            other = sides[1 - i]
            width = other.array.kind.shape[1:] if other is not None else ()
            sides[i] = ir.Masked(zero(Aval(INT, (0, *width))), all_of(0), unordered=True)
    a, b = sides
    assert a is not None
    assert b is not None
    kinds = a.array.kind, b.array.kind
    if kinds[0].shape[1:] != kinds[1].shape[1:] or any(not k.is_whole or k.of for k in kinds):
        raise RefusedError(_OTHERS)
    return _named(frame, a), _named(frame, b)


def _named(frame: CallFrame, value: ir.Masked) -> ir.Masked:
    """Under names, since it is used more than once."""
    array = replace(value.array, code=frame.named("members", value.array.code))
    return replace(value, array=array, mask=replace(value.mask, code=frame.named("there", value.mask.code)))


def _members(frame: CallFrame, value: Value) -> ir.Masked | None:
    if (isinstance(value, ir.Static) and not value.value) or (isinstance(value, ir.Gathered) and not value.items):
        return None
    if isinstance(value, ir.Static):
        try:
            members = np.array(sorted(value.value))
        except (TypeError, ValueError):
            raise RefusedError(_OTHERS) from None
        if members.dtype.kind != "i" or members.ndim > 2:
            raise RefusedError(_OTHERS)
        made = frame.program.constant("MEMBERS", members)
        return ir.Masked(ir.Array(made, Aval(INT, members.shape), listed=True), all_of(len(members)), unordered=True)
    found = some_of(frame, value)
    assert isinstance(found, ir.Masked)
    return found


def _held(a: ir.Masked, b: ir.Masked) -> Code:
    """Which elements of a are in b."""
    return code.call("jnp.any", code.both(each_with_each(a.array, b.array), b.mask.code), axis=code.const(1))


def _only(a: ir.Masked, some: Code) -> ir.Masked:
    return replace(a, mask=replace(a.mask, code=code.both(a.mask.code, some)))


def _joined(a: ir.Masked, b: ir.Masked) -> ir.Masked:
    arrays, masks = ([getattr(one, part).code for one in (a, b)] for part in ("array", "mask"))
    length = a.array.kind.shape[0] + b.array.kind.shape[0]
    kind = a.array.kind.shaped(length, *a.array.kind.shape[1:])
    array = ir.Array(code.call("jnp.concatenate", code.list_of(arrays)), kind, listed=True)
    mask = ir.Array(code.call("jnp.concatenate", code.list_of(masks)), Aval(BOOL, (length,)))
    return ir.Masked(array, mask, unordered=True)


def _within(a: ir.Masked, b: ir.Masked) -> Code:
    inside = code.binary(code.negated(a.mask.code), ast.BitOr(), _held(a, b))
    return code.call("jnp.all", inside)
