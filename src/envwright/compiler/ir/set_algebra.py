"""Sets beside sets: `a - b`, `a | b`, `a <= b`. Each is a list of what may be in it, of which some elements are."""

import ast
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind
from envwright.compiler.ir.lists import all_of, counted
from envwright.compiler.ir.sequences import distinct, each_with_each
from envwright.compiler.ir.values import Array, Gathered, Items, Masked, Members, Static, Value
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
    return _joined(_only(a, when.code), _only(b, code.negated(when.code)))


def _both(frame: Frame, left: Value, right: Value) -> tuple[Masked, Masked]:
    sides = [_members(frame, value) for value in (left, right)]
    for i, side in enumerate(sides):
        if side is None:  # empty: of the kind that the other is
            other = sides[1 - i]
            width = other.array.kind.shape[1:] if other is not None else ()
            blank = Array(
                code.call("jnp.zeros", code.const((0, *width)), code.dotted("jnp.int32")), Kind(INT, (0, *width))
            )
            sides[i] = Masked(blank, all_of(0), unordered=True)
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
