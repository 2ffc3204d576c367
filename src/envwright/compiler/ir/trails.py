"""Rows of lists that change their length: a row that has a name stays the same row, wherever it moves.

Such a row is held apart, and its place in the list is kept beside it. What is written to the row is written to the
list as well; when elements before it come or go, its place moves; when it is taken out, its place lies outside.
"""

import ast
from collections.abc import Callable
from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir.cells import cells_of
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import is_listlike
from envwright.compiler.ir.memory import OUTSIDE, Memory, deep_or_unknown
from envwright.compiler.ir.twins import ROWS, as_one_of, as_row_of, out_of, touched
from envwright.compiler.ir.values import (
    PLACES,
    Array,
    Counted,
    Either,
    Items,
    Keyed,
    Maybe,
    Ref,
    Static,
    Turned,
    Unknown,
    Value,
    View,
    as_array,
    number,
)
from envwright.compiler.refusal import RefusedError

ANYWHERE = (Unknown(RefusedError("a place that nobody asks for")),)
_LOST = "a row of a list is used after the list was changed in another way"


def hold_row(frame: Frame, ref: Ref, place: Array) -> Value:
    """The element at a place of a list; if it is a row, as one that can be followed."""
    memory = frame.memory
    content = memory.see(ref)
    assert isinstance(content, Counted)
    kind = content.array.kind.shaped(*content.array.kind.shape[1:])
    found = code.index(content.array.code, place.code)
    if not kind.shape:
        return Array(found, kind)
    row = memory.hold(Array(code.name(frame.bind("row", found, auto=True)), kind, listed=True))
    assert isinstance(row, Ref)
    memory.positions[row.cell] = place
    memory.homes[row.cell] = ref.cell
    return row


def follow(frame: Frame, cell: int) -> None:
    """Something was changed in place: if it is a row of a list, the list has it, too."""
    memory = frame.memory
    home = memory.homes.get(cell)
    if home is not None and cell in memory.positions:
        content, row = memory.cells[home], memory.cells[cell]
        if isinstance(content, Counted) and not isinstance(row, Unknown):
            place = as_array(memory.positions[cell]).code
            made = code.call("put", content.array.code, place, as_array(row).code)
            array = replace(content.array, code=code.name(frame.bind("items", made, auto=True)))
            memory.cells[home] = replace(content, array=array, missing=None)
            touched(memory, home, ROWS)
    _forget(frame, cell if home is None else home, but=cell)


def _forget(frame: Frame, home: int, but: int = 0) -> None:
    """Rows of a list that was changed in a way that cannot be followed; an error only if somebody needs them."""
    why = frame.placed(RefusedError(_LOST))
    for row in _rows_of(frame, home):
        if row != but and not (but != home and is_copy(frame.memory, row)):
            frame.memory.cells[row] = Unknown(why)


def hold_copy(frame: Frame, ref: Ref, places: Code) -> int:
    """A copy of a list, which goes on having the rows of it: where each of them is now, and, of those that were taken
    out, what they were then. Its cell."""
    memory = frame.memory
    content = memory.see(ref)
    assert isinstance(content, Counted)
    held = memory.hold(replace(content.array, listed=True))
    assert isinstance(held, Ref)
    memory.positions[held.cell] = Array(places, Kind(INT, (content.room,)))
    memory.homes[held.cell] = ref.cell
    return held.cell


def is_copy(memory: Memory, cell: int) -> bool:
    return bool(as_array(memory.positions[cell]).kind.shape)


def row_of_copy(frame: Frame, cell: int, i: Code) -> Value:
    """A row of such a copy, as one that can be followed."""
    memory = frame.memory
    home = Ref(memory.homes[cell])
    content, gone = memory.see(home), as_array(memory.see(Ref(cell)))
    assert isinstance(content, Counted)
    where = code.name(frame.bind("place", code.index(as_array(memory.positions[cell]).code, i), auto=True))
    there = code.compare(where, ast.Lt(), code.const(OUTSIDE))
    found = code.call("jnp.where", there, code.index(content.array.code, where), code.index(gone.code, i))
    kind = content.array.kind.shaped(*content.array.kind.shape[1:])
    row = memory.hold(Array(code.name(frame.bind("row", found, auto=True)), kind, listed=True))
    assert isinstance(row, Ref)
    memory.positions[row.cell] = Array(where, Kind(INT))
    memory.homes[row.cell] = home.cell
    return row


def drop_copy(memory: Memory, cell: int) -> None:
    """Nobody has the copy any more."""
    for table in (memory.positions, memory.cells, memory.homes):
        table.pop(cell, None)


def _rows_of(frame: Frame, home: int) -> list[int]:
    return [row for row in frame.memory.positions if frame.memory.homes[row] == home]


def name_rows(frame: Frame, cell: int, at: tuple[Value, ...] = ANYWHERE) -> None:
    """Before elements of a list move, or that at some place goes: rows of it that have names are held apart."""
    memory = frame.memory
    _none_outside(memory, cell, at)
    if not isinstance(memory.cells.get(cell), Counted):
        _renamed(memory, cell, lambda value: _of_fixed(frame, cell, value), at)
        return
    held: dict[str, Value] = {}

    def named(value: Value) -> Value:
        if not isinstance(value, View) or not isinstance(value.ref, Ref) or len(value.where) != 1:
            return _as_it_is(frame, value)
        place = as_array(value.where[0])
        if place.kind.shape:
            return _as_it_is(frame, value)
        key = code.text(place.code)
        held[key] = held.get(key) or hold_row(frame, value.ref, place)
        return held[key]

    _renamed(memory, cell, named, at)


def _renamed(memory: Memory, cell: int, named: Callable[[Value], Value], at: tuple[Value, ...] = ANYWHERE) -> None:
    """All who have a row of a list, by a name, an attribute or in another list, have something else in its place."""
    for table in (memory.names, memory.attributes, memory.cells):
        for key, value in list(table.items()):
            if key != cell or table is not memory.cells:
                new = _in_place_of_rows(value, cell, named, at)
                if new is not value:
                    table[key] = new  # pyright: ignore[reportArgumentType]


def _in_place_of_rows(
    value: Value, cell: int, named: Callable[[Value], Value], at: tuple[Value, ...] = ANYWHERE
) -> Value:
    if not has_row(value, cell, at):
        return value
    match value:
        case Items():
            return replace(value, items=tuple(_in_place_of_rows(v, cell, named, at) for v in value.items))
        case Keyed():
            new = {k: _in_place_of_rows(v, cell, named, at) for k, v in value.items.items()}
            return replace(value, items=new)
        case Maybe():
            return replace(value, value=_in_place_of_rows(value.value, cell, named, at))
    return named(value)


def _none_outside(memory: Memory, cell: int, at: tuple[Value, ...] = ANYWHERE) -> None:
    """Refuse a function that moves rows of a list for which its caller has names."""
    if any(has_row(value, cell, at) for names in memory.callers for value in names.values()):
        raise RefusedError("a list is changed by a function, while a row of it has a name outside")


def has_row(value: Value, cell: int, at: tuple[Value, ...] = ANYWHERE) -> bool:
    """Whether it is, or holds, a row of a list that may be at a place."""
    match value:
        case Items():
            return any(has_row(v, cell, at) for v in value.items)
        case Keyed():
            return any(has_row(v, cell, at) for v in value.items.values())
        case Maybe():
            return has_row(value.value, cell, at)
        case View() if isinstance(value.ref, Ref):
            may_be = len(value.where) >= len(at) and not any(map(_apart, value.where, at))
            return may_be and value.ref.cell == cell
    return _is_row(value, cell)


def _apart(one: Value, other: Value) -> bool:
    """Whether two places are known to be different ones; some count from the end."""
    if not isinstance(one, Static) or not isinstance(other, Static):
        return False
    a, b = one.value, other.value
    if isinstance(a, int) and isinstance(b, int):
        return a != b and (a < 0) == (b < 0)
    return isinstance(a, str) and isinstance(b, str) and a != b


def let_go(frame: Frame, base: Value, at: tuple[Value, ...] = ANYWHERE) -> None:
    """Before elements of a list are replaced: rows of it that have names are what they are now, and not written to."""
    match base:
        case Ref():
            _none_outside(frame.memory, base.cell, at)
            _renamed(frame.memory, base.cell, lambda value: _as_it_is(frame, value), at)
        case View():
            let_go(frame, base.ref, (*base.where, *at))
        case Either():
            let_go(frame, base.yes, at)
            let_go(frame, base.no, at)


def _as_it_is(frame: Frame, value: Value) -> Value:
    found = deep_or_unknown(frame.memory, value)
    if isinstance(found, Items) and all(number(item) for item in found.items):
        found = as_array(found)
    if isinstance(found, Array):
        return as_row_of(frame.memory, replace(found, shared=True), value)
    if isinstance(found, Maybe) and isinstance(found.value, Array):
        return as_row_of(frame.memory, replace(found, value=replace(found.value, shared=True)), value)
    return found if isinstance(found, Unknown) else Unknown(frame.placed(RefusedError(_LOST)))


def row_itself(frame: Frame, value: Value, exchanged: bool = False) -> Value:
    """A row of a list that is about to get another place: as the row that it is, and not as what is at a place; else a
    copy, which is kept apart unless it changes places with another row of its list."""
    memory = frame.memory
    if not isinstance(value, View):
        return value
    around = memory.see(value.ref)
    holder = read(memory, around, value.where[:-1]) if value.where[1:] else around
    if not is_listlike(holder) and not isinstance(holder, Keyed):
        return value  # parts of arrays are what is at a place
    fixed = isinstance(value.ref, Ref) and isinstance(around, Items | Keyed) and len(value.where) == 1
    if fixed and isinstance(value.ref, Ref) and isinstance(value.where[0], Static):
        return _of_fixed(frame, value.ref.cell, value)
    return memory.deep(value) if exchanged else as_row_of(memory, memory.deep(value), value)


def _of_fixed(frame: Frame, cell: int, value: Value) -> Value:
    """A row of a list of fixed length, or of a dict, gets a cell of its own, by which the list has it, too."""
    memory = frame.memory
    content = memory.cells[cell]
    if isinstance(content, Static) and isinstance(content.value, list):
        content = Items(tuple(Static(v) for v in content.value), True)
    first = value.where[0] if isinstance(value, View) and value.ref == Ref(cell) else None
    if not isinstance(value, View) or not isinstance(first, Static):
        return _as_it_is(frame, value)
    if isinstance(content, Keyed) and first.value in content.items:
        row = memory.hold(content.items[first.value])
        memory.cells[cell] = replace(content, items={**content.items, first.value: row})
    elif isinstance(content, Items) and isinstance(first.value, int):
        items = list(content.items)
        row = items[first.value] = memory.hold(items[first.value])
        memory.cells[cell] = replace(content, items=tuple(items))
    else:
        return _as_it_is(frame, value)
    if not isinstance(row, PLACES):
        return row
    return View(row, value.where[1:]) if value.where[1:] else row


def _is_row(value: Value, cell: int) -> bool:
    """Whether it is a part of a list, or one of several things of which some are."""
    match value:
        case View():
            return cell in cells_of(value.ref)
        case Turned():
            return _is_row(value.ref, cell)
        case Either():
            return _is_row(value.yes, cell) or _is_row(value.no, cell)
    return False


def shift(frame: Frame, base: Value, place: Code | None, by: int) -> None:
    """An element comes to a place of a list, or goes from there; without a place, all go."""
    if not isinstance(base, Ref):
        return
    memory = frame.memory
    content = memory.see(base)
    if not isinstance(content, Counted):
        return
    name_rows(frame, base.cell)
    outside = code.const(OUTSIDE)
    for row in _rows_of(frame, base.cell):
        if by < 0 and is_copy(memory, row):
            _keep(frame, row, content, place)
        kind = as_array(memory.positions[row]).kind
        at = as_array(memory.positions[row]).code
        if place is None and kind.shape:
            continue
        if place is None or (by < 0 and code.same(at, place)):
            memory.positions[row] = Static(OUTSIDE)
            continue
        inside = code.compare(at, ast.Lt(), outside)
        later = code.compare(at, ast.GtE() if by > 0 else ast.Gt(), place)
        step = code.binary(at, ast.Add() if by > 0 else ast.Sub(), code.const(1))
        moved = code.call("jnp.where", code.both(later, inside), step, at)
        if by < 0:
            moved = code.call("jnp.where", code.compare(at, ast.Eq(), place), outside, moved)
        memory.positions[row] = Array(code.name(frame.bind("place", moved, auto=True)), kind)


def _keep(frame: Frame, cell: int, content: Counted, place: Code | None) -> None:
    """A row of a list goes: the copy of the list still has it, as it is now."""
    memory, row = frame.memory, frame.memory.cells[cell]
    if place is None or isinstance(row, Unknown):
        memory.cells[cell] = Unknown(frame.placed(RefusedError("a list is emptied while a copy of it is gone through")))
        return
    it = code.compare(as_array(memory.positions[cell]).code, ast.Eq(), place)
    it = code.with_axes(it, len(content.array.kind.shape) - 1)
    kept = code.call("jnp.where", it, code.index(content.array.code, place), as_array(row).code)
    array = replace(as_array(row), code=code.name(frame.bind("gone", kept, auto=True)))
    memory.cells[cell] = array


def taken_out(frame: Frame, base: Value, place: Code, found: Array) -> Value:
    """What is taken out of a list, before it is: if it is a row that has a name, that one; if it may be in another list
    or have another name, it is kept apart from these."""
    if not found.kind.shape or not isinstance(base, Ref):
        return found
    memory = frame.memory
    rows = _rows_of(frame, base.cell)
    for row in rows:
        if code.same(as_array(memory.positions[row]).code, place) and not isinstance(memory.cells[row], Unknown):
            return Ref(row)
    return out_of(memory, as_one_of(memory, found, rows), base.cell)


# ---- branches ----


def same_rows(yes: Memory, no: Memory) -> None:
    """A row of a list that is followed on one side, and only looked at on the other, is followed on both."""
    for side, other in ((yes, no), (no, yes)):
        for name, value in side.names.items():
            mine = other.names.get(name)
            if not isinstance(value, Ref) or value.cell not in side.positions or not isinstance(mine, View):
                continue
            if mine.ref == Ref(side.homes[value.cell]) and len(mine.where) == 1:
                other.cells[value.cell] = replace(as_array(other.see(mine)), listed=True)
                other.positions[value.cell] = mine.where[0]
                other.names[name] = value
    for name, value in list(no.names.items()):
        mine = yes.names.get(name)
        if isinstance(value, Ref) and isinstance(mine, Ref) and value != mine and value.cell not in yes.cells:
            _one_row(yes, mine, no, value)


def _one_row(yes: Memory, mine: Ref, no: Memory, value: Ref) -> None:
    """A row that is followed on both sides, but under two cells, gets one."""
    if value.cell not in no.positions or mine.cell not in yes.positions:
        return
    if no.homes[value.cell] == yes.homes[mine.cell]:
        yes.cells[value.cell] = yes.cells.pop(mine.cell)
        yes.positions[value.cell] = yes.positions.pop(mine.cell)
        yes.names |= {other: value for other, its in yes.names.items() if its == mine}
