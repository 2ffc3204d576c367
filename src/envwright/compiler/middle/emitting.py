"""A function of the original as a function of the translation, where it can be one.

It is read with parameters in the place of its arguments. If it changes its arguments, or uses up luck in a way that
depends on the game, it is read in the middle of its caller instead.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code, outgrown, record
from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.code import Assign, Code, Written
from envwright.compiler.ir.frame import RESERVED, Frame, Writer
from envwright.compiler.ir.kinds import is_number
from envwright.compiler.ir.lists import counted
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.packing import pack, rebuild
from envwright.compiler.ir.trails import has_row
from envwright.compiler.ir.twins import ROWS, touched
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Keyed,
    Masked,
    Maybe,
    Picked,
    Ref,
    Rows,
    Static,
    Unknown,
    Value,
    as_array,
    cast,
)
from envwright.compiler.middle.luck import Drawn, base_of, note_draws
from envwright.compiler.middle.reading import Callee, bind, frame_for, read_body, read_inline
from envwright.compiler.refusal import RefusedError


class UncleanError(Exception):
    """It cannot be a function of its own."""


@dataclass
class Made:
    """A function that was written, and how it is called."""

    name: str
    value: Value  # what it gives, with codes of its own
    reads_state: bool
    writes_state: bool
    luck: dict[str, int]  # piece of luck -> how many draws
    draws: list[tuple[str, Drawn]]
    order: list[str]  # of the parameters that stand for arguments
    notes: bool = False  # what it gives last is whether something has outgrown its room
    loops: bool = False  # it has a loop that ends only by its condition, so it may only be called where the original is
    rewritten: frozenset[Any] = frozenset()  # the attributes that it changes
    renewed: frozenset[Any] = frozenset()  # those to which it gives other lists


def emit_function(
    frame: Frame, callee: Callee, arguments: list[Value], options: dict[str, Value], hints: tuple[str, ...]
) -> Value:
    """Call a function of the original's: as a function of the translation if it can be one."""
    given = bind(frame, callee, arguments, options)
    if isinstance(callee.node, ast.Lambda) or not _worth_it(callee):
        return read_inline(frame, callee, arguments, options)
    try:
        parts = {name: _argument(frame, value) for name, value in given.items()}
        if _has_transient(frame):
            raise UncleanError
        if (judged := frame.program.cache.get(("contract", callee.code))) is not None:
            fitted = _as_judged(parts, judged[1])
            if fitted is not None:
                return _call(frame, judged[0], fitted, hints)
        key = (callee.code, frame.writer.start, tuple((n, _key(v)) for n, v in parts.items()))
        made = frame.program.cache.get(key)
        if made is None:
            made = frame.program.cache[key] = _write(frame, callee, parts)
        if made is UncleanError:
            raise UncleanError
        return _call(frame, made, parts, hints)
    except UncleanError:
        return read_inline(frame, callee, arguments, options)


def _as_judged(given: dict[str, Value], like: dict[str, Value]) -> dict[str, Value] | None:
    """The arguments as the function of the contract takes them, if it can."""
    fitted: dict[str, Value] = {}
    for name, wanted in like.items():
        value = given[name]
        if isinstance(wanted, Static):
            fitted[name] = value
        elif isinstance(wanted, Array) and (
            isinstance(value, Array) or (isinstance(value, Static) and is_number(value.value))
        ):
            array = as_array(value)
            if array.kind.shape != wanted.kind.shape or (array.kind.is_float and not wanted.kind.is_float):
                return None
            fitted[name] = Array(array.code, array.kind) if array.weak else cast(array, wanted.kind.dtype)
        elif isinstance(wanted, Counted) and isinstance(value, Counted | Items):
            full = counted(value)
            if full.array.kind.dtype != wanted.array.kind.dtype:
                return None
            fitted[name] = full
        else:
            return None
    return fitted


def _worth_it(callee: Callee) -> bool:
    """Whether a function does more than to hand on to another one; our own drivers do not."""
    if "/envwright/references/" in callee.file.replace("\\", "/"):
        return False
    body = [s for s in callee.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]  # pyright: ignore
    hands_on = len(body) == 1 and isinstance(body[0], ast.Return | ast.Expr) and isinstance(body[0].value, ast.Call)
    return not hands_on or bool(callee.doc) or not isinstance(body[0].value.func, ast.Attribute)  # pyright: ignore


def _has_transient(frame: Frame) -> bool:
    """Whether attributes that are no part of the state hold something the function might read."""
    program = frame.program
    for key, value in frame.memory.attributes.items():
        mine = key in program.slots or key in program.ignored or key == outgrown.NOTE  # which a function cannot ask
        if not mine and not isinstance(value, Static | Unknown):
            return True
    return False


def _argument(frame: Frame, value: Value) -> Value:
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Items) and cells_within(value):
        raise UncleanError  # a tuple of lists that have names
    deep = frame.memory.deep(value)
    if isinstance(deep, Masked):
        return counted(deep)
    if not isinstance(deep, Static | Array | Items | Counted | Maybe | Rows | Picked | Keyed):
        raise UncleanError
    if isinstance(deep, Keyed | Rows | Picked):
        raise UncleanError
    return deep


def _key(value: Value) -> Any:
    match value:
        case Static():
            inner = value.value
            if isinstance(inner, int | float | str | bool | type(None) | bytes):
                return ("static", type(inner), inner)
            if isinstance(inner, tuple | np.ndarray | list):
                return ("static", repr(inner))
            return ("static", id(inner))
        case Array():
            return ("array", value.kind, value.listed)
        case Items():
            return ("items", value.is_list, tuple(_key(v) for v in value.items))
        case Counted():
            return ("counted", value.array.kind, value.longest, value.clean)
        case Maybe():
            return ("maybe", _key(value.value))
        case Unknown():
            return ("unknown",)
    raise UncleanError


def _write(frame: Frame, callee: Callee, given: dict[str, Value]) -> Any:
    """Read a function on a page of its own."""
    program = frame.program
    writer = Writer(start=frame.writer.start)
    memory = Memory(program)
    page = Frame(program, writer, memory)
    record.load(page, memory, "state")
    for key, value in frame.memory.attributes.items():
        if key not in program.slots and key != outgrown.NOTE:
            memory.attributes[key] = value
    names: dict[str, Value] = {}
    order: list[str] = []
    for name, value in given.items():
        if isinstance(value, Unknown):
            names[name] = value
            continue
        made, own = rebuild(value, writer.fresh, name.strip("_") or name)
        names[name] = memory.hold(made)
        order += own
    held = {name: (value, memory.cells[value.cell]) for name, value in names.items() if isinstance(value, Ref)}
    before = dict(memory.attributes)
    memory.names, memory.above = names, frozenset(ref.cell for ref, _ in held.values())
    page = frame_for(page, callee, memory)
    page.depth = 0
    page.calling = (*frame.calling, callee.code)
    try:
        value = read_body(page, callee)
    except RefusedError:  # on a page of its own, it may not find what the step has set
        if writer.passing:
            return UncleanError
        raise
    after = page.memory
    for ref, content in held.values():
        if isinstance(ref, Ref) and after.cells.get(ref.cell) is not content:
            return UncleanError
    for key, was in after.attributes.items():
        unread = (key in program.ignored and key not in program.passing) or key == outgrown.NOTE
        if key not in program.slots and not unread and before.get(key) is not was:
            return UncleanError
    if writer.passing:
        return UncleanError
    if any(not isinstance(c, Static) for c in after.cursors.values()):
        return UncleanError
    if _is_shared(value, after, before, held):
        return UncleanError
    value = after.deep(value)
    if not _can_be_handed(value):
        return UncleanError
    page.line = 0
    try:
        changed = record.changed(page, after)
    except RefusedError:  # in the middle of a step, it need not fit into the record
        return UncleanError
    state_name = after.state
    if changed or state_name != "state":
        fields = {name: page.named(name, array.code) for name, array in changed.items()}
        state_code: Code = code.name(state_name)
        if fields:
            state_code = code.method(state_code, "replace", **fields)
    else:
        state_code = code.name("state")
    writes = bool(changed) or state_name != "state"
    leaves = pack(value, value)
    too_little = outgrown.noted(after)
    outputs = [*([state_code] if writes else []), *leaves, *too_little]
    result = outputs[0] if len(outputs) == 1 else code.tuple_of(outputs)
    used = set().union(code.names_in(result), *(code.uses(s) for s in writer.blocks[0]))
    reads = "state" in used
    name = _name(program, callee)
    luck_used = {field: int(c.value) for field, c in after.cursors.items() if isinstance(c, Static) and c.value}
    parameters = [*([("state", "State")] if reads else []), *((n, "jax.Array") for n in order)]
    parameters += [(writer.luck[field], "jax.Array") for field in luck_used]
    returns = ["State"] if writes else []
    returns += ["jax.Array"] * len([*leaves, *too_little])
    if not outputs:
        return Made(name, value, False, False, {}, [], order)
    annotation = returns[0] if len(returns) == 1 else f"tuple[{', '.join(returns)}]"
    program.functions[name] = Written(
        name, parameters, writer.blocks[0], result, annotation, callee.doc, callee.qualified, callee.file,
        callee.node.lineno, writer.bases,
    )  # fmt: skip
    draws: list[tuple[str, Drawn]] = writer.collected
    rewritten = {key for key, slot in program.slots.items() if any(own in changed for own, _ in slot.fields)}
    lists = {key: was for key, was in before.items() if key in program.slots and isinstance(was, Ref)}
    renewed = {key for key, was in lists.items() if after.attributes.get(key) != was}
    return Made(
        name, value, reads, writes, luck_used, draws, order, bool(too_little), writer.loops,
        frozenset(rewritten | writer.rewritten), frozenset(renewed | writer.renewed),
    )  # fmt: skip


def _is_shared(value: Value, memory: Memory, before: Mapping[Any, Value], held: Mapping[str, Any]) -> bool:
    """Whether it gives back a list or array that others have names for, and may change."""
    if isinstance(value, Items):
        return any(_is_shared(v, memory, before, held) for v in value.items)
    cells = cells_within(value)
    theirs = [*before.values(), *(ref for ref, _ in held.values())]
    return any(cell < 0 for cell in cells) or any(cells & cells_within(other) for other in theirs)


def _can_be_handed(value: Value) -> bool:
    if isinstance(value, Items):
        return all(_can_be_handed(v) for v in value.items)
    if isinstance(value, Maybe):
        return _can_be_handed(value.value)
    if isinstance(value, Static):
        return True
    return isinstance(value, Array | Counted | Picked | Rows)


def _name(program: Any, callee: Callee) -> str:
    base = callee.name.strip("_") or callee.name
    if base in RESERVED or base in ("start", "draw", "draw_start", "apply", "phases"):
        base = f"{base}_"
    taken = {*program.functions, *program.names}
    if base in taken and callee.owner is not None:
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", callee.owner.__name__).lower()
        base = f"{base}_of_{words}"
    found, n = base, 2
    while found in taken:
        found, n = f"{base}_{n}", n + 1
    return found


def _names_move(memory: Memory, made: Made) -> bool:
    """Whether there are names for lists that would mean others after the call: for rows, or for a list that is not that
    of the attribute any more."""
    for key in made.rewritten:
        ref = memory.attributes.get(key)
        values = [value for names in (memory.names, memory.cells, *memory.callers) for value in names.values()]
        if not isinstance(ref, Ref):
            continue
        if any(has_row(v, ref.cell) or (key in made.renewed and ref.cell in cells_within(v)) for v in values):
            return True
    return False


def _call(frame: Frame, made: Made, given: dict[str, Value], hints: tuple[str, ...]) -> Value:
    """The call of a function that was written."""
    if made.name not in frame.program.functions:
        return made.value
    memory = frame.memory
    if (frame.writer.drawing and made.luck) or (made.loops and frame.guards):
        raise UncleanError
    if _names_move(memory, made) or (frame.inlined and (made.reads_state or made.writes_state)):
        raise UncleanError
    frame.writer.loops = frame.writer.loops or made.loops
    frame.writer.rewritten |= made.rewritten
    frame.writer.renewed |= made.renewed
    lucks: list[Code] = []
    for field, count in made.luck.items():
        cursor = memory.cursors.get(field, Static(0))
        if not isinstance(cursor, Static):
            raise UncleanError
        base = base_of(frame, field)
        room = frame.program.rooms(frame.writer.when)[field]
        if room is None:
            if cursor.value:
                raise RefusedError(f"{field} is drawn more than once; give it room in the contract")
            lucks.append(base)
        else:
            if cursor.value + count > room:
                raise RefusedError(f"{field} is drawn more than {room} times; give it more room in the contract")
            whole = cursor.value == 0 and count == room
            lucks.append(
                base
                if whole
                else code.index(
                    base,
                    code.span(code.const(cursor.value) if cursor.value else None, code.const(cursor.value + count)),
                )
            )
        memory.cursors[field] = Static(cursor.value + count)
        note_draws(frame, field, count)
        for name, drawn in made.draws:
            if name == field:
                place = None if drawn.place is None else drawn.place + cursor.value
                frame.writer.collected.append((name, drawn._replace(place=place)))
    try:
        state = record.flush(frame, memory) if made.reads_state else ""
    except RefusedError:  # in the middle of a step, it need not fit into the record
        raise UncleanError from None
    leaves = [part for value in given.values() if not isinstance(value, Unknown) for part in pack(value, value)]
    inputs = [*([code.name(state)] if state else []), *leaves, *lucks]
    made_code = code.call(made.name, *inputs)
    hint = iter([h for h in hints if h != "_"]) if len(hints) > 1 else iter(hints)
    if isinstance(made.value, Array) and not made.writes_state and not made.notes:
        return replace(made.value, code=made_code, rising=None)
    if isinstance(made.value, Items) and len(hints) == len(made.value.items) and len(hints) > 1:
        parts = [rebuild(v, frame.writer.fresh, h) for v, h in zip(made.value.items, hints, strict=True)]
        value: Value = replace(made.value, items=tuple(v for v, _ in parts))
        names = [n for _, own in parts for n in own]
    else:
        value, names = rebuild(
            made.value, frame.writer.fresh, next(hint, made.name if not made.writes_state else "result")
        )
    flags = [frame.writer.fresh("outgrown")] if made.notes else []
    if made.writes_state:
        after = frame.writer.fresh("state", own=False)
        frame.emit(Assign([after, *names, *flags], made_code))
        record.load(frame, memory, after)
        for ref in (memory.attributes[key] for key in made.rewritten):
            if isinstance(ref, Ref):
                touched(memory, ref.cell, ROWS)
    elif names or flags:
        frame.emit(Assign([*names, *flags], made_code))
    for flag in flags:
        outgrown.note(frame, code.name(flag))
    return value
