"""Python's operators on numbers, lists and known things, with Python's meaning of them."""

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code, heaps, likeness, picking, set_algebra, sets, shelves, spaces, tables, texts
from envwright.compiler.ir.arithmetic import numbers, side_by_side
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind, broadcast, is_number
from envwright.compiler.ir.lists import (
    concatenate,
    counted,
    equal_counted,
    equals,
    flags_of,
    holds_number,
    is_listlike,
    items_of,
    repeated,
    repeated_often,
)
from envwright.compiler.ir.rising import above
from envwright.compiler.ir.thresholds import exact_side
from envwright.compiler.ir.twins import one_list
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Gathered,
    Items,
    Keyed,
    Masked,
    Maybe,
    Members,
    Picked,
    Rows,
    Shelf,
    Static,
    Tally,
    Value,
    as_array,
    cast,
    is_none,
    plain_enum,
    told,
)
from envwright.compiler.refusal import RefusedError

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.MatMult: operator.matmul,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_SWAPPED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_LONGEST = 6  # names in a sum of constants that is written out


def binary(frame: Frame, how: ast.operator, left: Value, right: Value) -> Value:
    """`left + right` and the like."""
    places = (left, right)
    left, right = frame.memory.see(left), frame.memory.see(right)
    if isinstance(left, Static) and isinstance(right, Static):
        return _fold(how, left, right)
    if isinstance(how, ast.Add) and (is_listlike(left) and is_listlike(right)):
        return one_list(frame.memory, concatenate(frame.memory, *heaps.numbered(frame, [left, right])), places)
    if isinstance(how, ast.Mult):
        for items, times in ((left, right), (right, left)):
            if isinstance(items, Items) and isinstance(times, Static) and isinstance(times.value, int):
                # The elements are the same ones each time: a list among them is still one list.
                held = items.items if times.value < 2 else tuple(frame.memory.hold(v) for v in items.items)
                return repeated(replace(items, items=held), times.value)
            if is_listlike(items) and isinstance(times, Array) and not times.kind.shape and not times.listed:
                return repeated_often(items, replace(times, code=frame.writer.meaning(times.code)))
    if set_algebra.is_set(left) and set_algebra.is_set(right):
        return set_algebra.combined(frame, how, left, right)
    if isinstance(left, Masked | Counted) or isinstance(right, Masked | Counted):
        some, arrays = side_by_side([left, right])
        return replace(some, array=numbers(how, *(as_array(a) for a in arrays)))
    return numbers(how, as_array(left), as_array(right))


def _fold(how: ast.operator, left: Static, right: Static) -> Static:
    """Two known things: computed now, but written as the original writes it where names are in it."""
    value = fold(_between(how, left, right), _BINARY[type(how)], left.value, right.value)
    if not is_number(value) or np.ndim(value) or not (left.written or right.written):
        return Static(value)
    sides = [s.written or code.const(s.value) for s in (left, right)]
    made = code.binary(sides[0], how, sides[1])
    return Static(value, made if code.size(made) <= _LONGEST else None)


def _between(how: ast.AST, left: Value, right: Value) -> str:
    return f"{type(how).__name__} of {told(left)} and {told(right)}"


def unary(frame: Frame, how: ast.unaryop, value: Value) -> Value:
    """`-value`, `not value`, `~value`."""
    value = frame.memory.see(value)
    if isinstance(how, ast.Not):
        found = truth(frame, value)
        return (
            Static(not found.value)
            if isinstance(found, Static)
            else Array(code.negated(as_array(found).code), Kind(BOOL))
        )
    if isinstance(value, Static):
        inner = fold(f"{type(how).__name__} of {told(value)}", _UNARY[type(how)], value.value)
        written = ast.UnaryOp(how, value.written) if value.written is not None else None
        return Static(inner, written)
    if isinstance(value, Masked | Counted):
        some, (array,) = side_by_side([value])
        return replace(some, array=as_array(unary(frame, how, array)))
    array = as_array(value)
    if isinstance(how, ast.UAdd):
        return array
    if isinstance(how, ast.Invert):
        return Array(ast.UnaryOp(how, array.code), array.kind)
    array = cast(array, INT) if array.kind.is_bool else array
    return Array(ast.UnaryOp(how, array.code), array.kind, weak=array.weak)


def truth(frame: Frame, value: Value) -> Value:
    """What `if value:` asks."""
    value = frame.memory.see(value)
    match value:
        case Static():
            return Static(fold(f"bool of {told(value)}", bool, value.value))
        case Array() if value.kind.is_object and value.kind.shape == ():
            return likeness.truth(frame, value)
        case Array():
            if value.kind.shape == (1,):
                value = Array(code.index(value.code, code.const(0)), Kind(value.kind.dtype))
            if value.kind.shape != ():
                if not value.listed:
                    raise RefusedError("an array of several numbers has no truth value")
                return Static(value.kind.shape[0] > 0)
            return (
                value if value.kind.is_bool else Array(code.compare(value.code, ast.NotEq(), code.const(0)), Kind(BOOL))
            )
        case Items() | Keyed() | Gathered():
            return Static(len(value.items) > 0)
        case Shelf():
            return Static(True)
        case Counted() | Members():
            return Array(code.compare(value.count.code, ast.Gt(), code.const(0)), Kind(BOOL))
        case Tally():
            return truth(frame, value.listed)
        case Masked():
            return Array(code.call("jnp.any", value.mask.code), Kind(BOOL))
        case Rows():
            return Static(value.length > 0)
        case Maybe():
            inner = truth(frame, value.value)
            if isinstance(inner, Static):
                return value.present if inner.value else Static(False)
            return Array(code.both(value.present.code, as_array(inner).code), Kind(BOOL))
        case Picked():
            return tables.asks(frame.program, value, bool)
    return Static(True)


# ---- comparisons ----


def compare(frame: Frame, how: ast.cmpop, left: Value, right: Value) -> Value:
    """`left < right` and the like, `in` and `is` included."""
    left, right = frame.memory.deep(left), frame.memory.deep(right)
    if isinstance(how, ast.In | ast.NotIn):
        found = contains(frame, right, left)
        return found if isinstance(how, ast.In) else unary(frame, ast.Not(), found)
    if isinstance(left, Static) and isinstance(right, Static):
        return Static(fold(_between(how, left, right), _COMPARE[type(how)], left.value, right.value))
    if is_none(left) or is_none(right):
        return likeness.with_none(frame, how, right if is_none(left) else left)
    if heaps.heap_of(frame.memory, left) or heaps.heap_of(frame.memory, right):
        return likeness.compared(frame, how, left, right)
    if set_algebra.is_set(left) and set_algebra.is_set(right):
        return set_algebra.compared(frame, how, left, right)
    if isinstance(how, ast.Is | ast.IsNot):
        how = ast.Eq() if isinstance(how, ast.Is) else ast.NotEq()
    if (found := texts.compared(frame.program, how, left, right)) is not None:
        return found
    if isinstance(left, Maybe) and isinstance(right, Maybe) and isinstance(how, ast.Eq | ast.NotEq):
        return likeness.both_maybe(how, left, right, as_array(compare(frame, ast.Eq(), left.value, right.value)))
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Maybe):
            inner = compare(frame, how, *((side.value, other) if side is left else (other, side.value)))
            there = Array(code.both(side.present.code, as_array(inner).code), Kind(BOOL))
            if isinstance(how, ast.NotEq):
                inner = as_array(inner).code
                return Array(code.binary(code.negated(side.present.code), ast.BitOr(), inner), Kind(BOOL))
            return there
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Picked) and isinstance(other, Static):
            return _asked_of(frame, how, side, other.value, side is right)
    if isinstance(left, Picked) and isinstance(right, Picked):
        if not isinstance(how, ast.Eq | ast.NotEq):
            raise RefusedError("which of two texts that are not known comes first")
        return compare(frame, how, *tables.numbered(frame.program, left, right))
    if _texts(left) or _texts(right):
        if any(slot.form == "letters" for slot in frame.program.slots.values()):
            raise RefusedError("a number is compared with a text, and it may stand for one")
        return Static(isinstance(how, ast.NotEq))
    if isinstance(how, ast.Eq | ast.NotEq) and is_listlike(left) and is_listlike(right):
        same = equal_lists(frame, left, right)
        return same if isinstance(how, ast.Eq) else unary(frame, ast.Not(), same)
    if is_listlike(left) and is_listlike(right):
        return _as_words(frame, how, left, right)
    if isinstance(left, Masked | Counted) or isinstance(right, Masked | Counted):
        some, arrays = side_by_side([left, right])
        return replace(some, array=_ordered(frame, how, *(as_array(a) for a in arrays)))
    return above(frame, how, left, right) or _ordered(frame, how, as_array(left), as_array(right))


def _as_words(frame: Frame, how: ast.cmpop, left: Value, right: Value) -> Value:
    """Which of two tuples or lists comes first: the first elements that differ decide, as with words."""
    mine, others = items_of(frame.memory, left), items_of(frame.memory, right)
    if not mine or not others:
        return Static(_COMPARE[type(how)](len(mine), len(others)))
    sooner = ast.Lt() if isinstance(how, ast.Lt | ast.LtE) else ast.Gt()
    if len(mine) == len(others) == 1:
        return compare(frame, how, mine[0], others[0])
    first, same = (compare(frame, asked, mine[0], others[0]) for asked in (sooner, ast.Eq()))
    rest = _as_words(frame, how, Items(tuple(mine[1:])), Items(tuple(others[1:])))
    if isinstance(same, Static):
        return rest if same.value else first
    later = _all(same, rest)
    return later if isinstance(first, Static) and not first.value else _some(first, later)


def _all(a: Value, b: Value) -> Value:
    if isinstance(b, Static):
        return a if b.value else Static(False)
    return Array(code.both(as_array(a).code, as_array(b).code), Kind(BOOL))


def _some(a: Value, b: Value) -> Value:
    if isinstance(a, Static) or isinstance(b, Static):
        known, other = (a, b) if isinstance(a, Static) else (b, a)
        return Static(True) if known.value else other  # pyright: ignore[reportAttributeAccessIssue]
    return Array(code.binary(as_array(a).code, ast.BitOr(), as_array(b).code), Kind(BOOL))


def _asked_of(frame: Frame, how: ast.cmpop, picked: Picked, other: Any, swapped: bool) -> Value:
    """A comparison of one of several known things with another."""
    ask = _COMPARE[type(how)]
    return tables.asks(frame.program, picked, lambda one: bool(ask(other, one) if swapped else ask(one, other)))


def _texts(value: Value) -> bool:
    return isinstance(value, Static) and isinstance(value.value, str | bytes)


def _ordered(frame: Frame, how: ast.cmpop, a: Array, b: Array) -> Array:
    shape = broadcast(a.kind.shape, b.kind.shape)
    if a.kind.is_bool != b.kind.is_bool:
        flag, other = (a, b) if a.kind.is_bool else (b, a)
        if isinstance(other.code, ast.Constant) and other.code.value in (0, 1) and isinstance(how, ast.Eq | ast.NotEq):
            positive = (other.code.value == 1) == isinstance(how, ast.Eq)
            return Array(flag.code if positive else code.negated(flag.code), Kind(BOOL, shape))
        a, b = (cast(v, INT) if v.kind.is_bool else v for v in (a, b))
    left, right = a.code, b.code
    if a.kind.is_float != b.kind.is_float or a.kind.is_float:
        right = exact_side(frame, how, a, b)
        flipped = _SWAPPED.get(type(how))
        left = exact_side(frame, flipped() if flipped else how, b, a)
    return Array(code.compare(left, how, right), Kind(BOOL, shape))


def contains(frame: Frame, container: Value, item: Value) -> Value:
    """`item in container`."""
    if isinstance(container, Static) and isinstance(item, Static):
        return Static(fold(_between(ast.In(), item, container), operator.contains, container.value, item.value))
    if isinstance(item, Picked) and isinstance(container, Static):
        return tables.asks(frame.program, item, lambda option: option in container.value)
    if isinstance(container, Picked) and isinstance(item, Picked | Static):
        found = picking.applied(frame.program, operator.contains, [container, item], "HOLDS")
        if found is not None:
            return found
    if isinstance(container, Static) and spaces.is_space(container.value):
        return spaces.holds(container.value, frame.memory.deep(item))
    if isinstance(container, Static):
        return _in_known(frame, container.value, item)
    if (alphabet := texts.letters_of(container)) is not None:
        item, container = texts.numbers(alphabet, item, frame.program), texts.plain(container)
    if isinstance(container, Counted | Masked):
        if container.array.kind.is_object:
            equal = likeness.same(frame, container.array, heaps.number_of(frame, heaps.of(frame, container), item))
            found = code.both(flags_of(container).code, equal.code)
        else:
            found = equals(container, as_array(item).code)
        return Array(code.call("jnp.any", found), Kind(BOOL))
    if isinstance(container, Tally):
        return contains(frame, container.listed, item)
    if isinstance(container, Members):
        return sets.holds(frame.memory, container, item)
    if isinstance(container, Rows) and not is_none(item):
        return holds_number(container, item)
    if isinstance(container, Gathered):
        return _any(frame, list(container.items), item)
    if isinstance(container, Shelf):
        found = shelves.holds(container, item) if not isinstance(item, Static) else None
        return contains(frame, Static(container.keys), item) if found is None else found
    if isinstance(container, Keyed):
        if isinstance(item, Static):
            return Static(item.value in container.items)
        return _any(frame, [Static(key) for key in container.items], item)
    if isinstance(container, Array):
        same = code.compare(container.code, ast.Eq(), as_array(item).code)
        if item and len(container.kind.shape) > 1 and is_listlike(item):
            same = code.call("jnp.all", same, axis=code.const(-1))
        return Array(code.call("jnp.any", same), Kind(BOOL))
    return _any(frame, items_of(frame.memory, container), item)


def _any(frame: Frame, options: list[Value], item: Value) -> Value:
    answers = [compare(frame, ast.Eq(), item, option) for option in options]
    if any(isinstance(a, Static) and a.value for a in answers):
        return Static(True)
    left = [as_array(a).code for a in answers if not isinstance(a, Static)]
    if not left:
        return Static(False)
    made = left[0]
    for other in left[1:]:
        made = code.binary(made, ast.BitOr(), other)
    return Array(made, Kind(BOOL))


def _in_known(frame: Frame, container: Any, item: Value) -> Value:
    options = [plain_enum(option) for option in container]
    if not options:
        return Static(False)
    if len(options) <= tables.FEW:
        return _any(frame, [Static(option) for option in options], item)
    try:
        table = np.array(sorted(options))
    except (TypeError, ValueError):
        return _any(frame, [Static(option) for option in options], item)
    if table.dtype.kind not in "biuf":
        return _any(frame, [Static(option) for option in options], item)
    known = frame.program.constant("MEMBERS", table)
    same = code.compare(known, ast.Eq(), as_array(item).code)
    if table.ndim > 1:
        same = code.call("jnp.all", same, axis=code.const(-1))
    return Array(code.call("jnp.any", same), Kind(BOOL))


def equal_lists(frame: Frame, left: Value, right: Value) -> Value:
    """Whether two lists are equal: as long, and the same in every place."""
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Counted | Masked):
            return equal_counted(counted(side), other)
    mine, others = items_of(frame.memory, left), items_of(frame.memory, right)
    if len(mine) != len(others):
        return Static(False)
    answers = [compare(frame, ast.Eq(), a, b) for a, b in zip(mine, others, strict=True)]
    if any(isinstance(a, Static) and not a.value for a in answers):
        return Static(False)
    made = [as_array(a).code for a in answers if not isinstance(a, Static)]
    if not made:
        return Static(True)
    result = made[0]
    for part in made[1:]:
        result = code.both(result, part)
    return Array(result, Kind(BOOL))
