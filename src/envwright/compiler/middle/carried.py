"""What a loop hands from one turn to the next: names, attributes, lists, and how much luck is used up."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from envwright.compiler.ir import code, shelves
from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import MARK, Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind, joined
from envwright.compiler.ir.lists import whole_rows
from envwright.compiler.ir.memory import Memory, called
from envwright.compiler.ir.packing import same_shape
from envwright.compiler.ir.set_algebra import is_set, some_of
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.trails import hold_row
from envwright.compiler.ir.twins import put_into, tie
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Either,
    Gathered,
    Items,
    Keyed,
    Masked,
    Maybe,
    Members,
    Ref,
    Rows,
    Shelf,
    Static,
    Turned,
    Unknown,
    Value,
    View,
    as_array,
    cast,
    is_none,
)
from envwright.compiler.middle.flow import Execute, Flow
from envwright.compiler.middle.growing import Turning, grown, grown_set, is_list
from envwright.compiler.middle.liveness import assigned, read_later
from envwright.compiler.refusal import RefusedError


class RecordError(RefusedError):
    """A turn of a loop puts the state into a record, which cannot be handed to the next."""


@dataclass
class Carried:
    """What a loop hands from one turn to the next."""

    place: str  # "names", "cells", "attributes", "cursors", or a flag
    key: Any
    value: Value  # before the first turn, as arrays
    optional: bool = False  # only needed if somebody reads it after the loop
    room_before: int = 0  # of a list: `roomy` before the loop
    guessed_before: bool = False  # of a list: whether its room was a guess before the loop
    whole: bool = False  # it was a list of fixed length before the loop
    always: bool = False  # a list that gets as many elements in every turn
    twins: frozenset[int] = frozenset()  # what a name leads to: it may be the same as these
    called: str = ""  # of a list: what its name is


Begin = Callable[[Frame, Code], None]  # what a turn begins with, given the code for its number


def find_carried(
    frame: Frame, node: ast.For | ast.While, begin: Begin | None, execute: Execute
) -> tuple[list[Carried], Flow]:
    """Read the body once on a scratch page, and see what it changes, and how it ends. `node` is as the original has it,
    for what comes after it matters, too."""
    before = frame.memory
    frame.memory = before.copy()
    frame.writer.blocks.append([])
    frame.depth += 1
    names = assigned(node.body)
    for name in names:
        if name in frame.memory.names:
            frame.memory.names[name] = loosened(frame, frame.memory.names[name])
    try:
        if begin is not None:
            begin(frame, code.name("i"))
        flow = execute(frame, node.body)
    finally:
        frame.depth -= 1
        frame.writer.blocks.pop()
        frame.memory = before
    after = flow.memories
    if rows := _rows_followed(before, after):
        for name, (ref, place) in rows.items():
            before.names[name] = hold_row(frame, ref, place)
        return find_carried(frame, node, begin, execute)
    carried: list[Carried] = []
    own = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} if isinstance(node, ast.For) else set()
    later = read_later(frame.node, node, names | own) if frame.node is not None else set()
    for place in ("cursors", "attributes", "names", "positions", "cells"):
        table = getattr(before, place)
        keys = dict.fromkeys(k for memory in after for k in getattr(memory, place))
        for key in keys:
            if place == "names" and key in own and key not in later:
                continue
            if place == "cursors" and key not in table:
                carried.append(Carried(place, key, Array(code.const(0), Kind(INT))))
                continue
            if key not in table:
                if place == "names" and (key in later or (key in frame.writer.unsure and key in names)):
                    carried += _left_over(frame, after, key)  # from the turn before
                if place == "attributes" and key in frame.program.slots:
                    carried.append(Carried(place, key, _first_value(frame, key)))
                continue
            if any(getattr(m, place).get(key) is not table[key] for m in after) and not _same_ref(
                table[key], after, place, key
            ):
                value = loosened(frame, before.deep(table[key]))
                spare = value.roomy if isinstance(value, Counted | Masked) else 0
                whole = isinstance(value, Items)
                if place == "cells":
                    for memory in (before, *after):
                        put_into(memory, _held_by_name(memory.cells.get(key)), Ref(key))
                mine = Carried(place, key, value, place == "names" and key in own, spare, whole)
                mine = replace(mine, guessed_before=isinstance(value, Counted | Masked) and value.guessed)
                called = next((n for n, v in before.names.items() if v == Ref(key)), "") if place == "cells" else ""
                carried.append(replace(mine, twins=_twins_of(before, after, place, key), called=called))
    for memory in after:  # the next turn begins with them
        for cell, ties in memory.twins.items():
            for deep, other in ties:
                tie(before, cell, deep, other)
    if any(m.state != before.state for m in after):
        raise RecordError("a function that changes the state as a whole is called in a loop")
    return carried, flow


def _held_by_name(value: Value | None) -> list[Value]:
    """What a list or an object holds by its name; a loop hands on copies."""
    if isinstance(value, Items | Keyed):
        return [*value.items] if isinstance(value, Items) else [*value.items.values()]
    return []


def _twins_of(before: Memory, after: list[Memory], place: str, key: Any) -> frozenset[int]:
    """What a name may lead to, before a turn or after it."""
    if place != "names":
        return frozenset()
    values = [memory.names[key] for memory in (before, *after) if key in memory.names]
    return frozenset(cell for value in values for cell in cells_within(value))


def _rows_followed(before: Memory, after: list[Memory]) -> dict[str, tuple[Ref, Array]]:
    """Names of rows of lists which the loop changes, so that the rows must be followed from the start."""
    followed = {n for m in after for n, v in m.names.items() if isinstance(v, Ref) and v.cell in m.positions}
    rows = {n: v for n, v in before.names.items() if n in followed and isinstance(v, View) and len(v.where) == 1}
    lists = {n: v.ref for n, v in rows.items() if isinstance(v.ref, Ref) and isinstance(before.see(v.ref), Counted)}
    return {n: (ref, as_array(rows[n].where[0])) for n, ref in lists.items()}


def _left_over(frame: Frame, after: list[Memory], key: str) -> list[Carried]:
    """Nothing, in the form of a name that keeps its value of the turn before where it gets no new one."""
    memory = next(m for m in after if key in m.names)
    value = memory.names[key]
    try:
        blank = _blank(memory.deep(value))
    except RefusedError as why:
        frame.memory.names[key] = Unknown(why)
        return []
    if isinstance(value, View | Turned | Either) and isinstance(blank, Array):
        blank = replace(blank, shared=True)  # which part it was of shows only in the game
    return [Carried("names", key, blank, optional=True, twins=_twins_of(frame.memory, after, "names", key))]


def _first_value(frame: Frame, key: Any) -> Value:
    """What an attribute holds before a loop gives it its first value: nothing that matters."""
    slot = frame.program.slots[key]
    blank = [Array(array.code, array.kind, slot.listed) for array in slot.blank().values()]
    if slot.form == "plain":
        return blank[0]
    if slot.form in ("flags", "letters", "keyed"):
        return slot.value_of(blank)
    if slot.form == "objects":
        kind = Kind(INT, (slot.room,), slot.extra.heap)
        return Counted(Array(zero(kind).code, kind, listed=True), blank[-1])
    if slot.form == "listed":
        return Counted(Array(blank[0].code, blank[0].kind, listed=True), blank[1], slot.extra, clean=True)
    raise RefusedError("an attribute that may be None gets its first value in a loop")


def _same_ref(value: Value, after: list[Memory], place: str, key: Any) -> bool:
    return isinstance(value, Ref) and all(getattr(m, place).get(key) == value for m in after)


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
    if isinstance(value, Gathered) and value.items:
        return some_of(frame, value)
    if isinstance(value, Keyed):
        return replace(value, items={key: loosened(frame, part) for key, part in value.items.items()})
    return value


def widen(before: Value, after: Value, turning: Turning) -> Value:
    """The kind that holds both; the same object if nothing had to change."""
    if isinstance(after, Unknown):
        raise after.why
    if is_none(before) and not is_none(after):
        inner = after.value if isinstance(after, Maybe) else after
        return Maybe(Array(code.call("jnp.bool_", code.const(False)), Kind(BOOL)), _blank(inner))
    if isinstance(before, Maybe):
        inner = after.value if isinstance(after, Maybe) else after
        widened = before.value if is_none(after) else widen(before.value, inner, turning)
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
    if isinstance(before, Shelf) and isinstance(after, Shelf) and before.keys == after.keys:
        array = widen(before.array, after.array, turning)
        return before if array is before.array else replace(before, array=as_array(array))
    if isinstance(after, Shelf) and isinstance(before, Static | Keyed):
        return shelves.fitted(after, before)
    inside = Turning(turning.most)
    if isinstance(before, Items) and isinstance(after, Array) and _is_set_somewhere(before, after):
        return widen(as_array(before), after, inside)
    if isinstance(before, Items) and isinstance(after, Items) and len(before.items) == len(after.items):
        parts = [widen(a, b, inside) for a, b in zip(before.items, after.items, strict=True)]
        same = all(a is b for a, b in zip(parts, before.items, strict=True))
        return before if same else replace(before, items=tuple(parts))
    if isinstance(before, Keyed) and isinstance(after, Keyed) and before.items.keys() == after.items.keys():
        held = {key: widen(part, after.items[key], inside) for key, part in before.items.items()}
        same = all(held[key] is part for key, part in before.items.items())
        return before if same else replace(before, items=held)
    if isinstance(before, Gathered | Masked) and is_set(before) and is_set(after):
        return before if isinstance(after, Gathered) else grown_set(before, after, turning)
    if is_list(before) and is_list(after):
        return grown(before, after, turning)
    if same_shape(before, after):
        return before
    raise RefusedError("a value changes its kind from one turn of a loop to the next")


def _is_set_somewhere(before: Items, after: Array) -> bool:
    """Whether a list got a number or tuple at a place that only the game knows. Lists in it could have names, which
    would have to see a change of them."""
    inside = [v for v in before.items if isinstance(v, Items)]
    plain = not any(v.is_list for v in inside) and len(inside) in (0, len(before.items))
    return before.is_list and after.listed and plain and after.kind.shape[:1] == (len(before.items),)


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
    if item.place == "positions":
        return "place"
    if item.place == "cells":
        array = item.value.array if isinstance(item.value, Counted | Rows | Shelf) else item.value
        if isinstance(array, Array) and isinstance(array.code, ast.Name):
            return base_of_name(array.code.id)
        if isinstance(array, Array) and isinstance(array.code, ast.Attribute):
            return array.code.attr
        return base_of_name(item.called)
    return base_of_name(item.key) if isinstance(item.key, str) else called(item.key)
