"""Python's operators on abstract values."""

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import (
    code,
    equality,
    fixed_key_dict,
    object_arena,
    set_algebra,
    sets,
    spaces,
    strings,
    table_functions,
    tables,
)
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import one_list
from envwright.compiler.ir.arithmetic import numbers, side_by_side
from envwright.compiler.ir.avals import BOOL, INT, Aval, broadcast, is_number
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import CallFrame
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
from envwright.compiler.ir.sorted_search import above
from envwright.compiler.ir.thresholds import exact_side
from envwright.compiler.ir.values import Value, as_array, cast, described, is_none, plain_enum
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
_LONGEST = 6  # names in a sum of constants that is unrolled


def binary(frame: CallFrame, how: ast.operator, left: Value, right: Value) -> Value:
    """`left + right` and the like."""
    places = (left, right)
    left, right = frame.memory.see(left), frame.memory.see(right)
    if isinstance(left, ir.Static) and isinstance(right, ir.Static):
        return _fold(how, left, right)
    if isinstance(how, ast.Add) and (is_listlike(left) and is_listlike(right)):
        return one_list(frame.memory, concatenate(frame.memory, *object_arena.numbered(frame, [left, right])), places)
    if isinstance(how, ast.Mult):
        for items, times in ((left, right), (right, left)):
            if isinstance(items, ir.Items) and isinstance(times, ir.Static) and isinstance(times.value, int):
                # The elements are the same ones each time: a list among them is still one list.
                held = items.items if times.value < 2 else tuple(frame.memory.hold(v) for v in items.items)
                return repeated(replace(items, items=held), times.value)
            if is_listlike(items) and isinstance(times, ir.Array) and not times.kind.shape and not times.listed:
                return repeated_often(items, replace(times, code=frame.writer.meaning(times.code)))
    if set_algebra.is_set(left) and set_algebra.is_set(right):
        return set_algebra.combined(frame, how, left, right)
    if isinstance(left, ir.Masked | ir.Counted) or isinstance(right, ir.Masked | ir.Counted):
        some, arrays = side_by_side([left, right])
        return replace(some, array=numbers(how, *(as_array(a) for a in arrays)))
    return numbers(how, as_array(left), as_array(right))


def _fold(how: ast.operator, left: ir.Static, right: ir.Static) -> ir.Static:
    """Two constants: folded, but written with the names of the original."""
    value = fold(_between(how, left, right), _BINARY[type(how)], left.value, right.value)
    if not is_number(value) or np.ndim(value) or not (left.written or right.written):
        return ir.Static(value)
    sides = [s.written or code.const(s.value) for s in (left, right)]
    made = code.binary(sides[0], how, sides[1])
    return ir.Static(value, made if code.size(made) <= _LONGEST else None)


def _between(how: ast.AST, left: Value, right: Value) -> str:
    return f"{type(how).__name__} of {described(left)} and {described(right)}"


def unary(frame: CallFrame, how: ast.unaryop, value: Value) -> Value:
    """`-value`, `not value`, `~value`."""
    value = frame.memory.see(value)
    if isinstance(how, ast.Not):
        found = truth(frame, value)
        return (
            ir.Static(not found.value)
            if isinstance(found, ir.Static)
            else ir.Array(code.negated(as_array(found).code), Aval(BOOL))
        )
    if isinstance(value, ir.Static):
        inner = fold(f"{type(how).__name__} of {described(value)}", _UNARY[type(how)], value.value)
        written = ast.UnaryOp(how, value.written) if value.written is not None else None
        return ir.Static(inner, written)
    if isinstance(value, ir.Masked | ir.Counted):
        some, (array,) = side_by_side([value])
        return replace(some, array=as_array(unary(frame, how, array)))
    array = as_array(value)
    if isinstance(how, ast.UAdd):
        return array
    if isinstance(how, ast.Invert):
        return ir.Array(ast.UnaryOp(how, array.code), array.kind)
    array = cast(array, INT) if array.kind.is_bool else array
    return ir.Array(ast.UnaryOp(how, array.code), array.kind, weak=array.weak)


def truth(frame: CallFrame, value: Value) -> Value:
    """The truth value that `if value:` tests."""
    value = frame.memory.see(value)
    match value:
        case ir.Static():
            return ir.Static(fold(f"bool of {described(value)}", bool, value.value))
        case ir.Array() if value.kind.is_object and value.kind.shape == ():
            return equality.truth(frame, value)
        case ir.Array():
            if value.kind.shape == (1,):
                value = ir.Array(code.index(value.code, code.const(0)), Aval(value.kind.dtype))
            if value.kind.shape != ():
                if not value.listed:
                    raise RefusedError("an array of several numbers has no truth value")
                return ir.Static(value.kind.shape[0] > 0)
            return (
                value
                if value.kind.is_bool
                else ir.Array(code.compare(value.code, ast.NotEq(), code.const(0)), Aval(BOOL))
            )
        case ir.Items() | ir.Keyed() | ir.Gathered():
            return ir.Static(len(value.items) > 0)
        case ir.FixedKeyDict():
            return ir.Static(True)
        case ir.Counted() | ir.Members():
            return ir.Array(code.compare(value.count.code, ast.Gt(), code.const(0)), Aval(BOOL))
        case ir.CounterDict():
            return truth(frame, value.listed)
        case ir.Masked():
            return ir.Array(code.call("jnp.any", value.mask.code), Aval(BOOL))
        case ir.Rows():
            return ir.Static(value.length > 0)
        case ir.Maybe():
            inner = truth(frame, value.value)
            if isinstance(inner, ir.Static):
                return value.present if inner.value else ir.Static(False)
            return ir.Array(code.both(value.present.code, as_array(inner).code), Aval(BOOL))
        case ir.Picked():
            return tables.asks(frame.program, value, bool)
    return ir.Static(True)


# ---- comparisons ----


def compare(frame: CallFrame, how: ast.cmpop, left: Value, right: Value) -> Value:
    """`left < right` and the like, `in` and `is` included."""
    left, right = frame.memory.deep(left), frame.memory.deep(right)
    if isinstance(how, ast.In | ast.NotIn):
        found = contains(frame, right, left)
        return found if isinstance(how, ast.In) else unary(frame, ast.Not(), found)
    if isinstance(left, ir.Static) and isinstance(right, ir.Static):
        return ir.Static(fold(_between(how, left, right), _COMPARE[type(how)], left.value, right.value))
    if is_none(left) or is_none(right):
        return equality.with_none(frame, how, right if is_none(left) else left)
    if object_arena.arena_of(frame.memory, left) or object_arena.arena_of(frame.memory, right):
        return equality.compared(frame, how, left, right)
    if set_algebra.is_set(left) and set_algebra.is_set(right):
        return set_algebra.compared(frame, how, left, right)
    if isinstance(how, ast.Is | ast.IsNot):
        how = ast.Eq() if isinstance(how, ast.Is) else ast.NotEq()
    if (found := strings.compared(frame.program, how, left, right)) is not None:
        return found
    if isinstance(left, ir.Maybe) and isinstance(right, ir.Maybe) and isinstance(how, ast.Eq | ast.NotEq):
        return equality.both_maybe(how, left, right, as_array(compare(frame, ast.Eq(), left.value, right.value)))
    for side, other in ((left, right), (right, left)):
        if isinstance(side, ir.Maybe):
            inner = compare(frame, how, *((side.value, other) if side is left else (other, side.value)))
            there = ir.Array(code.both(side.present.code, as_array(inner).code), Aval(BOOL))
            if isinstance(how, ast.NotEq):
                inner = as_array(inner).code
                return ir.Array(code.binary(code.negated(side.present.code), ast.BitOr(), inner), Aval(BOOL))
            return there
    for side, other in ((left, right), (right, left)):
        if isinstance(side, ir.Picked) and isinstance(other, ir.Static):
            return _asked_of(frame, how, side, other.value, side is right)
    if isinstance(left, ir.Picked) and isinstance(right, ir.Picked):
        if not isinstance(how, ast.Eq | ast.NotEq):
            raise RefusedError("two strings that are known only at run time are ordered")
        return compare(frame, how, *tables.numbered(frame.program, left, right))
    if _texts(left) or _texts(right):
        if any(slot.form == "letters" for slot in frame.program.slots.values()):
            raise RefusedError("a number that may encode a string is compared with a string")
        return ir.Static(isinstance(how, ast.NotEq))
    if isinstance(how, ast.Eq | ast.NotEq) and is_listlike(left) and is_listlike(right):
        same = equal_lists(frame, left, right)
        return same if isinstance(how, ast.Eq) else unary(frame, ast.Not(), same)
    if is_listlike(left) and is_listlike(right):
        return _as_words(frame, how, left, right)
    if isinstance(left, ir.Masked | ir.Counted) or isinstance(right, ir.Masked | ir.Counted):
        some, arrays = side_by_side([left, right])
        return replace(some, array=_ordered(frame, how, *(as_array(a) for a in arrays)))
    return above(frame, how, left, right) or _ordered(frame, how, as_array(left), as_array(right))


def _as_words(frame: CallFrame, how: ast.cmpop, left: Value, right: Value) -> Value:
    """Lexicographic comparison of two tuples or lists."""
    mine, others = items_of(frame.memory, left), items_of(frame.memory, right)
    if not mine or not others:
        return ir.Static(_COMPARE[type(how)](len(mine), len(others)))
    sooner = ast.Lt() if isinstance(how, ast.Lt | ast.LtE) else ast.Gt()
    if len(mine) == len(others) == 1:
        return compare(frame, how, mine[0], others[0])
    first, same = (compare(frame, asked, mine[0], others[0]) for asked in (sooner, ast.Eq()))
    rest = _as_words(frame, how, ir.Items(tuple(mine[1:])), ir.Items(tuple(others[1:])))
    if isinstance(same, ir.Static):
        return rest if same.value else first
    later = _all(same, rest)
    return later if isinstance(first, ir.Static) and not first.value else _some(first, later)


def _all(a: Value, b: Value) -> Value:
    if isinstance(b, ir.Static):
        return a if b.value else ir.Static(False)
    return ir.Array(code.both(as_array(a).code, as_array(b).code), Aval(BOOL))


def _some(a: Value, b: Value) -> Value:
    if isinstance(a, ir.Static) or isinstance(b, ir.Static):
        known, other = (a, b) if isinstance(a, ir.Static) else (b, a)
        return ir.Static(True) if known.value else other  # pyright: ignore[reportAttributeAccessIssue]
    return ir.Array(code.binary(as_array(a).code, ast.BitOr(), as_array(b).code), Aval(BOOL))


def _asked_of(frame: CallFrame, how: ast.cmpop, picked: ir.Picked, other: Any, swapped: bool) -> Value:
    """A comparison of a table entry with a constant."""
    ask = _COMPARE[type(how)]
    return tables.asks(frame.program, picked, lambda one: bool(ask(other, one) if swapped else ask(one, other)))


def _texts(value: Value) -> bool:
    return isinstance(value, ir.Static) and isinstance(value.value, str | bytes)


def _ordered(frame: CallFrame, how: ast.cmpop, a: ir.Array, b: ir.Array) -> ir.Array:
    shape = broadcast(a.kind.shape, b.kind.shape)
    if a.kind.is_bool != b.kind.is_bool:
        flag, other = (a, b) if a.kind.is_bool else (b, a)
        if isinstance(other.code, ast.Constant) and other.code.value in (0, 1) and isinstance(how, ast.Eq | ast.NotEq):
            positive = (other.code.value == 1) == isinstance(how, ast.Eq)
            return ir.Array(flag.code if positive else code.negated(flag.code), Aval(BOOL, shape))
        a, b = (cast(v, INT) if v.kind.is_bool else v for v in (a, b))
    left, right = a.code, b.code
    if a.kind.is_float != b.kind.is_float or a.kind.is_float:
        right = exact_side(frame, how, a, b)
        flipped = _SWAPPED.get(type(how))
        left = exact_side(frame, flipped() if flipped else how, b, a)
    return ir.Array(code.compare(left, how, right), Aval(BOOL, shape))


def contains(frame: CallFrame, container: Value, item: Value) -> Value:
    """`item in container`."""
    if isinstance(container, ir.Static) and isinstance(item, ir.Static):
        return ir.Static(fold(_between(ast.In(), item, container), operator.contains, container.value, item.value))
    if isinstance(item, ir.Picked) and isinstance(container, ir.Static):
        return tables.asks(frame.program, item, lambda option: option in container.value)
    if isinstance(container, ir.Picked) and isinstance(item, ir.Picked | ir.Static):
        found = table_functions.applied(frame.program, operator.contains, [container, item], "HOLDS")
        if found is not None:
            return found
    if isinstance(container, ir.Static) and spaces.is_space(container.value):
        return spaces.holds(container.value, frame.memory.deep(item))
    if isinstance(container, ir.Static):
        return _in_known(frame, container.value, item)
    if (alphabet := strings.letters_of(container)) is not None:
        item, container = strings.numbers(alphabet, item, frame.program), strings.plain(container)
    if isinstance(container, ir.Counted | ir.Masked):
        if container.array.kind.is_object:
            equal = equality.same(
                frame, container.array, object_arena.number_of(frame, object_arena.of(frame, container), item)
            )
            found = code.both(flags_of(container).code, equal.code)
        else:
            found = equals(container, as_array(item).code)
        return ir.Array(code.call("jnp.any", found), Aval(BOOL))
    if isinstance(container, ir.CounterDict):
        return contains(frame, container.listed, item)
    if isinstance(container, ir.Members):
        return sets.holds(frame.memory, container, item)
    if isinstance(container, ir.Rows) and not is_none(item):
        return holds_number(container, item)
    if isinstance(container, ir.Gathered):
        return _any(frame, list(container.items), item)
    if isinstance(container, ir.FixedKeyDict):
        found = fixed_key_dict.holds(container, item) if not isinstance(item, ir.Static) else None
        return contains(frame, ir.Static(container.keys), item) if found is None else found
    if isinstance(container, ir.Keyed):
        if isinstance(item, ir.Static):
            return ir.Static(item.value in container.items)
        return _any(frame, [ir.Static(key) for key in container.items], item)
    if isinstance(container, ir.Array):
        same = code.compare(container.code, ast.Eq(), as_array(item).code)
        if item and len(container.kind.shape) > 1 and is_listlike(item):
            same = code.call("jnp.all", same, axis=code.const(-1))
        return ir.Array(code.call("jnp.any", same), Aval(BOOL))
    return _any(frame, items_of(frame.memory, container), item)


def _any(frame: CallFrame, options: list[Value], item: Value) -> Value:
    answers = [compare(frame, ast.Eq(), item, option) for option in options]
    if any(isinstance(a, ir.Static) and a.value for a in answers):
        return ir.Static(True)
    left = [as_array(a).code for a in answers if not isinstance(a, ir.Static)]
    if not left:
        return ir.Static(False)
    made = left[0]
    for other in left[1:]:
        made = code.binary(made, ast.BitOr(), other)
    return ir.Array(made, Aval(BOOL))


def _in_known(frame: CallFrame, container: Any, item: Value) -> Value:
    options = [plain_enum(option) for option in container]
    if not options:
        return ir.Static(False)
    if len(options) <= tables.FEW:
        return _any(frame, [ir.Static(option) for option in options], item)
    try:
        table = np.array(sorted(options))
    except (TypeError, ValueError):
        return _any(frame, [ir.Static(option) for option in options], item)
    if table.dtype.kind not in "biuf":
        return _any(frame, [ir.Static(option) for option in options], item)
    known = frame.program.constant("MEMBERS", table)
    same = code.compare(known, ast.Eq(), as_array(item).code)
    if table.ndim > 1:
        same = code.call("jnp.all", same, axis=code.const(-1))
    return ir.Array(code.call("jnp.any", same), Aval(BOOL))


def equal_lists(frame: CallFrame, left: Value, right: Value) -> Value:
    """Equality of two lists."""
    for side, other in ((left, right), (right, left)):
        if isinstance(side, ir.Counted | ir.Masked):
            return equal_counted(counted(side), other)
    mine, others = items_of(frame.memory, left), items_of(frame.memory, right)
    if len(mine) != len(others):
        return ir.Static(False)
    answers = [compare(frame, ast.Eq(), a, b) for a, b in zip(mine, others, strict=True)]
    if any(isinstance(a, ir.Static) and not a.value for a in answers):
        return ir.Static(False)
    made = [as_array(a).code for a in answers if not isinstance(a, ir.Static)]
    if not made:
        return ir.Static(True)
    result = made[0]
    for part in made[1:]:
        result = code.both(result, part)
    return ir.Array(result, Aval(BOOL))
