"""Loops: written out where they are short and their turns are known, else `fori_loop` and `while_loop`.

What a loop changes is found by reading its body once; then it is read again with these names as parameters.
"""

import ast
from dataclasses import dataclass, replace
from typing import Any

from envwright.compiler.ir import code, tables
from envwright.compiler.ir.code import Assign, Code, Define
from envwright.compiler.ir.frame import MARK, Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind, joined
from envwright.compiler.ir.lists import counted, items_of
from envwright.compiler.ir.memory import Memory, known
from envwright.compiler.ir.merge import join, join_memories
from envwright.compiler.ir.operators import truth
from envwright.compiler.ir.packing import leaf_kinds, pack, rebuild, same_shape
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Masked,
    Maybe,
    Picked,
    Ref,
    Rows,
    Static,
    Unknown,
    Value,
    View,
    as_array,
    cast,
    is_none,
)
from envwright.compiler.middle.comprehensions import unpack
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.middle.statements import Exit, Flow, execute
from envwright.compiler.refusal import RefusedError

UNROLLED = 4  # turns that are always written out
UNROLLED_BY_JAX = 16  # turns that the compiler writes out, which is faster
MOST = 64  # turns that are written out if there is no other way


def loop(frame: Frame, node: ast.For | ast.While) -> Flow:
    """A loop, and its `else`."""
    if isinstance(node, ast.While):
        return _after(frame, node, _while(frame, node))
    turns = _turns(frame, node.iter)
    if turns.count is None and (turns.known is not None and len(turns.known) <= UNROLLED):
        return _after(frame, node, _unrolled(frame, node, turns.known))
    block_length, before = len(frame.block), frame.memory
    try:
        frame.memory = before.copy()
        return _after(frame, node, _counted_loop(frame, node, turns))
    except RefusedError:
        if turns.known is None or turns.count is not None or len(turns.known) > MOST:
            raise
        del frame.block[block_length:]
        frame.memory = before
        return _after(frame, node, _unrolled(frame, node, turns.known))


def _after(frame: Frame, node: ast.For | ast.While, flow: Flow) -> Flow:
    """The `else` of a loop runs unless it was broken off."""
    if not node.orelse or flow.memory is None:
        return flow
    if any(isinstance(n, ast.Break) for n in ast.walk(node)):
        raise RefusedError("a loop with break and else is not covered")
    frame.memory = flow.memory
    later = execute(frame, node.orelse)
    later.returns[:0] = flow.returns
    return later


# ---- what a loop goes through ----


@dataclass
class Turns:
    """What a for loop goes through."""

    known: list[Value] | None  # the elements one by one, if there are so many
    element: Any  # the element of turn i, as a function of the code for i
    length: int
    count: Array | None = None  # how many of them there are, if that changes


def _turns(frame: Frame, node: ast.expr) -> Turns:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        match node.func.id, node.args:
            case "range", arguments:
                return _range(frame, [frame.memory.see(evaluate(frame, a)) for a in arguments])
            case "enumerate", [inner, *start]:
                return _enumerated(_turns(frame, inner), int(known(evaluate(frame, start[0]))) if start else 0)
            case "reversed", [inner]:
                return _reversed(_turns(frame, inner))
            case "zip", parts:
                return _zipped([_turns(frame, p) for p in parts])
    value = evaluate(frame, node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("arange",):
        value = frame.memory.see(value)
    return _elements(frame, value)


def _elements(frame: Frame, value: Value) -> Turns:
    content = frame.memory.see(value)
    if isinstance(content, Masked):
        content = counted(content)
    if isinstance(content, Picked):
        values, count = tables.elements(frame.program, content)
        return Turns(values, None, len(values), None if isinstance(count, Static) else as_array(count))
    if isinstance(content, Counted):
        ref = value if isinstance(value, Ref) else None
        return Turns(None, _at(frame, ref, content.array), content.room, content.count)
    if isinstance(content, Rows):
        ref = value if isinstance(value, Ref) else None
        known = [View(ref, (Static(i),)) for i in range(content.length)] if ref else items_of(frame, content)
        from envwright.compiler.ir.lists import row

        at = (lambda i: View(ref, (Array(i, Kind(INT)),))) if ref else (lambda i: row(content, i))
        return Turns(list(known), at, content.length)
    if isinstance(content, Static) and isinstance(content.value, dict):
        content = Static(list(content.value))
    known_items = items_of(frame, content)
    if isinstance(value, Ref) and isinstance(content, Items | Array):
        known_items = [
            View(value, (Static(i),)) if not isinstance(v, Ref) and _has_parts(v) else v
            for i, v in enumerate(known_items)
        ]
    if isinstance(content, Static):
        try:
            array = as_array(Static(list(content.value)))
        except (RefusedError, ValueError):
            return Turns(known_items, None, len(known_items))
        made = frame.program.constant("TURNS", list(content.value))
        return Turns(known_items, _at(frame, None, Array(made, array.kind)), len(known_items))
    if isinstance(content, Array):
        ref = value if isinstance(value, Ref) else None
        return Turns(known_items, _at(frame, ref, content), len(known_items))
    try:
        array = as_array(frame.memory.deep(content))
    except RefusedError:
        return Turns(known_items, None, len(known_items))
    if isinstance(value, Ref) and len(array.kind.shape) > 1:
        frame.memory.cells[value.cell] = array  # its rows are changed by their number in the loop
        return Turns(known_items, _at(frame, value, array), len(known_items))
    return Turns(known_items, _at(frame, None, array), len(known_items))


def _has_parts(value: Value) -> bool:
    return isinstance(value, Items) or (isinstance(value, Array) and bool(value.kind.shape))


def _at(frame: Frame, ref: Ref | None, array: Array) -> Any:
    inner = Kind(array.kind.dtype, array.kind.shape[1:])
    if ref is not None and inner.shape:
        return lambda i: View(ref, (Array(i, Kind(INT)),))
    return lambda i: Array(code.index(array.code, i), inner, array.listed and bool(inner.shape))


def _range(frame: Frame, ends: list[Value]) -> Turns:
    if all(isinstance(e, Static) for e in ends):
        numbers = range(*(int(known(e)) for e in ends))
        first, step = numbers.start, numbers.step

        def element(i: Code) -> Value:
            scaled = i if step == 1 else code.binary(i, ast.Mult(), code.const(step))
            return Array(scaled if first == 0 else code.binary(scaled, ast.Add(), code.const(first)), Kind(INT))

        return Turns([Static(n) for n in numbers], element, len(numbers))
    if len(ends) > 2:
        raise RefusedError("a range with a step and ends that change is not covered")
    start, stop = (Static(0), ends[0]) if len(ends) == 1 else ends
    low, high = as_array(start), as_array(stop)
    span = high.code if isinstance(start, Static) and start.value == 0 else code.binary(high.code, ast.Sub(), low.code)
    element = (
        (lambda i: Array(i, Kind(INT)))
        if span is high.code
        else (lambda i: Array(code.binary(low.code, ast.Add(), i), Kind(INT)))
    )
    return Turns(None, element, -1, Array(span, Kind(INT)))


def _enumerated(turns: Turns, start: int) -> Turns:
    def element(i: Code) -> Value:
        number = i if start == 0 else code.binary(i, ast.Add(), code.const(start))
        return Items((Array(number, Kind(INT)), turns.element(i)))

    pairs: list[Value] | None = None
    if turns.known is not None:
        pairs = [Items((Static(n + start), v)) for n, v in enumerate(turns.known)]
    return Turns(pairs, element if turns.element else None, turns.length, turns.count)


def _reversed(turns: Turns) -> Turns:
    last = (
        code.const(turns.length - 1) if turns.count is None else code.binary(turns.count.code, ast.Sub(), code.const(1))
    )
    known = None if turns.known is None else turns.known[::-1]
    element = (lambda i: turns.element(code.binary(last, ast.Sub(), i))) if turns.element else None
    return Turns(known, element, turns.length, turns.count)


def _zipped(parts: list[Turns]) -> Turns:
    if any(part.count is not None for part in parts):
        raise RefusedError("zip over lists of changing length is not covered")
    length = min(part.length for part in parts)
    rows: list[Value] | None = None
    if all(part.known is not None for part in parts):
        rows = [Items(values) for values in zip(*(p.known or [] for p in parts), strict=False)]
    element = (lambda i: Items(tuple(p.element(i) for p in parts))) if all(p.element for p in parts) else None
    return Turns(rows, element, length)


# ---- written out ----


def _unrolled(frame: Frame, node: ast.For, values: list[Value]) -> Flow:
    flow = Flow(None)
    left: list[Exit] = []  # breaks
    for value in values:
        _set_target(frame, node.target, value)
        inner = execute(frame, node.body)
        flow.returns += inner.returns
        left += inner.breaks
        memory = inner.memory
        for way in reversed(inner.continues):
            memory = (
                way.memory if memory is None or way.when is None else join_memories(frame, way.when, way.memory, memory)
            )
        if memory is None:
            frame.memory = None  # pyright: ignore[reportAttributeAccessIssue]
            break
        frame.memory = memory
    memory = frame.memory
    for way in reversed(left):
        memory = (
            way.memory if memory is None or way.when is None else join_memories(frame, way.when, way.memory, memory)
        )
    if memory is not None and any(way.when is None for way in flow.returns):
        flow.memory = memory
        return flow
    flow.memory = memory
    return flow


def _set_target(frame: Frame, target: ast.expr, value: Value) -> None:
    unpack(frame, target, value)


# ---- as a loop ----


@dataclass
class Carried:
    """What a loop hands from one turn to the next."""

    place: str  # "names", "cells", "attributes", "cursors", or a flag
    key: Any
    value: Value  # before the first turn, as arrays


def _while(frame: Frame, node: ast.While) -> Flow:
    test = truth(frame, evaluate(frame, node.test))
    if isinstance(test, Static) and not test.value:
        return Flow(frame.memory)
    return _run(frame, node, None, node.test)


def _counted_loop(frame: Frame, node: ast.For, turns: Turns) -> Flow:
    if turns.element is None:
        raise RefusedError("a loop over things that are not numbers, as often as the game says")
    return _run(frame, node, turns, None)


def _run(frame: Frame, node: ast.For | ast.While, turns: Turns | None, test: ast.expr | None) -> Flow:
    carried = _find_carried(frame, node, turns)
    result: Value | None = None
    for _ in range(5):
        trial = _body(frame, node, turns, test, carried, result)
        if trial.stable:
            break
        carried, result = trial.carried, trial.result
    else:
        raise RefusedError("a value changes its kind from one turn of a loop to the next")
    return _write(frame, node, turns, carried, trial)


@dataclass
class Trial:
    """A body that was read."""

    stable: bool
    carried: list[Carried]
    define: Define
    test: Define | None
    flags: list[str]
    result: Value | None  # what a return in the loop gives


def _find_carried(frame: Frame, node: ast.For | ast.While, turns: Turns | None) -> list[Carried]:
    """Read the body once on a scratch page, and see what it changes."""
    before = frame.memory
    frame.memory = before.copy()
    frame.writer.blocks.append([])
    frame.depth += 1
    names = _assigned(node.body)
    for name in names:
        if name in frame.memory.names:
            frame.memory.names[name] = _loosened(frame, frame.memory.names[name])
    try:
        if turns is not None and isinstance(node, ast.For):
            unpack(frame, node.target, turns.element(code.name("i")))
        flow = execute(frame, node.body)
    finally:
        frame.depth -= 1
        frame.writer.blocks.pop()
        frame.memory = before
    after = [e.memory for e in (*flow.breaks, *flow.continues)] + ([flow.memory] if flow.memory else [])
    after += [e.memory for e in flow.returns]
    carried: list[Carried] = []
    own = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} if isinstance(node, ast.For) else set()
    for place in ("cursors", "attributes", "names", "cells"):
        table = getattr(before, place)
        keys = dict.fromkeys(k for memory in after for k in getattr(memory, place))
        for key in keys:
            if place == "names" and key in own:
                continue
            if place == "cursors" and key not in table:
                carried.append(Carried(place, key, Array(code.const(0), Kind(INT))))
                continue
            if key not in table:
                if place == "names" and key in frame.writer.unsure and key in _assigned(node.body):
                    carried.append(Carried(place, key, _left_over(after, key)))  # from the turn before
                if place == "attributes" and key in frame.program.slots:
                    carried.append(Carried(place, key, _first_value(frame, key)))
                continue
            if any(getattr(m, place).get(key) is not table[key] for m in after) and not _same_ref(
                table[key], after, place, key
            ):
                carried.append(Carried(place, key, _loosened(frame, before.deep(table[key]))))
    if any(m.state != before.state for m in after):
        raise RefusedError("a function that changes the state as a whole is called in a loop")
    return carried


def _left_over(after: list[Memory], key: str) -> Value:
    """Nothing, in the form of a name that keeps its value of the turn before where it gets no new one."""
    memory = next(m for m in after if key in m.names)
    return _blank(memory.deep(memory.names[key]))


def _first_value(frame: Frame, key: Any) -> Value:
    """What an attribute holds before a loop gives it its first value: nothing that matters."""
    slot = frame.program.slots[key]
    blank = [Array(array.code, array.kind, slot.listed) for array in slot.blank().values()]
    if slot.form == "plain":
        return blank[0]
    if slot.form == "listed":
        return Counted(Array(blank[0].code, blank[0].kind, listed=True), blank[1], slot.extra)
    raise RefusedError("an attribute that may be None gets its first value in a loop")


def _same_ref(value: Value, after: list[Memory], place: str, key: Any) -> bool:
    return isinstance(value, Ref) and all(getattr(m, place).get(key) == value for m in after)


def _assigned(body: list[ast.stmt]) -> set[str]:
    return {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _loosened(frame: Frame, value: Value) -> Value:
    """A known number as one that may change; what cannot change is left."""
    if isinstance(value, Static):
        try:
            array = as_array(value)
        except RefusedError:
            return value
        return cast(array, array.kind.dtype)
    if isinstance(value, Array):
        return cast(value, value.kind.dtype) if value.weak else value
    if isinstance(value, Items):
        return replace(value, items=tuple(_loosened(frame, v) for v in value.items))
    if isinstance(value, Counted):
        return Counted(value.array, cast(value.count, INT))
    return value


def _body(
    frame: Frame, node: Any, turns: Turns | None, test: ast.expr | None, carried: list[Carried], like: Value | None
) -> Trial:
    """The body as a function of what is carried; `like` is what a return in it gives."""
    outer, writer = frame.memory, frame.writer
    ends_early = any(isinstance(n, ast.Break | ast.Return) for n in ast.walk(node))
    turn = writer.fresh("i") if turns is not None else ""
    parameters: list[str] = []
    inside = outer.copy()
    for item in carried:
        value, names = rebuild(item.value, writer.fresh, _hint(item))
        parameters += names
        getattr(inside, item.place)[item.key] = value
    old_result, result_names = rebuild(like, writer.fresh, "result") if like is not None else (None, [])
    returned = [writer.fresh("returned")] if like is not None else []
    flag = [writer.fresh("going_on")] if ends_early else []
    before = [*parameters, *result_names, *returned]
    writer.blocks.append([])
    frame.depth += 1
    frame.memory = inside
    try:
        if turns is not None:
            unpack(frame, node.target, turns.element(code.name(turn)))
        flow = execute(frame, node.body)
        memory, on, result = _ends(frame, flow)
        frame.memory = memory
        after = [memory.deep(getattr(memory, c.place)[c.key]) for c in carried]
        wanted = [Carried(c.place, c.key, _widen(c.value, value)) for c, value in zip(carried, after, strict=True)]
        stable = all(w.value is c.value for w, c in zip(wanted, carried, strict=True))
        form = _form(frame, result[1], like) if result is not None else None
        stable = stable and form is like
        leaves: list[Code] = []
        if stable:
            leaves = [part for c, value in zip(carried, after, strict=True) for part in pack(value, c.value)]
            if result is not None and like is not None and old_result is not None:
                when, value = result
                new = pack(value, like)
                leaves += [
                    code.call("jnp.where", when.code, n, code.name(o)) for n, o in zip(new, result_names, strict=True)
                ]
                leaves.append(code.binary(code.name(returned[0]), ast.BitOr(), when.code))
            if flag and turns is not None:  # turns after the end change nothing
                leaves = [
                    code.call("jnp.where", code.name(flag[0]), n, code.name(o))
                    for n, o in zip(leaves, before, strict=True)
                ]
                on = code.both(code.name(flag[0]), on)
            leaves += [on] if flag else []
    finally:
        frame.depth -= 1
        body = writer.blocks.pop()
        frame.memory = outer
    define = Define(writer.fresh("body"), [*([turn] if turn else []), *before, *flag], body, code.tuple_of(leaves))
    tested = (
        _test(frame, test, carried, [*result_names, *returned], flag, inside) if test is not None and stable else None
    )
    return Trial(stable, wanted, define, tested, flag, form)


def _form(frame: Frame, value: Value, like: Value | None) -> Value:
    """What a return gives, as arrays; the same object if it is so already."""
    loose = _loosened(frame, value)
    return like if like is not None and same_shape(like, loose) else loose


def _ends(frame: Frame, flow: Flow) -> tuple[Memory, Code, tuple[Array, Value] | None]:
    """What holds after a turn, whether another one follows, and what is returned in it, and when."""
    memory, on = flow.memory, code.const(True)
    result: tuple[Array, Value] | None = None
    ways = [
        *((e, "on") for e in flow.continues),
        *((e, "break") for e in flow.breaks),
        *((e, "return") for e in flow.returns),
    ]
    if memory is None and not ways:
        raise RefusedError("a loop whose body never ends is not covered")
    for way, kind in ways:
        always = Array(code.call("jnp.bool_", code.const(True)), Kind(BOOL))
        when = way.when or always
        if kind == "return":
            value = way.memory.deep(way.value)
            result = (when, value) if result is None else _either(frame, result, (when, value))
        memory = way.memory if memory is None or way.when is None else join_memories(frame, when, way.memory, memory)
        if kind != "on":
            stays = code.negated(when.code)
            on = stays if isinstance(on, ast.Constant) else code.both(on, stays)
    assert memory is not None
    return memory, on, result


def _either(frame: Frame, first: tuple[Array, Value], second: tuple[Array, Value]) -> tuple[Array, Value]:
    when = Array(code.binary(first[0].code, ast.BitOr(), second[0].code), Kind(BOOL))
    return when, join(frame, first[0], first[1], second[1])


def _widen(before: Value, after: Value) -> Value:
    """The kind that holds both; the same object if nothing had to change."""
    if isinstance(after, Unknown):
        raise after.why
    if is_none(before) and not is_none(after):
        inner = after.value if isinstance(after, Maybe) else after
        return Maybe(Array(code.call("jnp.bool_", code.const(False)), Kind(BOOL)), _blank(inner))
    if isinstance(before, Maybe):
        inner = after.value if isinstance(after, Maybe) else after
        widened = before.value if is_none(after) else _widen(before.value, inner)
        return before if widened is before.value else Maybe(before.present, widened)
    if isinstance(before, Array) and isinstance(after, Array | Static | Items):
        new = as_array(after)
        kind = joined(before.kind, new.kind, before.weak, new.weak)
        if kind == before.kind:
            return before
        if kind.shape != before.kind.shape:
            raise RefusedError("an array changes its shape from one turn of a loop to the next")
        return cast(before, kind.dtype)
    if isinstance(before, Items) and isinstance(after, Items) and len(before.items) == len(after.items):
        parts = [_widen(a, b) for a, b in zip(before.items, after.items, strict=True)]
        return (
            before
            if all(a is b for a, b in zip(parts, before.items, strict=True))
            else Items(tuple(parts), before.is_list)
        )
    if isinstance(before, Counted) and isinstance(after, Counted | Masked):
        if counted(after).room > before.room:
            raise RefusedError("a list that is not part of the state grows in a loop")
        return before
    if same_shape(before, after):
        return before
    raise RefusedError("a value changes its kind from one turn of a loop to the next")


def _blank(like: Value) -> Value:
    """Zeros in the form of a value."""
    if isinstance(like, Items):
        return Items(tuple(_blank(v) for v in like.items), like.is_list)
    if isinstance(like, Counted):
        return Counted(zero(like.array.kind), zero(Kind(INT)))
    array = as_array(like)
    return Array(zero(array.kind).code, array.kind, array.listed)


def frame_base(name: str) -> str:
    return name.partition(MARK)[0] or "value"


def _hint(item: Carried) -> str:
    if item.place == "cells":
        array = item.value.array if isinstance(item.value, Counted | Rows) else item.value
        if isinstance(array, Array) and isinstance(array.code, ast.Name):
            return frame_base(array.code.id)
        if isinstance(array, Array) and isinstance(array.code, ast.Attribute):
            return array.code.attr
        return "value"
    return item.key if isinstance(item.key, str) else item.key[1].strip("_")


def _test(
    frame: Frame, test: ast.expr, carried: list[Carried], others: list[str], flag: list[str], inside: Memory
) -> Define:
    """The condition of a while loop, as a function of what is carried."""
    writer, outer = frame.writer, frame.memory
    names: list[str] = []
    memory = inside.copy()
    for item in carried:
        value, own = rebuild(item.value, writer.fresh, _hint(item))
        names += own
        getattr(memory, item.place)[item.key] = value
    names += [writer.fresh(frame_base(other)) for other in (*others, *flag)]
    writer.blocks.append([])
    frame.memory = memory
    frame.depth += 1
    try:
        asked = as_array(truth(frame, evaluate(frame, test))).code
    finally:
        frame.depth -= 1
        frame.memory = outer
        body = writer.blocks.pop()
    held = [code.name(names[-1])] if flag else []
    held += _luck_left(frame, carried, memory) + list(frame.guards)  # else it might never end where nobody comes
    result = asked
    for condition in held:
        result = code.both(condition, result)
    writer.loops = True
    return Define(writer.fresh("test"), names, body, result)


def _luck_left(frame: Frame, carried: list[Carried], memory: Memory) -> list[Code]:
    """A loop that draws ends when its luck is used up."""
    rooms = {p.name: p.room for p in frame.program.luck["start" if frame.writer.start else "step"].values()}
    fields = [item.key for item in carried if item.place == "cursors"]
    return [code.compare(as_array(memory.cursors[f]).code, ast.Lt(), code.const(rooms[f])) for f in fields]


def _write(frame: Frame, node: Any, turns: Turns | None, carried: list[Carried], trial: Trial) -> Flow:
    """The loop itself, and what holds after it."""
    writer, memory = frame.writer, frame.memory
    leaves: list[Code] = []
    names: list[str] = []
    outcome: list[tuple[Carried, Value]] = []
    for item in carried:
        leaves += pack(item.value, item.value)
        value, own = rebuild(item.value, writer.fresh, _hint(item))
        names += own
        outcome.append((item, value))
    result, returned = None, ""
    if trial.result is not None:
        result, own = rebuild(trial.result, writer.fresh, "result")
        returned = writer.fresh("returned")
        names += [*own, returned]
        leaves += [*(zero(kind).code for kind in leaf_kinds(trial.result)), code.call("jnp.bool_", code.const(False))]
    if trial.flags:
        leaves.append(code.call("jnp.bool_", code.const(True)))
        names.append(writer.fresh("going_on"))
    body = _carry_function(trial.define, turns is not None)
    frame.emit(body)
    start = code.tuple_of(leaves)
    if turns is not None:
        stop = turns.count.code if turns.count is not None else code.const(turns.length)
        made = code.call("jax.lax.fori_loop", code.const(0), stop, code.name(body.name), start)
        if turns.count is None and turns.length <= UNROLLED_BY_JAX:
            made.keywords.append(ast.keyword("unroll", code.const(True)))  # pyright: ignore[reportAttributeAccessIssue]
    else:
        assert trial.test is not None
        test = _carry_function(trial.test, False)
        frame.emit(test)
        made = code.call("jax.lax.while_loop", code.name(test.name), code.name(body.name), start)
    if not names:
        return Flow(memory)
    frame.emit(Assign(names, made, unpack=True))
    for item, value in outcome:
        getattr(memory, item.place)[item.key] = value
    if result is None:
        return Flow(memory)
    return Flow(memory, returns=[Exit(Array(code.name(returned), Kind(BOOL)), result, memory.copy())])


def _carry_function(define: Define, counted_turns: bool) -> Define:
    """A function of one tuple, as the loops of JAX want it."""
    turn = define.parameters[:1] if counted_turns else []
    rest = define.parameters[1:] if counted_turns else define.parameters
    unpacking: list[Any] = [Assign(list(rest), code.name("carry"), unpack=True)] if rest else []
    return Define(define.name, [*turn, "carry"], [*unpacking, *define.body], define.result)
