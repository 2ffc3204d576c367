"""Loops: written out where they are short and their turns are known, else `fori_loop` and `while_loop`.

What a loop changes is found by reading its body once; then it is read again with these names as parameters.
"""

import ast
import math
from dataclasses import dataclass
from typing import Any

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Assign, Code, Define
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.merge import join
from envwright.compiler.ir.operators import truth
from envwright.compiler.ir.packing import leaf_kinds, pack, rebuild, same_shape
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.values import (
    Array,
    Static,
    Value,
    as_array,
)
from envwright.compiler.middle import set_methods
from envwright.compiler.middle.carried import Carried, base_of_name, find_carried, hint_of, loosened, widen
from envwright.compiler.middle.comprehensions import unpack
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.middle.flow import Execute, Exit, Flow, leaving, rejoin
from envwright.compiler.middle.generators import check_loop
from envwright.compiler.middle.turns import Turns, turns_of
from envwright.compiler.refusal import RefusedError

UNROLLED = 4  # turns that are always written out
UNROLLED_BY_JAX = 16  # turns that the compiler writes out, which is faster
UNROLLED_CELLS = 16  # numbers that it hands on, at most: of more, XLA computes too many again
MOST = 64  # turns that are written out if there is no other way


def loop(frame: Frame, node: ast.For | ast.While, execute: Execute) -> Flow:
    """A loop, and its `else`; its body is read by `execute`."""
    if isinstance(node, ast.While):
        return _after(frame, node, _while(frame, node, execute), execute)
    if isinstance(node.iter, ast.Call):
        check_loop(frame, evaluate(frame, node.iter.func), node.body)
    turns = turns_of(frame, node.iter)
    if turns.unordered:
        set_methods.check_loop(node.body)
    if turns.count is None and (turns.known is not None and len(turns.known) <= UNROLLED):
        return _after(frame, node, _unrolled(frame, node, turns.known, execute), execute)
    block_length, before = len(frame.block), frame.memory
    try:
        frame.memory = before.copy()
        return _after(frame, node, _counted_loop(frame, node, turns, execute), execute)
    except RefusedError:
        if turns.known is None or turns.count is not None or len(turns.known) > MOST:
            raise
        del frame.block[block_length:]
        frame.memory = before
        return _after(frame, node, _unrolled(frame, node, turns.known, execute), execute)


def _after(frame: Frame, node: ast.For | ast.While, flow: Flow, execute: Execute) -> Flow:
    """The `else` of a loop runs unless it was broken off."""
    if not node.orelse or flow.memory is None:
        return flow
    if any(isinstance(n, ast.Break) for n in ast.walk(node)):
        raise RefusedError("a loop with break and else is not covered")
    frame.memory = flow.memory
    later = execute(frame, node.orelse)
    later.exits[:0] = flow.exits
    return later


# ---- written out ----


def _unrolled(frame: Frame, node: ast.For, values: list[Value], execute: Execute) -> Flow:
    flow, memory = Flow(None), frame.memory
    broken: list[Exit] = []
    for value in values:
        frame.memory = memory
        unpack(frame, node.target, value)
        inner = execute(frame, node.body)
        flow.exits += leaving(inner.exits, "return", broken)
        broken += leaving(inner.exits, "break")
        memory = rejoin(frame, leaving(inner.exits, "continue"), inner.memory)
        if memory is None:
            break
    flow.memory = rejoin(frame, broken, memory)
    return flow


# ---- as a loop ----


def _while(frame: Frame, node: ast.While, execute: Execute) -> Flow:
    test = truth(frame, evaluate(frame, node.test))
    if isinstance(test, Static) and not test.value:
        return Flow(frame.memory)
    return _run(frame, node, None, execute)


def _counted_loop(frame: Frame, node: ast.For, turns: Turns, execute: Execute) -> Flow:
    if turns.element is None:
        raise RefusedError("a loop over things that are not numbers, as often as the game says")
    return _run(frame, node, turns, execute)


def _run(frame: Frame, node: ast.For | ast.While, turns: Turns | None, execute: Execute) -> Flow:
    carried = find_carried(frame, node, turns, execute)
    result: Value | None = None
    for _ in range(5):
        trial = _body(frame, node, turns, carried, result, execute)
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


def _body(
    frame: Frame, node: Any, turns: Turns | None, carried: list[Carried], like: Value | None, execute: Execute
) -> Trial:
    """The body as a function of what is carried; `like` is what a return in it gives."""
    outer, writer = frame.memory, frame.writer
    ends_early = any(isinstance(n, ast.Break | ast.Return) for n in ast.walk(node))
    turn = writer.fresh("i") if turns is not None else ""
    parameters: list[str] = []
    inside = outer.copy()
    for item in carried:
        value, names = rebuild(item.value, writer.fresh, hint_of(item))
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
        wanted = [Carried(c.place, c.key, widen(c.value, value)) for c, value in zip(carried, after, strict=True)]
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
        _test(frame, node.test, carried, [*result_names, *returned], flag, inside) if turns is None and stable else None
    )
    return Trial(stable, wanted, define, tested, flag, form)


def _form(frame: Frame, value: Value, like: Value | None) -> Value:
    """What a return gives, as arrays; the same object if it is so already."""
    loose = loosened(frame, value)
    return like if like is not None and same_shape(like, loose) else loose


def _ends(frame: Frame, flow: Flow) -> tuple[Memory, Code, tuple[Array, Value] | None]:
    """What holds after a turn, whether another one follows, and what is returned in it, and when."""
    if flow.memory is None and not flow.exits:
        raise RefusedError("a loop whose body never ends is not covered")
    memory, on, returned = flow.memory, True, False
    value: Value | None = None
    for way in reversed(flow.exits):
        memory = rejoin(frame, [way], memory)
        on = _flag(way.when, way.way == "continue", on)
        returned = _flag(way.when, way.way == "return", returned)
        if way.way == "return":
            mine = way.memory.deep(way.value)
            value = mine if value is None or way.when is None else join(frame, way.when, mine, value)
    assert memory is not None
    result = None if value is None else (Array(_flag_code(returned), Kind(BOOL)), value)
    return memory, _flag_code(on), result


def _flag(when: Array | None, yes: bool, no: bool | Code) -> bool | Code:
    """`yes` where the condition holds, else `no`."""
    if when is None or yes is no:
        return yes
    if yes:
        return when.code if no is False else code.binary(when.code, ast.BitOr(), no)  # pyright: ignore[reportArgumentType]
    other = code.negated(when.code)
    return other if no is True else code.both(other, no)  # pyright: ignore[reportArgumentType]


def _flag_code(flag: bool | Code) -> Code:
    return code.call("jnp.bool_", code.const(flag)) if isinstance(flag, bool) else flag


def _test(
    frame: Frame, test: ast.expr, carried: list[Carried], others: list[str], flag: list[str], inside: Memory
) -> Define:
    """The condition of a while loop, as a function of what is carried."""
    writer, outer = frame.writer, frame.memory
    names: list[str] = []
    memory = inside.copy()
    for item in carried:
        value, own = rebuild(item.value, writer.fresh, hint_of(item))
        names += own
        getattr(memory, item.place)[item.key] = value
    names += [writer.fresh(base_of_name(other)) for other in (*others, *flag)]
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
    rooms = frame.program.rooms(frame.writer.when)
    fields = [item.key for item in carried if item.place == "cursors"]
    return [code.compare(as_array(memory.cursors[f]).code, ast.Lt(), code.const(rooms[f])) for f in fields]


def _note_end_of_luck(frame: Frame, node: ast.While, carried: list[Carried], going_on: list[Code]) -> None:
    """A loop that would have gone on has drawn more than there is: by one, for all that anybody can say."""
    rooms = frame.program.rooms(frame.writer.when)
    fields = [item.key for item in carried if item.place == "cursors"]
    if not fields:
        return
    wanted = as_array(truth(frame, evaluate(frame, node.test))).code
    for flag in going_on:
        wanted = flag if isinstance(wanted, ast.Constant) else code.both(flag, wanted)
    for field in fields:
        cursor = as_array(frame.memory.cursors[field]).code
        more = code.call("jnp.where", wanted, code.const(rooms[field] + 1), cursor)
        frame.memory.cursors[field] = Array(code.name(frame.bind(f"{field}_drawn", more, auto=True)), Kind(INT))


def _write(frame: Frame, node: Any, turns: Turns | None, carried: list[Carried], trial: Trial) -> Flow:
    """The loop itself, and what holds after it."""
    writer, memory = frame.writer, frame.memory
    leaves: list[Code] = []
    names: list[str] = []
    outcome: list[tuple[Carried, Value]] = []
    for item in carried:
        leaves += pack(item.value, item.value)
        value, own = rebuild(item.value, writer.fresh, hint_of(item))
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
        if turns.count is None and turns.length <= UNROLLED_BY_JAX and _cells(carried) <= UNROLLED_CELLS:
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
    if isinstance(node, ast.While):
        _note_end_of_luck(frame, node, carried, [code.name(names[-1])] if trial.flags else [])
    if result is None:
        return Flow(memory)
    return Flow(memory, [Exit("return", Array(code.name(returned), Kind(BOOL)), result, memory.copy())])


def _cells(carried: list[Carried]) -> int:
    return sum(math.prod(kind.shape) for item in carried for kind in leaf_kinds(item.value))


def _carry_function(define: Define, counted_turns: bool) -> Define:
    """A function of one tuple, as the loops of JAX want it."""
    turn = define.parameters[:1] if counted_turns else []
    rest = define.parameters[1:] if counted_turns else define.parameters
    unpacking: list[Any] = [Assign(list(rest), code.name("carry"), unpack=True)] if rest else []
    return Define(define.name, [*turn, "carry"], [*unpacking, *define.body], define.result)
