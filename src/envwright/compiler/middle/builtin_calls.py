"""Python's built-in functions."""

import ast
import copy
import math
import operator
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code, counter_dict, overflow, table_functions, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, FLOAT, INT, Aval, is_number
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, items_of
from envwright.compiler.ir.operators import binary, compare, truth
from envwright.compiler.ir.phi import join
from envwright.compiler.ir.set_algebra import some_of
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array, cast, described
from envwright.compiler.middle import attributes
from envwright.compiler.middle.fixed_key_dict_methods import call_fixed_key_dict
from envwright.compiler.middle.math_calls import call_math
from envwright.compiler.middle.numpy_reductions import reduce
from envwright.compiler.middle.sequence_calls import OF_LISTS
from envwright.compiler.refusal import RefusedError

Arguments = list[Value]
Options = dict[str, Value]
LETTERS = 128  # of ASCII


def _len(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.see(arguments[0])
    match value:
        case ir.Static():
            method = getattr(type(value.value), "__len__", None)
            if hasattr(method, "__code__") and not isinstance(value.value, str | tuple | list | dict):
                return frame.program.call(frame, ir.Static(value.value.__len__), [], {}, None)
            return ir.Static(fold("len", len, value.value))
        case ir.Items() | ir.Keyed():
            return ir.Static(len(value.items))
        case ir.FixedKeyDict():
            return ir.Static(len(value.keys))
        case ir.Members():
            return replace(value.count, natural=True)
        case ir.Counted():
            fixed = isinstance(value.count.code, ast.Constant)
            return ir.Static(value.count.code.value) if fixed else replace(value.count, natural=True)  # pyright: ignore[reportAttributeAccessIssue]
        case ir.Masked():
            made = code.call("jnp.sum", value.mask.code)
            count = counted(value).count if value.flat else ir.Array(made, Aval(INT))
            return replace(count, natural=True, most=value.mask.kind.shape[0])
        case ir.Gathered():
            return _len(frame, [some_of(frame, value)], options)
        case ir.CounterDict():
            return counter_dict.length(frame, value)
        case ir.Rows():
            return ir.Static(value.length)
        case ir.Array() if value.kind.shape:
            return ir.Static(value.kind.shape[0])
        case ir.Picked():
            return tables.length(frame.program, value)
        case ir.Maybe():
            return _len(frame, [value.value], options)
    raise RefusedError(f"{described(value)} has no length")


def _sum(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value = some_of(frame, arguments[0])
    start = arguments[1] if len(arguments) > 1 else options.get("start", ir.Static(0))
    if isinstance(value, ir.Counted | ir.Masked | ir.Array):
        several = isinstance(value, ir.Array) and len(value.kind.shape) > 1  # of rows, as Python adds them
        found = reduce("sum", value, 0 if several else None)
        return found if isinstance(start, ir.Static) and start.value == 0 else binary(frame, ast.Add(), start, found)
    if isinstance(value, ir.Picked):
        return reduce("sum", tables.each(frame.program, value), None)
    result: Value = start
    for item in items_of(frame.memory, value):
        result = (
            item
            if isinstance(result, ir.Static)
            and result.value == 0
            and not isinstance(result.value, float)
            and not _is_flag(item)
            else binary(frame, ast.Add(), result, item)
        )
    return result


def _is_flag(value: Value) -> bool:
    return (isinstance(value, ir.Static) and isinstance(value.value, bool)) or (
        isinstance(value, ir.Array) and value.kind.is_bool
    )


def _quantifier(which: str) -> Callable[[CallFrame, Arguments, Options], Value]:
    def ask(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
        value = some_of(frame, arguments[0])
        if isinstance(value, ir.Counted | ir.Masked | ir.Array):
            return reduce(which, value, None)
        answers = [truth(frame, v) for v in items_of(frame.memory, value)]
        decided = which == "any"
        if any(isinstance(a, ir.Static) and bool(a.value) == decided for a in answers):
            return ir.Static(decided)
        left = [as_array(a).code for a in answers if not isinstance(a, ir.Static)]
        if not left:
            return ir.Static(not decided)
        made = left[0]
        for other in left[1:]:
            made = code.binary(made, ast.BitOr() if decided else ast.BitAnd(), other)
        return ir.Array(made, Aval(BOOL))

    return ask


def _abs(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.deep(arguments[0])
    if isinstance(value, ir.Static):
        return ir.Static(fold("abs", abs, value.value))
    array = as_array(value)
    return ir.Array(code.call("jnp.abs", array.code), array.kind, natural=array.kind.is_whole)


def _round(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.deep(arguments[0])
    digits = known(arguments[1]) if len(arguments) > 1 else None
    if isinstance(value, ir.Static):
        return ir.Static(fold("round", round, value.value, digits))
    array = as_array(value)
    if digits is None:
        made = ir.Array(code.call("jnp.round", array.code), array.kind)
        return cast(made, INT) if array.kind.is_float and not array.kind.shape else made
    return ir.Array(code.call("jnp.round", array.code, code.const(digits)), array.kind)


def _to(dtype: str, python: Callable[[Any], Any]) -> Callable[[CallFrame, Arguments, Options], Value]:
    def convert(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
        if not arguments:
            return ir.Static(python())  # pyright: ignore[reportCallIssue]
        value = frame.memory.deep(arguments[0])
        if isinstance(value, ir.Static):
            written = value.written if is_number(value.value) and python is float else None
            return ir.Static(fold(python.__name__, python, value.value), written)
        if isinstance(value, ir.Picked):
            table = tables.mapped(value.table, tables.tolerant(python, value.table))
            return tables.settle(frame.program, ir.Picked(table, value.index, value.name))
        if dtype == BOOL:
            return truth(frame, value)
        array = as_array(value)
        if array.kind.shape and int(np.prod(array.kind.shape)) == 1:
            array = ir.Array(code.method(array.code, "reshape", code.const(())), Aval(array.kind.dtype))
        return cast(array, dtype)

    return convert


def _isinstance(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value, kinds = frame.memory.see(arguments[0]), known(arguments[1])
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(value, ir.Static):
        return ir.Static(isinstance(value.value, kinds))
    if isinstance(value, ir.Picked):
        return tables.asks(frame.program, value, lambda option: isinstance(option, kinds))
    if isinstance(value, ir.Maybe):
        inside = _isinstance(frame, [value.value, arguments[1]], options)
        return join(frame, value.present, inside, ir.Static(isinstance(None, kinds)))
    return ir.Static(any(_is_of(value, kind) for kind in kinds))


def _is_of(value: Value, kind: Any) -> bool:
    """Whether the original's value is an instance of this class."""
    if isinstance(value, ir.Items):
        return kind is (list if value.is_list else tuple)
    if isinstance(value, ir.Counted | ir.Masked | ir.Rows):
        return kind is list
    if isinstance(value, ir.Keyed):
        return kind is dict
    if isinstance(value, ir.Array):
        if value.member is not None:
            return issubclass(value.member, kind)
        if value.kind.shape:
            return kind is (list if value.listed else np.ndarray)
        if value.kind.is_bool:
            return kind in (bool, int, np.bool_)
        whole = value.kind.is_whole
        return kind in (int, np.integer) or kind is np.int64 if whole else kind in (float, np.floating)
    return False


def _getattr(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    name = known(arguments[1])
    if isinstance(arguments[0], ir.Static) and len(arguments) > 2 and not hasattr(arguments[0].value, name):
        return arguments[2]
    return attributes.get(frame, arguments[0], name)


def _hasattr(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value = arguments[0]
    if not isinstance(value, ir.Static):
        raise RefusedError("hasattr() of a run-time value")
    return ir.Static(hasattr(value.value, known(arguments[1])))


def _type(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.see(arguments[0])
    if isinstance(value, ir.Static):
        return ir.Static(type(value.value))
    for kind in (bool, int, float, tuple, list, np.ndarray):
        if _is_of(value, kind):
            return ir.Static(kind)
    raise RefusedError("type() of a run-time value")


def _divmod(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    return ir.Items((binary(frame, ast.FloorDiv(), *arguments), binary(frame, ast.Mod(), *arguments)))


def _pow(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    return binary(frame, ast.Pow(), *arguments[:2])


def _copy(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    return frame.memory.deep(arguments[0])


def _cast(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    return arguments[1]


def _nothing(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    return ir.NONE


def _str(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    return ir.Static(str(known(frame.memory.deep(arguments[0])))) if arguments else ir.Static("")


def _ord(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    letter = frame.memory.deep(arguments[0])
    found = table_functions.applied(frame.program, ord, [letter], "codes")
    return ir.Static(fold("ord", ord, known(letter))) if found is None else found


def _chr(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    """A character of ASCII; anything else overflows."""
    number = frame.memory.deep(arguments[0])
    if isinstance(number, ir.Static):
        return ir.Static(fold("chr", chr, number.value))
    if frame.writer.start or overflow.OVERFLOW not in frame.memory.attributes:
        raise RefusedError("which character this is is not known at compile time")
    place = code.name(frame.bind("letter", as_array(number).code, auto=True))
    outside = (code.compare(place, ast.Lt(), code.const(0)), code.compare(place, ast.GtE(), code.const(LETTERS)))
    overflow.note(frame, code.binary(outside[0], ast.BitOr(), outside[1]))
    return tables.pick(frame.program, [*map(chr, range(LETTERS))], ir.Array(place, Aval(INT), natural=True), "ASCII")


def _open(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    raise RefusedError("it opens a file, which a compiled environment cannot do")


def _math(name: str) -> Callable[[CallFrame, Arguments, Options], Value]:
    def compute(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
        values = [frame.memory.deep(a) for a in arguments]
        if all(isinstance(v, ir.Static) for v in values):
            return ir.Static(fold(name, getattr(math, name), *(v.value for v in values)))  # pyright: ignore
        return call_math(name, [as_array(v) for v in values])

    return compute


BUILTINS: dict[Any, Callable[[CallFrame, Arguments, Options], Value]] = {
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


def _from_keys(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    """`dict.fromkeys(keys, value)`; all keys share the value."""
    value = frame.memory.hold(arguments[1]) if len(arguments) > 1 else ir.Static(None)
    return ir.Keyed({known(frame.memory.deep(key)): value for key in items_of(frame.memory, arguments[0])})


def _dict(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    items: dict[Any, Value] = {}
    if arguments:
        first = frame.memory.deep(arguments[0])
        if isinstance(first, ir.FixedKeyDict) and not options:
            return call_fixed_key_dict(frame, arguments[0], first, "copy", [])
        if isinstance(first, ir.Keyed):
            items |= first.items
        elif isinstance(first, ir.Static):
            items |= {k: ir.Static(v) for k, v in dict(first.value).items()}
        else:
            pairs = [items_of(frame.memory, pair) for pair in items_of(frame.memory, first)]
            items |= {known(k): v for k, v in pairs}
    return ir.Keyed({**items, **options})
