"""State in dicts, lists and objects of the original: `self.bag["key"]`, `self.hands[0]`, `self.players[0].gold`."""

import ast
import enum
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from envwright.compiler.ir import code, object_arena
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.values import Value
from envwright.compiler.middle import capacity_check
from envwright.compiler.middle.coercion import fit
from envwright.compiler.middle.parts import under
from envwright.compiler.refusal import RefusedError


def content_of(value: Any, memory: Store) -> Value:
    """A constant list, array or dict; one with parts of the state in it, by key or index."""
    slots = memory.program.slots
    pairs = dict(enumerate(value)) if isinstance(value, list) else value
    if not isinstance(pairs, dict) or not any((id(value), key) in slots for key in pairs):
        return ir.Static(value)
    held: dict[Any, Value] = {}
    for key, inner in pairs.items():
        if (id(value), key) in slots:
            known_value = memory.attributes.get((id(value), key)) or memory.hold(ir.Static(inner))
            memory.attributes[id(value), key] = held[key] = known_value
        else:
            held[key] = ir.Static(inner)
    return ir.Keyed(held) if isinstance(value, dict) else ir.Items(tuple(held.values()), True)


def keep_part(frame: CallFrame, loc: int, key: Any, value: Value) -> None:
    """After an assignment to a dict or list: a part of the state is updated."""
    memory = frame.memory
    content = memory.locs[loc]
    if isinstance(content, ir.Items) and isinstance(key, int):
        key = key % len(content.items)
    place = (frame.program.cache.get(("dict", loc), 0), key)
    slot = frame.program.slots.get(place) if isinstance(key, Hashable) else None  # no slice
    if slot is None:
        stay_in_place(frame, ir.Ref(loc))
    if slot is None or not isinstance(content, ir.Keyed | ir.Items):
        return
    capacity_check.note_new(frame, place, value)
    fitted = fit(frame, slot, memory.deep(value) if slot.form != "objects" else value)
    if isinstance(content, ir.Keyed):
        held = memory.attributes[place] = memory.hold(fitted)
        memory.locs[loc] = ir.Keyed({**content.items, key: held})
        return
    held = _held_at(memory, loc, memory.attributes.get(place), value) or memory.hold(fitted)
    if isinstance(held, ir.Ref):
        memory.locs[held.loc] = fitted
    memory.attributes[place] = held
    items = [held if i == key else item for i, item in enumerate(content.items)]
    memory.locs[loc] = replace(content, items=tuple(items))


def _held_at(memory: Store, loc: int, old: Value | None, new: Value) -> ir.Ref | None:
    """The location for an assigned item: that of its aliases, if it has any, or that of the old item, if that had none,
    so that both branches of an if use the same one."""
    for one in (new, old):
        if isinstance(one, ir.Ref):
            others = [*memory.names.values(), *(v for names in memory.callers for v in names.values())]
            others += [v for other, v in memory.locs.items() if other != loc]
            named = any(one.loc in locs_within(other) for other in others)
            if named == (one is new):
                return one
    return None


def stay_in_place(frame: CallFrame, base: Value) -> None:
    """Refuse to reorder a list whose items are separate fields of the state."""
    live = live_at(frame, base.loc) if isinstance(base, ir.Ref) else None
    if isinstance(live, list) and parts_within(frame, live):
        raise RefusedError("a list whose items are separate fields of the state is reordered or gets other items")


def has_parts(frame: CallFrame, base: Value) -> bool:
    """Whether the state has parts of this dict, or of one of two."""
    if isinstance(base, ir.Either):
        return has_parts(frame, base.yes) or has_parts(frame, base.no)
    owner = frame.program.cache.get(("dict", base.loc)) if isinstance(base, ir.Ref) else None
    return any(place[0] == owner for place in frame.program.slots)


def store_parts(frame: CallFrame, live: Any, name: str, value: Value) -> bool:
    """Replace a dict, list or object whose parts are in the state, part by part."""
    seen = frame.memory.see(value) if not isinstance(value, ir.Unknown) else value
    if isinstance(live, list) and isinstance(seen, ir.Items | ir.Static):
        return _store_list(frame, live, name, value, seen)
    if isinstance(seen, ir.Static) and isinstance(seen.value, dict):
        seen = ir.Keyed({k: ir.Static(v) for k, v in seen.value.items()})
    slots = {key[1]: slot for key, slot in frame.program.slots.items() if key[0] == id(live)}
    if object_arena.arena_of(frame.memory, seen) and slots:
        raise RefusedError(f"{name} is replaced by an object that is in a list")
    if not slots or not isinstance(seen, ir.Keyed) or not slots.keys() <= seen.items.keys():
        return False
    if seen.made and (seen.made is not type(live) or seen.shared):
        raise RefusedError(f"an object of the class {seen.made.__name__} replaces an object of another class")
    if seen.made and any(isinstance(v, ir.Static) and v.value is live for v in frame.memory.names.values()):
        raise RefusedError(f"the object {name} is replaced, but has another alias")
    for part, inner in seen.items.items():
        if part in slots:
            capacity_check.note_new(frame, (id(live), part), inner)
            frame.memory.attributes[id(live), part] = frame.memory.hold(fit(frame, slots[part], inner))
            continue
        child = live.get(part) if isinstance(live, dict) else getattr(live, part, None)
        if not store_parts(frame, child, part, inner) and unlike(child, inner):
            frame.memory.attributes[id(live), part] = ir.Unknown(frame.placed(RefusedError(
                f"{part} of {name} is written, but never changed in the recorded episodes"
            )))  # fmt: skip
    if seen.made and isinstance(value, ir.Ref):
        frame.memory.locs[value.loc] = ir.Static(live)  # all names of the new one mean what is there now
    loc = frame.program.cache.get(("cell", id(live)))
    if loc is not None:
        frame.memory.locs.pop(loc, None)
    return True


def _store_list(frame: CallFrame, live: list[Any], name: str, value: Value, seen: ir.Items | ir.Static) -> bool:
    """Replace a list whose items are separate fields."""
    memory, slots = frame.memory, frame.program.slots
    owners = {id(live), *map(id, live)}
    if not any(owner in owners for owner, _ in slots):
        return False
    if isinstance(seen, ir.Static):
        seen = ir.Items(tuple(memory.hold(ir.Static(part)) for part in seen.value), True)
    locs = [part.loc for part in seen.items if isinstance(part, ir.Ref)]
    if len(seen.items) != len(live) or len({*locs}) < len(locs):
        raise RefusedError(f"{name} is replaced by a list of another length, or one that holds an object twice")
    for i, part in enumerate(seen.items):
        slot = slots.get((id(live), i))
        if slot is None:
            if not store_parts(frame, live[i], f"{name}[{i}]", part) and unlike(live[i], part):
                raise RefusedError(f"{name}[{i}] is written, but never changed in the recorded episodes")
            continue
        capacity_check.note_new(frame, (id(live), i), part)
        fitted = fit(frame, slot, part)
        if isinstance(part, ir.Ref):
            memory.locs[part.loc] = fitted
        memory.attributes[id(live), i] = part if isinstance(part, ir.Ref) else memory.hold(fitted)
    if (loc := frame.program.cache.get(("cell", id(live)))) is not None:
        memory.locs.pop(loc, None)
    if isinstance(value, ir.Ref):
        memory.locs[value.loc] = content_of(live, memory)  # its names mean the same lists
    return True


def unlike(have: Any, value: Value) -> bool:
    if not isinstance(value, ir.Static):
        return True
    try:
        return not bool(np.array_equal(np.asarray(have, object), np.asarray(value.value, object)))
    except Exception:
        return True


def cases_of(frame: CallFrame, base: Value) -> list[tuple[ir.Array, ir.Static]] | None:
    """The objects with parts of the state that a name may refer to, each with its condition."""
    content = frame.memory.see(base) if not isinstance(base, ir.Static | ir.Unknown) else None
    if not isinstance(content, ir.Picked) or content.table.ndim != 1:
        return None
    if not any(parts_within(frame, option) for option in content.table.flat):
        return None
    places = [code.compare(content.index[0], ast.Eq(), code.const(i)) for i in range(len(content.table))]
    return [
        (ir.Array(place, Aval(BOOL)), ir.Static(option)) for place, option in zip(places, content.table, strict=True)
    ]


def parts_within(frame: CallFrame, thing: Any, deep: int = 3) -> list[tuple[int, Any]]:
    """The parts that the state has of an object, a dict or a list, and of what it holds."""
    if isinstance(thing, str | bytes | int | float | np.ndarray | enum.Enum | None | type) or deep == 0:
        return []
    found = [key for key in frame.program.slots if key[0] == id(thing)]
    if isinstance(thing, dict | list | tuple):
        inside = [*thing.values()] if isinstance(thing, dict) else [*thing]
    else:  # other objects that it knows are not its parts
        inside = [part for part in getattr(thing, "__dict__", {}).values() if isinstance(part, dict | list | tuple)]
    for part in inside:
        found += parts_within(frame, part, deep - 1)
    return found


def live_at(frame: CallFrame, loc: int) -> Any:
    """The list or dict of the original at a location."""
    born = frame.program.born.get(loc)
    return born.args[0] if isinstance(born, partial) else None


def in_each(frame: CallFrame, cases: list[tuple[ir.Array, ir.Static]], find: Callable[[Value], Value]) -> Value:
    """A function of the object that is selected."""
    (when, first), *others = cases
    if not others:
        return find(first)
    return under(frame, when, lambda: find(first), lambda: in_each(frame, others, find))
