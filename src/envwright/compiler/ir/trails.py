"""Rows of lists that change their length: a row that has a name stays the same row, wherever it moves.

Such a row is held apart, and its place in the list is kept beside it. What is written to the row is written to the
list as well; when elements before it come or go, its place moves; when it is taken out, its place lies outside.
"""

import ast
from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir.cells import cells_of
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import is_listlike
from envwright.compiler.ir.memory import Memory, deep_or_unknown
from envwright.compiler.ir.twins import ROWS, as_row_of, touched
from envwright.compiler.ir.values import (
    PLACES,
    Array,
    Counted,
    Either,
    Items,
    Maybe,
    Ref,
    Static,
    Turned,
    Unknown,
    Value,
    View,
    as_array,
)
from envwright.compiler.refusal import RefusedError

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
        if row != but:
            frame.memory.cells[row] = Unknown(why)


def _rows_of(frame: Frame, home: int) -> list[int]:
    return [row for row in frame.memory.positions if frame.memory.homes[row] == home]


def name_rows(frame: Frame, cell: int) -> None:
    """Before elements of a list move: rows of it that have names are held apart."""
    memory = frame.memory
    _none_outside(memory, cell)
    if not isinstance(memory.cells.get(cell), Counted):
        for name, value in memory.names.items():
            if is_row(value, cell):
                memory.names[name] = _of_fixed(frame, cell, value)
        return
    for name, value in memory.names.items():
        if not is_row(value, cell):
            continue
        if isinstance(value, View) and isinstance(value.ref, Ref) and len(value.where) == 1:
            place = as_array(value.where[0])
            if not place.kind.shape:
                memory.names[name] = hold_row(frame, value.ref, place)
                continue
        memory.names[name] = _as_it_is(frame, value)


def _none_outside(memory: Memory, cell: int) -> None:
    """Refuse a function that moves rows of a list for which its caller has names."""
    if any(is_row(value, cell) for names in memory.callers for value in names.values()):
        raise RefusedError("a list is changed by a function, while a row of it has a name outside")


def let_go(frame: Frame, cell: int) -> None:
    """Before elements of a list are replaced: rows of it that have names are what they are now, and not written to."""
    _none_outside(frame.memory, cell)
    for name, value in frame.memory.names.items():
        if is_row(value, cell):
            frame.memory.names[name] = _as_it_is(frame, value)


def _as_it_is(frame: Frame, value: Value) -> Value:
    found = deep_or_unknown(frame.memory, value)
    if isinstance(found, Array):
        return as_row_of(frame.memory, replace(found, shared=True), value)
    if isinstance(found, Maybe) and isinstance(found.value, Array):
        return as_row_of(frame.memory, replace(found, value=replace(found.value, shared=True)), value)
    return found if isinstance(found, Unknown) else Unknown(frame.placed(RefusedError(_LOST)))


def row_itself(frame: Frame, value: Value) -> Value:
    """A row of a list that is about to move: as the row that it is, and not as what is at a place; else a copy."""
    memory = frame.memory
    if not isinstance(value, View):
        return value
    around = memory.see(value.ref)
    if not is_listlike(read(memory, around, value.where[:-1]) if value.where[1:] else around):
        return value  # parts of arrays are what is at a place
    fixed = isinstance(value.ref, Ref) and isinstance(memory.see(value.ref), Items) and len(value.where) == 1
    if fixed and isinstance(value.ref, Ref) and isinstance(value.where[0], Static):
        return _of_fixed(frame, value.ref.cell, value)
    return memory.deep(value)


def _of_fixed(frame: Frame, cell: int, value: Value) -> Value:
    """A row of a list of fixed length gets a cell of its own, by which the list has it, too."""
    memory = frame.memory
    content = memory.cells[cell]
    if isinstance(content, Static) and isinstance(content.value, list):
        content = Items(tuple(Static(v) for v in content.value), True)
    first = value.where[0] if isinstance(value, View) and value.ref == Ref(cell) else None
    if not isinstance(value, View) or not isinstance(content, Items) or not isinstance(first, Static):
        return _as_it_is(frame, value)
    if not isinstance(first.value, int):
        return _as_it_is(frame, value)
    items = list(content.items)
    row = items[first.value] = memory.hold(items[first.value])
    memory.cells[cell] = replace(content, items=tuple(items))
    if not isinstance(row, PLACES):
        return row
    return View(row, value.where[1:]) if value.where[1:] else row


def is_row(value: Value, cell: int) -> bool:
    """Whether it is a part of a list, or one of several things of which some are."""
    match value:
        case View():
            return cell in cells_of(value.ref)
        case Turned():
            return is_row(value.ref, cell)
        case Either():
            return is_row(value.yes, cell) or is_row(value.no, cell)
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
    outside = code.const(content.room)
    for row in _rows_of(frame, base.cell):
        at = as_array(memory.positions[row]).code
        if place is None:
            memory.positions[row] = Static(content.room)
            continue
        inside = code.compare(at, ast.Lt(), outside)
        later = code.compare(at, ast.GtE() if by > 0 else ast.Gt(), place)
        step = code.binary(at, ast.Add() if by > 0 else ast.Sub(), code.const(1))
        moved = code.call("jnp.where", code.both(later, inside), step, at)
        if by < 0:
            moved = code.call("jnp.where", code.compare(at, ast.Eq(), place), outside, moved)
        memory.positions[row] = Array(code.name(frame.bind("place", moved, auto=True)), Kind(INT))


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
