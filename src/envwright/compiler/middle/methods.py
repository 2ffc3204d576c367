"""Methods of lists, arrays, dicts and random generators."""

import ast
import random
import types
from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.kinds import INT, Kind, narrow
from envwright.compiler.ir.lists import appended, concatenate, counted, in_use, items_of, plus
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.operators import compare, contains
from envwright.compiler.ir.values import (
    Array,
    Bound,
    Counted,
    Items,
    Keyed,
    Masked,
    Picked,
    Ref,
    Rows,
    Static,
    Value,
    View,
    as_array,
    cast,
    told,
)
from envwright.compiler.middle import growth, luck, numpy_calls
from envwright.compiler.refusal import RefusedError

_MAKE_ARRAYS = {
    "sum", "prod", "mean", "min", "max", "any", "all", "argmax", "argmin", "cumsum", "cumprod", "round", "clip", "dot",
    "ravel", "flatten", "reshape", "transpose", "std", "var", "repeat", "squeeze", "swapaxes", "argsort", "nonzero",
    "trace", "diagonal", "take",
}  # fmt: skip


def call_method(frame: Frame, bound: Bound, arguments: list[Value], options: dict[str, Value]) -> Value:
    """`base.name(...)`."""
    base, name = bound.base, bound.name
    if isinstance(base, Static) and _is_luck(base.value):
        return _draw(frame, base.value, name, arguments, options)
    content = frame.memory.see(base)
    if isinstance(content, Static) and _can_be_known(frame, content, name, arguments, options):
        return _known(frame, content, name, arguments, options)
    if isinstance(content, Keyed) or (isinstance(content, Static) and isinstance(content.value, dict)):
        return _dict(frame, base, content, name, arguments)
    if name in _LISTS and not (isinstance(content, Array) and not content.listed):
        return _LISTS[name](frame, base, content, arguments, options)
    if name == "copy":
        return frame.memory.deep(base)
    if isinstance(content, Items) and name == "_replace":
        changed = (options.get(n, v) for n, v in zip(content.names, content.items, strict=True))
        return replace(content, items=tuple(changed))
    if isinstance(content, Items) and name == "_asdict":
        return Keyed(dict(zip(content.names, content.items, strict=True)))
    if isinstance(content, Items) and len(content.items) == 1 and isinstance(content.items[0], Counted | Masked):
        content = counted(content.items[0])  # an array of one row of changing length
        if name in ("reshape", "ravel", "flatten", "squeeze"):
            return content
    if name == "item" and isinstance(content, Counted):
        return read(frame.memory, content, (Static(0),))
    if name == "tolist":
        array = as_array(content) if not isinstance(content, Counted) else content
        return Array(array.code, array.kind, listed=True) if isinstance(array, Array) else array
    if name == "item":
        return _item(as_array(content), arguments)
    if name == "astype":
        return numpy_calls.astype(content, arguments[0] if arguments else options["dtype"])
    if name == "fill":
        set_content(frame, base, _filled(as_array(content), as_array(arguments[0])))
        return Static(None)
    if name == "sort":
        return _sort(frame, base, content, arguments, options)
    if name == "reshape" and len(arguments) > 1:
        arguments = [Items(tuple(arguments))]
    if name in _MAKE_ARRAYS:
        return numpy_calls.call_numpy(frame, {"flatten": "ravel"}.get(name, name), [base, *arguments], options)
    raise RefusedError(f"the method {name} of {told(content)} is not covered")


def _is_luck(value: Any) -> bool:
    kinds = (np.random.Generator, np.random.RandomState, random.Random)
    return isinstance(value, kinds) or (
        isinstance(value, types.ModuleType) and value.__name__ in ("numpy.random", "random")
    )


def _draw(frame: Frame, source: Any, name: str, arguments: list[Value], options: dict[str, Value]) -> Value:
    python = isinstance(source, random.Random) or (isinstance(source, types.ModuleType) and source.__name__ == "random")
    value = luck.draw(frame, "randint_closed" if python and name == "randint" else name, arguments, options)
    if name == "shuffle":
        set_content(frame, arguments[0], value)
        return Static(None)
    return value


def _can_be_known(frame: Frame, content: Static, name: str, arguments: list[Value], options: dict[str, Value]) -> bool:
    changes = name in (
        "append",
        "pop",
        "remove",
        "clear",
        "extend",
        "insert",
        "sort",
        "reverse",
        "fill",
        "update",
        "add",
        "discard",
        "popleft",
        "appendleft",
        "setdefault",
        "copy",
    )
    if changes and not isinstance(content.value, str):
        return name == "copy" and not isinstance(content.value, list | dict | np.ndarray | deque)
    try:
        for value in (*arguments, *options.values()):
            known(frame.memory.deep(value))
    except RefusedError:
        return False
    return True


def _known(frame: Frame, content: Static, name: str, arguments: list[Value], options: dict[str, Value]) -> Value:
    given = [known(frame.memory.deep(a)) for a in arguments]
    named = {key: known(frame.memory.deep(v)) for key, v in options.items()}
    try:
        return Static(getattr(content.value, name)(*given, **named))
    except Exception as error:
        raise RefusedError(f"{name} fails: {error}") from None


def set_content(frame: Frame, base: Value, value: Value) -> None:
    """Change what is behind a name, for all names of it."""
    if isinstance(value, Counted):  # under names, for it will be used more than once
        array = replace(value.array, code=frame.named("items", value.array.code))
        value = replace(value, array=array, count=replace(value.count, code=frame.named("count", value.count.code)))
    if isinstance(base, Ref):
        frame.memory.cells[base.cell] = value
        return
    if isinstance(base, View):
        from envwright.compiler.ir.indexing import write

        frame.memory.cells[base.ref.cell] = write(frame.memory, frame.memory.see(base.ref), base.where, value)
        return
    raise RefusedError("something that has no name is changed in place")


def _item(array: Array, arguments: list[Value]) -> Value:
    if arguments:
        return read_flat(array, arguments)
    if array.kind.shape == ():
        return array
    if int(np.prod(array.kind.shape)) != 1:
        raise RefusedError("item() of an array of several numbers")
    return Array(code.method(array.code, "reshape", code.const(())), Kind(array.kind.dtype))


def read_flat(array: Array, arguments: list[Value]) -> Value:
    where = as_array(arguments[0])
    flat = code.method(array.code, "ravel") if len(array.kind.shape) > 1 else array.code
    return Array(code.index(flat, where.code), Kind(array.kind.dtype))


def _filled(array: Array, value: Array) -> Array:
    return Array(code.call("jnp.full_like", array.code, value.code), array.kind)


# ---- lists ----


def as_list(content: Value) -> Value:
    """A list of the game, of a known one."""
    if isinstance(content, Static) and isinstance(content.value, list | deque):
        return Items(tuple(Static(v) for v in content.value), True, getattr(content.value, "maxlen", None))
    if isinstance(content, Masked):
        return counted(content)
    if isinstance(content, Array) and content.listed and content.kind.shape[0] <= SHORT:
        parts = [code.index(content.code, code.const(i)) for i in range(content.kind.shape[0])]
        inner = Kind(content.kind.dtype, content.kind.shape[1:])
        return Items(tuple(Array(part, inner, bool(inner.shape)) for part in parts), True)
    return content


SHORT = 64  # places of a list that may grow and shrink in the middle of a step


def _append(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    if isinstance(content, Counted):
        item = frame.memory.deep(arguments[0])
        if content.longest is None:
            growth.note(frame, base, longer=True)
            content = content if growth.is_kept(frame, base) else counted(content, content.room + 1)
        set_content(
            frame, base, _forgetful(content, item) if content.longest == content.room else appended(content, item)
        )
    elif isinstance(content, Items):
        grown = (*content.items, arguments[0])
        set_content(frame, base, Items(grown[-content.longest :] if content.longest else grown, True, content.longest))
    else:
        raise RefusedError(f"{told(content)} grows, but its length is fixed in the contract")
    return Static(None)


def _forgetful(content: Counted, item: Value) -> Counted:
    """A deque after one more: if it is full, the first goes."""
    full = code.compare(content.count.code, ast.GtE(), code.const(content.room))
    moved = code.call("jnp.roll", content.array.code, code.const(-1), axis=code.const(0))
    base = Array(code.call("jnp.where", full, moved, content.array.code), content.array.kind, listed=True)
    place = Array(code.call("jnp.minimum", content.count.code, code.const(content.room - 1)), Kind(INT))
    grown = appended(Counted(base, place), item)
    return Counted(grown.array, grown.count, content.longest)


def _extend(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    more = frame.memory.deep(arguments[0])
    grown = concatenate(frame, content, more)
    set_content(frame, base, counted(grown, content.room) if isinstance(content, Counted) else grown)
    return Static(None)


def pop(frame: Frame, base: Value, where: Value | None) -> Value:
    """Take one out."""
    content = as_list(frame.memory.see(base))
    where = Static(-1) if where is None else frame.memory.see(where)
    if isinstance(content, Items) and isinstance(where, Static):
        items = list(content.items)
        try:
            found = items.pop(where.value)
        except IndexError:
            raise RefusedError("an empty list is popped from") from None
        set_content(frame, base, Items(tuple(items), True))
        return found
    if not isinstance(content, Counted):
        raise RefusedError(f"an element of {told(content)} is taken out, but its length is fixed in the contract")
    growth.note(frame, base, longer=False)
    found = read(frame.memory, content, (where,))
    found = Array(code.name(frame.bind("popped", as_array(found).code)), as_array(found).kind, as_array(found).listed)
    set_content(frame, base, without(content, where))
    return found


def without(content: Counted, where: Value) -> Counted:
    """A list without the element at a place; those after it move up, and zero is left behind."""
    if isinstance(where, Static) and where.value == -1:
        last = plus(content.count, -1)
        made = code.call("put", content.array.code, last.code, code.const(0))
        return Counted(Array(made, content.array.kind, listed=True), last)
    place = as_array(where).code
    if not isinstance(where, Static) or where.value < 0:
        shifted = code.binary(place, ast.Add(), content.count.code)
        place = code.call("jnp.where", code.compare(place, ast.Lt(), code.const(0)), shifted, place)
    places: code.Code = code.call("jnp.arange", code.const(content.room))
    after = code.compare(places, ast.GtE(), place)
    for _ in content.array.kind.shape[1:]:
        after = code.index(after, code.const(...), code.const(None))
    rolled = code.call("jnp.roll", content.array.code, code.const(-1), axis=code.const(0))
    moved = code.call("put", rolled, code.const(content.room - 1), code.const(0))
    made = code.call("jnp.where", after, moved, content.array.code)
    return Counted(Array(made, content.array.kind, listed=True), plus(content.count, -1), content.longest)


def _pop(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    return pop(frame, base, arguments[0] if arguments else None)


def _popleft(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    return pop(frame, base, Static(0))


def _remove(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    if not isinstance(content, Counted):
        raise RefusedError("an element is removed from a list whose length is fixed in the contract")
    place = _index(frame, base, content, arguments, options)
    growth.note(frame, base, longer=False)
    set_content(frame, base, without(content, place))
    return Static(None)


def _clear(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    if isinstance(content, Counted):
        growth.note(frame, base, longer=False)
        blank = code.call("jnp.zeros_like", content.array.code)
        set_content(
            frame,
            base,
            Counted(Array(blank, content.array.kind, listed=True), Array(code.const(0), Kind(INT), weak=True)),
        )
    else:
        set_content(frame, base, Items((), True))
    return Static(None)


def _index(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    """The first place that holds a value."""
    item = frame.memory.deep(arguments[0])
    if isinstance(content, Counted):
        same = code.compare(content.array.code, ast.Eq(), as_array(item).code)
        if len(content.array.kind.shape) > 1:
            same = code.call("jnp.all", same, axis=code.const(-1))
        return Array(code.call("jnp.argmax", code.both(in_use(content).code, same)), Kind(INT))
    if isinstance(content, Static) and isinstance(item, Picked):
        from envwright.compiler.ir import tables

        table = tables._map(item.table, content.value.index)
        return tables.settle(frame.program, Picked(table, item.index, item.name))
    flags = [compare(frame, ast.Eq(), option, item) for option in items_of(frame, content)]
    made = code.call("jnp.array", code.list_of(as_array(f).code for f in flags))
    return Array(code.call("jnp.argmax", made), Kind(INT))


def _count(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    item = frame.memory.deep(arguments[0])
    if isinstance(content, Counted):
        same = code.both(in_use(content).code, code.compare(content.array.code, ast.Eq(), as_array(item).code))
        return Array(code.call("jnp.sum", same), Kind(INT))
    flags = [cast(as_array(compare(frame, ast.Eq(), option, item)), INT).code for option in items_of(frame, content)]
    return Array(code.call("jnp.sum", code.call("jnp.array", code.list_of(flags))), Kind(INT))


def _insert(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    where = frame.memory.see(arguments[0])
    if isinstance(content, Items) and isinstance(where, Static):
        items = list(content.items)
        items.insert(where.value, arguments[1])
        set_content(frame, base, Items(tuple(items)[: content.longest], True, content.longest))
        return Static(None)
    if isinstance(content, Counted) and isinstance(where, Static) and where.value == 0:
        moved = code.call("jnp.roll", content.array.code, code.const(1), axis=code.const(0))
        made = code.call("put", moved, code.const(0), as_array(frame.memory.deep(arguments[1])).code)
        more = plus(content.count, 1)
        if content.longest == content.room:
            more = Array(code.call("jnp.minimum", more.code, code.const(content.room)), Kind(INT))
        set_content(frame, base, Counted(Array(made, content.array.kind, listed=True), more, content.longest))
        return Static(None)
    raise RefusedError("insert in the middle of a list of changing length is not covered")


def _appendleft(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    return _insert(frame, base, content, [Static(0), *arguments], options)


def _reverse(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    content = as_list(content)
    if not isinstance(content, Items):
        raise RefusedError("a list of changing length is reversed in place")
    set_content(frame, base, Items(content.items[::-1], True))
    return Static(None)


def _sort(frame: Frame, base: Value, content: Value, arguments: list[Value], options: dict[str, Value]) -> Value:
    from envwright.compiler.middle.builtin_calls import ordered

    set_content(frame, base, ordered(frame, content, options))
    return Static(None)


_LISTS: dict[str, Any] = {
    "append": _append, "extend": _extend, "pop": _pop, "popleft": _popleft, "remove": _remove, "clear": _clear,
    "index": _index, "count": _count, "insert": _insert, "appendleft": _appendleft, "reverse": _reverse,
    "sort": _sort,
}  # fmt: skip


# ---- dicts ----


def _dict(frame: Frame, base: Value, content: Keyed | Static, name: str, arguments: list[Value]) -> Value:
    items = content.items if isinstance(content, Keyed) else {k: Static(v) for k, v in content.value.items()}
    match name:
        case "get":
            return _get(frame, content, arguments)
        case "keys":
            return Items(tuple(Static(k) for k in items), True)
        case "values":
            return Items(tuple(items.values()), True)
        case "items":
            return Items(tuple(Items((Static(k), v)) for k, v in items.items()), True)
        case "copy":
            return Keyed(dict(items))
        case "update" if arguments:
            more = frame.memory.see(arguments[0])
            added = more.items if isinstance(more, Keyed) else {k: Static(v) for k, v in known(more).items()}
            set_content(frame, base, Keyed({**items, **added}))
            return Static(None)
        case "pop":
            key = known(arguments[0])
            left = {k: v for k, v in items.items() if k != key}
            set_content(frame, base, Keyed(left))
            return items[key] if key in items else arguments[1]
    raise RefusedError(f"the method {name} of a dict is not covered")


def _get(frame: Frame, content: Keyed | Static, arguments: list[Value]) -> Value:
    from envwright.compiler.ir import tables
    from envwright.compiler.ir.merge import join

    key = frame.memory.deep(arguments[0])
    default = frame.memory.deep(arguments[1]) if len(arguments) > 1 else Static(None)
    table = content.value if isinstance(content, Static) else content.items
    try:
        return (
            frame.memory.see(Static(table[known(key)]) if isinstance(content, Static) else content.items[known(key)])
            if known(key) in table
            else default
        )
    except RefusedError:
        pass
    if isinstance(content, Keyed):
        raise RefusedError("get() of a dict that is made in the game, with a key of the game")
    if isinstance(key, Items):
        found = tables.by_tuple(
            frame.program, table, key, "TABLE", known(default) if isinstance(default, Static) else None
        )
        return join(frame, as_array(contains(frame, Static(set(table)), key)), found, default)
    found = tables.pick(frame.program, table, as_array(key).code, "TABLE")
    return join(frame, as_array(contains(frame, Static(set(table)), key)), found, default)


def keep(value: Value) -> str:
    return narrow(as_array(value).kind.dtype) if not isinstance(value, Rows) else INT
