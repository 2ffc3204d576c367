"""Parts of the state that lie in dicts, lists and objects of the original's: `self.bag["key"]`, `self.hands[0]`,
`self.players[0].gold`. Which of several objects is meant may be a matter of the game."""

import ast
import enum
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from envwright.compiler.ir import code, heaps
from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, Kind
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.values import Array, Either, Items, Keyed, Picked, Ref, Static, Unknown, Value
from envwright.compiler.middle import growth
from envwright.compiler.middle.fitting import fit
from envwright.compiler.middle.parts import under
from envwright.compiler.refusal import RefusedError


def content_of(value: Any, memory: Memory) -> Value:
    """A known list or array as it is; a dict or list with parts of the state in it, by key or place."""
    slots = memory.program.slots
    pairs = dict(enumerate(value)) if isinstance(value, list) else value
    if not isinstance(pairs, dict) or not any((id(value), key) in slots for key in pairs):
        return Static(value)
    held: dict[Any, Value] = {}
    for key, inner in pairs.items():
        if (id(value), key) in slots:
            known_value = memory.attributes.get((id(value), key)) or memory.hold(Static(inner))
            memory.attributes[id(value), key] = held[key] = known_value
        else:
            held[key] = Static(inner)
    return Keyed(held) if isinstance(value, dict) else Items(tuple(held.values()), True)


def keep_part(frame: Frame, cell: int, key: Any, value: Value) -> None:
    """After a dict or list has got a value at a key: where that is a part of the state, it is in it from now on."""
    memory = frame.memory
    content = memory.cells[cell]
    if isinstance(content, Items) and isinstance(key, int):
        key = key % len(content.items)
    place = (frame.program.cache.get(("dict", cell), 0), key)
    slot = frame.program.slots.get(place) if isinstance(key, Hashable) else None  # no slice
    if slot is None:
        stay_in_place(frame, Ref(cell))
    if slot is None or not isinstance(content, Keyed | Items):
        return
    growth.note_new(frame, place, value)
    fitted = fit(frame, slot, memory.deep(value) if slot.form != "objects" else value)
    if isinstance(content, Keyed):
        held = memory.attributes[place] = memory.hold(fitted)
        memory.cells[cell] = Keyed({**content.items, key: held})
        return
    held = _held_at(memory, cell, memory.attributes.get(place), value) or memory.hold(fitted)
    if isinstance(held, Ref):
        memory.cells[held.cell] = fitted
    memory.attributes[place] = held
    items = [held if i == key else item for i, item in enumerate(content.items)]
    memory.cells[cell] = replace(content, items=tuple(items))


def _held_at(memory: Memory, cell: int, old: Value | None, new: Value) -> Ref | None:
    """The cell for what a list has got: that of its names, if it has any; or that of what was there, if that had no
    other name, so that after a branch it is the same cell on both sides."""
    for one in (new, old):
        if isinstance(one, Ref):
            others = [*memory.names.values(), *(v for names in memory.callers for v in names.values())]
            others += [v for other, v in memory.cells.items() if other != cell]
            named = any(one.cell in cells_within(other) for other in others)
            if named == (one is new):
                return one
    return None


def stay_in_place(frame: Frame, base: Value) -> None:
    """Refuse to change a list whose lists or objects the state keeps apart: each is known by its place."""
    live = live_at(frame, base.cell) if isinstance(base, Ref) else None
    if isinstance(live, list) and parts_within(frame, live):
        raise RefusedError("a list whose lists or objects the state keeps apart gets others, or another order")


def has_parts(frame: Frame, base: Value) -> bool:
    """Whether this is a dict that the state has parts of, or one of two of which it has."""
    if isinstance(base, Either):
        return has_parts(frame, base.yes) or has_parts(frame, base.no)
    owner = frame.program.cache.get(("dict", base.cell)) if isinstance(base, Ref) else None
    return any(place[0] == owner for place in frame.program.slots)


def store_parts(frame: Frame, live: Any, name: str, value: Value) -> bool:
    """A dict, list or object whose parts are in the state is replaced: its parts are."""
    seen = frame.memory.see(value) if not isinstance(value, Unknown) else value
    if isinstance(live, list) and isinstance(seen, Items | Static):
        return _store_list(frame, live, name, value, seen)
    if isinstance(seen, Static) and isinstance(seen.value, dict):
        seen = Keyed({k: Static(v) for k, v in seen.value.items()})
    slots = {key[1]: slot for key, slot in frame.program.slots.items() if key[0] == id(live)}
    if heaps.heap_of(frame.memory, seen) and slots:
        raise RefusedError(f"{name} becomes an object that is in a list")
    if not slots or not isinstance(seen, Keyed) or not slots.keys() <= seen.items.keys():
        return False
    if seen.made and (seen.made is not type(live) or seen.shared):
        raise RefusedError(f"an object of the class {seen.made.__name__} takes the place of another one's")
    if seen.made and any(isinstance(v, Static) and v.value is live for v in frame.memory.names.values()):
        raise RefusedError(f"the object {name} is replaced, but goes on under another name")
    for part, inner in seen.items.items():
        if part in slots:
            growth.note_new(frame, (id(live), part), inner)
            frame.memory.attributes[id(live), part] = frame.memory.hold(fit(frame, slots[part], inner))
            continue
        child = live.get(part) if isinstance(live, dict) else getattr(live, part, None)
        if not store_parts(frame, child, part, inner) and unlike(child, inner):
            frame.memory.attributes[id(live), part] = Unknown(frame.placed(RefusedError(
                f"{part} of {name} is written, but was never seen to change in the games played"
            )))  # fmt: skip
    if seen.made and isinstance(value, Ref):
        frame.memory.cells[value.cell] = Static(live)  # all names of the new one mean what is there now
    cell = frame.program.cache.get(("cell", id(live)))
    if cell is not None:
        frame.memory.cells.pop(cell, None)
    return True


def _store_list(frame: Frame, live: list[Any], name: str, value: Value, seen: Items | Static) -> bool:
    """A list of a few lists or objects that are kept apart is replaced."""
    memory, slots = frame.memory, frame.program.slots
    owners = {id(live), *map(id, live)}
    if not any(owner in owners for owner, _ in slots):
        return False
    if isinstance(seen, Static):
        seen = Items(tuple(memory.hold(Static(part)) for part in seen.value), True)
    cells = [part.cell for part in seen.items if isinstance(part, Ref)]
    if len(seen.items) != len(live) or len({*cells}) < len(cells):
        raise RefusedError(f"{name} becomes a list of another length, or holds the same thing twice")
    for i, part in enumerate(seen.items):
        slot = slots.get((id(live), i))
        if slot is None:
            if not store_parts(frame, live[i], f"{name}[{i}]", part) and unlike(live[i], part):
                raise RefusedError(f"{name}[{i}] is written, but was never seen to change in the games played")
            continue
        growth.note_new(frame, (id(live), i), part)
        fitted = fit(frame, slot, part)
        if isinstance(part, Ref):
            memory.cells[part.cell] = fitted
        memory.attributes[id(live), i] = part if isinstance(part, Ref) else memory.hold(fitted)
    if (cell := frame.program.cache.get(("cell", id(live)))) is not None:
        memory.cells.pop(cell, None)
    if isinstance(value, Ref):
        memory.cells[value.cell] = content_of(live, memory)  # its names mean the same lists
    return True


def unlike(have: Any, value: Value) -> bool:
    if not isinstance(value, Static):
        return True
    try:
        return not bool(np.array_equal(np.asarray(have, object), np.asarray(value.value, object)))
    except Exception:
        return True


def cases_of(frame: Frame, base: Value) -> list[tuple[Array, Static]] | None:
    """The objects with parts of the state that a name may mean, each with the condition under which it does."""
    content = frame.memory.see(base) if not isinstance(base, Static | Unknown) else None
    if not isinstance(content, Picked) or content.table.ndim != 1:
        return None
    if not any(parts_within(frame, option) for option in content.table.flat):
        return None
    places = [code.compare(content.index[0], ast.Eq(), code.const(i)) for i in range(len(content.table))]
    return [(Array(place, Kind(BOOL)), Static(option)) for place, option in zip(places, content.table, strict=True)]


def parts_within(frame: Frame, thing: Any, deep: int = 3) -> list[tuple[int, Any]]:
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


def live_at(frame: Frame, cell: int) -> Any:
    """What the original has in a cell that begins with a list or dict of its own."""
    born = frame.program.born.get(cell)
    return born.args[0] if isinstance(born, partial) else None


def in_each(frame: Frame, cases: list[tuple[Array, Static]], find: Callable[[Value], Value]) -> Value:
    """What is found of the object that is meant."""
    (when, first), *others = cases
    if not others:
        return find(first)
    return under(frame, when, lambda: find(first), lambda: in_each(frame, others, find))
