"""Loops: written out where they are short and their turns are known, else `fori_loop` and `while_loop`.

What a loop changes is found by reading its body once; then it is read again with these names as parameters.
"""

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from envwright.compiler.ir import code, outgrown
from envwright.compiler.ir.code import Assign, Code, Define
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind
from envwright.compiler.ir.merge import join_memories
from envwright.compiler.ir.operators import truth
from envwright.compiler.ir.packing import leaf_kinds, pack, rebuild
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.trails import drop_copy
from envwright.compiler.ir.twins import as_one_of
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Masked,
    Static,
    Value,
    as_array,
    number,
)
from envwright.compiler.middle import set_methods
from envwright.compiler.middle.carried import Begin, Carried, RecordError, find_carried, hint_of
from envwright.compiler.middle.comprehensions import unpack
from envwright.compiler.middle.copies import Copy, followed, of_moving_rows, rows_themselves, watched
from envwright.compiler.middle.counting import count
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.middle.flow import Execute, Exit, Flow, leaving, rejoin, unless
from envwright.compiler.middle.gone_through import ChangedError, as_while, check, following, now
from envwright.compiler.middle.growing import longest, most_turns
from envwright.compiler.middle.liveness import own_breaks
from envwright.compiler.middle.one_turn import Most, Trial, can_be_written_out, read_turn
from envwright.compiler.middle.turns import Turns, turns_of
from envwright.compiler.refusal import RefusedError

UNROLLED = 4  # turns that are always written out
UNROLLED_BY_JAX = 16  # turns that the compiler writes out, which is faster
UNROLLED_CELLS = 16  # numbers that it hands on, at most: of more, XLA computes too many again


def loop(frame: Frame, node: ast.For | ast.While, execute: Execute) -> Flow:
    """A loop, and its `else`; its body is read by `execute`."""
    written, before = len(frame.block), frame.memory.copy()
    try:
        return _loop(frame, node, execute)
    except RecordError:
        if frame.inlined:
            raise
        del frame.block[written:]
        frame.memory, frame.inlined = before, True
        try:
            return _loop(frame, node, execute)
        finally:
            frame.inlined = False


def _loop(frame: Frame, node: ast.For | ast.While, execute: Execute) -> Flow:
    if isinstance(node, ast.While):
        return _while(frame, node, execute)
    if count(frame, node, evaluate):
        return Flow(frame.memory)
    copied = rows_themselves(frame, node.iter, evaluate)
    if copied is not None:
        found = _first_that_holds([_counted_loop], frame, node, copied.turns, watched(execute, copied.ref))
        if isinstance(found, ChangedError):
            found = _first_that_holds([partial(_over_copy, copied)], frame, node, copied.turns, execute)
        if isinstance(found, Flow):
            return found
    turns = turns_of(frame, node.iter, evaluate)
    if turns.unordered:
        set_methods.check_loop(node, lambda given: _is_number(frame, given))
    if turns.count is None and (turns.known is not None and len(turns.known) <= UNROLLED):
        ways = [_unrolled, _by_places]
    else:
        ways = [_counted_loop, *([_unrolled] if can_be_written_out(turns) else []), _by_places]
    found = _first_that_holds(ways, frame, node, turns, execute)
    if isinstance(found, RefusedError):
        raise found
    return found


def _is_number(frame: Frame, node: ast.expr) -> bool:
    value = frame.memory.see(evaluate(frame, node))
    return number(value) and as_array(value).kind.shape == ()


def _first_that_holds(
    ways: list[Callable[..., Flow]], frame: Frame, node: ast.For, turns: Turns, execute: Execute
) -> Flow | RefusedError:
    """The loop in the first way that covers it, or why there is none."""
    block_length, before = len(frame.block), frame.memory
    problem = RefusedError("")
    for way in ways:
        if way is _by_places and not isinstance(problem, ChangedError):
            break
        try:
            frame.memory = before.copy()
            return way(frame, node, turns, execute)
        except RefusedError as why:
            problem = why if problem.why == "" or not isinstance(problem, ChangedError) else problem
            problem = why if way is _by_places else problem
            del frame.block[block_length:]
            frame.memory = before
    return problem


def _by_places(frame: Frame, node: ast.For, turns: Turns, execute: Execute) -> Flow:
    """A loop over a list that is changed meanwhile."""
    made, begin, most, cell = as_while(frame, node, turns)
    return _run(frame, node, made, None, begin, most, execute, cell)


def _over_copy(copied: Copy, frame: Frame, node: ast.For, turns: Turns, execute: Execute) -> Flow:
    """A loop over a copy of a list from which rows are taken, or to which some come, meanwhile."""
    turns, cell = of_moving_rows(frame, copied)
    flow = _counted_loop(frame, node, turns, followed(execute, cell))
    for memory in flow.memories:
        drop_copy(memory, cell)
    return flow


def _otherwise(frame: Frame, node: ast.For | ast.While, flow: Flow, finished: Array | None, execute: Execute) -> Flow:
    """The `else` of a loop runs unless it was broken off."""
    if not node.orelse or flow.memory is None:
        return flow
    before, guards = flow.memory, frame.guards
    frame.memory = before.copy()
    frame.guards = guards if finished is None else (*guards, finished.code)
    frame.depth += 1
    try:
        later = execute(frame, node.orelse)
    finally:
        frame.depth -= 1
        frame.guards = guards
    flow.take(later, finished)
    flow.memory = later.memory
    if finished is not None:
        flow.memory = before if later.memory is None else join_memories(frame, finished, later.memory, before)
    return flow


# ---- written out ----


def _unrolled(frame: Frame, node: ast.For, turns: Turns, execute: Execute) -> Flow:
    flow, memory = Flow(None), frame.memory
    broken: list[Exit] = []
    start = [now(place, memory) for place in turns.lists]
    for i, value in enumerate(turns.known or []):
        frame.memory = memory
        before = memory.copy()
        if turns.renewed and any(now(place, memory) is not was for place, was in zip(turns.lists, start, strict=True)):
            value = turns.renewed()[i]  # the turns before have changed the list
        unpack(frame, node.target, value)
        inner = execute(frame, node.body)
        check(turns, before, inner)
        flow.exits += leaving(inner.exits, "return", broken)
        broken += leaving(inner.exits, "break")
        memory = rejoin(frame, leaving(inner.exits, "continue"), inner.memory)
        if memory is None:
            break
    if memory is not None and node.orelse:
        frame.memory = memory
        later = execute(frame, node.orelse)
        flow.exits += unless(later.exits, broken)
        memory = later.memory
    flow.memory = rejoin(frame, broken, memory)
    return flow


# ---- as a loop ----


def _while(frame: Frame, node: ast.While, execute: Execute) -> Flow:
    test = truth(frame, evaluate(frame, node.test))
    if isinstance(test, Static) and not test.value:
        return _otherwise(frame, node, Flow(frame.memory), None, execute)
    return _run(frame, node, node, None, None, None, execute)


def _counted_loop(frame: Frame, node: ast.For, turns: Turns, execute: Execute) -> Flow:
    if turns.element is None:
        raise RefusedError("a loop over things that are not numbers, as often as the game says")
    most = turns.length if turns.length >= 0 else None
    return _run(frame, node, node, turns, _beginning(node, turns), most, execute)


def _run(
    frame: Frame,
    origin: ast.For | ast.While,
    node: ast.For | ast.While,
    turns: Turns | None,
    begin: Begin | None,
    most: int | None,
    execute: Execute,
    living: int = 0,
) -> Flow:
    """A loop that turns `most` times at most. `origin` is how the original has it; `living` is the list it goes
    through, if that changes meanwhile: it may not grow, for then there would be more turns."""
    carried, flow = find_carried(frame, origin, begin, execute)
    if check(turns, frame.memory, flow) and turns is not None and isinstance(node, ast.For):
        begin = following(node, turns) or begin
    tops: dict[int, int] = {}
    if isinstance(origin, ast.While):
        going_on = flow.going_on
        most, tops = most_turns(frame, origin, going_on), longest(frame, origin, going_on)
    result: Value | None = None
    for _ in range(6):
        trial = read_turn(
            frame, node, turns, begin, carried, result, Most(most, living, tops, outgrown.turns(frame)), execute
        )
        if trial.stable:
            break
        carried, result = trial.carried, trial.result
    else:
        raise RefusedError("a value changes its kind from one turn of a loop to the next")
    flow, finished = _write(frame, node, turns, carried, trial)
    return _otherwise(frame, node, flow, finished, execute)


def _beginning(node: ast.For, turns: Turns) -> Begin:
    """What a turn begins with: the names of a for loop get their values."""
    return lambda frame, i: unpack(frame, node.target, turns.element(i))


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


def _write(
    frame: Frame, node: Any, turns: Turns | None, carried: list[Carried], trial: Trial
) -> tuple[Flow, Array | None]:
    """The loop itself, and what holds after it; and whether it was not broken off, if it can be."""
    writer, memory = frame.writer, frame.memory
    leaves: list[Code] = []
    names: list[str] = []
    outcome: list[tuple[Carried, Value]] = []
    fixed = turns is not None and turns.count is None and not trial.flags
    for item, settled in zip(carried, trial.carried, strict=True):
        leaves += pack(item.value, item.value)
        value, own = rebuild(item.value, writer.fresh, hint_of(item))
        names += own
        outcome.append((item, _after_loop(value, item, fixed and item.whole and settled.always)))
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
        return Flow(memory), None
    frame.emit(Assign(names, made, unpack=True))
    for item, value in outcome:
        getattr(memory, item.place)[item.key] = as_one_of(memory, value, item.twins)
    finished = Array(code.name(names[-1]), Kind(BOOL)) if trial.flags and own_breaks(node) else None
    if isinstance(node, ast.While):
        _note_end_of_luck(frame, node, carried, [code.name(names[-1])] if trial.flags else [])
    if result is None:
        return Flow(memory), finished
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and not own_breaks(node):
        return Flow(None, [Exit("return", None, result, memory)]), None  # it ends in no other way
    return Flow(memory, [Exit("return", Array(code.name(returned), Kind(BOOL)), result, memory.copy())]), finished


def _after_loop(value: Value, item: Carried, full: bool) -> Value:
    """A list that a loop has filled: the room for its turns is used up; it is of fixed length if all have added."""
    if full and isinstance(value, Counted):
        return Array(value.array.code, value.array.kind, listed=True)
    if isinstance(value, Counted | Masked):
        return replace(value, roomy=item.room_before, guessed=item.guessed_before)
    return value


def _cells(carried: list[Carried]) -> int:
    return sum(math.prod(kind.shape) for item in carried for kind in leaf_kinds(item.value))


def _carry_function(define: Define, counted_turns: bool) -> Define:
    """A function of one tuple, as the loops of JAX want it."""
    turn = define.parameters[:1] if counted_turns else []
    rest = define.parameters[1:] if counted_turns else define.parameters
    unpacking: list[Any] = [Assign(list(rest), code.name("carry"), unpack=True)] if rest else []
    return Define(define.name, [*turn, "carry"], [*unpacking, *define.body], define.result)
