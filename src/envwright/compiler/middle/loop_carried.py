"""Loop-carried values: names, attributes, lists, and the number of draws."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from envwright.compiler.ir import code, fixed_key_dict
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import link, put_into
from envwright.compiler.ir.avals import BOOL, INT, Aval, joined
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.flattening import same_structure
from envwright.compiler.ir.frame import MARK, CallFrame
from envwright.compiler.ir.lists import whole_rows
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.set_algebra import is_set, some_of
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.store import Store, called
from envwright.compiler.ir.tracked_rows import track_row
from envwright.compiler.ir.values import Value, as_array, cast, is_none
from envwright.compiler.middle.capacity_inference import LoopBounds, grown_list, grown_set, is_list
from envwright.compiler.middle.control_flow import ControlFlow, Execute
from envwright.compiler.middle.liveness import assigned, read_later
from envwright.compiler.refusal import RefusedError


class StateRecordError(RefusedError):
    """An iteration makes a new state record, which cannot be carried."""


@dataclass
class LoopCarried:
    """A loop-carried value."""

    place: str  # "names", "locs", "attributes", "cursors", or a flag
    key: Any
    value: Value  # before the first iteration, as arrays
    optional: bool = False  # only needed if it is read after the loop
    room_before: int = 0  # of a list: `roomy` before the loop
    guessed_before: bool = False  # of a list: whether its capacity was a guess before the loop
    whole: bool = False  # it was a list of fixed length before the loop
    always: bool = False  # a list that gets as many elements in every iteration
    aliases: frozenset[int] = frozenset()  # what a name leads to: it may be the same as these
    called: str = ""  # of a list: what its name is


Begin = Callable[[CallFrame, Code], None]  # what an iteration begins with, given the code for its number


def find_loop_carried(
    frame: CallFrame, node: ast.For | ast.While, begin: Begin | None, execute: Execute
) -> tuple[list[LoopCarried], ControlFlow]:
    """Read the body once to find what it changes and how it ends. `node` is the loop of the original, for what follows
    it matters, too."""
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
    if rows := _tracked_rows(before, after):
        for name, (ref, place) in rows.items():
            before.names[name] = track_row(frame, ref, place)
        return find_loop_carried(frame, node, begin, execute)
    carried: list[LoopCarried] = []
    own = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} if isinstance(node, ast.For) else set()
    later = read_later(frame.node, node, names | own) if frame.node is not None else set()
    for place in ("cursors", "attributes", "names", "positions", "locs"):
        table = getattr(before, place)
        keys = dict.fromkeys(k for memory in after for k in getattr(memory, place))
        for key in keys:
            if place == "names" and key in own and key not in later:
                continue
            if place == "cursors" and key not in table:
                carried.append(LoopCarried(place, key, ir.Array(code.const(0), Aval(INT))))
                continue
            if key not in table:
                if place == "names" and (key in later or (key in frame.writer.maybe_unbound and key in names)):
                    carried += _left_over(frame, after, key)  # from the previous iteration
                if place == "attributes" and key in frame.program.slots:
                    carried.append(LoopCarried(place, key, _first_value(frame, key)))
                continue
            if any(getattr(m, place).get(key) is not table[key] for m in after) and not _same_ref(
                table[key], after, place, key
            ):
                value = loosened(frame, before.deep(table[key]))
                spare = value.roomy if isinstance(value, ir.Counted | ir.Masked) else 0
                whole = isinstance(value, ir.Items)
                if place == "locs":
                    for memory in (before, *after):
                        put_into(memory, _held_by_name(memory.locs.get(key)), ir.Ref(key))
                mine = LoopCarried(place, key, value, place == "names" and key in own, spare, whole)
                mine = replace(mine, guessed_before=isinstance(value, ir.Counted | ir.Masked) and value.guessed)
                called = next((n for n, v in before.names.items() if v == ir.Ref(key)), "") if place == "locs" else ""
                carried.append(replace(mine, aliases=_aliases_of(before, after, place, key), called=called))
    for memory in after:  # the next iteration begins with them
        for loc, ties in memory.aliases.items():
            for deep, other in ties:
                link(before, loc, deep, other)
    if any(m.state != before.state for m in after):
        raise StateRecordError("a function that returns a new state record is called in a loop")
    return carried, flow


def _held_by_name(value: Value | None) -> list[Value]:
    """The references that a list or an object holds; a loop carries copies."""
    if isinstance(value, ir.Items | ir.Keyed):
        return [*value.items] if isinstance(value, ir.Items) else [*value.items.values()]
    return []


def _aliases_of(before: Store, after: list[Store], place: str, key: Any) -> frozenset[int]:
    """The locations that a name may refer to, before or after an iteration."""
    if place != "names":
        return frozenset()
    values = [memory.names[key] for memory in (before, *after) if key in memory.names]
    return frozenset(loc for value in values for loc in locs_within(value))


def _tracked_rows(before: Store, after: list[Store]) -> dict[str, tuple[ir.Ref, ir.Array]]:
    """Names of rows of lists that the loop changes, so that the rows must be tracked from the start."""
    followed = {n for m in after for n, v in m.names.items() if isinstance(v, ir.Ref) and v.loc in m.positions}
    rows = {
        n: v for n, v in before.names.items() if n in followed and isinstance(v, ir.IndexView) and len(v.where) == 1
    }
    lists = {
        n: v.ref for n, v in rows.items() if isinstance(v.ref, ir.Ref) and isinstance(before.see(v.ref), ir.Counted)
    }
    return {n: (ref, as_array(rows[n].where[0])) for n, ref in lists.items()}


def _left_over(frame: CallFrame, after: list[Store], key: str) -> list[LoopCarried]:
    """The initial value of a name that is first assigned in the loop and keeps its value between iterations."""
    memory = next(m for m in after if key in m.names)
    value = memory.names[key]
    try:
        blank = _blank(memory.deep(value))
    except RefusedError as why:
        frame.memory.names[key] = ir.Unknown(why)
        return []
    if isinstance(value, ir.IndexView | ir.PermutedView | ir.Either) and isinstance(blank, ir.Array):
        blank = replace(blank, shared=True)  # which part it was of is known only at run time
    return [LoopCarried("names", key, blank, optional=True, aliases=_aliases_of(frame.memory, after, "names", key))]


def _first_value(frame: CallFrame, key: Any) -> Value:
    """The initial value of an attribute that is first assigned in the loop."""
    slot = frame.program.slots[key]
    blank = [ir.Array(array.code, array.kind, slot.listed) for array in slot.blank().values()]
    if slot.form == "plain":
        return blank[0]
    if slot.form in ("flags", "letters", "keyed"):
        return slot.value_of(blank)
    if slot.form == "objects":
        kind = Aval(INT, (slot.room,), slot.extra.heap)
        return ir.Counted(ir.Array(zero(kind).code, kind, listed=True), blank[-1])
    if slot.form == "listed":
        return ir.Counted(ir.Array(blank[0].code, blank[0].kind, listed=True), blank[1], slot.extra, clean=True)
    raise RefusedError("an attribute that may be None is first assigned in a loop")


def _same_ref(value: Value, after: list[Store], place: str, key: Any) -> bool:
    return isinstance(value, ir.Ref) and all(getattr(m, place).get(key) == value for m in after)


def loosened(frame: CallFrame, value: Value) -> Value:
    """A constant number as a run-time value; anything else as it is."""
    if isinstance(value, ir.Static):
        try:
            array = as_array(value)
        except RefusedError:
            return value
        return cast(array, array.kind.dtype)
    if isinstance(value, ir.Array):
        return cast(value, value.kind.dtype) if value.weak else value
    if isinstance(value, ir.Items):
        return replace(value, items=tuple(loosened(frame, v) for v in value.items))
    if isinstance(value, ir.Counted | ir.Members):
        return replace(value, count=cast(value.count, INT))
    if isinstance(value, ir.Gathered) and value.items:
        return some_of(frame, value)
    if isinstance(value, ir.Keyed):
        return replace(value, items={key: loosened(frame, part) for key, part in value.items.items()})
    return value


def widen(before: Value, after: Value, bounds: LoopBounds) -> Value:
    """The type that holds both; the same object if nothing had to change."""
    if isinstance(after, ir.Unknown):
        raise after.why
    if is_none(before) and not is_none(after):
        inner = after.value if isinstance(after, ir.Maybe) else after
        return ir.Maybe(ir.Array(code.call("jnp.bool_", code.const(False)), Aval(BOOL)), _blank(inner))
    if isinstance(before, ir.Maybe):
        inner = after.value if isinstance(after, ir.Maybe) else after
        widened = before.value if is_none(after) else widen(before.value, inner, bounds)
        return before if widened is before.value else ir.Maybe(before.present, widened)
    if isinstance(before, ir.Array) and before.listed and isinstance(after, ir.Rows):
        return whole_rows(before)
    if isinstance(before, ir.Array) and isinstance(after, ir.Array | ir.Static | ir.Items):
        new = as_array(after)
        kind = joined(before.kind, new.kind, before.weak, new.weak)
        if kind == before.kind:
            return before
        if kind.shape != before.kind.shape:
            raise RefusedError("a loop-carried array changes its shape from one iteration to the next")
        return cast(before, kind.dtype)
    if isinstance(before, ir.FixedKeyDict) and isinstance(after, ir.FixedKeyDict) and before.keys == after.keys:
        array = widen(before.array, after.array, bounds)
        return before if array is before.array else replace(before, array=as_array(array))
    if isinstance(after, ir.FixedKeyDict) and isinstance(before, ir.Static | ir.Keyed):
        return fixed_key_dict.fitted(after, before)
    inside = LoopBounds(bounds.most)
    if isinstance(before, ir.Items) and isinstance(after, ir.Array) and _is_set_somewhere(before, after):
        return widen(as_array(before), after, inside)
    if isinstance(before, ir.Items) and isinstance(after, ir.Items) and len(before.items) == len(after.items):
        parts = [widen(a, b, inside) for a, b in zip(before.items, after.items, strict=True)]
        same = all(a is b for a, b in zip(parts, before.items, strict=True))
        return before if same else replace(before, items=tuple(parts))
    if isinstance(before, ir.Keyed) and isinstance(after, ir.Keyed) and before.items.keys() == after.items.keys():
        held = {key: widen(part, after.items[key], inside) for key, part in before.items.items()}
        same = all(held[key] is part for key, part in before.items.items())
        return before if same else replace(before, items=held)
    if isinstance(before, ir.Gathered | ir.Masked) and is_set(before) and is_set(after):
        return before if isinstance(after, ir.Gathered) else grown_set(before, after, bounds)
    if is_list(before) and is_list(after):
        return grown_list(before, after, bounds)
    if same_structure(before, after):
        return before
    raise RefusedError("a loop-carried value changes its type from one iteration to the next")


def _is_set_somewhere(before: ir.Items, after: ir.Array) -> bool:
    """Whether a list was assigned a number or tuple at a run-time index. Nested lists are excluded: they could have
    aliases."""
    inside = [v for v in before.items if isinstance(v, ir.Items)]
    plain = not any(v.is_list for v in inside) and len(inside) in (0, len(before.items))
    return before.is_list and after.listed and plain and after.kind.shape[:1] == (len(before.items),)


def _blank(like: Value) -> Value:
    """Zeros of the same structure."""
    if isinstance(like, ir.Items):
        return replace(like, items=tuple(_blank(v) for v in like.items))
    if isinstance(like, ir.Counted):
        return replace(like, array=zero(like.array.kind), count=zero(Aval(INT)))
    array = as_array(like)
    return replace(array, code=zero(array.kind).code, weak=False)


def base_of_name(name: str) -> str:
    return name.partition(MARK)[0] or "value"


def hint_of(item: LoopCarried) -> str:
    if item.place == "positions":
        return "place"
    if item.place == "locs":
        array = item.value.array if isinstance(item.value, ir.Counted | ir.Rows | ir.FixedKeyDict) else item.value
        if isinstance(array, ir.Array) and isinstance(array.code, ast.Name):
            return base_of_name(array.code.id)
        if isinstance(array, ir.Array) and isinstance(array.code, ast.Attribute):
            return array.code.attr
        return base_of_name(item.called)
    return base_of_name(item.key) if isinstance(item.key, str) else called(item.key)
