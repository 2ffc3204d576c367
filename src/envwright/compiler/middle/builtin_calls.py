"""Python's own functions."""

import ast
import copy
import math
import operator
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code, outgrown, picking, tables, tallies
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, FLOAT, INT, Kind, is_number
from envwright.compiler.ir.lists import counted, items_of
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.merge import join
from envwright.compiler.ir.operators import binary, compare, truth
from envwright.compiler.ir.set_algebra import some_of
from envwright.compiler.ir.values import (
    NONE,
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
    told,
)
from envwright.compiler.middle import attributes
from envwright.compiler.middle.math_calls import call_math
from envwright.compiler.middle.numpy_reductions import reduce
from envwright.compiler.middle.sequence_calls import OF_LISTS
from envwright.compiler.middle.shelf_methods import call_shelf
from envwright.compiler.refusal import RefusedError

Arguments = list[Value]
Options = dict[str, Value]
LETTERS = 128  # of ASCII


def _len(frame: Frame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.see(arguments[0])
    match value:
        case Static():
            method = getattr(type(value.value), "__len__", None)
            if hasattr(method, "__code__") and not isinstance(value.value, str | tuple | list | dict):
                return frame.program.call(frame, Static(value.value.__len__), [], {}, None)
            return Static(fold("len", len, value.value))
        case Items() | Keyed():
            return Static(len(value.items))
        case Shelf():
            return Static(len(value.keys))
        case Members():
            return replace(value.count, natural=True)
        case Counted():
            fixed = isinstance(value.count.code, ast.Constant)
            return Static(value.count.code.value) if fixed else replace(value.count, natural=True)  # pyright: ignore[reportAttributeAccessIssue]
        case Masked():
            made = code.call("jnp.sum", value.mask.code)
            count = counted(value).count if value.flat else Array(made, Kind(INT))
            return replace(count, natural=True, most=value.mask.kind.shape[0])
        case Gathered():
            return _len(frame, [some_of(frame, value)], options)
        case Tally():
            return tallies.length(frame, value)
        case Rows():
            return Static(value.length)
        case Array() if value.kind.shape:
            return Static(value.kind.shape[0])
        case Picked():
            return tables.length(frame.program, value)
        case Maybe():
            return _len(frame, [value.value], options)
    raise RefusedError(f"{told(value)} has no length")


def _sum(frame: Frame, arguments: Arguments, options: Options) -> Value:
    value = some_of(frame, arguments[0])
    start = arguments[1] if len(arguments) > 1 else options.get("start", Static(0))
    if isinstance(value, Counted | Masked | Array):
        several = isinstance(value, Array) and len(value.kind.shape) > 1  # of rows, as Python adds them
        found = reduce(frame, "sum", value, 0 if several else None)
        return found if isinstance(start, Static) and start.value == 0 else binary(frame, ast.Add(), start, found)
    if isinstance(value, Picked):
        return reduce(frame, "sum", tables.each(frame.program, value), None)
    result: Value = start
    for item in items_of(frame.memory, value):
        result = (
            item
            if isinstance(result, Static)
            and result.value == 0
            and not isinstance(result.value, float)
            and not _is_flag(item)
            else binary(frame, ast.Add(), result, item)
        )
    return result


def _is_flag(value: Value) -> bool:
    return (isinstance(value, Static) and isinstance(value.value, bool)) or (
        isinstance(value, Array) and value.kind.is_bool
    )


def _quantifier(which: str) -> Callable[[Frame, Arguments, Options], Value]:
    def ask(frame: Frame, arguments: Arguments, options: Options) -> Value:
        value = some_of(frame, arguments[0])
        if isinstance(value, Counted | Masked | Array):
            return reduce(frame, which, value, None)
        answers = [truth(frame, v) for v in items_of(frame.memory, value)]
        decided = which == "any"
        if any(isinstance(a, Static) and bool(a.value) == decided for a in answers):
            return Static(decided)
        left = [as_array(a).code for a in answers if not isinstance(a, Static)]
        if not left:
            return Static(not decided)
        made = left[0]
        for other in left[1:]:
            made = code.binary(made, ast.BitOr() if decided else ast.BitAnd(), other)
        return Array(made, Kind(BOOL))

    return ask


def _abs(frame: Frame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.deep(arguments[0])
    if isinstance(value, Static):
        return Static(fold("abs", abs, value.value))
    array = as_array(value)
    return Array(code.call("jnp.abs", array.code), array.kind, natural=array.kind.is_whole)


def _round(frame: Frame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.deep(arguments[0])
    digits = known(arguments[1]) if len(arguments) > 1 else None
    if isinstance(value, Static):
        return Static(fold("round", round, value.value, digits))
    array = as_array(value)
    if digits is None:
        made = Array(code.call("jnp.round", array.code), array.kind)
        return cast(made, INT) if array.kind.is_float and not array.kind.shape else made
    return Array(code.call("jnp.round", array.code, code.const(digits)), array.kind)


def _to(dtype: str, python: Callable[[Any], Any]) -> Callable[[Frame, Arguments, Options], Value]:
    def convert(frame: Frame, arguments: Arguments, options: Options) -> Value:
        if not arguments:
            return Static(python())  # pyright: ignore[reportCallIssue]
        value = frame.memory.deep(arguments[0])
        if isinstance(value, Static):
            written = value.written if is_number(value.value) and python is float else None
            return Static(fold(python.__name__, python, value.value), written)
        if isinstance(value, Picked):
            table = tables.mapped(value.table, tables.forgiving(python, value.table))
            return tables.settle(frame.program, Picked(table, value.index, value.name))
        if dtype == BOOL:
            return truth(frame, value)
        array = as_array(value)
        if array.kind.shape and int(np.prod(array.kind.shape)) == 1:
            array = Array(code.method(array.code, "reshape", code.const(())), Kind(array.kind.dtype))
        return cast(array, dtype)

    return convert


def _isinstance(frame: Frame, arguments: Arguments, options: Options) -> Value:
    value, kinds = frame.memory.see(arguments[0]), known(arguments[1])
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(value, Static):
        return Static(isinstance(value.value, kinds))
    if isinstance(value, Picked):
        return tables.asks(frame.program, value, lambda option: isinstance(option, kinds))
    if isinstance(value, Maybe):
        inside = _isinstance(frame, [value.value, arguments[1]], options)
        return join(frame, value.present, inside, Static(isinstance(None, kinds)))
    return Static(any(_is_of(value, kind) for kind in kinds))


def _is_of(value: Value, kind: Any) -> bool:
    """Whether the original has a value of this class where the translation has an array."""
    if isinstance(value, Items):
        return kind is (list if value.is_list else tuple)
    if isinstance(value, Counted | Masked | Rows):
        return kind is list
    if isinstance(value, Keyed):
        return kind is dict
    if isinstance(value, Array):
        if value.member is not None:
            return issubclass(value.member, kind)
        if value.kind.shape:
            return kind is (list if value.listed else np.ndarray)
        if value.kind.is_bool:
            return kind in (bool, int, np.bool_)
        whole = value.kind.is_whole
        return kind in (int, np.integer) or kind is np.int64 if whole else kind in (float, np.floating)
    return False


def _getattr(frame: Frame, arguments: Arguments, options: Options) -> Value:
    name = known(arguments[1])
    if isinstance(arguments[0], Static) and len(arguments) > 2 and not hasattr(arguments[0].value, name):
        return arguments[2]
    return attributes.get(frame, arguments[0], name)


def _hasattr(frame: Frame, arguments: Arguments, options: Options) -> Value:
    value = arguments[0]
    if not isinstance(value, Static):
        raise RefusedError("hasattr() of a value of the game")
    return Static(hasattr(value.value, known(arguments[1])))


def _type(frame: Frame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.see(arguments[0])
    if isinstance(value, Static):
        return Static(type(value.value))
    for kind in (bool, int, float, tuple, list, np.ndarray):
        if _is_of(value, kind):
            return Static(kind)
    raise RefusedError("type() of a value of the game")


def _divmod(frame: Frame, arguments: Arguments, options: Options) -> Value:
    return Items((binary(frame, ast.FloorDiv(), *arguments), binary(frame, ast.Mod(), *arguments)))


def _pow(frame: Frame, arguments: Arguments, options: Options) -> Value:
    return binary(frame, ast.Pow(), *arguments[:2])


def _copy(frame: Frame, arguments: Arguments, options: Options) -> Value:
    return frame.memory.deep(arguments[0])


def _cast(frame: Frame, arguments: Arguments, options: Options) -> Value:
    return arguments[1]


def _nothing(frame: Frame, arguments: Arguments, options: Options) -> Value:
    return NONE


def _str(frame: Frame, arguments: Arguments, options: Options) -> Value:
    return Static(str(known(frame.memory.deep(arguments[0])))) if arguments else Static("")


def _ord(frame: Frame, arguments: Arguments, options: Options) -> Value:
    letter = frame.memory.deep(arguments[0])
    found = picking.applied(frame.program, ord, [letter], "codes")
    return Static(fold("ord", ord, known(letter))) if found is None else found


def _chr(frame: Frame, arguments: Arguments, options: Options) -> Value:
    """One of the letters of ASCII; the episode of anything else is cut off."""
    number = frame.memory.deep(arguments[0])
    if isinstance(number, Static):
        return Static(fold("chr", chr, number.value))
    if frame.writer.start or outgrown.NOTE not in frame.memory.attributes:
        raise RefusedError("which letter is meant is not known before the game is played")
    place = code.name(frame.bind("letter", as_array(number).code, auto=True))
    outside = (code.compare(place, ast.Lt(), code.const(0)), code.compare(place, ast.GtE(), code.const(LETTERS)))
    outgrown.note(frame, code.binary(outside[0], ast.BitOr(), outside[1]))
    return tables.pick(frame.program, [*map(chr, range(LETTERS))], Array(place, Kind(INT), natural=True), "ASCII")


def _open(frame: Frame, arguments: Arguments, options: Options) -> Value:
    raise RefusedError("it opens a file, which a game that is compiled cannot do")


def _math(name: str) -> Callable[[Frame, Arguments, Options], Value]:
    def compute(frame: Frame, arguments: Arguments, options: Options) -> Value:
        values = [frame.memory.deep(a) for a in arguments]
        if all(isinstance(v, Static) for v in values):
            return Static(fold(name, getattr(math, name), *(v.value for v in values)))  # pyright: ignore
        return call_math(frame, name, [as_array(v) for v in values])

    return compute


BUILTINS: dict[Any, Callable[[Frame, Arguments, Options], Value]] = {
    len: _len, sum: _sum, any: _quantifier("any"), all: _quantifier("all"),
    abs: _abs, round: _round, int: _to(INT, int), float: _to(FLOAT, float), bool: _to(BOOL, bool),
    isinstance: _isinstance, getattr: _getattr,
    hasattr: _hasattr, type: _type, divmod: _divmod, pow: _pow, copy.copy: _copy, copy.deepcopy: _copy, str: _str,
    ord: _ord, chr: _chr, typing.cast: _cast, open: _open,
    operator.add: lambda f, a, o: binary(f, ast.Add(), *a), operator.eq: lambda f, a, o: compare(f, ast.Eq(), *a),
    id: _nothing, repr: _str, dict: lambda f, a, o: _dict(f, a, o),
    dict.fromkeys: lambda f, a, o: _from_keys(f, a, o),
}  # fmt: skip
BUILTINS |= OF_LISTS
BUILTINS |= {
    getattr(math, name): _math(name) for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_")
}


def _from_keys(frame: Frame, arguments: Arguments, options: Options) -> Value:
    """`dict.fromkeys(keys, value)`: a list as a value would be one list under all keys."""
    value = frame.memory.hold(arguments[1]) if len(arguments) > 1 else Static(None)
    return Keyed({known(frame.memory.deep(key)): value for key in items_of(frame.memory, arguments[0])})


def _dict(frame: Frame, arguments: Arguments, options: Options) -> Value:
    items: dict[Any, Value] = {}
    if arguments:
        first = frame.memory.deep(arguments[0])
        if isinstance(first, Shelf) and not options:
            return call_shelf(frame, arguments[0], first, "copy", [])
        if isinstance(first, Keyed):
            items |= first.items
        elif isinstance(first, Static):
            items |= {k: Static(v) for k, v in dict(first.value).items()}
        else:
            pairs = [items_of(frame.memory, pair) for pair in items_of(frame.memory, first)]
            items |= {known(k): v for k, v in pairs}
    return Keyed({**items, **options})
