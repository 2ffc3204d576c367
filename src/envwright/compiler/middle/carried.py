"""What a loop hands from one turn to the next: names, attributes, lists, and how much luck is used up."""

import ast
from dataclasses import dataclass, replace
from typing import Any

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import MARK, Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind, joined
from envwright.compiler.ir.lists import counted, whole_rows
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.packing import same_shape
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Masked,
    Maybe,
    Members,
    Ref,
    Rows,
    Static,
    Unknown,
    Value,
    as_array,
    cast,
    is_none,
)
from envwright.compiler.middle.comprehensions import unpack
from envwright.compiler.middle.flow import Execute
from envwright.compiler.middle.turns import Turns
from envwright.compiler.refusal import RefusedError


@dataclass
class Carried:
    """What a loop hands from one turn to the next."""

    place: str  # "names", "cells", "attributes", "cursors", or a flag
    key: Any
    value: Value  # before the first turn, as arrays


def find_carried(frame: Frame, node: ast.For | ast.While, turns: Turns | None, execute: Execute) -> list[Carried]:
    """Read the body once on a scratch page, and see what it changes."""
    before = frame.memory
    frame.memory = before.copy()
    frame.writer.blocks.append([])
    frame.depth += 1
    names = _assigned(node.body)
    for name in names:
        if name in frame.memory.names:
            frame.memory.names[name] = loosened(frame, frame.memory.names[name])
    try:
        if turns is not None and isinstance(node, ast.For):
            unpack(frame, node.target, turns.element(code.name("i")))
        flow = execute(frame, node.body)
    finally:
        frame.depth -= 1
        frame.writer.blocks.pop()
        frame.memory = before
    after = [e.memory for e in flow.exits] + ([flow.memory] if flow.memory else [])
    carried: list[Carried] = []
    own = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} if isinstance(node, ast.For) else set()
    for place in ("cursors", "attributes", "names", "cells"):
        table = getattr(before, place)
        keys = dict.fromkeys(k for memory in after for k in getattr(memory, place))
        for key in keys:
            if place == "names" and key in own:
                continue
            if place == "cursors" and key not in table:
                carried.append(Carried(place, key, Array(code.const(0), Kind(INT))))
                continue
            if key not in table:
                if place == "names" and key in frame.writer.unsure and key in _assigned(node.body):
                    carried.append(Carried(place, key, _left_over(after, key)))  # from the turn before
                if place == "attributes" and key in frame.program.slots:
                    carried.append(Carried(place, key, _first_value(frame, key)))
                continue
            if any(getattr(m, place).get(key) is not table[key] for m in after) and not _same_ref(
                table[key], after, place, key
            ):
                carried.append(Carried(place, key, loosened(frame, before.deep(table[key]))))
    if any(m.state != before.state for m in after):
        raise RefusedError("a function that changes the state as a whole is called in a loop")
    return carried


def _left_over(after: list[Memory], key: str) -> Value:
    """Nothing, in the form of a name that keeps its value of the turn before where it gets no new one."""
    memory = next(m for m in after if key in m.names)
    return _blank(memory.deep(memory.names[key]))


def _first_value(frame: Frame, key: Any) -> Value:
    """What an attribute holds before a loop gives it its first value: nothing that matters."""
    slot = frame.program.slots[key]
    blank = [Array(array.code, array.kind, slot.listed) for array in slot.blank().values()]
    if slot.form == "plain":
        return blank[0]
    if slot.form == "flags":
        return slot.value_of(blank)
    if slot.form == "objects":
        kind = Kind(INT, (slot.room,), slot.extra.heap)
        return Counted(Array(zero(kind).code, kind, listed=True), blank[-1])
    if slot.form == "listed":
        return Counted(Array(blank[0].code, blank[0].kind, listed=True), blank[1], slot.extra)
    raise RefusedError("an attribute that may be None gets its first value in a loop")


def _same_ref(value: Value, after: list[Memory], place: str, key: Any) -> bool:
    return isinstance(value, Ref) and all(getattr(m, place).get(key) == value for m in after)


def _assigned(body: list[ast.stmt]) -> set[str]:
    return {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def loosened(frame: Frame, value: Value) -> Value:
    """A known number as one that may change; what cannot change is left."""
    if isinstance(value, Static):
        try:
            array = as_array(value)
        except RefusedError:
            return value
        return cast(array, array.kind.dtype)
    if isinstance(value, Array):
        return cast(value, value.kind.dtype) if value.weak else value
    if isinstance(value, Items):
        return replace(value, items=tuple(loosened(frame, v) for v in value.items))
    if isinstance(value, Counted | Members):
        return replace(value, count=cast(value.count, INT))
    return value


def widen(before: Value, after: Value) -> Value:
    """The kind that holds both; the same object if nothing had to change."""
    if isinstance(after, Unknown):
        raise after.why
    if is_none(before) and not is_none(after):
        inner = after.value if isinstance(after, Maybe) else after
        return Maybe(Array(code.call("jnp.bool_", code.const(False)), Kind(BOOL)), _blank(inner))
    if isinstance(before, Maybe):
        inner = after.value if isinstance(after, Maybe) else after
        widened = before.value if is_none(after) else widen(before.value, inner)
        return before if widened is before.value else Maybe(before.present, widened)
    if isinstance(before, Array) and before.listed and isinstance(after, Rows):
        return whole_rows(before)
    if isinstance(before, Array) and isinstance(after, Array | Static | Items):
        new = as_array(after)
        kind = joined(before.kind, new.kind, before.weak, new.weak)
        if kind == before.kind:
            return before
        if kind.shape != before.kind.shape:
            raise RefusedError("an array changes its shape from one turn of a loop to the next")
        return cast(before, kind.dtype)
    if isinstance(before, Items) and isinstance(after, Items) and len(before.items) == len(after.items):
        parts = [widen(a, b) for a, b in zip(before.items, after.items, strict=True)]
        same = all(a is b for a, b in zip(parts, before.items, strict=True))
        return before if same else replace(before, items=tuple(parts))
    if isinstance(before, Counted) and isinstance(after, Counted | Masked):
        if counted(after).room > before.room:
            raise RefusedError("a list that is not part of the state grows in a loop")
        return before
    if same_shape(before, after):
        return before
    raise RefusedError("a value changes its kind from one turn of a loop to the next")


def _blank(like: Value) -> Value:
    """Zeros in the form of a value."""
    if isinstance(like, Items):
        return replace(like, items=tuple(_blank(v) for v in like.items))
    if isinstance(like, Counted):
        return replace(like, array=zero(like.array.kind), count=zero(Kind(INT)))
    array = as_array(like)
    return replace(array, code=zero(array.kind).code, weak=False)


def base_of_name(name: str) -> str:
    return name.partition(MARK)[0] or "value"


def hint_of(item: Carried) -> str:
    if item.place == "cells":
        array = item.value.array if isinstance(item.value, Counted | Rows) else item.value
        if isinstance(array, Array) and isinstance(array.code, ast.Name):
            return base_of_name(array.code.id)
        if isinstance(array, Array) and isinstance(array.code, ast.Attribute):
            return array.code.attr
        return "value"
    return item.key if isinstance(item.key, str) else item.key[1].strip("_")
