"""Dicts that count: `Counter(hand)`. What is asked of one is answered by the list of what was counted.

They have their keys in the order in which these came first.
"""

from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import counted, flags_of, how_often
from envwright.compiler.ir.sequences import distinct, each_with_each
from envwright.compiler.ir.values import Array, Counted, Masked, Static, Tally, Value, cast
from envwright.compiler.refusal import RefusedError


def tally(frame: Frame, value: Value) -> Tally:
    """`Counter(value)`, of whole numbers."""
    listed = counted(frame.memory.deep(value))
    if len(listed.array.kind.shape) != 1 or not listed.array.kind.is_whole or listed.array.kind.of:
        raise RefusedError("something else than whole numbers is counted")
    array = replace(listed.array, code=frame.named("things", listed.array.code))
    return Tally(
        replace(listed, array=array, count=replace(listed.count, code=frame.named("count", listed.count.code)))
    )


def keys(frame: Frame, value: Tally) -> Masked:
    """What there is, each once."""
    found = replace(distinct(value.listed), unordered=False)
    return replace(found, mask=replace(found.mask, code=frame.named("first", found.mask.code)))


def length(frame: Frame, value: Tally) -> Array:
    return Array(code.call("jnp.sum", keys(frame, value).mask.code), Kind(INT), natural=True)


def ask(frame: Frame, value: Tally, name: str, arguments: list[Value]) -> Value:
    """A method of one."""
    first = keys(frame, value)
    match name, arguments:
        case "keys", []:
            return first
        case "values", []:
            return replace(first, array=_often(frame, value))
        case "items", []:
            return replace(first, array=_pairs(first.array, _often(frame, value)))
        case "get", [key, Static(value=0)]:
            return how_often(value.listed, frame.memory.deep(key))
        case "most_common", []:
            return _ranked(frame, first, _often(frame, value))
        case "most_common", [Static(value=int(most))] if most > 0:
            ranked = _ranked(frame, first, _often(frame, value))
            room = min(most, ranked.room)
            fewer = Array(code.call("jnp.minimum", ranked.count.code, code.const(room)), Kind(INT))
            return replace(counted(ranked, room), count=fewer)
    raise RefusedError(f"the method {name} of a dict that counts is not covered in this way")


def _often(frame: Frame, value: Tally) -> Array:
    """How often there is each element of the list."""
    listed = value.listed
    same: Code = code.both(each_with_each(listed.array, listed.array), flags_of(listed).code)
    often = frame.named("often", code.call("jnp.sum", same, axis=code.const(1)))
    return Array(often, Kind(INT, (listed.room,)), listed=True)


def _pairs(one: Array, other: Array) -> Array:
    sides = code.list_of([cast(one, INT).code, other.code])
    return Array(code.call("jnp.stack", sides, axis=code.const(1)), Kind(INT, (*other.kind.shape, 2)), listed=True)


def _ranked(frame: Frame, first: Masked, often: Array) -> Counted:
    """The most frequent come first; of those that are as frequent, the one that came first."""
    rank = code.call("jnp.where", first.mask.code, code.negative(often.code), code.const(1))
    order = code.name(frame.bind("order", code.call("jnp.argsort", rank), auto=True))  # which is stable
    pairs = _pairs(first.array, often)
    count = Array(code.call("jnp.sum", first.mask.code), Kind(INT), natural=True)
    return Counted(replace(pairs, code=code.index(pairs.code, order)), count)
