"""Views of lists and arrays, and values chosen by a condition."""

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code, fixed_key_dict
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import with_rows_of
from envwright.compiler.ir.array_index import basic
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import as_places, read
from envwright.compiler.ir.lists import is_listlike, items_of, plus
from envwright.compiler.ir.operators import binary, compare
from envwright.compiler.ir.phi import EVERYBODY, choose, join_memories
from envwright.compiler.ir.store import Store, differs
from envwright.compiler.ir.tracked_rows import track_row
from envwright.compiler.ir.values import Place, Value, as_array


def unwrapped(value: Value) -> Value:
    """A list that may be None, where it is used: with None, the original would raise."""
    return value.value if isinstance(value, ir.Maybe) and isinstance(value.value, ir.PLACES) else value


def part(frame: CallFrame, base: Place, where: tuple[Value, ...], name: str) -> Value:
    """A part of a mutable value: a view, if it is more than a number."""
    content = frame.memory.see(base)
    where = fixed_key_dict.spread(content, where) if isinstance(content, ir.FixedKeyDict) else as_places(content, where)
    found = read(frame.memory, content, where, name)
    if isinstance(found, ir.PLACES):
        return found
    if isinstance(base, ir.Ref) and isinstance(content, ir.Counted) and len(where) == 1 and _negative(where[0]):
        return track_row(frame, base, as_array(_from_front(content, where[0])))
    is_part = isinstance(found, ir.Items | ir.Keyed | ir.Maybe) or (isinstance(found, ir.Array) and found.kind.shape)
    known_part = isinstance(found, ir.Static) and isinstance(found.value, list | dict | np.ndarray)
    if (
        _copies(content, where)
        and len(where) == 1
        and isinstance(where[0], ir.Static)
        and isinstance(found, ir.Array | ir.Items)
    ):
        return copied(frame, base, where[0].value)
    if not (is_part or known_part) or not basic(where) or _copies(content, where):
        return _second_place(frame, base, content, where, found)
    if isinstance(content, ir.Counted):
        where = (_from_front(content, where[0]), *where[1:])
    if isinstance(base, ir.IndexView) and (inner := numbers_only(base.where)) is not None:
        return ir.IndexView(base.ref, (*inner, *where))
    return ir.IndexView(base, where)


def copied(frame: CallFrame, base: Value, which: slice = slice(None)) -> Value:
    """A copy of a list, or of a slice of it, which shares its rows."""
    content = frame.memory.see(base)
    if isinstance(content, ir.Array):
        array = as_array(read(frame.memory, content, (ir.Static(which),))) if which != slice(None) else content
        return replace(array, shared=array.listed and len(array.kind.shape) > 1)
    if isinstance(content, ir.Items) and isinstance(base, ir.PLACES):
        lists = (isinstance(v, ir.Items | ir.Keyed | ir.Array) and not _is_tuple(v) for v in content.items)
        items = [ir.IndexView(base, (ir.Static(i),)) if own else content.items[i] for i, own in enumerate(lists)]
        return replace(content, items=tuple(items[which]))
    made = read(frame.memory, content, (ir.Static(which),)) if which != slice(None) else frame.memory.deep(base)
    return with_rows_of(frame.memory, made, [base])


def _second_place(frame: CallFrame, base: Place, content: Value, where: tuple[Value, ...], found: Value) -> Value:
    """A slice of a list shares its rows."""
    if isinstance(found, ir.Counted | ir.Masked):
        return with_rows_of(frame.memory, found, [base])
    if isinstance(found, ir.Array) and len(found.kind.shape) > 1 and found.listed and _copies(content, where):
        return replace(found, shared=True)
    return found


def _is_tuple(value: Value) -> bool:
    if isinstance(value, ir.Items):
        return not value.is_list
    return isinstance(value, ir.Array) and (not value.kind.shape or value.tupled)


def _copies(content: Value, where: tuple[Value, ...]) -> bool:
    """A slice of a list is a copy; one of an array is a view."""
    slices = any(isinstance(p, ir.Static) and isinstance(p.value, slice) for p in where)
    slices = slices or any(isinstance(p, ir.Array) and p.sliced for p in where)
    return slices and is_listlike(content)


def _from_front(content: ir.Counted, first: Value) -> Value:
    """A non-negative index, which stays valid when the list grows."""
    return plus(content.count, first.value) if isinstance(first, ir.Static) and _negative(first) else first


def _negative(place: Value) -> bool:
    return isinstance(place, ir.Static) and isinstance(place.value, int) and place.value < 0


def numbers_only(where: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """An index of integers, without trailing `:`; None if there is more to it."""
    parts = list(where)
    while parts and isinstance(parts[-1], ir.Static) and parts[-1].value == slice(None):
        parts.pop()
    plain = (
        isinstance(p.value, int | np.integer | str)
        if isinstance(p, ir.Static)
        else isinstance(p, ir.Array) and not p.sliced
        for p in parts
    )
    return tuple(parts) if all(plain) else None


def elements(frame: CallFrame, value: Value) -> list[Value]:
    """The elements of something; rows of an array are parts of it."""
    content = frame.memory.see(value)
    if (
        isinstance(value, ir.PLACES)
        and isinstance(content, ir.Array)
        and len(content.kind.shape) > 1
        and not content.tupled
    ):
        return [ir.IndexView(value, (ir.Static(i),)) for i in range(content.kind.shape[0])]
    if isinstance(value, ir.PLACES) and isinstance(content, ir.Items):
        found = copied(frame, value)
        return list(found.items) if isinstance(found, ir.Items) else []
    return items_of(frame.memory, value)


# ---- one of several ----


def one_of(frame: CallFrame, content: Value, where: tuple[Value, ...]) -> Value | None:
    """One of several references, by a run-time index."""
    if len(where) != 1 or not isinstance(where[0], ir.Array) or where[0].kind.shape or not where[0].kind.is_whole:
        return None
    if isinstance(content, ir.Items) and content.items and all(isinstance(item, ir.PLACES) for item in content.items):
        size = ir.Static(len(content.items))
        cases = list(enumerate(content.items))
        which = binary(frame, ast.Mod(), where[0], size) if code.text(where[0].code) != "action" else where[0]
    elif (
        isinstance(content, ir.Keyed)
        and content.items
        and all(isinstance(v, ir.PLACES) for v in content.items.values())
    ):
        cases, which = list(content.items.items()), where[0]
    else:
        return None
    chosen = cases[-1][1]
    for key, item in cases[-2::-1]:
        asked = as_array(compare(frame, ast.Eq(), which, ir.Static(key)))
        chosen = choose(frame, asked, (item, frame.memory), (chosen, frame.memory), frame.memory, EVERYBODY)
    return chosen


def under(frame: CallFrame, when: ir.Array, yes: Callable[[], Value], no: Callable[[], Value]) -> Value:
    """One value or the other, by a condition; side effects are joined."""
    before, guards = frame.memory, frame.guards
    sides: list[tuple[Value, Any]] = []
    for side, condition in ((yes, when.code), (no, code.negated(when.code))):
        frame.memory = before.copy()
        frame.depth += 1
        frame.guards = (*guards, condition)
        value = side()
        sides.append((value, frame.memory))
        frame.depth -= 1
        frame.guards = guards
    first, second = sides
    left, right = first[1], second[1]
    frame.memory = before
    keep_new(before, left, right)
    if differs(left, before) or differs(right, before):
        frame.memory = join_memories(frame, when, left, right)
    return choose(frame, when, first, second, frame.memory, EVERYBODY)


def keep_new(before: Store, *sides: Store) -> None:
    """Keep locations that were created in one branch: what is chosen may refer to them. Those of the original that were
    first read there get their initial content, so that a change is seen as one."""
    for side in sides:
        for loc in sorted(side.locs.keys() - before.locs.keys()):
            found, born = side.locs[loc], before.program.born.get(loc)
            first = born(before) if born is not None else found
            same = isinstance(first, ir.Static) and isinstance(found, ir.Static) and first.value is found.value
            before.locs[loc] = found if same else first
