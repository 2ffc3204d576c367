"""`Counter(hand)` and the like: queries are answered from the list of what was counted.

Keys are ordered by first occurrence.
"""

from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, flags_of, how_often
from envwright.compiler.ir.sequences import distinct, each_with_each
from envwright.compiler.ir.values import Value, cast
from envwright.compiler.refusal import RefusedError


def counter_of(frame: CallFrame, value: Value) -> ir.CounterDict:
    """`Counter(value)`, of integers."""
    listed = counted(frame.memory.deep(value))
    if len(listed.array.kind.shape) != 1 or not listed.array.kind.is_whole or listed.array.kind.of:
        raise RefusedError("a counter of anything but integers is not supported")
    array = replace(listed.array, code=frame.named("things", listed.array.code))
    return ir.CounterDict(
        replace(listed, array=array, count=replace(listed.count, code=frame.named("count", listed.count.code)))
    )


def keys(frame: CallFrame, value: ir.CounterDict) -> ir.Masked:
    """The distinct elements."""
    found = replace(distinct(value.listed), unordered=False)
    return replace(found, mask=replace(found.mask, code=frame.named("first", found.mask.code)))


def length(frame: CallFrame, value: ir.CounterDict) -> ir.Array:
    return ir.Array(code.call("jnp.sum", keys(frame, value).mask.code), Aval(INT), natural=True)


def ask(frame: CallFrame, value: ir.CounterDict, name: str, arguments: list[Value]) -> Value:
    """A method of a counter."""
    first = keys(frame, value)
    match name, arguments:
        case "keys", []:
            return first
        case "values", []:
            return replace(first, array=_often(frame, value))
        case "items", []:
            return replace(first, array=_pairs(first.array, _often(frame, value)))
        case "get", [key, ir.Static(value=0)]:
            return how_often(value.listed, frame.memory.deep(key))
        case "most_common", []:
            return _ranked(frame, first, _often(frame, value))
        case "most_common", [ir.Static(value=int(most))] if most > 0:
            ranked = _ranked(frame, first, _often(frame, value))
            room = min(most, ranked.room)
            fewer = ir.Array(code.call("jnp.minimum", ranked.count.code, code.const(room)), Aval(INT))
            return replace(counted(ranked, room), count=fewer)
    raise RefusedError(f"the method {name} of a counter is not supported with these arguments")


def _often(frame: CallFrame, value: ir.CounterDict) -> ir.Array:
    """The count of each element of the list."""
    listed = value.listed
    same: Code = code.both(each_with_each(listed.array, listed.array), flags_of(listed).code)
    often = frame.named("often", code.call("jnp.sum", same, axis=code.const(1)))
    return ir.Array(often, Aval(INT, (listed.room,)), listed=True)


def _pairs(one: ir.Array, other: ir.Array) -> ir.Array:
    sides = code.list_of([cast(one, INT).code, other.code])
    return ir.Array(code.call("jnp.stack", sides, axis=code.const(1)), Aval(INT, (*other.kind.shape, 2)), listed=True)


def _ranked(frame: CallFrame, first: ir.Masked, often: ir.Array) -> ir.Counted:
    """By falling count; ties by first occurrence."""
    rank = code.call("jnp.where", first.mask.code, code.negative(often.code), code.const(1))
    order = code.name(frame.bind("order", code.call("jnp.argsort", rank), auto=True))  # which is stable
    pairs = _pairs(first.array, often)
    count = ir.Array(code.call("jnp.sum", first.mask.code), Aval(INT), natural=True)
    return ir.Counted(replace(pairs, code=code.index(pairs.code, order)), count)
