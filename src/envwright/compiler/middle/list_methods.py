"""Methods of lists and deques."""

import ast
from collections import deque
from dataclasses import replace
from typing import Any

from envwright.compiler.ir import code, equality, object_arena, overflow, strings, table_functions
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import has_rows, put_into, with_rows_of
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.lists import appended, concatenate, counted, equals, holding, in_use, items_of, plus
from envwright.compiler.ir.operators import compare
from envwright.compiler.ir.sequences import backwards, inserted, place_inside
from envwright.compiler.ir.string_encoding import spelled
from envwright.compiler.ir.tracked_rows import detach_rows, popped_row, shift_rows, track_named_rows
from envwright.compiler.ir.values import Value, as_array, cast, described, number
from envwright.compiler.ir.writing import set_content
from envwright.compiler.middle import capacity_check
from envwright.compiler.middle.parts import under
from envwright.compiler.middle.sorting import ordered
from envwright.compiler.refusal import RefusedError


def as_list(content: Value) -> Value:
    """A constant list as a mutable one; others as they are."""
    if isinstance(content, ir.Static) and isinstance(content.value, list | deque):
        return ir.Items(tuple(ir.Static(v) for v in content.value), True, getattr(content.value, "maxlen", None))
    if isinstance(content, ir.Masked):
        return counted(content)
    if isinstance(content, ir.Array) and content.listed and content.kind.shape[0] <= SHORT:
        parts = [code.index(content.code, code.const(i)) for i in range(content.kind.shape[0])]
        inner = content.kind.shaped(*content.kind.shape[1:])
        return ir.Items(tuple(ir.Array(part, inner, bool(inner.shape)) for part in parts), True)
    return content


SHORT = 64  # places of a list that may grow and shrink in the middle of a step


def _append(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    extend(frame, base, ir.Items((arguments[0],), True))
    return ir.Static(None)


def _extend(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    extend(frame, base, arguments[0])
    return ir.Static(None)


def extend(frame: CallFrame, base: Value, more: Value) -> None:
    """`base += more`. The capacity of a list of the state is set by the contract; local lists get what they need."""
    source = more
    content, more = as_list(frame.memory.see(base)), as_list(frame.memory.see(more))
    if isinstance(content, ir.Items) and isinstance(more, ir.Counted):
        content = counted(content)
    if isinstance(content, ir.Items):
        grown = (*content.items, *items_of(frame.memory, more))
        set_content(frame, base, replace(content, items=grown[-content.longest :] if content.longest else grown))
        return
    if not isinstance(content, ir.Counted):
        raise RefusedError(f"{described(content)} grows, but its length is fixed in the contract")
    if content.longest is None:
        capacity_check.note(frame, base, longer=True)
    kept = _has_room(frame, base, content)
    if isinstance(more, ir.Counted):
        if content.longest:
            raise RefusedError("a deque with maxlen is extended by a variable-length list")
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


def _has_room(frame: CallFrame, base: Value, content: ir.Counted) -> bool:
    """Whether the capacity of a list is fixed already."""
    return bool(content.longest or content.roomy or content.guessed or capacity_check.is_kept(frame, base))


def _note_room(frame: CallFrame, content: ir.Counted) -> None:
    """A list of estimated capacity may have overflowed."""
    if content.guessed:
        overflow.note(frame, code.compare(content.count.code, ast.Gt(), code.const(content.room)))


def _element(frame: CallFrame, content: ir.Counted, item: Value) -> Value:
    """An element as the list encodes it: objects by index, and strings."""
    if (alphabet := strings.letters_of(content)) is not None:
        return spelled(frame, alphabet, frame.memory.deep(item))
    return (
        object_arena.number_of(frame, object_arena.of(frame, content), item)
        if content.array.kind.of
        else frame.memory.deep(item)
    )


def _forgetful(content: ir.Counted, item: Value) -> ir.Counted:
    """A deque with maxlen after an append."""
    full = code.compare(content.count.code, ast.GtE(), code.const(content.room))
    moved = code.call("jnp.roll", content.array.code, code.const(-1), axis=code.const(0))
    base = ir.Array(code.call("jnp.where", full, moved, content.array.code), content.array.kind, listed=True)
    place = ir.Array(code.call("jnp.minimum", content.count.code, code.const(content.room - 1)), Aval(INT))
    return appended(replace(content, array=base, count=place), item)


def pop(frame: CallFrame, base: Value, where: Value | None) -> Value:
    """`base.pop(where)`."""
    if isinstance(base, ir.Either):
        return under(frame, base.when, lambda: pop(frame, base.yes, where), lambda: pop(frame, base.no, where))
    _named_rows(frame, base)
    content = as_list(frame.memory.see(base))
    where = ir.Static(-1) if where is None else frame.memory.see(where)
    if isinstance(content, ir.Items) and isinstance(where, ir.Static):
        items = list(content.items)
        try:
            found = items.pop(where.value)
        except IndexError:
            raise RefusedError("pop from an empty list") from None
        set_content(frame, base, replace(content, items=tuple(items)))
        return found
    if not isinstance(content, ir.Counted):
        raise RefusedError(f"an element of {described(content)} is removed, but its length is fixed in the contract")
    capacity_check.note(frame, base, longer=False)
    found = read(frame.memory, content, (where,))
    found = ir.Array(
        code.name(frame.bind("popped", as_array(found).code)), as_array(found).kind, as_array(found).listed
    )
    row = popped_row(frame, base, place_of(content, where), found)
    shift_rows(frame, base, place_of(content, where), -1)
    set_content(frame, base, without(content, where), moved=True)
    return row


def without(content: ir.Counted, where: Value) -> ir.Counted:
    """A list without the element at an index."""
    if isinstance(where, ir.Static) and where.value == -1:
        last = plus(content.count, -1)
        made = code.call("put", content.array.code, last.code, code.const(0))
        return replace(content, array=ir.Array(made, content.array.kind, listed=True), count=last)
    return _taken_out(content, place_of(content, where))


def _taken_out(content: ir.Counted, place: code.Code) -> ir.Counted:
    places: code.Code = code.call("jnp.arange", code.const(content.room))
    after = code.with_axes(code.compare(places, ast.GtE(), place), len(content.array.kind.shape) - 1)
    rolled = code.call("jnp.roll", content.array.code, code.const(-1), axis=code.const(0))
    moved = code.call("put", rolled, code.const(content.room - 1), code.const(0))
    made = code.call("jnp.where", after, moved, content.array.code)
    return replace(content, array=ir.Array(made, content.array.kind, listed=True), count=plus(content.count, -1))


def place_of(content: ir.Counted, where: Value) -> code.Code:
    """A place in a list; negative ones count from the end."""
    place = as_array(where).code
    if isinstance(where, ir.Static) and where.value >= 0:
        return place
    shifted = code.binary(place, ast.Add(), content.count.code)
    return code.call("jnp.where", code.compare(place, ast.Lt(), code.const(0)), shifted, place)


def _pop(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    return pop(frame, base, arguments[0] if arguments else None)


def _popleft(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    return pop(frame, base, ir.Static(0))


def _remove(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    if not isinstance(content, ir.Counted):
        raise RefusedError("an element is removed from a list whose length is fixed in the contract")
    place = as_array(_index(frame, base, content, arguments, options))
    place = replace(place, code=code.name(frame.bind("place", place.code, auto=True)))
    capacity_check.note(frame, base, longer=False)
    shift_rows(frame, base, place.code, -1)
    set_content(frame, base, _taken_out(content, place.code), moved=True)
    return ir.Static(None)


def _clear(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    if isinstance(content, ir.Counted):
        capacity_check.note(frame, base, longer=False)
        blank = code.call("jnp.zeros_like", content.array.code)
        none = ir.Array(code.const(0), Aval(INT), weak=True)
        array = ir.Array(blank, content.array.kind, listed=True)
        shift_rows(frame, base, None, -1)
        set_content(frame, base, replace(content, array=array, count=none, clean=True), moved=True)
    else:
        set_content(frame, base, ir.Items((), True, getattr(as_list(content), "longest", None)))
    return ir.Static(None)


def _numbered(frame: CallFrame, content: Value, item: Value) -> tuple[Value, Value]:
    """A list and what is looked for in it; of strings, as their numbers."""
    item, alphabet = frame.memory.deep(item), strings.letters_of(content)
    if alphabet is None:
        return content, item
    return strings.plain(content), strings.numbers(alphabet, item, frame.program)


def _index(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    """The first place that holds a value."""
    content, item = _numbered(frame, content, arguments[0])
    if isinstance(content, ir.Counted) and content.array.kind.is_object:
        equal = equality.same(
            frame, content.array, object_arena.number_of(frame, object_arena.of(frame, content), arguments[0])
        )
        return ir.Array(code.call("jnp.argmax", code.both(in_use(content).code, equal.code)), Aval(INT))
    if isinstance(content, ir.Counted):
        return ir.Array(code.call("jnp.argmax", equals(content, as_array(item).code)), Aval(INT))
    if isinstance(content, ir.Rows) and content.array.kind.shape[1:] == () and number(item):
        same = code.compare(content.array.code, ast.Eq(), as_array(item).code)
        return ir.Array(code.call("jnp.argmax", code.both(content.present.code, same)), Aval(INT))
    if isinstance(content, ir.Static) and isinstance(item, ir.Picked):
        found = table_functions.applied(frame.program, lambda one, it: one.index(it), [content, item], "index")
        if found is not None:
            return found
    flags = [compare(frame, ast.Eq(), option, item) for option in items_of(frame.memory, content)]
    made = code.call("jnp.array", code.list_of(as_array(f).code for f in flags))
    return ir.Array(code.call("jnp.argmax", made), Aval(INT))


def _count(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content, item = _numbered(frame, content, arguments[0])
    if isinstance(content, ir.Array) and strings.letters_of(frame.memory.see(base)) and not content.kind.shape[1:]:
        return ir.Array(code.call("jnp.sum", code.compare(content.code, ast.Eq(), as_array(item).code)), Aval(INT))
    if isinstance(content, ir.Counted | ir.Masked) and content.array.kind.is_object:
        raise RefusedError("count() of objects is not supported")
    if isinstance(content, ir.Counted | ir.Masked):
        return ir.Array(code.call("jnp.sum", equals(content, as_array(item).code)), Aval(INT))
    flags = [
        cast(as_array(compare(frame, ast.Eq(), option, item)), INT).code for option in items_of(frame.memory, content)
    ]
    return ir.Array(code.call("jnp.sum", code.call("jnp.array", code.list_of(flags))), Aval(INT))


def _insert(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    where = frame.memory.see(arguments[0])
    if isinstance(content, ir.Items) and isinstance(where, ir.Static):
        _named_rows(frame, base)
        items = items_of(frame.memory, base)
        items.insert(where.value, arguments[1])
        set_content(frame, base, replace(content, items=tuple(items)[: content.longest]))
        return ir.Static(None)
    full = _with_place(frame, base, counted(frame.memory.deep(content)))
    item = _fitting(full, _element(frame, full, arguments[1]))
    put_into(frame.memory, arguments[1:], base)
    shift_rows(frame, base, place_inside(full, where), 1)
    longer = inserted(full, where, item)
    _note_room(frame, longer)
    set_content(frame, base, longer, moved=True)
    return ir.Static(None)


def _with_place(frame: CallFrame, base: Value, content: ir.Counted) -> ir.Counted:
    """Before an element is added: a list of the state has its capacity from the contract."""
    capacity_check.note(frame, base, longer=True)
    return content if _has_room(frame, base, content) else counted(content, content.room + 1)


def _fitting(content: ir.Counted, item: Value) -> ir.Array:
    """An element in the type of a list."""
    array = as_array(item)
    if array.kind.shape != content.array.kind.shape[1:]:
        raise RefusedError("a list gets an element of another shape")
    return cast(array, content.array.kind.dtype)


def _appendleft(
    frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]
) -> Value:
    content = as_list(content)
    if not isinstance(content, ir.Counted) or content.longest is None:
        return _insert(frame, base, content, [ir.Static(0), *arguments], options)
    moved = code.call("jnp.roll", content.array.code, code.const(1), axis=code.const(0))
    made = code.call("put", moved, code.const(0), _fitting(content, _element(frame, content, arguments[0])).code)
    more = code.call("jnp.minimum", plus(content.count, 1).code, code.const(content.longest))
    array = ir.Array(made, content.array.kind, listed=True)
    put_into(frame.memory, arguments, base)
    shift_rows(frame, base, code.const(0), 1)
    set_content(frame, base, replace(content, array=array, count=ir.Array(more, Aval(INT))), moved=True)
    return ir.Static(None)


def _reverse(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    if isinstance(content, ir.Items):
        _named_rows(frame, base)
        set_content(frame, base, replace(content, items=tuple(items_of(frame.memory, base)[::-1])))
    elif isinstance(content, ir.Counted):
        _named_rows(frame, base)
        set_content(frame, base, backwards(content))
    else:
        flipped = code.index(as_array(content).code, code.span(step=code.const(-1)))
        set_content(frame, base, replace(as_array(content), code=flipped))
    return ir.Static(None)


def sort(frame: CallFrame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    if isinstance(base, ir.Ref) and not isinstance(content, ir.Counted):
        detach_rows(frame, base)  # the rows are made anew
    else:
        _named_rows(frame, base)
    set_content(frame, base, ordered(frame, content, options))
    return ir.Static(None)


def _named_rows(frame: CallFrame, base: Value) -> None:
    """Track the named rows of a list before they move."""
    if isinstance(base, ir.Ref):
        track_named_rows(frame, base.loc)
    elif has_rows(frame.memory.see(base)):
        detach_rows(frame, base)


LISTS: dict[str, Any] = {
    "append": _append, "extend": _extend, "pop": _pop, "popleft": _popleft, "remove": _remove, "clear": _clear,
    "index": _index, "count": _count, "insert": _insert, "appendleft": _appendleft, "reverse": _reverse,
    "sort": sort,
}  # fmt: skip
