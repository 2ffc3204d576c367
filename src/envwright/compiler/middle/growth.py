"""Lists that a step makes longer: there must be something that keeps them from growing for ever."""

import re
from typing import Any

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.program import Program
from envwright.compiler.ir.values import Counted, Ref, Value
from envwright.compiler.refusal import RefusedError


def note(frame: Frame, base: Value, longer: bool) -> None:
    """A list of the state gets longer or shorter in a step."""
    field = _field(frame, base)
    if field is None or frame.writer.start:
        return
    if longer and not any(_asks_length(frame, field, base, guard) for guard in frame.guards):
        frame.program.grown.setdefault(field, (frame.qualified, frame.file, frame.line))
    elif not longer:
        frame.program.shrunk.add(field)


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
    return _field(frame, base) is not None


def _field(frame: Frame, base: Value) -> str | None:
    for key, slot in frame.program.slots.items():
        if slot.is_list and isinstance(base, Ref) and frame.memory.attributes.get(key) == base:
            return slot.count.removesuffix("_count")
    return None


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
