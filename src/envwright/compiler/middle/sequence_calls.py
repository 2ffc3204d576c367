"""Python's built-in functions of iterables."""

import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import as_one_of, as_row_of, with_rows_of
from envwright.compiler.ir.avals import BOOL, INT, Aval, broadcast
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.lists import counted, flags_of, is_listlike, items_of
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.operators import truth
from envwright.compiler.ir.phi import join
from envwright.compiler.ir.sequences import backwards, distinct, side_by_side
from envwright.compiler.ir.set_algebra import some_of
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array, cast, common, described, is_none
from envwright.compiler.middle.attributes import flow
from envwright.compiler.middle.elementwise import columns
from envwright.compiler.middle.numpy_reductions import reduce
from envwright.compiler.middle.parts import elements
from envwright.compiler.middle.sorting import extreme, ordered
from envwright.compiler.refusal import RefusedError

Arguments = list[Value]
Options = dict[str, Value]


def _of_tuples(frame: CallFrame, value: Value) -> bool:
    """Whether the elements of something are tuples or lists."""
    if isinstance(value, ir.Counted | ir.Masked):
        return len(value.array.kind.shape) > 1
    if isinstance(value, ir.Array):
        return value.listed and len(value.kind.shape) > 1
    if isinstance(value, ir.Items):
        return any(is_listlike(frame.memory.see(item)) for item in value.items)
    return False


def extreme_of(which: Literal["min", "max"]) -> Callable[[CallFrame, Arguments, Options], Value]:
    def find(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
        value = some_of(frame, arguments[0]) if len(arguments) == 1 else ir.Items(tuple(arguments))
        by, default = options.get("key", ir.NONE), options.get("default")
        if not is_none(by) or _of_tuples(frame, value):
            found = extreme(frame, which, value, by, default)
            found = as_row_of(frame.memory, found, arguments[0]) if len(arguments) == 1 else found
            return as_one_of(frame.memory, found, locs_within(ir.Items((*arguments[1:], *options.values()))))
        if len(arguments) == 1:
            if isinstance(value, ir.Counted | ir.Masked):
                found = reduce(which, value, None)
                some = as_array(truth(frame, value))
                return found if default is None else join(frame, some, found, default)
            if isinstance(value, ir.Array):
                return reduce(which, value, None)
            arguments = items_of(frame.memory, value)
            if not arguments and default is not None:
                return default
        values = [frame.memory.deep(a) for a in arguments]
        if all(isinstance(v, ir.Static) for v in values):
            return ir.Static(fold(which, getattr(builtins, which), [v.value for v in values]))  # pyright: ignore
        arrays = [as_array(v) for v in values]
        for v in values:
            if isinstance(v, ir.Static):
                flow(frame, v.value)
        dtype = common([cast(a, INT) if a.kind.is_bool else a for a in arrays])
        function = "jnp.minimum" if which == "min" else "jnp.maximum"
        made = arrays[0]
        for other in arrays[1:]:
            made = ir.Array(
                code.call(function, made.code, other.code),
                Aval(dtype, broadcast(made.kind.shape, other.kind.shape)),
            )
        return made

    return find


def sequence(is_list: bool) -> Callable[[CallFrame, Arguments, Options], Value]:
    def make(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
        if not arguments:
            return ir.Items((), is_list) if is_list else ir.Static(())
        if is_list and isinstance(arguments[0], ir.PLACES) and _is_taken_apart(frame.memory.see(arguments[0])):
            return ir.Items(tuple(elements(frame, arguments[0])), True)
        value = some_of(frame, arguments[0])
        if isinstance(value, ir.Counted | ir.Masked):
            return with_rows_of(frame.memory, counted(value), arguments)
        if isinstance(value, ir.Array) and value.kind.shape and value.kind.shape[0] > 16:
            return ir.Array(value.code, value.kind, listed=True)
        if isinstance(value, ir.Static) and not is_list:
            return ir.Static(tuple(value.value))
        return ir.Items(tuple(items_of(frame.memory, value)), is_list)

    return make


def _is_taken_apart(value: Value) -> bool:
    """Whether a list of it has the elements themselves."""
    return isinstance(value, ir.Items) or (isinstance(value, ir.Array) and len(value.kind.shape) > 1)


def set_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    if not arguments:
        return ir.Gathered(())
    value = frame.memory.deep(arguments[0])
    if isinstance(value, ir.Members | ir.Gathered):
        return value
    try:
        return ir.Static(fold("set", set, known(value)))
    except RefusedError:
        pass
    if isinstance(value, ir.Masked | ir.Counted):
        return distinct(value)
    return ir.Gathered(tuple(items_of(frame.memory, value)))


def range_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    ends = [known(frame.memory.deep(a)) for a in arguments]
    return ir.Static(fold("range", range, *(int(e) for e in ends)))


def enumerate_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    start = known(arguments[1]) if len(arguments) > 1 else 0
    value = frame.memory.deep(arguments[0])
    if isinstance(value, ir.Counted | ir.Masked):
        full = counted(value)
        numbers = code.call("jnp.arange", code.const(start), code.const(start + full.room))
        return side_by_side([ir.Counted(ir.Array(numbers, Aval(INT, (full.room,))), full.count), full])
    items = items_of(frame.memory, arguments[0])
    return ir.Items(tuple(ir.Items((ir.Static(i + start), v)) for i, v in enumerate(items)), True)


def zip_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    values = [frame.memory.deep(a) for a in arguments]
    if any(isinstance(v, ir.Counted | ir.Masked) for v in values):
        return side_by_side([counted(v) for v in values])
    return ir.Items(
        tuple(ir.Items(values) for values in zip(*(items_of(frame.memory, a) for a in arguments), strict=False)), True
    )


def reversed_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.deep(arguments[0])
    if isinstance(value, ir.Counted | ir.Masked):
        return with_rows_of(frame.memory, backwards(counted(value)), arguments)
    return ir.Items(tuple(reversed(items_of(frame.memory, value))), True)


def map_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    value = frame.memory.deep(arguments[1])
    if len(arguments) == 2 and isinstance(value, ir.Counted | ir.Masked):
        found = columns(frame, value, lambda item: frame.program.call(frame, arguments[0], [item], {}, None))
        return replace(value, array=as_array(found), **({"clean": False} if isinstance(value, ir.Counted) else {}))
    rows = zip(*(items_of(frame.memory, a) for a in arguments[1:]), strict=False)
    return ir.Items(tuple(frame.program.call(frame, arguments[0], list(row), {}, None) for row in rows), True)


def filter_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    """Those elements for which a function says yes; without a function, those that are not zero."""
    value = frame.memory.deep(arguments[1])
    full = value if isinstance(value, ir.Counted | ir.Masked) else counted(value)
    asked = ir.Static(bool) if is_none(arguments[0]) else arguments[0]

    def keep(item: Value) -> Value:
        return truth(frame, frame.program.call(frame, asked, [item], {}, None))

    flags = as_array(columns(frame, full, keep))
    kept = ir.Masked(full.array, ir.Array(code.both(flags_of(full).code, flags.code), Aval(BOOL, flags.kind.shape)))
    return with_rows_of(frame.memory, kept, arguments[1:])


def sorted_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    return with_rows_of(frame.memory, ordered(frame, some_of(frame, arguments[0]), options), arguments[:1])


def next_of(frame: CallFrame, arguments: Arguments, options: Options) -> Value:
    """The first one of a generator, or the default."""
    if len(arguments) < 2:
        raise RefusedError("next() is not supported without a default")
    value = frame.memory.deep(arguments[0])
    if isinstance(value, ir.Items):
        return value.items[0] if value.items else arguments[1]
    if not isinstance(value, ir.Counted | ir.Masked):
        raise RefusedError(f"next() of {described(value)} is not supported")
    flags = flags_of(value)
    place = ir.Array(code.call("jnp.argmax", flags.code), Aval(INT))
    found = read(frame.memory, value.array, (place,))
    found = join(frame, ir.Array(code.call("jnp.any", flags.code), Aval(BOOL)), found, frame.memory.deep(arguments[1]))
    return as_one_of(frame.memory, as_row_of(frame.memory, found, arguments[0]), locs_within(arguments[1]))


OF_LISTS: dict[object, Callable[[CallFrame, Arguments, Options], Value]] = {
    min: extreme_of("min"), max: extreme_of("max"), list: sequence(True), tuple: sequence(False), set: set_of,
    frozenset: set_of, range: range_of, enumerate: enumerate_of, zip: zip_of, reversed: reversed_of, map: map_of,
    filter: filter_of, sorted: sorted_of, next: next_of,
}  # fmt: skip
