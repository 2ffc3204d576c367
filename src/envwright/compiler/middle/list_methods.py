"""Methods of lists and deques."""

import ast
from collections import deque
from dataclasses import replace
from typing import Any

from envwright.compiler.ir import code, heaps, likeness, outgrown, picking, texts
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import appended, concatenate, counted, equals, holding, in_use, items_of, plus
from envwright.compiler.ir.operators import compare
from envwright.compiler.ir.sequences import backwards, inserted, place_inside
from envwright.compiler.ir.spelling import spelled
from envwright.compiler.ir.trails import let_go, name_rows, shift, taken_out
from envwright.compiler.ir.twins import has_rows, put_into, with_rows_of
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Either,
    Items,
    Masked,
    Picked,
    Ref,
    Rows,
    Static,
    Value,
    as_array,
    cast,
    number,
    told,
)
from envwright.compiler.ir.writing import set_content
from envwright.compiler.middle import growth
from envwright.compiler.middle.ordering import ordered
from envwright.compiler.middle.parts import under
from envwright.compiler.refusal import RefusedError


def as_list(content: Value) -> Value:
    """A list of the game, of a known one."""
    if isinstance(content, Static) and isinstance(content.value, list | deque):
        return Items(tuple(Static(v) for v in content.value), True, getattr(content.value, "maxlen", None))
    if isinstance(content, Masked):
        return counted(content)
    if isinstance(content, Array) and content.listed and content.kind.shape[0] <= SHORT:
        parts = [code.index(content.code, code.const(i)) for i in range(content.kind.shape[0])]
        inner = content.kind.shaped(*content.kind.shape[1:])
        return Items(tuple(Array(part, inner, bool(inner.shape)) for part in parts), True)
    return content


SHORT = 64  # places of a list that may grow and shrink in the middle of a step


def _append(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    extend(frame, base, Items((arguments[0],), True))
    return Static(None)


def _extend(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    extend(frame, base, arguments[0])
    return Static(None)


def extend(frame: Frame, base: Value, more: Value) -> None:
    """`base += more`. A list of the state has room by the contract, a deque forgets, others get what they need."""
    source = more
    content, more = as_list(frame.memory.see(base)), as_list(frame.memory.see(more))
    if isinstance(content, Items) and isinstance(more, Counted):
        content = counted(content)
    if isinstance(content, Items):
        grown = (*content.items, *items_of(frame.memory, more))
        set_content(frame, base, replace(content, items=grown[-content.longest :] if content.longest else grown))
        return
    if not isinstance(content, Counted):
        raise RefusedError(f"{told(content)} grows, but its length is fixed in the contract")
    if content.longest is None:
        growth.note(frame, base, longer=True)
    kept = _has_room(frame, base, content)
    if isinstance(more, Counted):
        if content.longest:
            raise RefusedError("a deque that forgets is extended by a list of changing length")
        joined = counted(concatenate(frame.memory, content, more))
        if kept:
            joined = replace(content, array=counted(joined, content.room).array, count=joined.count)
        _note_room(frame, joined)
        set_content(frame, base, joined, moved=True)
        with_rows_of(frame.memory, base, [source])
        return
    put_into(frame.memory, items_of(frame.memory, more), base)
    items = [_element(frame, content, item) for item in items_of(frame.memory, more)]
    content = content if kept else counted(holding(content, items), content.room + len(items))
    for item in items:
        content = _forgetful(content, item) if content.longest == content.room else appended(content, item)
    _note_room(frame, content)
    set_content(frame, base, content, moved=content.longest is None)


def _has_room(frame: Frame, base: Value, content: Counted) -> bool:
    """Whether a list that gets more has its room already."""
    return bool(content.longest or content.roomy or content.guessed or growth.is_kept(frame, base))


def _note_room(frame: Frame, content: Counted) -> None:
    """A list that has got more may have outgrown its room, if that was a guess."""
    if content.guessed:
        outgrown.note(frame, code.compare(content.count.code, ast.Gt(), code.const(content.room)))


def _element(frame: Frame, content: Counted, item: Value) -> Value:
    """What a list gets, as it holds it: objects by their numbers, and texts."""
    if (alphabet := texts.letters_of(content)) is not None:
        return spelled(frame, alphabet, frame.memory.deep(item))
    return heaps.number_of(frame, heaps.of(frame, content), item) if content.array.kind.of else frame.memory.deep(item)


def _forgetful(content: Counted, item: Value) -> Counted:
    """A deque after one more: if it is full, the first goes."""
    full = code.compare(content.count.code, ast.GtE(), code.const(content.room))
    moved = code.call("jnp.roll", content.array.code, code.const(-1), axis=code.const(0))
    base = Array(code.call("jnp.where", full, moved, content.array.code), content.array.kind, listed=True)
    place = Array(code.call("jnp.minimum", content.count.code, code.const(content.room - 1)), Kind(INT))
    return appended(replace(content, array=base, count=place), item)


def pop(frame: Frame, base: Value, where: Value | None) -> Value:
    """Take one out."""
    if isinstance(base, Either):
        return under(frame, base.when, lambda: pop(frame, base.yes, where), lambda: pop(frame, base.no, where))
    _named_rows(frame, base)
    content = as_list(frame.memory.see(base))
    where = Static(-1) if where is None else frame.memory.see(where)
    if isinstance(content, Items) and isinstance(where, Static):
        items = list(content.items)
        try:
            found = items.pop(where.value)
        except IndexError:
            raise RefusedError("an empty list is popped from") from None
        set_content(frame, base, replace(content, items=tuple(items)))
        return found
    if not isinstance(content, Counted):
        raise RefusedError(f"an element of {told(content)} is taken out, but its length is fixed in the contract")
    growth.note(frame, base, longer=False)
    found = read(frame.memory, content, (where,))
    found = Array(code.name(frame.bind("popped", as_array(found).code)), as_array(found).kind, as_array(found).listed)
    row = taken_out(frame, base, place_of(content, where), found)
    shift(frame, base, place_of(content, where), -1)
    set_content(frame, base, without(content, where), moved=True)
    return row


def without(content: Counted, where: Value) -> Counted:
    """A list without the element at a place; those after it move up, and zero is left behind."""
    if isinstance(where, Static) and where.value == -1:
        last = plus(content.count, -1)
        made = code.call("put", content.array.code, last.code, code.const(0))
        return replace(content, array=Array(made, content.array.kind, listed=True), count=last)
    return _taken_out(content, place_of(content, where))


def _taken_out(content: Counted, place: code.Code) -> Counted:
    places: code.Code = code.call("jnp.arange", code.const(content.room))
    after = code.with_axes(code.compare(places, ast.GtE(), place), len(content.array.kind.shape) - 1)
    rolled = code.call("jnp.roll", content.array.code, code.const(-1), axis=code.const(0))
    moved = code.call("put", rolled, code.const(content.room - 1), code.const(0))
    made = code.call("jnp.where", after, moved, content.array.code)
    return replace(content, array=Array(made, content.array.kind, listed=True), count=plus(content.count, -1))


def place_of(content: Counted, where: Value) -> code.Code:
    """A place in a list; negative ones count from the end."""
    place = as_array(where).code
    if isinstance(where, Static) and where.value >= 0:
        return place
    shifted = code.binary(place, ast.Add(), content.count.code)
    return code.call("jnp.where", code.compare(place, ast.Lt(), code.const(0)), shifted, place)


def _pop(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    return pop(frame, base, arguments[0] if arguments else None)


def _popleft(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    return pop(frame, base, Static(0))


def _remove(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    if not isinstance(content, Counted):
        raise RefusedError("an element is removed from a list whose length is fixed in the contract")
    place = as_array(_index(frame, base, content, arguments, options))
    place = replace(place, code=code.name(frame.bind("place", place.code, auto=True)))
    growth.note(frame, base, longer=False)
    shift(frame, base, place.code, -1)
    set_content(frame, base, _taken_out(content, place.code), moved=True)
    return Static(None)


def _clear(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    if isinstance(content, Counted):
        growth.note(frame, base, longer=False)
        blank = code.call("jnp.zeros_like", content.array.code)
        none = Array(code.const(0), Kind(INT), weak=True)
        array = Array(blank, content.array.kind, listed=True)
        shift(frame, base, None, -1)
        set_content(frame, base, replace(content, array=array, count=none, clean=True), moved=True)
    else:
        set_content(frame, base, Items((), True, getattr(as_list(content), "longest", None)))
    return Static(None)


def _numbered(frame: Frame, content: Value, item: Value) -> tuple[Value, Value]:
    """A list and what is looked for in it; of texts, as their numbers."""
    item, alphabet = frame.memory.deep(item), texts.letters_of(content)
    if alphabet is None:
        return content, item
    return texts.plain(content), texts.numbers(alphabet, item, frame.program)


def _index(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    """The first place that holds a value."""
    content, item = _numbered(frame, content, arguments[0])
    if isinstance(content, Counted) and content.array.kind.is_object:
        equal = likeness.same(frame, content.array, heaps.number_of(frame, heaps.of(frame, content), arguments[0]))
        return Array(code.call("jnp.argmax", code.both(in_use(content).code, equal.code)), Kind(INT))
    if isinstance(content, Counted):
        return Array(code.call("jnp.argmax", equals(content, as_array(item).code)), Kind(INT))
    if isinstance(content, Rows) and content.array.kind.shape[1:] == () and number(item):
        same = code.compare(content.array.code, ast.Eq(), as_array(item).code)
        return Array(code.call("jnp.argmax", code.both(content.present.code, same)), Kind(INT))
    if isinstance(content, Static) and isinstance(item, Picked):
        found = picking.applied(frame.program, lambda one, it: one.index(it), [content, item], "index")
        if found is not None:
            return found
    flags = [compare(frame, ast.Eq(), option, item) for option in items_of(frame.memory, content)]
    made = code.call("jnp.array", code.list_of(as_array(f).code for f in flags))
    return Array(code.call("jnp.argmax", made), Kind(INT))


def _count(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content, item = _numbered(frame, content, arguments[0])
    if isinstance(content, Array) and texts.letters_of(frame.memory.see(base)) and not content.kind.shape[1:]:
        return Array(code.call("jnp.sum", code.compare(content.code, ast.Eq(), as_array(item).code)), Kind(INT))
    if isinstance(content, Counted | Masked) and content.array.kind.is_object:
        raise RefusedError("objects that are equal are counted")
    if isinstance(content, Counted | Masked):
        return Array(code.call("jnp.sum", equals(content, as_array(item).code)), Kind(INT))
    flags = [
        cast(as_array(compare(frame, ast.Eq(), option, item)), INT).code for option in items_of(frame.memory, content)
    ]
    return Array(code.call("jnp.sum", code.call("jnp.array", code.list_of(flags))), Kind(INT))


def _insert(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    where = frame.memory.see(arguments[0])
    if isinstance(content, Items) and isinstance(where, Static):
        _named_rows(frame, base)
        items = items_of(frame.memory, base)
        items.insert(where.value, arguments[1])
        set_content(frame, base, replace(content, items=tuple(items)[: content.longest]))
        return Static(None)
    full = _with_place(frame, base, counted(frame.memory.deep(content)))
    item = _fitting(full, _element(frame, full, arguments[1]))
    put_into(frame.memory, arguments[1:], base)
    shift(frame, base, place_inside(full, where), 1)
    longer = inserted(full, where, item)
    _note_room(frame, longer)
    set_content(frame, base, longer, moved=True)
    return Static(None)


def _with_place(frame: Frame, base: Value, content: Counted) -> Counted:
    """A list that is about to get one more; a list of the state has room by the contract."""
    growth.note(frame, base, longer=True)
    return content if _has_room(frame, base, content) else counted(content, content.room + 1)


def _fitting(content: Counted, item: Value) -> Array:
    """An element in the type of a list."""
    array = as_array(item)
    if array.kind.shape != content.array.kind.shape[1:]:
        raise RefusedError("a list gets an element of another shape")
    return cast(array, content.array.kind.dtype)


def _appendleft(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    if not isinstance(content, Counted) or content.longest is None:
        return _insert(frame, base, content, [Static(0), *arguments], options)
    moved = code.call("jnp.roll", content.array.code, code.const(1), axis=code.const(0))
    made = code.call("put", moved, code.const(0), _fitting(content, _element(frame, content, arguments[0])).code)
    more = code.call("jnp.minimum", plus(content.count, 1).code, code.const(content.longest))
    array = Array(made, content.array.kind, listed=True)
    put_into(frame.memory, arguments, base)
    shift(frame, base, code.const(0), 1)
    set_content(frame, base, replace(content, array=array, count=Array(more, Kind(INT))), moved=True)
    return Static(None)


def _reverse(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    if isinstance(content, Items):
        _named_rows(frame, base)
        set_content(frame, base, replace(content, items=tuple(items_of(frame.memory, base)[::-1])))
    elif isinstance(content, Counted):
        _named_rows(frame, base)
        set_content(frame, base, backwards(content))
    else:
        flipped = code.index(as_array(content).code, code.span(step=code.const(-1)))
        set_content(frame, base, replace(as_array(content), code=flipped))
    return Static(None)


def sort(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    if isinstance(base, Ref) and not isinstance(content, Counted):
        let_go(frame, base)  # the rows are made anew
    else:
        _named_rows(frame, base)
    set_content(frame, base, ordered(frame, content, options))
    return Static(None)


def _named_rows(frame: Frame, base: Value) -> None:
    """Rows that have names are held apart before they move."""
    if isinstance(base, Ref):
        name_rows(frame, base.cell)
    elif has_rows(frame.memory.see(base)):
        let_go(frame, base)


LISTS: dict[str, Any] = {
    "append": _append, "extend": _extend, "pop": _pop, "popleft": _popleft, "remove": _remove, "clear": _clear,
    "index": _index, "count": _count, "insert": _insert, "appendleft": _appendleft, "reverse": _reverse,
    "sort": sort,
}  # fmt: skip
