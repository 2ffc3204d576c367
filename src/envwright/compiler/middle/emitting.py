"""Outlining: a function of the original becomes a function of the translation, where possible.

Its body is read with parameters in place of its arguments. A function that mutates its arguments, or draws a number of
times that depends on the state, is inlined instead.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code, overflow, record
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import ROWS, invalidate_aliases
from envwright.compiler.ir.avals import is_number
from envwright.compiler.ir.code import Assign, Code, Written
from envwright.compiler.ir.flattening import flatten, unflatten
from envwright.compiler.ir.frame import RESERVED, CallFrame, Writer
from envwright.compiler.ir.lists import counted
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.tracked_rows import has_row
from envwright.compiler.ir.values import Value, as_array, cast
from envwright.compiler.middle.draws import DrawSite, chance_source, note_draws
from envwright.compiler.middle.inlining import Callee, bind, frame_for, read_body, read_inline
from envwright.compiler.refusal import RefusedError


class NotOutlinedError(Exception):
    """It cannot be a function of its own."""


@dataclass
class CompiledFunction:
    """An outlined function, and how it is called."""

    name: str
    value: Value  # what it gives, with codes of its own
    reads_state: bool
    writes_state: bool
    chance: dict[str, int]  # chance field -> how many draws
    draws: list[tuple[str, DrawSite]]
    order: list[str]  # of the parameters that stand for arguments
    notes: bool = False  # what it gives last is whether something exceeds its capacity
    loops: bool = False  # it has a loop that ends only by its condition, so it may only be called where the original is
    rewritten: frozenset[Any] = frozenset()  # the attributes that it changes
    renewed: frozenset[Any] = frozenset()  # those to which it gives other lists


def emit_function(
    frame: CallFrame, callee: Callee, arguments: list[Value], options: dict[str, Value], hints: tuple[str, ...]
) -> Value:
    """Call a Python function: outlined if possible, else inlined."""
    given = bind(callee, arguments, options)
    if isinstance(callee.node, ast.Lambda) or not _worth_it(callee):
        return read_inline(frame, callee, arguments, options)
    try:
        parts = {name: _argument(frame, value) for name, value in given.items()}
        if _has_transient(frame):
            raise NotOutlinedError
        if (in_contract := frame.program.cache.get(("contract", callee.code))) is not None:
            fitted = _as_in_contract(parts, in_contract[1])
            if fitted is not None:
                return _call(frame, in_contract[0], fitted, hints)
        key = (callee.code, frame.writer.start, tuple((n, _key(v)) for n, v in parts.items()))
        made = frame.program.cache.get(key)
        if made is None:
            made = frame.program.cache[key] = _write(frame, callee, parts)
        if made is NotOutlinedError:
            raise NotOutlinedError
        return _call(frame, made, parts, hints)
    except NotOutlinedError:
        return read_inline(frame, callee, arguments, options)


def _as_in_contract(given: dict[str, Value], like: dict[str, Value]) -> dict[str, Value] | None:
    """The arguments as the function of the contract takes them, if possible."""
    fitted: dict[str, Value] = {}
    for name, wanted in like.items():
        value = given[name]
        if isinstance(wanted, ir.Static):
            fitted[name] = value
        elif isinstance(wanted, ir.Array) and (
            isinstance(value, ir.Array) or (isinstance(value, ir.Static) and is_number(value.value))
        ):
            array = as_array(value)
            if array.kind.shape != wanted.kind.shape or (array.kind.is_float and not wanted.kind.is_float):
                return None
            fitted[name] = ir.Array(array.code, array.kind) if array.weak else cast(array, wanted.kind.dtype)
        elif isinstance(wanted, ir.Counted) and isinstance(value, ir.Counted | ir.Items):
            full = counted(value)
            if full.array.kind.dtype != wanted.array.kind.dtype:
                return None
            fitted[name] = full
        else:
            return None
    return fitted


def _worth_it(callee: Callee) -> bool:
    """Whether a function does more than forward to another one; our own drivers do not."""
    if "/envwright/references/" in callee.file.replace("\\", "/"):
        return False
    body = [s for s in callee.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]  # pyright: ignore
    hands_on = len(body) == 1 and isinstance(body[0], ast.Return | ast.Expr) and isinstance(body[0].value, ast.Call)
    return not hands_on or bool(callee.doc) or not isinstance(body[0].value.func, ast.Attribute)  # pyright: ignore


def _has_transient(frame: CallFrame) -> bool:
    """Whether attributes outside of the state hold something the function might read."""
    program = frame.program
    for key, value in frame.memory.attributes.items():
        mine = key in program.slots or key in program.ignored or key == overflow.OVERFLOW  # which a function cannot ask
        if not mine and not isinstance(value, ir.Static | ir.Unknown):
            return True
    return False


def _argument(frame: CallFrame, value: Value) -> Value:
    if isinstance(value, ir.Unknown):
        return value
    if isinstance(value, ir.Items) and locs_within(value):
        raise NotOutlinedError  # a tuple of lists that have names
    deep = frame.memory.deep(value)
    if isinstance(deep, ir.Masked):
        return counted(deep)
    if not isinstance(deep, ir.Static | ir.Array | ir.Items | ir.Counted | ir.Maybe | ir.Rows | ir.Picked | ir.Keyed):
        raise NotOutlinedError
    if isinstance(deep, ir.Keyed | ir.Rows | ir.Picked):
        raise NotOutlinedError
    return deep


def _key(value: Value) -> Any:
    match value:
        case ir.Static():
            inner = value.value
            if isinstance(inner, int | float | str | bool | type(None) | bytes):
                return ("static", type(inner), inner)
            if isinstance(inner, tuple | np.ndarray | list):
                return ("static", repr(inner))
            return ("static", id(inner))
        case ir.Array():
            return ("array", value.kind, value.listed)
        case ir.Items():
            return ("items", value.is_list, tuple(_key(v) for v in value.items))
        case ir.Counted():
            return ("counted", value.array.kind, value.longest, value.clean)
        case ir.Maybe():
            return ("maybe", _key(value.value))
        case ir.Unknown():
            return ("unknown",)
    raise NotOutlinedError


def _write(frame: CallFrame, callee: Callee, given: dict[str, Value]) -> Any:
    """Outline a function."""
    program = frame.program
    writer = Writer(start=frame.writer.start)
    memory = Store(program)
    page = CallFrame(program, writer, memory)
    record.load(page, memory, "state")
    for key, value in frame.memory.attributes.items():
        if key not in program.slots and key != overflow.OVERFLOW:
            memory.attributes[key] = value
    names: dict[str, Value] = {}
    order: list[str] = []
    for name, value in given.items():
        if isinstance(value, ir.Unknown):
            names[name] = value
            continue
        made, own = unflatten(value, writer.fresh, name.strip("_") or name)
        names[name] = memory.hold(made)
        order += own
    held = {name: (value, memory.locs[value.loc]) for name, value in names.items() if isinstance(value, ir.Ref)}
    before = dict(memory.attributes)
    memory.names, memory.above = names, frozenset(ref.loc for ref, _ in held.values())
    page = frame_for(page, callee, memory)
    page.depth = 0
    page.calling = (*frame.calling, callee.code)
    try:
        value = read_body(page, callee)
    except RefusedError:  # on a function body of its own, it may not find what the step has set
        if writer.passing:
            return NotOutlinedError
        raise
    after = page.memory
    for ref, content in held.values():
        if isinstance(ref, ir.Ref) and after.locs.get(ref.loc) is not content:
            return NotOutlinedError
    for key, was in after.attributes.items():
        unread = (key in program.ignored and key not in program.passing) or key == overflow.OVERFLOW
        if key not in program.slots and not unread and before.get(key) is not was:
            return NotOutlinedError
    if writer.passing:
        return NotOutlinedError
    if any(not isinstance(c, ir.Static) for c in after.cursors.values()):
        return NotOutlinedError
    if _is_shared(value, after, before, held):
        return NotOutlinedError
    value = after.deep(value)
    if not _can_be_handed(value):
        return NotOutlinedError
    page.line = 0
    try:
        changed = record.changed(page, after)
    except RefusedError:  # in the middle of a step, it need not fit into the record
        return NotOutlinedError
    state_name = after.state
    if changed or state_name != "state":
        fields = {name: page.named(name, array.code) for name, array in changed.items()}
        state_code: Code = code.name(state_name)
        if fields:
            state_code = code.method(state_code, "replace", **fields)
    else:
        state_code = code.name("state")
    writes = bool(changed) or state_name != "state"
    leaves = flatten(value, value)
    too_little = overflow.noted(after)
    outputs = [*([state_code] if writes else []), *leaves, *too_little]
    result = outputs[0] if len(outputs) == 1 else code.tuple_of(outputs)
    used = set().union(code.names_in(result), *(code.uses(s) for s in writer.blocks[0]))
    reads = "state" in used
    name = _name(program, callee)
    chance_used = {field: int(c.value) for field, c in after.cursors.items() if isinstance(c, ir.Static) and c.value}
    parameters = [*([("state", "State")] if reads else []), *((n, "jax.Array") for n in order)]
    parameters += [(writer.chance[field], "jax.Array") for field in chance_used]
    returns = ["State"] if writes else []
    returns += ["jax.Array"] * len([*leaves, *too_little])
    if not outputs:
        return CompiledFunction(name, value, False, False, {}, [], order)
    annotation = returns[0] if len(returns) == 1 else f"tuple[{', '.join(returns)}]"
    program.functions[name] = Written(
        name, parameters, writer.blocks[0], result, annotation, callee.doc, callee.qualified, callee.file,
        callee.node.lineno, writer.bases,
    )  # fmt: skip
    draws: list[tuple[str, DrawSite]] = writer.collected
    rewritten = {key for key, slot in program.slots.items() if any(own in changed for own, _ in slot.fields)}
    lists = {key: was for key, was in before.items() if key in program.slots and isinstance(was, ir.Ref)}
    renewed = {key for key, was in lists.items() if after.attributes.get(key) != was}
    return CompiledFunction(
        name, value, reads, writes, chance_used, draws, order, bool(too_little), writer.loops,
        frozenset(rewritten | writer.rewritten), frozenset(renewed | writer.renewed),
    )  # fmt: skip


def _is_shared(value: Value, memory: Store, before: Mapping[Any, Value], held: Mapping[str, Any]) -> bool:
    """Whether it returns a list or array that has aliases."""
    if isinstance(value, ir.Items):
        return any(_is_shared(v, memory, before, held) for v in value.items)
    locs = locs_within(value)
    theirs = [*before.values(), *(ref for ref, _ in held.values())]
    return any(loc < 0 for loc in locs) or any(locs & locs_within(other) for other in theirs)


def _can_be_handed(value: Value) -> bool:
    if isinstance(value, ir.Items):
        return all(_can_be_handed(v) for v in value.items)
    if isinstance(value, ir.Maybe):
        return _can_be_handed(value.value)
    if isinstance(value, ir.Static):
        return True
    return isinstance(value, ir.Array | ir.Counted | ir.Picked | ir.Rows)


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


def _names_move(memory: Store, made: CompiledFunction) -> bool:
    """Whether references would be stale after the call: to rows, or to a list that the attribute no longer holds."""
    for key in made.rewritten:
        ref = memory.attributes.get(key)
        values = [value for names in (memory.names, memory.locs, *memory.callers) for value in names.values()]
        if not isinstance(ref, ir.Ref):
            continue
        if any(has_row(v, ref.loc) or (key in made.renewed and ref.loc in locs_within(v)) for v in values):
            return True
    return False


def _call(frame: CallFrame, made: CompiledFunction, given: dict[str, Value], hints: tuple[str, ...]) -> Value:
    """The call of an outlined function."""
    if made.name not in frame.program.functions:
        return made.value
    memory = frame.memory
    if (frame.writer.drawing and made.chance) or (made.loops and frame.guards):
        raise NotOutlinedError
    if _names_move(memory, made) or (frame.inlined and (made.reads_state or made.writes_state)):
        raise NotOutlinedError
    frame.writer.loops = frame.writer.loops or made.loops
    frame.writer.rewritten |= made.rewritten
    frame.writer.renewed |= made.renewed
    chances: list[Code] = []
    for field, count in made.chance.items():
        cursor = memory.cursors.get(field, ir.Static(0))
        if not isinstance(cursor, ir.Static):
            raise NotOutlinedError
        base = chance_source(frame, field)
        room = frame.program.rooms(frame.writer.when)[field]
        if room is None:
            if cursor.value:
                raise RefusedError(f"{field} is drawn more than once; give it room in the contract")
            chances.append(base)
        else:
            if cursor.value + count > room:
                raise RefusedError(f"{field} is drawn more than {room} times; raise its room in the contract")
            whole = cursor.value == 0 and count == room
            chances.append(
                base
                if whole
                else code.index(
                    base,
                    code.span(code.const(cursor.value) if cursor.value else None, code.const(cursor.value + count)),
                )
            )
        memory.cursors[field] = ir.Static(cursor.value + count)
        note_draws(frame, field, count)
        for name, drawn in made.draws:
            if name == field:
                place = None if drawn.place is None else drawn.place + cursor.value
                frame.writer.collected.append((name, drawn._replace(place=place)))
    try:
        state = record.flush(frame, memory) if made.reads_state else ""
    except RefusedError:  # in the middle of a step, it need not fit into the record
        raise NotOutlinedError from None
    leaves = [part for value in given.values() if not isinstance(value, ir.Unknown) for part in flatten(value, value)]
    inputs = [*([code.name(state)] if state else []), *leaves, *chances]
    made_code = code.call(made.name, *inputs)
    hint = iter([h for h in hints if h != "_"]) if len(hints) > 1 else iter(hints)
    if isinstance(made.value, ir.Array) and not made.writes_state and not made.notes:
        return replace(made.value, code=made_code, rising=None)
    if isinstance(made.value, ir.Items) and len(hints) == len(made.value.items) and len(hints) > 1:
        parts = [unflatten(v, frame.writer.fresh, h) for v, h in zip(made.value.items, hints, strict=True)]
        value: Value = replace(made.value, items=tuple(v for v, _ in parts))
        names = [n for _, own in parts for n in own]
    else:
        value, names = unflatten(
            made.value, frame.writer.fresh, next(hint, made.name if not made.writes_state else "result")
        )
    flags = [frame.writer.fresh("outgrown")] if made.notes else []
    if made.writes_state:
        after = frame.writer.fresh("state", own=False)
        frame.emit(Assign([after, *names, *flags], made_code))
        record.load(frame, memory, after)
        for ref in (memory.attributes[key] for key in made.rewritten):
            if isinstance(ref, ir.Ref):
                invalidate_aliases(memory, ref.loc, ROWS)
    elif names or flags:
        frame.emit(Assign([*names, *flags], made_code))
    for flag in flags:
        overflow.note(frame, code.name(flag))
    return value
