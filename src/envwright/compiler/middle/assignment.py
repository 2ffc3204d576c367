"""Assignment: to names, attributes, subscripts, and in place."""

import ast
from dataclasses import replace

from envwright.compiler.ir import code, object_arena
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import ROWS, as_one_of, has_rows, invalidate_aliases, put_into
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read, spread
from envwright.compiler.ir.lists import counted, is_listlike
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.operators import binary, compare
from envwright.compiler.ir.phi import join
from envwright.compiler.ir.set_algebra import is_set
from envwright.compiler.ir.sets import fitted
from envwright.compiler.ir.string_encoding import spelled
from envwright.compiler.ir.strings import letters_of
from envwright.compiler.ir.tracked_rows import detach_rows, row_itself, track_named_rows, write_through
from envwright.compiler.ir.values import Value, as_array, cast, number
from envwright.compiler.ir.writing import holds_lists, set_content, write
from envwright.compiler.middle import attributes, capacity_check
from envwright.compiler.middle.coercion import keep_whole
from envwright.compiler.middle.expressions import evaluate, index_parts, subscripted, table_name
from envwright.compiler.middle.fixed_key_dict_methods import note_key
from envwright.compiler.middle.list_methods import as_list, extend
from envwright.compiler.middle.nested_state import has_parts, keep_part
from envwright.compiler.middle.parts import elements, numbers_only, unwrapped
from envwright.compiler.refusal import RefusedError


def hints_of(target: ast.expr) -> tuple[str, ...]:
    """The names of the targets."""
    match target:
        case ast.Name():
            return (target.id,)
        case ast.Attribute():
            return (target.attr.strip("_"),)
        case ast.Tuple() | ast.List():
            return tuple(hints_of(t)[0] if hints_of(t) else "value" for t in target.elts)
    return ()


def assign(frame: CallFrame, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    match target:
        case ast.Name():
            if isinstance(value, ir.Static):
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
            raise RefusedError("a starred name in an assignment is not supported")
        case _:
            raise RefusedError("this is no assignment target")


def assign_all(frame: CallFrame, node: ast.Assign) -> None:
    if isinstance(node.targets[0], ast.Attribute) and len(node.targets) == 1:
        frame.direct = node.value
    value = evaluate(frame, node.value, hints_of(node.targets[0]))
    if len(node.targets) > 1:
        value = frame.memory.hold(value)  # one list, of which all are names
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(value, ir.Items):
            _unpack(frame, target.elts, value, _exchange(target, node.value))
        else:
            assign(frame, target, value)


def _exchange(target: ast.Tuple, value: ast.expr) -> bool:
    """`t[i], t[j] = t[j], t[i]`: a swap. The second index must not depend on the first assignment."""
    if not isinstance(value, ast.Tuple) or len(value.elts) != 2 or len(target.elts) != 2:
        return False
    pairs = [(one, one.value, one.slice) for one in target.elts if isinstance(one, ast.Subscript)]
    lists = {ast.unparse(base) for _, base, _ in pairs}
    plain = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
    places_stay = all(isinstance(n, plain) for _, _, place in pairs for n in ast.walk(place))
    crossed = [ast.unparse(one) for one, _, _ in pairs] == [ast.unparse(one) for one in value.elts[::-1]]
    return crossed and len(lists) == 1 and places_stay


def _bound(frame: CallFrame, hint: str, value: Value) -> Value:
    """The value under a name of its own in the translation."""
    match value:
        case ir.Array():
            long = code.size(value.code) > 1
            return replace(value, code=code.name(frame.bind(hint, value.code))) if long else value
        case ir.Items() if len(value.items) <= 16:
            hints = value.names or [f"{hint}_{i}" for i in range(len(value.items))]
            return replace(value, items=tuple(_bound(frame, h, v) for h, v in zip(hints, value.items, strict=True)))
        case ir.Counted():
            array, count = _bound(frame, hint, value.array), _bound(frame, f"{hint}_count", value.count)
            return replace(value, array=array, count=count)  # pyright: ignore[reportArgumentType]
        case ir.Masked():
            array, mask = _bound(frame, hint, value.array), _bound(frame, f"{hint}_mask", value.mask)
            return replace(value, array=array, mask=mask)  # pyright: ignore[reportArgumentType]
        case ir.FixedKeyDict():
            return replace(value, array=_bound(frame, hint, value.array))  # pyright: ignore[reportArgumentType]
        case ir.Rows():
            array, there = _bound(frame, hint, value.array), _bound(frame, f"{hint}_present", value.present)
            return ir.Rows(array, there)  # pyright: ignore[reportArgumentType]
        case ir.Maybe():
            there = _bound(frame, f"{hint}_is_there", value.present)
            return ir.Maybe(there, _bound(frame, hint, value.value))  # pyright: ignore[reportArgumentType]
    return value


def _unpack(frame: CallFrame, targets: list[ast.expr], value: Value, exchanged: bool = False) -> None:
    held = frame.memory.see(value)
    seen = object_arena.opened(frame.memory, held)
    value = seen if seen is not held else value
    if isinstance(seen, ir.Counted | ir.Masked) and not any(isinstance(t, ast.Starred) for t in targets):
        full = counted(seen)  # there are as many as there are names, or the original would fail
        parts = [read(frame.memory, full, (ir.Static(i),)) for i in range(len(targets))]
    else:
        parts = elements(frame, value)
    stars = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if stars:
        (at,) = stars
        rest = len(targets) - at - 1
        middle = parts[at : len(parts) - rest]
        parts = [*parts[:at], ir.Items(tuple(middle), True), *parts[len(parts) - rest :]]
        targets = [t.value if isinstance(t, ast.Starred) else t for t in targets]
    if len(parts) != len(targets):
        raise RefusedError(f"{len(parts)} values are unpacked into {len(targets)} names")
    # All are computed before the first is assigned: `a, b = b, a`.
    if any(isinstance(target, ast.Subscript) for target in targets):
        parts = [row_itself(frame, part, exchanged) for part in parts]
    parts = [_bound(frame, (hints_of(t) or ("value",))[0], p) for t, p in zip(targets, parts, strict=True)]
    for target, part in zip(targets, parts, strict=True):
        assign(frame, target, part)


def _assign_part(frame: CallFrame, target: ast.Subscript, value: Value) -> None:
    base = unwrapped(evaluate(frame, target.value))
    where = index_parts(frame, target.slice)
    if isinstance(value, ir.Static):
        attributes.flow(frame, value.value)
    set_part(frame, base, where, value, table_name(target.value))


def set_part(
    frame: CallFrame, base: Value, where: tuple[Value, ...], value: Value, hint: str, was_read: bool = False
) -> None:
    """`base[where] = value`, visible through all aliases; `was_read`: the key exists."""
    memory = frame.memory
    if isinstance(base, ir.Ref) and not all(isinstance(part, ir.Static) for part in where):
        keep_whole(frame, base.loc)
    content = memory.see(base)
    if (alphabet := letters_of(content.array if isinstance(content, ir.FixedKeyDict) else content)) is not None:
        value = spelled(frame, alphabet, memory.deep(value))
    if isinstance(content, ir.FixedKeyDict) and not was_read:
        note_key(frame, content, where)
    inside = content.value if isinstance(content, ir.Maybe) else content
    if (arena := object_arena.arena_of(memory, inside)) is not None:
        _set_key(frame, arena, as_array(inside), where, value)
        return
    if isinstance(content, ir.Counted) and content.array.kind.is_object:
        value = object_arena.number_of(frame, object_arena.of(frame, content), value)
    where = spread(memory, memory.see(base), where)
    takes_lists = len(where) == 1 and (is_listlike(content) or isinstance(content, ir.Keyed))
    takes_lists = takes_lists or (isinstance(content, ir.FixedKeyDict) and len(content.array.kind.shape) > content.axes)
    if takes_lists:
        _detach(frame, base, where, content)
    if isinstance(base, ir.IndexView) and (inner := numbers_only(base.where)) is not None:
        base, where = base.ref, (*inner, *where)
    deep = len(where)
    inside = deep > 1 and isinstance(base, ir.Either) and any(holds_lists(memory, v) for v in (base.yes, base.no))
    if isinstance(base, ir.Either) and (inside or has_parts(frame, base)):
        _set_in_either(frame, base, where, value, hint)
        return
    if isinstance(base, ir.IndexView | ir.PermutedView | ir.Either):
        set_content(frame, base, write(memory, memory.see(base), where, value), deep=deep)
        put_into(memory, [value] if takes_lists else [], base)
        return
    if not isinstance(base, ir.Ref):
        raise RefusedError("a part of a temporary value is assigned")
    if _set_by_key(frame, base, where, value):
        return
    kept = _with_row(frame, base, where, value)
    changed = kept or write(memory, memory.see(base), where, value)
    memory.locs[base.loc] = (
        _bound(frame, hint.strip("_").lower() or "value", changed)
        if not isinstance(changed, ir.Items | ir.Keyed)
        else changed
    )
    invalidate_aliases(memory, base.loc, deep)
    if takes_lists and kept is None:
        put_into(memory, [value], base)
    write_through(frame, base.loc)
    if isinstance(changed, ir.Keyed | ir.Items) and len(where) == 1 and isinstance(where[0], ir.Static):
        keep_part(frame, base.loc, where[0].value, value)


def _set_in_either(frame: CallFrame, base: ir.Either, where: tuple[Value, ...], value: Value, hint: str) -> None:
    """`base[where] = value` in the selected one of two lists; the other is unchanged."""
    for side, yes in ((base.yes, True), (base.no, False)):
        old = frame.memory.deep(subscripted(frame, side, where, hint))
        pair = (value, old) if yes else (old, value)
        if not all(number(v) and not as_array(v).kind.shape for v in pair):
            raise RefusedError("one of two lists is mutated, and one of them holds a list that may have an alias")
        set_part(frame, side, where, join(frame, base.when, *pair), hint)


def _set_key(
    frame: CallFrame, arena: object_arena.ObjectArena, number: ir.Array, where: tuple[Value, ...], value: Value
) -> None:
    """`thing[key] = value`, of a dict in a list."""
    (key,) = where
    if arena.made is not dict or not isinstance(key, ir.Static):
        raise RefusedError("an object in a list is assigned to by an index")
    object_arena.put(frame, number, key.value, value)


def _detach(frame: CallFrame, base: Value, where: tuple[Value, ...], content: Value) -> None:
    """Before an element of a list is replaced: references to it keep its content."""
    if (
        isinstance(base, ir.Ref)
        and isinstance(content, ir.Items | ir.Static | ir.Keyed)
        and isinstance(where[0], ir.Static)
    ):
        track_named_rows(frame, base.loc, where)
    elif isinstance(base, ir.Ref) or has_rows(content):
        detach_rows(frame, base, where)


def _with_row(frame: CallFrame, base: ir.Ref, where: tuple[Value, ...], value: Value) -> Value | None:
    """A list or dict with a reference to another list in it."""
    memory = frame.memory
    if len(where) != 1 or not isinstance(where[0], ir.Static) or not isinstance(memory.see(base), ir.Items | ir.Keyed):
        return None
    place, row = where[0].value, row_itself(frame, value)
    content = memory.see(base)
    if isinstance(row, ir.Items) and row.is_list and locs_within(row):
        row = memory.hold(row)
    if isinstance(content, ir.Keyed) and isinstance(row, ir.Ref) and not content.made:
        return replace(content, items={**content.items, place: row})
    if not isinstance(row, ir.Ref) or not isinstance(content, ir.Items) or place not in range(len(content.items)):
        return None
    return replace(content, items=(*content.items[:place], row, *content.items[place + 1 :]))


def _set_by_key(frame: CallFrame, base: ir.Ref, where: tuple[Value, ...], value: Value) -> bool:
    """`bag[key] = value` for a run-time key: each known key is assigned, under its condition."""
    memory, key = frame.memory, frame.memory.deep(where[0])
    content = memory.see(base)
    if isinstance(content, ir.Static) and isinstance(content.value, dict) and not isinstance(key, ir.Static):
        content = ir.Keyed({k: ir.Static(v) for k, v in content.value.items()})
    if not isinstance(content, ir.Keyed) or isinstance(key, ir.Static) or len(where) != 1:
        return False
    for name, old in content.items.items():
        asked = compare(frame, ast.Eq(), key, ir.Static(name))
        if isinstance(asked, ir.Static) and not asked.value:
            continue
        new = join(frame, as_array(asked), memory.deep(value), memory.deep(old), str(name))
        if isinstance(new, ir.Array) and new.kind.shape:
            new = as_one_of(memory, new, locs_within(value) | locs_within(old))
        set_part(frame, base, (ir.Static(name),), new, str(name))
    return True


def augment(frame: CallFrame, node: ast.AugAssign) -> None:
    """`target += value`; a list grows in place."""
    value = evaluate(frame, node.value)
    target = node.target
    if isinstance(target, ast.Subscript):
        base, where = unwrapped(evaluate(frame, target.value)), index_parts(frame, target.slice)
        old = subscripted(frame, base, where, table_name(target.value))
        if isinstance(old, ir.PLACES) and _grow(frame, old, node.op, value):
            return
        set_part(frame, base, where, binary(frame, node.op, old, value), table_name(target.value), was_read=True)
        return
    load = ast.copy_location(loaded(target), target)
    old = evaluate(frame, load)
    if isinstance(old, ir.PLACES) and _grow(frame, old, node.op, value):
        return
    new = binary(frame, node.op, old, value)
    if is_set(frame.memory.see(old)):
        _change_set(frame, old, new)
        return
    if isinstance(seen := frame.memory.see(old), ir.Masked) and seen.shared:
        raise RefusedError("a run-time-sized part of an array is modified in place")
    if isinstance(old, ir.IndexView | ir.PermutedView | ir.Either) and isinstance(new, ir.Array) and not new.listed:
        set_content(frame, old, _keep_type(frame.memory.see(old), new))  # a part of an array is changed in place
        return
    if (
        isinstance(old, ir.Ref)
        and isinstance(new, ir.Array)
        and isinstance(frame.memory.see(old), ir.Array | ir.Static)
    ):
        hint = (hints_of(target) or ("value",))[0]
        kept = _bound(frame, hint, _keep_type(frame.memory.see(old), new))
        frame.memory.locs[old.loc] = kept  # NumPy adds in place, and keeps the array's type
        invalidate_aliases(frame.memory, old.loc, ROWS)
        write_through(frame, old.loc)
        return
    assign(frame, target, new)


def _change_set(frame: CallFrame, old: Value, new: Value) -> None:
    """`some -= others`, visible through all aliases."""
    if not isinstance(old, ir.PLACES):
        raise RefusedError("a constant set is mutated")
    content = frame.memory.see(old)
    for longer in (False, True):  # it may get some and lose some
        capacity_check.note(frame, old, longer)
    set_content(frame, old, fitted(frame.memory, content, new) if isinstance(content, ir.Members) else new)


def _keep_type(old: Value, new: ir.Array) -> ir.Array:
    return cast(new, as_array(old).kind.dtype) if not as_array(old).listed else new


def loaded(target: ast.expr) -> ast.expr:
    """An assignment target as an expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    assert isinstance(target, ast.Attribute)
    return ast.Attribute(target.value, target.attr, ast.Load())


def _grow(frame: CallFrame, ref: Value, how: ast.operator, value: Value) -> bool:
    """`list += value`, if it is one."""
    if not isinstance(how, ast.Add) or not isinstance(as_list(frame.memory.see(ref)), ir.Items | ir.Counted):
        return False
    extend(frame, ref, value)
    return True
