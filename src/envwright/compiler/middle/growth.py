"""Lists and sets that a step makes longer or shorter: something must keep them from growing for ever, and where one has
too little room in the middle of a step, it must be known at the end."""

import ast
import math
import re
from dataclasses import replace
from typing import Any

from envwright.compiler.ir import code, outgrown
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.memory import Attribute
from envwright.compiler.ir.program import Program
from envwright.compiler.ir.values import Array, Counted, Either, Gathered, Masked, Members, Ref, Unknown, Value
from envwright.compiler.refusal import RefusedError


def note(frame: Frame, base: Value, longer: bool) -> None:
    """A list or set of the state is about to get longer or shorter."""
    if isinstance(base, Either):
        note(frame, base.yes, longer)
        note(frame, base.no, longer)
    key = _key(frame, base)
    if key is None:
        return
    field = _called(frame, key)
    if longer:
        frame.program.longer[frame.writer.when].add(field)
    else:
        _look_at_room(frame, key)
    if not frame.program.slots[key].is_list or frame.writer.start:
        return
    if longer and not any(_asks_length(frame, field, base, guard) for guard in frame.guards):
        frame.program.grown.setdefault(field, (frame.qualified, frame.file, frame.line))
    elif not longer:
        frame.program.shrunk.add(field)


def note_new(frame: Frame, key: Attribute, value: Value) -> None:
    """A list or set of the state is about to become another one."""
    slot = frame.program.slots[key]
    if not (slot.is_list or slot.form == "flags") or isinstance(value, Unknown):
        return
    if key in frame.memory.attributes:
        _look_at_room(frame, key)
    new = frame.memory.see(value)
    room = new.array.kind.shape[0] if isinstance(new, Counted | Masked) else 0
    strange = isinstance(new, Masked) or (isinstance(new, Gathered) and bool(new.items))
    if room > slot.room or (slot.form == "flags" and strange):  # it may hold more than there is room for
        frame.program.longer[frame.writer.when].add(_called(frame, key))
    if slot.is_list and not frame.writer.start:
        frame.program.shrunk.add(_called(frame, key))


def _look_at_room(frame: Frame, key: Attribute) -> None:
    """Before a list gets shorter: where it had too little room until now, that is noted, for nobody could tell at the
    end of the step. Only lists that get longer in a step can have, or those that begin with too much."""
    program, memory, field = frame.program, frame.memory, _called(frame, key)
    content = memory.see(memory.attributes[key])
    begun = frame.writer.top and memory.state == "state" and content is memory.clean.get(key)
    grows = field in program.growing["start"] or (field in program.growing[frame.writer.when] and not begun)
    if not grows or outgrown.NOTE not in memory.attributes:
        return
    if isinstance(content, Counted) and content.longest is None and not _fits(content):
        outgrown.note(frame, code.compare(content.count.code, ast.Gt(), code.const(content.room)))
    if isinstance(content, Members) and not isinstance(content.count.code, ast.Constant):
        outgrown.note(frame, code.compare(code.call("jnp.sum", content.array.code), ast.NotEq(), content.count.code))


def _fits(content: Counted) -> bool:
    """Whether a list is known to have room enough."""
    match content.count.code:
        case ast.Constant(value=int(count)):
            return count <= content.room
    return False


def cut_short(frame: Frame) -> None:
    """At the start of an episode, which cannot be cut off: where something had too little room, a list has more than
    there can be, so that the first step ends it."""
    for flag in outgrown.noted(frame.memory):
        for key, slot in frame.program.slots.items():
            place = frame.memory.attributes.get(key)
            content = frame.memory.see(place) if isinstance(place, Ref) else None
            plain = isinstance(content, Members) or (isinstance(content, Counted) and content.longest is None)
            if isinstance(place, Ref) and isinstance(content, Counted | Members) and plain:
                too_many = slot.room + 1 if isinstance(content, Counted) else math.prod(content.array.kind.shape) + 1
                count = code.call("jnp.where", flag, code.const(too_many), content.count.code)
                frame.memory.cells[place.cell] = replace(content, count=Array(count, Kind(INT)))
                return
        raise RefusedError("a list may need more room at the start of an episode than the contract has")


def _asks_length(frame: Frame, field: str, base: Value, guard: code.Code) -> bool:
    """Whether a condition depends on how long a list is."""
    content = frame.memory.see(base)
    own = code.names_in(content.count.code) if isinstance(content, Counted) else set[str]()
    waiting, seen = [guard], set[str]()
    while waiting:
        node = waiting.pop()
        if f"{field}_count" in code.text(node):
            return True
        for name in code.names_in(node) - seen:
            seen.add(name)
            if name in own:
                return True
            waiting += [frame.writer.meanings[name]] if name in frame.writer.meanings else []
    return False


def is_kept(frame: Frame, base: Value) -> bool:
    """Whether a list is part of the state, with room by the contract; others get a place more with each element."""
    key = _key(frame, base)
    return key is not None and frame.program.slots[key].is_list


def _key(frame: Frame, base: Value) -> Attribute | None:
    """The attribute that a list or set is."""
    for key, slot in frame.program.slots.items():
        kept = slot.is_list or slot.form == "flags"
        if kept and isinstance(base, Ref) and frame.memory.attributes.get(key) == base:
            return key
    return None


def _called(frame: Frame, key: Attribute) -> str:
    return frame.program.slots[key].count.removesuffix("_count")


def check(program: Program, page: Frame, ends: list[code.Code], limit: int | None) -> None:
    """Refuse a list that only grows, if nothing that happens in an episode ends it."""
    if _fields_behind(program, page, ends) or limit is not None or any("action" in code.names_in(e) for e in ends):
        return  # how long it gets was seen in play; a game that ends by its own rules has shown it
    rooms = {slot.count.removesuffix("_count"): slot.room for slot in program.slots.values() if slot.is_list}
    for field, (function, file, line) in program.grown.items():
        if field not in program.shrunk:
            raise RefusedError(
                f"the list {field} gets longer with every step, and nothing makes it shorter or ends the episode, so "
                f"no room is enough for it ({rooms[field]} places by what was seen)"
            ).at(function, file, line)


def _fields_behind(program: Program, page: Frame, ends: list[code.Code]) -> set[str]:
    """The fields of the state that expressions depend on, through statements and functions."""
    meanings: dict[str, list[code.Statement]] = {}
    for statement in page.writer.blocks[0]:
        for name in code.defines(statement):
            meanings.setdefault(name, []).append(statement)
    waiting: list[Any] = list(ends)
    seen: set[str] = set()
    found: set[str] = set()
    while waiting:
        node = waiting.pop()
        text = code.text(node)
        found |= set(re.findall(r"\bstate\w*\.(\w+)", text))
        found |= set(re.findall(r"(\w+)=", text)) if ".replace(" in text or text.startswith("State(") else set()
        for name in code.names_in(node) - seen:
            seen.add(name)
            for statement in meanings.get(name, []):
                waiting += _parts(statement)
            if name in program.functions:
                function = program.functions[name]
                waiting += [function.result, *(part for s in function.body for part in _parts(s))]
    return found


def _parts(statement: code.Statement) -> list[Any]:
    if isinstance(statement, code.Assign):
        return [statement.value]
    if isinstance(statement, code.Define):
        return [statement.result, *(part for s in statement.body for part in _parts(s))]
    return []
