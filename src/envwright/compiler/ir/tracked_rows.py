"""Rows of variable-length lists that have a name: such a row stays the same row wherever it moves.

A tracked row has its own location, and its index in the list is tracked. Writes to the row go to the list as well;
insertions and removals shift the index; a row that is removed gets an index outside of the list.
"""

import ast
from collections.abc import Callable
from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import ROWS, as_one_of, as_row_of, invalidate_aliases, out_of
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.lists import is_listlike
from envwright.compiler.ir.locations import locs_of
from envwright.compiler.ir.store import OUTSIDE, Store, deep_or_unknown
from envwright.compiler.ir.values import Value, as_array, number
from envwright.compiler.refusal import RefusedError

ANYWHERE = (ir.Unknown(RefusedError("an unused place")),)
_LOST = "a row of a list is used after the list was mutated through another name"


def track_row(frame: CallFrame, ref: ir.Ref, place: ir.Array) -> Value:
    """The element at an index of a list; a row is tracked."""
    memory = frame.memory
    content = memory.see(ref)
    assert isinstance(content, ir.Counted)
    kind = content.array.kind.shaped(*content.array.kind.shape[1:])
    found = code.index(content.array.code, place.code)
    if not kind.shape:
        return ir.Array(found, kind)
    row = memory.hold(ir.Array(code.name(frame.bind("row", found, auto=True)), kind, listed=True))
    assert isinstance(row, ir.Ref)
    memory.positions[row.loc] = place
    memory.homes[row.loc] = ref.loc
    return row


def write_through(frame: CallFrame, loc: int) -> None:
    """After a mutation of a tracked row: write it to its list as well."""
    memory = frame.memory
    home = memory.homes.get(loc)
    if home is not None and loc in memory.positions:
        content, row = memory.locs[home], memory.locs[loc]
        if isinstance(content, ir.Counted) and not isinstance(row, ir.Unknown):
            place = as_array(memory.positions[loc]).code
            made = code.call("put", content.array.code, place, as_array(row).code)
            array = replace(content.array, code=code.name(frame.bind("items", made, auto=True)))
            memory.locs[home] = replace(content, array=array, missing=None)
            invalidate_aliases(memory, home, ROWS)
    _poison_rows(frame, loc if home is None else home, but=loc)


def _poison_rows(frame: CallFrame, home: int, but: int = 0) -> None:
    """Poison the rows of a list that was changed in a way that cannot be tracked."""
    why = frame.placed(RefusedError(_LOST))
    for row in _rows_of(frame, home):
        if row != but and not (but != home and is_copy(frame.memory, row)):
            frame.memory.locs[row] = ir.Unknown(why)


def track_copy(frame: CallFrame, ref: ir.Ref, places: Code) -> int:
    """Track a copy of a list, which shares its rows: the current index of each, and the content of those that were
    removed. Its location."""
    memory = frame.memory
    content = memory.see(ref)
    assert isinstance(content, ir.Counted)
    held = memory.hold(replace(content.array, listed=True))
    assert isinstance(held, ir.Ref)
    memory.positions[held.loc] = ir.Array(places, Aval(INT, (content.room,)))
    memory.homes[held.loc] = ref.loc
    return held.loc


def is_copy(memory: Store, loc: int) -> bool:
    return bool(as_array(memory.positions[loc]).kind.shape)


def row_of_copy(frame: CallFrame, loc: int, i: Code) -> Value:
    """A row of a tracked copy, tracked itself."""
    memory = frame.memory
    home = ir.Ref(memory.homes[loc])
    content, gone = memory.see(home), as_array(memory.see(ir.Ref(loc)))
    assert isinstance(content, ir.Counted)
    where = code.name(frame.bind("place", code.index(as_array(memory.positions[loc]).code, i), auto=True))
    there = code.compare(where, ast.Lt(), code.const(OUTSIDE))
    found = code.call("jnp.where", there, code.index(content.array.code, where), code.index(gone.code, i))
    kind = content.array.kind.shaped(*content.array.kind.shape[1:])
    row = memory.hold(ir.Array(code.name(frame.bind("row", found, auto=True)), kind, listed=True))
    assert isinstance(row, ir.Ref)
    memory.positions[row.loc] = ir.Array(where, Aval(INT))
    memory.homes[row.loc] = home.loc
    return row


def untrack_copy(memory: Store, loc: int) -> None:
    """The copy is dead."""
    for table in (memory.positions, memory.locs, memory.homes):
        table.pop(loc, None)


def _rows_of(frame: CallFrame, home: int) -> list[int]:
    return [row for row in frame.memory.positions if frame.memory.homes[row] == home]


def track_named_rows(frame: CallFrame, loc: int, at: tuple[Value, ...] = ANYWHERE) -> None:
    """Before elements of a list move or are replaced: track the rows that have names."""
    memory = frame.memory
    _none_outside(memory, loc, at)
    if not isinstance(memory.locs.get(loc), ir.Counted):
        _renamed(memory, loc, lambda value: _of_fixed(frame, loc, value), at)
        return
    held: dict[str, Value] = {}

    def named(value: Value) -> Value:
        if not isinstance(value, ir.IndexView) or not isinstance(value.ref, ir.Ref) or len(value.where) != 1:
            return _as_it_is(frame, value)
        place = as_array(value.where[0])
        if place.kind.shape:
            return _as_it_is(frame, value)
        key = code.text(place.code)
        held[key] = held.get(key) or track_row(frame, value.ref, place)
        return held[key]

    _renamed(memory, loc, named, at)


def _renamed(memory: Store, loc: int, named: Callable[[Value], Value], at: tuple[Value, ...] = ANYWHERE) -> None:
    """Replace all references to rows of a list, in names, attributes and other lists."""
    for table in (memory.names, memory.attributes, memory.locs):
        for key, value in list(table.items()):
            if key != loc or table is not memory.locs:
                new = _in_place_of_rows(value, loc, named, at)
                if new is not value:
                    table[key] = new  # pyright: ignore[reportArgumentType]


def _in_place_of_rows(
    value: Value, loc: int, named: Callable[[Value], Value], at: tuple[Value, ...] = ANYWHERE
) -> Value:
    if not has_row(value, loc, at):
        return value
    match value:
        case ir.Items():
            return replace(value, items=tuple(_in_place_of_rows(v, loc, named, at) for v in value.items))
        case ir.Keyed():
            new = {k: _in_place_of_rows(v, loc, named, at) for k, v in value.items.items()}
            return replace(value, items=new)
        case ir.Maybe():
            return replace(value, value=_in_place_of_rows(value.value, loc, named, at))
    return named(value)


def _none_outside(memory: Store, loc: int, at: tuple[Value, ...] = ANYWHERE) -> None:
    """Refuse a function that moves rows of a list to which its caller has references."""
    if any(has_row(value, loc, at) for names in memory.callers for value in names.values()):
        raise RefusedError("a function mutates a list while its caller holds a row of it")


def has_row(value: Value, loc: int, at: tuple[Value, ...] = ANYWHERE) -> bool:
    """Whether it is, or holds, a view of a row that may be at an index."""
    match value:
        case ir.Items():
            return any(has_row(v, loc, at) for v in value.items)
        case ir.Keyed():
            return any(has_row(v, loc, at) for v in value.items.values())
        case ir.Maybe():
            return has_row(value.value, loc, at)
        case ir.IndexView() if isinstance(value.ref, ir.Ref):
            may_be = len(value.where) >= len(at) and not any(map(_apart, value.where, at))
            return may_be and value.ref.loc == loc
    return _is_row(value, loc)


def _apart(one: Value, other: Value) -> bool:
    """Whether two indices provably differ; some count from the end."""
    if not isinstance(one, ir.Static) or not isinstance(other, ir.Static):
        return False
    a, b = one.value, other.value
    if isinstance(a, int) and isinstance(b, int):
        return a != b and (a < 0) == (b < 0)
    return isinstance(a, str) and isinstance(b, str) and a != b


def detach_rows(frame: CallFrame, base: Value, at: tuple[Value, ...] = ANYWHERE) -> None:
    """Before elements of a list are replaced: rows with names keep their content, and become read-only."""
    match base:
        case ir.Ref():
            _none_outside(frame.memory, base.loc, at)
            _renamed(frame.memory, base.loc, lambda value: _as_it_is(frame, value), at)
        case ir.IndexView():
            detach_rows(frame, base.ref, (*base.where, *at))
        case ir.Either():
            detach_rows(frame, base.yes, at)
            detach_rows(frame, base.no, at)


def _as_it_is(frame: CallFrame, value: Value) -> Value:
    found = deep_or_unknown(frame.memory, value)
    if isinstance(found, ir.Items) and all(number(item) for item in found.items):
        found = as_array(found)
    if isinstance(found, ir.Array):
        return as_row_of(frame.memory, replace(found, shared=True), value)
    if isinstance(found, ir.Maybe) and isinstance(found.value, ir.Array):
        return as_row_of(frame.memory, replace(found, value=replace(found.value, shared=True)), value)
    return found if isinstance(found, ir.Unknown) else ir.Unknown(frame.placed(RefusedError(_LOST)))


def row_itself(frame: CallFrame, value: Value, exchanged: bool = False) -> Value:
    """A row that is about to move: a reference to the row rather than to an index; else a copy, linked to it unless it
    is swapped within its list."""
    memory = frame.memory
    if not isinstance(value, ir.IndexView):
        return value
    around = memory.see(value.ref)
    holder = read(memory, around, value.where[:-1]) if value.where[1:] else around
    if not is_listlike(holder) and not isinstance(holder, ir.Keyed):
        return value  # parts of arrays are what is at a place
    fixed = isinstance(value.ref, ir.Ref) and isinstance(around, ir.Items | ir.Keyed) and len(value.where) == 1
    if fixed and isinstance(value.ref, ir.Ref) and isinstance(value.where[0], ir.Static):
        return _of_fixed(frame, value.ref.loc, value)
    return memory.deep(value) if exchanged else as_row_of(memory, memory.deep(value), value)


def _of_fixed(frame: CallFrame, loc: int, value: Value) -> Value:
    """Give a row of a list of fixed length, or of a dict, a location of its own."""
    memory = frame.memory
    content = memory.locs[loc]
    if isinstance(content, ir.Static) and isinstance(content.value, list):
        content = ir.Items(tuple(ir.Static(v) for v in content.value), True)
    first = value.where[0] if isinstance(value, ir.IndexView) and value.ref == ir.Ref(loc) else None
    if not isinstance(value, ir.IndexView) or not isinstance(first, ir.Static):
        return _as_it_is(frame, value)
    if isinstance(content, ir.Keyed) and first.value in content.items:
        row = memory.hold(content.items[first.value])
        memory.locs[loc] = replace(content, items={**content.items, first.value: row})
    elif isinstance(content, ir.Items) and isinstance(first.value, int):
        items = list(content.items)
        row = items[first.value] = memory.hold(items[first.value])
        memory.locs[loc] = replace(content, items=tuple(items))
    else:
        return _as_it_is(frame, value)
    if not isinstance(row, ir.PLACES):
        return row
    return ir.IndexView(row, value.where[1:]) if value.where[1:] else row


def _is_row(value: Value, loc: int) -> bool:
    """Whether it is a view of a part of a list, or may be."""
    match value:
        case ir.IndexView():
            return loc in locs_of(value.ref)
        case ir.PermutedView():
            return _is_row(value.ref, loc)
        case ir.Either():
            return _is_row(value.yes, loc) or _is_row(value.no, loc)
    return False


def shift_rows(frame: CallFrame, base: Value, place: Code | None, by: int) -> None:
    """An element is inserted at an index of a list, or removed; without an index, all are removed."""
    if not isinstance(base, ir.Ref):
        return
    memory = frame.memory
    content = memory.see(base)
    if not isinstance(content, ir.Counted):
        return
    track_named_rows(frame, base.loc)
    outside = code.const(OUTSIDE)
    for row in _rows_of(frame, base.loc):
        if by < 0 and is_copy(memory, row):
            _keep(frame, row, content, place)
        kind = as_array(memory.positions[row]).kind
        at = as_array(memory.positions[row]).code
        if place is None and kind.shape:
            continue
        if place is None or (by < 0 and code.same(at, place)):
            memory.positions[row] = ir.Static(OUTSIDE)
            continue
        inside = code.compare(at, ast.Lt(), outside)
        later = code.compare(at, ast.GtE() if by > 0 else ast.Gt(), place)
        step = code.binary(at, ast.Add() if by > 0 else ast.Sub(), code.const(1))
        moved = code.call("jnp.where", code.both(later, inside), step, at)
        if by < 0:
            moved = code.call("jnp.where", code.compare(at, ast.Eq(), place), outside, moved)
        memory.positions[row] = ir.Array(code.name(frame.bind("place", moved, auto=True)), kind)


def _keep(frame: CallFrame, loc: int, content: ir.Counted, place: Code | None) -> None:
    """A row of a list is removed: a tracked copy of the list keeps its content."""
    memory, row = frame.memory, frame.memory.locs[loc]
    if place is None or isinstance(row, ir.Unknown):
        memory.locs[loc] = ir.Unknown(
            frame.placed(RefusedError("a list is cleared while a copy of it is iterated over"))
        )
        return
    it = code.compare(as_array(memory.positions[loc]).code, ast.Eq(), place)
    it = code.with_axes(it, len(content.array.kind.shape) - 1)
    kept = code.call("jnp.where", it, code.index(content.array.code, place), as_array(row).code)
    array = replace(as_array(row), code=code.name(frame.bind("gone", kept, auto=True)))
    memory.locs[loc] = array


def popped_row(frame: CallFrame, base: Value, place: Code, found: ir.Array) -> Value:
    """The element that is about to be popped: the tracked row, if there is one; else a copy, linked to its aliases."""
    if not found.kind.shape or not isinstance(base, ir.Ref):
        return found
    memory = frame.memory
    rows = _rows_of(frame, base.loc)
    for row in rows:
        if code.same(as_array(memory.positions[row]).code, place) and not isinstance(memory.locs[row], ir.Unknown):
            return ir.Ref(row)
    return out_of(memory, as_one_of(memory, found, rows), base.loc)


# ---- branches ----


def unify_rows(yes: Store, no: Store) -> None:
    """A row that is tracked in one branch only is tracked in both."""
    for side, other in ((yes, no), (no, yes)):
        for name, value in side.names.items():
            mine = other.names.get(name)
            if not isinstance(value, ir.Ref) or value.loc not in side.positions or not isinstance(mine, ir.IndexView):
                continue
            if mine.ref == ir.Ref(side.homes[value.loc]) and len(mine.where) == 1:
                other.locs[value.loc] = replace(as_array(other.see(mine)), listed=True)
                other.positions[value.loc] = mine.where[0]
                other.names[name] = value
    for name, value in list(no.names.items()):
        mine = yes.names.get(name)
        if isinstance(value, ir.Ref) and isinstance(mine, ir.Ref) and value != mine and value.loc not in yes.locs:
            _one_row(yes, mine, no, value)


def _one_row(yes: Store, mine: ir.Ref, no: Store, value: ir.Ref) -> None:
    """A row that is tracked in both branches, at two locations, gets one."""
    if value.loc not in no.positions or mine.loc not in yes.positions:
        return
    if no.homes[value.loc] == yes.homes[mine.loc]:
        yes.locs[value.loc] = yes.locs.pop(mine.loc)
        yes.positions[value.loc] = yes.positions.pop(mine.loc)
        yes.names |= {other: value for other, its in yes.names.items() if its == mine}
