"""Capacity checks of lists and sets of the state: they must be bounded, and overflows within a step are noted."""

import ast
import math
import re
from dataclasses import replace
from typing import Any

from envwright.compiler.ir import code, overflow
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.store import Attribute
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.ir.values import Value
from envwright.compiler.refusal import RefusedError


def note(frame: CallFrame, base: Value, longer: bool) -> None:
    """A list or set of the state is about to grow or shrink."""
    if isinstance(base, ir.Either):
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


def note_new(frame: CallFrame, key: Attribute, value: Value) -> None:
    """A list or set of the state is about to be replaced."""
    slot = frame.program.slots[key]
    if not (slot.is_list or slot.form == "flags") or isinstance(value, ir.Unknown):
        return
    if key in frame.memory.attributes:
        _look_at_room(frame, key)
    new = frame.memory.see(value)
    room = new.array.kind.shape[0] if isinstance(new, ir.Counted | ir.Masked) else 0
    strange = isinstance(new, ir.Masked) or (isinstance(new, ir.Gathered) and bool(new.items))
    if room > slot.room or (slot.form == "flags" and strange):  # it may hold more than there is capacity for
        frame.program.longer[frame.writer.when].add(_called(frame, key))
    if slot.is_list and not frame.writer.start:
        frame.program.shrunk.add(_called(frame, key))


def _look_at_room(frame: CallFrame, key: Attribute) -> None:
    """Before a list shrinks, note whether it has overflowed: afterwards it could not be told. Only lists that grow in a
    step, or start with too many elements, can."""
    program, memory, field = frame.program, frame.memory, _called(frame, key)
    content = memory.see(memory.attributes[key])
    begun = frame.writer.top and memory.state == "state" and content is memory.clean.get(key)
    grows = field in program.growing["start"] or (field in program.growing[frame.writer.when] and not begun)
    if not grows or overflow.OVERFLOW not in memory.attributes:
        return
    if isinstance(content, ir.Counted) and content.longest is None and not _fits(content):
        overflow.note(frame, code.compare(content.count.code, ast.Gt(), code.const(content.room)))
    if isinstance(content, ir.Members) and not isinstance(content.count.code, ast.Constant):
        overflow.note(frame, code.compare(code.call("jnp.sum", content.array.code), ast.NotEq(), content.count.code))


def _fits(content: ir.Counted) -> bool:
    """Whether a list provably fits."""
    match content.count.code:
        case ast.Constant(value=int(count)):
            return count <= content.room
    return False


def cut_short(frame: CallFrame) -> None:
    """The start of an episode cannot be truncated: after an overflow, a list gets an impossible count, so that
    the first step truncates it."""
    for flag in overflow.noted(frame.memory):
        for key, slot in frame.program.slots.items():
            place = frame.memory.attributes.get(key)
            content = frame.memory.see(place) if isinstance(place, ir.Ref) else None
            plain = isinstance(content, ir.Members) or (isinstance(content, ir.Counted) and content.longest is None)
            if isinstance(place, ir.Ref) and isinstance(content, ir.Counted | ir.Members) and plain:
                too_many = slot.room + 1 if isinstance(content, ir.Counted) else math.prod(content.array.kind.shape) + 1
                count = code.call("jnp.where", flag, code.const(too_many), content.count.code)
                frame.memory.locs[place.loc] = replace(content, count=ir.Array(count, Aval(INT)))
                return
        raise RefusedError("a list may exceed the capacity that the contract has for it at the start of an episode")


def _asks_length(frame: CallFrame, field: str, base: Value, guard: code.Code) -> bool:
    """Whether a condition depends on the length of a list."""
    content = frame.memory.see(base)
    own = code.names_in(content.count.code) if isinstance(content, ir.Counted) else set[str]()
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


def is_kept(frame: CallFrame, base: Value) -> bool:
    """Whether a list is part of the state, with a capacity by the contract."""
    key = _key(frame, base)
    return key is not None and frame.program.slots[key].is_list


def _key(frame: CallFrame, base: Value) -> Attribute | None:
    """The attribute that holds a list or set."""
    for key, slot in frame.program.slots.items():
        kept = slot.is_list or slot.form == "flags"
        if kept and isinstance(base, ir.Ref) and frame.memory.attributes.get(key) == base:
            return key
    return None


def _called(frame: CallFrame, key: Attribute) -> str:
    return frame.program.slots[key].count.removesuffix("_count")


def check(program: TranslationUnit, page: CallFrame, ends: list[code.Code], limit: int | None) -> None:
    """Refuse a list that only grows, if no event ends the episode."""
    if _fields_behind(program, page, ends) or limit is not None or any("action" in code.names_in(e) for e in ends):
        return  # how long it gets was seen in play; a game that ends by its own rules has shown it
    rooms = {slot.count.removesuffix("_count"): slot.room for slot in program.slots.values() if slot.is_list}
    for field, (function, file, line) in program.grown.items():
        if field not in program.shrunk:
            raise RefusedError(
                f"the list {field} grows with every step, and nothing shrinks it or ends the episode, so "
                f"no capacity is enough for it ({rooms[field]} in the recorded episodes)"
            ).at(function, file, line)


def _fields_behind(program: TranslationUnit, page: CallFrame, ends: list[code.Code]) -> set[str]:
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
