"""Assignment: to names, attributes, parts of lists and arrays, and in place."""

import ast
from dataclasses import replace

from envwright.compiler.ir import code, heaps
from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read, spread
from envwright.compiler.ir.lists import counted, is_listlike
from envwright.compiler.ir.merge import join
from envwright.compiler.ir.operators import binary, compare
from envwright.compiler.ir.set_algebra import is_set
from envwright.compiler.ir.sets import fitted
from envwright.compiler.ir.spelling import spelled
from envwright.compiler.ir.texts import letters_of
from envwright.compiler.ir.trails import follow, let_go, name_rows, row_itself
from envwright.compiler.ir.twins import ROWS, as_one_of, has_rows, put_into, touched
from envwright.compiler.ir.values import (
    PLACES,
    Array,
    Counted,
    Either,
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
    Value,
    View,
    as_array,
    cast,
    number,
)
from envwright.compiler.ir.writing import holds_lists, set_content, write
from envwright.compiler.middle import attributes, growth
from envwright.compiler.middle.expressions import evaluate, index_parts, subscripted, table_name
from envwright.compiler.middle.fitting import keep_whole
from envwright.compiler.middle.list_methods import as_list, extend
from envwright.compiler.middle.parts import elements, meant, numbers_only
from envwright.compiler.middle.shelf_methods import note_key
from envwright.compiler.middle.state_parts import has_parts, keep_part
from envwright.compiler.refusal import RefusedError


def hints_of(target: ast.expr) -> tuple[str, ...]:
    """The names that a value will get."""
    match target:
        case ast.Name():
            return (target.id,)
        case ast.Attribute():
            return (target.attr.strip("_"),)
        case ast.Tuple() | ast.List():
            return tuple(hints_of(t)[0] if hints_of(t) else "value" for t in target.elts)
    return ()


def assign(frame: Frame, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    match target:
        case ast.Name():
            if isinstance(value, Static):
                attributes.flow(frame, value.value)
            frame.memory.names[target.id] = frame.memory.hold(_bound(frame, target.id, value))
        case ast.Attribute():
            base = evaluate(frame, target.value)
            attributes.store(frame, base, target.attr, _bound(frame, target.attr.strip("_"), value))
        case ast.Tuple() | ast.List():
            _unpack(frame, target.elts, value)
        case ast.Subscript():
            _assign_part(frame, target, value)
        case ast.Starred():
            raise RefusedError("a starred name in an assignment is not covered")
        case _:
            raise RefusedError("it cannot be assigned to this")


def assign_all(frame: Frame, node: ast.Assign) -> None:
    if isinstance(node.targets[0], ast.Attribute) and len(node.targets) == 1:
        frame.direct = node.value
    value = evaluate(frame, node.value, hints_of(node.targets[0]))
    if len(node.targets) > 1:
        value = frame.memory.hold(value)  # one list, of which all are names
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(value, Items):
            _unpack(frame, target.elts, value, _exchange(target, node.value))
        else:
            assign(frame, target, value)


def _exchange(target: ast.Tuple, value: ast.expr) -> bool:
    """`t[i], t[j] = t[j], t[i]`: all that t holds is still there once. The places must not depend on the first of both
    being set."""
    if not isinstance(value, ast.Tuple) or len(value.elts) != 2 or len(target.elts) != 2:
        return False
    pairs = [(one, one.value, one.slice) for one in target.elts if isinstance(one, ast.Subscript)]
    lists = {ast.unparse(base) for _, base, _ in pairs}
    plain = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
    places_stay = all(isinstance(n, plain) for _, _, place in pairs for n in ast.walk(place))
    crossed = [ast.unparse(one) for one, _, _ in pairs] == [ast.unparse(one) for one in value.elts[::-1]]
    return crossed and len(lists) == 1 and places_stay


def _bound(frame: Frame, hint: str, value: Value) -> Value:
    """The value under a name of its own in the translation, as it has one in the original."""
    match value:
        case Array():
            long = code.size(value.code) > 1
            return replace(value, code=code.name(frame.bind(hint, value.code))) if long else value
        case Items() if len(value.items) <= 16:
            hints = value.names or [f"{hint}_{i}" for i in range(len(value.items))]
            return replace(value, items=tuple(_bound(frame, h, v) for h, v in zip(hints, value.items, strict=True)))
        case Counted():
            array, count = _bound(frame, hint, value.array), _bound(frame, f"{hint}_count", value.count)
            return replace(value, array=array, count=count)  # pyright: ignore[reportArgumentType]
        case Masked():
            array, mask = _bound(frame, hint, value.array), _bound(frame, f"{hint}_mask", value.mask)
            return replace(value, array=array, mask=mask)  # pyright: ignore[reportArgumentType]
        case Shelf():
            return replace(value, array=_bound(frame, hint, value.array))  # pyright: ignore[reportArgumentType]
        case Rows():
            array, there = _bound(frame, hint, value.array), _bound(frame, f"{hint}_present", value.present)
            return Rows(array, there)  # pyright: ignore[reportArgumentType]
        case Maybe():
            there = _bound(frame, f"{hint}_is_there", value.present)
            return Maybe(there, _bound(frame, hint, value.value))  # pyright: ignore[reportArgumentType]
    return value


def _unpack(frame: Frame, targets: list[ast.expr], value: Value, exchanged: bool = False) -> None:
    held = frame.memory.see(value)
    seen = heaps.opened(frame.memory, held)
    value = seen if seen is not held else value
    if isinstance(seen, Counted | Masked) and not any(isinstance(t, ast.Starred) for t in targets):
        full = counted(seen)  # there are as many as there are names, or the original would fail
        parts = [read(frame.memory, full, (Static(i),)) for i in range(len(targets))]
    else:
        parts = elements(frame, value)
    stars = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if stars:
        (at,) = stars
        rest = len(targets) - at - 1
        middle = parts[at : len(parts) - rest]
        parts = [*parts[:at], Items(tuple(middle), True), *parts[len(parts) - rest :]]
        targets = [t.value if isinstance(t, ast.Starred) else t for t in targets]
    if len(parts) != len(targets):
        raise RefusedError(f"{len(parts)} values are unpacked into {len(targets)} names")
    # All are computed before the first is assigned: `a, b = b, a`.
    if any(isinstance(target, ast.Subscript) for target in targets):
        parts = [row_itself(frame, part, exchanged) for part in parts]
    parts = [_bound(frame, (hints_of(t) or ("value",))[0], p) for t, p in zip(targets, parts, strict=True)]
    for target, part in zip(targets, parts, strict=True):
        assign(frame, target, part)


def _assign_part(frame: Frame, target: ast.Subscript, value: Value) -> None:
    base = meant(evaluate(frame, target.value))
    where = index_parts(frame, target.slice)
    if isinstance(value, Static):
        attributes.flow(frame, value.value)
    set_part(frame, base, where, value, table_name(target.value))


def set_part(
    frame: Frame, base: Value, where: tuple[Value, ...], value: Value, hint: str, was_read: bool = False
) -> None:
    """`base[where] = value`, seen by all names of base; what was read there before is there."""
    memory = frame.memory
    if isinstance(base, Ref) and not all(isinstance(part, Static) for part in where):
        keep_whole(frame, base.cell)
    content = memory.see(base)
    if (alphabet := letters_of(content.array if isinstance(content, Shelf) else content)) is not None:
        value = spelled(frame, alphabet, memory.deep(value))
    if isinstance(content, Shelf) and not was_read:
        note_key(frame, content, where)
    inside = content.value if isinstance(content, Maybe) else content
    if (heap := heaps.heap_of(memory, inside)) is not None:
        _set_key(frame, heap, as_array(inside), where, value)
        return
    if isinstance(content, Counted) and content.array.kind.is_object:
        value = heaps.number_of(frame, heaps.of(frame, content), value)
    where = spread(memory, memory.see(base), where)
    takes_lists = len(where) == 1 and (is_listlike(content) or isinstance(content, Keyed))
    takes_lists = takes_lists or (isinstance(content, Shelf) and len(content.array.kind.shape) > content.axes)
    if takes_lists:
        _detach(frame, base, where, content)
    if isinstance(base, View) and (inner := numbers_only(base.where)) is not None:
        base, where = base.ref, (*inner, *where)
    deep = len(where)
    inside = deep > 1 and isinstance(base, Either) and any(holds_lists(memory, v) for v in (base.yes, base.no))
    if isinstance(base, Either) and (inside or has_parts(frame, base)):
        _set_in_either(frame, base, where, value, hint)
        return
    if isinstance(base, View | Turned | Either):
        set_content(frame, base, write(memory, memory.see(base), where, value), deep=deep)
        put_into(memory, [value] if takes_lists else [], base)
        return
    if not isinstance(base, Ref):
        raise RefusedError("a part of something that has no name is set")
    if _set_by_key(frame, base, where, value):
        return
    kept = _with_row(frame, base, where, value)
    changed = kept or write(memory, memory.see(base), where, value)
    memory.cells[base.cell] = (
        _bound(frame, hint.strip("_").lower() or "value", changed)
        if not isinstance(changed, Items | Keyed)
        else changed
    )
    touched(memory, base.cell, deep)
    if takes_lists and kept is None:
        put_into(memory, [value], base)
    follow(frame, base.cell)
    if isinstance(changed, Keyed | Items) and len(where) == 1 and isinstance(where[0], Static):
        keep_part(frame, base.cell, where[0].value, value)


def _set_in_either(frame: Frame, base: Either, where: tuple[Value, ...], value: Value, hint: str) -> None:
    """`base[where] = value` in the one of two lists that is meant; the other gets what it has."""
    for side, yes in ((base.yes, True), (base.no, False)):
        old = frame.memory.deep(subscripted(frame, side, where, hint))
        pair = (value, old) if yes else (old, value)
        if not all(number(v) and not as_array(v).kind.shape for v in pair):
            raise RefusedError("one of two lists is changed, of which one holds a list that may have a name")
        set_part(frame, side, where, join(frame, base.when, *pair), hint)


def _set_key(frame: Frame, heap: heaps.Heap, number: Array, where: tuple[Value, ...], value: Value) -> None:
    """`thing[key] = value`, of a dict in a list."""
    (key,) = where
    if heap.made is not dict or not isinstance(key, Static):
        raise RefusedError("a part of an object in a list is set by an index")
    heaps.put(frame, number, key.value, value)


def _detach(frame: Frame, base: Value, where: tuple[Value, ...], content: Value) -> None:
    """Before an element of a list is replaced: what has a name for it stays what it is."""
    if isinstance(base, Ref) and isinstance(content, Items | Static | Keyed) and isinstance(where[0], Static):
        name_rows(frame, base.cell, where)
    elif isinstance(base, Ref) or has_rows(content):
        let_go(frame, base, where)


def _with_row(frame: Frame, base: Ref, where: tuple[Value, ...], value: Value) -> Value | None:
    """A list or dict with another list in it, which keeps its names."""
    memory = frame.memory
    if len(where) != 1 or not isinstance(where[0], Static) or not isinstance(memory.see(base), Items | Keyed):
        return None
    place, row = where[0].value, row_itself(frame, value)
    content = memory.see(base)
    if isinstance(row, Items) and row.is_list and cells_within(row):
        row = memory.hold(row)
    if isinstance(content, Keyed) and isinstance(row, Ref) and not content.made:
        return replace(content, items={**content.items, place: row})
    if not isinstance(row, Ref) or not isinstance(content, Items) or place not in range(len(content.items)):
        return None
    return replace(content, items=(*content.items[:place], row, *content.items[place + 1 :]))


def _set_by_key(frame: Frame, base: Ref, where: tuple[Value, ...], value: Value) -> bool:
    """`bag[key] = value`, where only the game says which of the known keys it is: each is set, if it is the one."""
    memory, key = frame.memory, frame.memory.deep(where[0])
    content = memory.see(base)
    if isinstance(content, Static) and isinstance(content.value, dict) and not isinstance(key, Static):
        content = Keyed({k: Static(v) for k, v in content.value.items()})
    if not isinstance(content, Keyed) or isinstance(key, Static) or len(where) != 1:
        return False
    for name, old in content.items.items():
        asked = compare(frame, ast.Eq(), key, Static(name))
        if isinstance(asked, Static) and not asked.value:
            continue
        new = join(frame, as_array(asked), memory.deep(value), memory.deep(old), str(name))
        if isinstance(new, Array) and new.kind.shape:
            new = as_one_of(memory, new, cells_within(value) | cells_within(old))
        set_part(frame, base, (Static(name),), new, str(name))
    return True


def augment(frame: Frame, node: ast.AugAssign) -> None:
    """`target += value`; a list grows in place."""
    value = evaluate(frame, node.value)
    target = node.target
    if isinstance(target, ast.Subscript):
        base, where = meant(evaluate(frame, target.value)), index_parts(frame, target.slice)
        old = subscripted(frame, base, where, table_name(target.value))
        if isinstance(old, PLACES) and _grow(frame, old, node.op, value):
            return
        set_part(frame, base, where, binary(frame, node.op, old, value), table_name(target.value), was_read=True)
        return
    load = ast.copy_location(loaded(target), target)
    old = evaluate(frame, load)
    if isinstance(old, PLACES) and _grow(frame, old, node.op, value):
        return
    new = binary(frame, node.op, old, value)
    if is_set(frame.memory.see(old)):
        _change_set(frame, old, new)
        return
    if isinstance(seen := frame.memory.see(old), Masked) and seen.shared:
        raise RefusedError("a part of an array whose size changes in the game is changed in place")
    if isinstance(old, View | Turned | Either) and isinstance(new, Array) and not new.listed:
        set_content(frame, old, _keep_type(frame.memory.see(old), new))  # a part of an array is changed in place
        return
    if isinstance(old, Ref) and isinstance(new, Array) and isinstance(frame.memory.see(old), Array | Static):
        hint = (hints_of(target) or ("value",))[0]
        kept = _bound(frame, hint, _keep_type(frame.memory.see(old), new))
        frame.memory.cells[old.cell] = kept  # NumPy adds in place, and keeps the array's type
        touched(frame.memory, old.cell, ROWS)
        follow(frame, old.cell)
        return
    assign(frame, target, new)


def _change_set(frame: Frame, old: Value, new: Value) -> None:
    """`some -= others`: all names of the set see it."""
    if not isinstance(old, PLACES):
        raise RefusedError("a set that is known is changed in place")
    content = frame.memory.see(old)
    for longer in (False, True):  # it may get some and lose some
        growth.note(frame, old, longer)
    set_content(frame, old, fitted(frame.memory, content, new) if isinstance(content, Members) else new)


def _keep_type(old: Value, new: Array) -> Array:
    return cast(new, as_array(old).kind.dtype) if not as_array(old).listed else new


def loaded(target: ast.expr) -> ast.expr:
    """A name or attribute that is set, as one that is read."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    assert isinstance(target, ast.Attribute)
    return ast.Attribute(target.value, target.attr, ast.Load())


def _grow(frame: Frame, ref: Value, how: ast.operator, value: Value) -> bool:
    """`list += value`, if it is one."""
    if not isinstance(how, ast.Add) or not isinstance(as_list(frame.memory.see(ref)), Items | Counted):
        return False
    extend(frame, ref, value)
    return True
