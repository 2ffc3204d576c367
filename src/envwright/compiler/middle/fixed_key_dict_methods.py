"""Methods of dicts with fixed integer keys, and assignments to them."""

import ast
from collections.abc import Callable

from envwright.compiler.ir import code, fixed_key_dict, overflow
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.operators import contains
from envwright.compiler.ir.phi import join, says
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.ir.writing import set_content
from envwright.compiler.middle.parts import part
from envwright.compiler.refusal import RefusedError


def key_at(frame: CallFrame, mapping: ir.FixedKeyDict, i: Code) -> Value:
    """The key at a run-time position."""
    if len(mapping.first) == 1:
        (low,) = mapping.first
        made = i if low == 0 else code.binary(i, ast.Add(), code.const(low))
        return ir.Array(made, Aval(INT), natural=low >= 0, most=mapping.keys[-1])
    table = frame.program.constant("KEYS", [*mapping.keys])
    if not isinstance(mapping.keys[0], tuple):
        return ir.Array(code.index(table, i), Aval(INT))
    wide = range(fixed_key_dict.width(mapping))
    return ir.Items(tuple(ir.Array(code.index(table, i, code.const(k)), Aval(INT)) for k in wide))


def value_under(frame: CallFrame, place: Value, key: Value, i: Code) -> Value:
    """The current value at a run-time position; a row is a view of the dict."""
    mapping = frame.memory.see(place)
    assert isinstance(mapping, ir.FixedKeyDict)
    values = fixed_key_dict.values_of(mapping)
    if isinstance(place, ir.PLACES) and values.kind.shape[1:] and not mapping.tupled:
        return ir.IndexView(place, fixed_key_dict.spread(mapping, (key,)))
    inner = values.kind.shaped(*values.kind.shape[1:])
    return ir.Array(code.index(values.code, i), inner, mapping.array.listed and bool(inner.shape), mapping.tupled)


def value_of(frame: CallFrame, place: Value, i: int) -> Value:
    """The current value at a constant position."""
    mapping = frame.memory.see(place)
    assert isinstance(mapping, ir.FixedKeyDict)
    if isinstance(place, ir.PLACES) and mapping.array.kind.shape[mapping.axes :] and not mapping.tupled:
        return ir.IndexView(place, fixed_key_dict.spread(mapping, (ir.Static(mapping.keys[i]),)))
    return fixed_key_dict.value_at(mapping, i)


def note_key(frame: CallFrame, mapping: ir.FixedKeyDict, where: tuple[Value, ...]) -> None:
    """Before an assignment at a run-time key: a missing key is an overflow."""
    parts = fixed_key_dict.spread(mapping, where)[: fixed_key_dict.width(mapping)]
    if fixed_key_dict.known_key(parts) is not None or fixed_key_dict.is_inside(mapping, parts):
        return
    there = as_array(contains(frame, mapping, parts[0] if len(parts) == 1 else ir.Items(parts)))
    if any(says(frame, guard, there.code) for guard in frame.guards):
        return
    if frame.writer.start or overflow.OVERFLOW not in frame.memory.attributes:
        raise RefusedError("a dict of the state is assigned at a run-time key that may be missing")
    overflow.note(frame, code.negated(there.code))


def _get(frame: CallFrame, base: Value, mapping: ir.FixedKeyDict, arguments: list[Value]) -> Value:
    key = frame.memory.deep(arguments[0])
    default = frame.memory.deep(arguments[1]) if len(arguments) > 1 else ir.NONE
    there = contains(frame, mapping, key)
    if isinstance(there, ir.Static):
        return read(frame.memory, mapping, (key,)) if there.value else default
    found = read(frame.memory, mapping, (key,))
    if isinstance(found, ir.Array) and found.kind.shape and not mapping.tupled:
        raise RefusedError("get() of a dict of lists, with a run-time key")
    return join(frame, as_array(there), found, default)


def _set_default(frame: CallFrame, base: Value, mapping: ir.FixedKeyDict, arguments: list[Value]) -> Value:
    """The keys are fixed, so there is nothing to assign."""
    key = (frame.memory.deep(arguments[0]),)
    note_key(frame, mapping, key)
    return read(frame.memory, mapping, key) if not isinstance(base, ir.PLACES) else part(frame, base, key, "")


def _values(frame: CallFrame, base: Value, mapping: ir.FixedKeyDict, arguments: list[Value]) -> Value:
    if mapping.array.kind.shape[mapping.axes :]:
        return ir.Items(tuple(value_of(frame, base, i) for i in range(len(mapping.keys))), True)
    return fixed_key_dict.values_of(mapping)


def _items(frame: CallFrame, base: Value, mapping: ir.FixedKeyDict, arguments: list[Value]) -> Value:
    pairs = (ir.Items((ir.Static(key), value_of(frame, base, i))) for i, key in enumerate(mapping.keys))
    return ir.Items(tuple(pairs), True)


def _copy(frame: CallFrame, base: Value, mapping: ir.FixedKeyDict, arguments: list[Value]) -> Value:
    if mapping.array.kind.shape[mapping.axes :] and not mapping.tupled:
        raise RefusedError("a shallow copy of a dict of lists would alias them")
    return mapping


def _update(frame: CallFrame, base: Value, mapping: ir.FixedKeyDict, arguments: list[Value]) -> Value:
    more = frame.memory.deep(arguments[0])
    if isinstance(more, ir.FixedKeyDict):
        more = ir.Keyed({key: fixed_key_dict.value_at(more, i) for i, key in enumerate(more.keys)})
    added = more.items if isinstance(more, ir.Keyed) else {k: ir.Static(v) for k, v in known(more).items()}
    for key, value in added.items():
        mapping = fixed_key_dict.write(frame.memory, mapping, (ir.Static(key),), value)
    set_content(frame, base, mapping)
    return ir.NONE


METHODS: dict[str, Callable[[CallFrame, Value, ir.FixedKeyDict, list[Value]], Value]] = {
    "get": _get, "keys": lambda f, b, mapping, a: ir.Static([*mapping.keys]), "values": _values, "items": _items,
    "copy": _copy, "update": _update, "setdefault": _set_default,
}  # fmt: skip


def call_fixed_key_dict(
    frame: CallFrame, base: Value, mapping: ir.FixedKeyDict, name: str, arguments: list[Value]
) -> Value:
    """A method of a dict with fixed keys."""
    if name in ("pop", "popitem", "clear"):
        raise RefusedError("a key is removed from a dict of the state, whose keys are fixed")
    if name not in METHODS:
        raise RefusedError(f"the method {name} of a dict is not supported")
    return METHODS[name](frame, base, mapping, arguments)
