"""Loops: unrolled where they are short, else `fori_loop` and `while_loop`.

The body is read once to find what it changes; then again, with the loop-carried values as parameters.
"""

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from envwright.compiler.ir import code, overflow
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import as_one_of
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.code import Assign, Code, Define
from envwright.compiler.ir.flattening import flatten, leaf_avals, unflatten
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.operators import truth
from envwright.compiler.ir.phi import join_memories
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.tracked_rows import untrack_copy
from envwright.compiler.ir.values import Value, as_array, number
from envwright.compiler.middle import set_methods
from envwright.compiler.middle.capacity_inference import max_iterations, max_lengths
from envwright.compiler.middle.comprehensions import unpack
from envwright.compiler.middle.control_flow import ControlFlow, Execute, Exit, leaving, rejoin, unless
from envwright.compiler.middle.copy_loops import Copy, followed, of_moving_rows, rows_themselves, watched
from envwright.compiler.middle.counting_loops import count
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.middle.iteration_space import IterationSpace, iteration_space_of
from envwright.compiler.middle.liveness import own_breaks
from envwright.compiler.middle.loop_body import IterationBounds, LoopBody, can_be_written_out, read_loop_body
from envwright.compiler.middle.loop_carried import Begin, LoopCarried, StateRecordError, find_loop_carried, hint_of
from envwright.compiler.middle.mutated_iteration import MutatedIterationError, as_while, check_mutation, following, now
from envwright.compiler.refusal import RefusedError

UNROLLED = 4  # iterations that are always unrolled
UNROLLED_BY_JAX = 16  # iterations that the compiler writes out, which is faster
UNROLLED_SIZE = 16  # numbers that it passes on, at most: of more, XLA computes too many again


def loop(frame: CallFrame, node: ast.For | ast.While, execute: Execute) -> ControlFlow:
    """A loop, and its `else`; its body is read by `execute`."""
    written, before = len(frame.block), frame.memory.copy()
    try:
        return _loop(frame, node, execute)
    except StateRecordError:
        if frame.inlined:
            raise
        del frame.block[written:]
        frame.memory, frame.inlined = before, True
        try:
            return _loop(frame, node, execute)
        finally:
            frame.inlined = False


def _loop(frame: CallFrame, node: ast.For | ast.While, execute: Execute) -> ControlFlow:
    if isinstance(node, ast.While):
        return _while(frame, node, execute)
    if count(frame, node, evaluate):
        return ControlFlow(frame.memory)
    copied = rows_themselves(frame, node.iter, evaluate)
    if copied is not None:
        found = _first_that_holds([_counted_loop], frame, node, copied.iterations, watched(execute, copied.ref))
        if isinstance(found, MutatedIterationError):
            found = _first_that_holds([partial(_over_copy, copied)], frame, node, copied.iterations, execute)
        if isinstance(found, ControlFlow):
            return found
    iterations = iteration_space_of(frame, node.iter, evaluate)
    if iterations.unordered:
        set_methods.check_loop(node, lambda given: _is_number(frame, given))
    if iterations.count is None and (iterations.known is not None and len(iterations.known) <= UNROLLED):
        ways = [_unrolled, _by_places]
    else:
        ways = [_counted_loop, *([_unrolled] if can_be_written_out(iterations) else []), _by_places]
    found = _first_that_holds(ways, frame, node, iterations, execute)
    if isinstance(found, RefusedError):
        raise found
    return found


def _is_number(frame: CallFrame, node: ast.expr) -> bool:
    value = frame.memory.see(evaluate(frame, node))
    return number(value) and as_array(value).kind.shape == ()


def _first_that_holds(
    ways: list[Callable[..., ControlFlow]],
    frame: CallFrame,
    node: ast.For,
    iterations: IterationSpace,
    execute: Execute,
) -> ControlFlow | RefusedError:
    """The loop by the first strategy that works, or the refusal."""
    block_length, before = len(frame.block), frame.memory
    problem = RefusedError("")
    for way in ways:
        if way is _by_places and not isinstance(problem, MutatedIterationError):
            break
        try:
            frame.memory = before.copy()
            return way(frame, node, iterations, execute)
        except RefusedError as why:
            problem = why if problem.why == "" or not isinstance(problem, MutatedIterationError) else problem
            problem = why if way is _by_places else problem
            del frame.block[block_length:]
            frame.memory = before
    return problem


def _by_places(frame: CallFrame, node: ast.For, iterations: IterationSpace, execute: Execute) -> ControlFlow:
    """A loop over a list that is mutated meanwhile."""
    made, begin, most, loc = as_while(frame, node, iterations)
    return _run(frame, node, made, None, begin, most, execute, loc)


def _over_copy(
    copied: Copy, frame: CallFrame, node: ast.For, iterations: IterationSpace, execute: Execute
) -> ControlFlow:
    """A loop over a copy of a list that is mutated meanwhile."""
    iterations, loc = of_moving_rows(frame, copied)
    flow = _counted_loop(frame, node, iterations, followed(execute, loc))
    for memory in flow.memories:
        untrack_copy(memory, loc)
    return flow


def _otherwise(
    frame: CallFrame, node: ast.For | ast.While, flow: ControlFlow, finished: ir.Array | None, execute: Execute
) -> ControlFlow:
    """The `else` of a loop runs unless it was left by break."""
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


# ---- unrolled ----


def _unrolled(frame: CallFrame, node: ast.For, iterations: IterationSpace, execute: Execute) -> ControlFlow:
    flow, memory = ControlFlow(None), frame.memory
    broken: list[Exit] = []
    start = [now(place, memory) for place in iterations.lists]
    for i, value in enumerate(iterations.known or []):
        frame.memory = memory
        before = memory.copy()
        if iterations.renewed and any(
            now(place, memory) is not was for place, was in zip(iterations.lists, start, strict=True)
        ):
            value = iterations.renewed()[i]  # earlier iterations have changed the list
        unpack(frame, node.target, value)
        inner = execute(frame, node.body)
        check_mutation(iterations, before, inner)
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


def _while(frame: CallFrame, node: ast.While, execute: Execute) -> ControlFlow:
    test = truth(frame, evaluate(frame, node.test))
    if isinstance(test, ir.Static) and not test.value:
        return _otherwise(frame, node, ControlFlow(frame.memory), None, execute)
    return _run(frame, node, node, None, None, None, execute)


def _counted_loop(frame: CallFrame, node: ast.For, iterations: IterationSpace, execute: Execute) -> ControlFlow:
    if iterations.element is None:
        raise RefusedError("a loop with a run-time number of iterations over something other than numbers")
    most = iterations.length if iterations.length >= 0 else None
    return _run(frame, node, node, iterations, _beginning(node, iterations), most, execute)


def _run(
    frame: CallFrame,
    origin: ast.For | ast.While,
    node: ast.For | ast.While,
    iterations: IterationSpace | None,
    begin: Begin | None,
    most: int | None,
    execute: Execute,
    living: int = 0,
) -> ControlFlow:
    """A loop of at most `most` iterations. `origin` is the loop of the original; `living` the list it iterates over, if
    that is mutated: it may not grow, for then there would be more iterations."""
    carried, flow = find_loop_carried(frame, origin, begin, execute)
    if check_mutation(iterations, frame.memory, flow) and iterations is not None and isinstance(node, ast.For):
        begin = following(node, iterations) or begin
    tops: dict[int, int] = {}
    if isinstance(origin, ast.While):
        going_on = flow.going_on
        most, tops = max_iterations(frame, origin, going_on), max_lengths(frame, origin, going_on)
    result: Value | None = None
    for _ in range(6):
        loop_body = read_loop_body(
            frame,
            node,
            iterations,
            begin,
            carried,
            result,
            IterationBounds(most, living, tops, overflow.guessed_iterations(frame)),
            execute,
        )
        if loop_body.stable:
            break
        carried, result = loop_body.carried, loop_body.result
    else:
        raise RefusedError("a loop-carried value changes its type from one iteration to the next")
    flow, finished = _write(frame, node, iterations, carried, loop_body)
    return _otherwise(frame, node, flow, finished, execute)


def _beginning(node: ast.For, iterations: IterationSpace) -> Begin:
    """The assignment of the loop targets."""
    return lambda frame, i: unpack(frame, node.target, iterations.element(i))


def _note_exhausted_draws(frame: CallFrame, node: ast.While, carried: list[LoopCarried], going_on: list[Code]) -> None:
    """A loop that would have gone on has drawn more than there is."""
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
        frame.memory.cursors[field] = ir.Array(code.name(frame.bind(f"{field}_drawn", more, auto=True)), Aval(INT))


def _write(
    frame: CallFrame, node: Any, iterations: IterationSpace | None, carried: list[LoopCarried], loop_body: LoopBody
) -> tuple[ControlFlow, ir.Array | None]:
    """The loop, the store after it, and whether it was left by break, if it can be."""
    writer, memory = frame.writer, frame.memory
    leaves: list[Code] = []
    names: list[str] = []
    outcome: list[tuple[LoopCarried, Value]] = []
    fixed = iterations is not None and iterations.count is None and not loop_body.flags
    for item, settled in zip(carried, loop_body.carried, strict=True):
        leaves += flatten(item.value, item.value)
        value, own = unflatten(item.value, writer.fresh, hint_of(item))
        names += own
        outcome.append((item, _after_loop(value, item, fixed and item.whole and settled.always)))
    result, returned = None, ""
    if loop_body.result is not None:
        result, own = unflatten(loop_body.result, writer.fresh, "result")
        returned = writer.fresh("returned")
        names += [*own, returned]
        leaves += [
            *(zero(kind).code for kind in leaf_avals(loop_body.result)),
            code.call("jnp.bool_", code.const(False)),
        ]
    if loop_body.flags:
        leaves.append(code.call("jnp.bool_", code.const(True)))
        names.append(writer.fresh("going_on"))
    body = _carry_function(loop_body.define, iterations is not None)
    frame.emit(body)
    start = code.tuple_of(leaves)
    if iterations is not None:
        stop = iterations.count.code if iterations.count is not None else code.const(iterations.length)
        made = code.call("jax.lax.fori_loop", code.const(0), stop, code.name(body.name), start)
        if iterations.count is None and iterations.length <= UNROLLED_BY_JAX and _size(carried) <= UNROLLED_SIZE:
            made.keywords.append(ast.keyword("unroll", code.const(True)))  # pyright: ignore[reportAttributeAccessIssue]
    else:
        assert loop_body.test is not None
        test = _carry_function(loop_body.test, False)
        frame.emit(test)
        made = code.call("jax.lax.while_loop", code.name(test.name), code.name(body.name), start)
    if not names:
        return ControlFlow(memory), None
    frame.emit(Assign(names, made, unpack=True))
    for item, value in outcome:
        getattr(memory, item.place)[item.key] = as_one_of(memory, value, item.aliases)
    finished = ir.Array(code.name(names[-1]), Aval(BOOL)) if loop_body.flags and own_breaks(node) else None
    if isinstance(node, ast.While):
        _note_exhausted_draws(frame, node, carried, [code.name(names[-1])] if loop_body.flags else [])
    if result is None:
        return ControlFlow(memory), finished
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and not own_breaks(node):
        return ControlFlow(None, [Exit("return", None, result, memory)]), None  # it ends in no other way
    return ControlFlow(
        memory, [Exit("return", ir.Array(code.name(returned), Aval(BOOL)), result, memory.copy())]
    ), finished


def _after_loop(value: Value, item: LoopCarried, full: bool) -> Value:
    """A list after the loop that filled it: of fixed length if every iteration has appended."""
    if full and isinstance(value, ir.Counted):
        return ir.Array(value.array.code, value.array.kind, listed=True)
    if isinstance(value, ir.Counted | ir.Masked):
        return replace(value, roomy=item.room_before, guessed=item.guessed_before)
    return value


def _size(carried: list[LoopCarried]) -> int:
    return sum(math.prod(kind.shape) for item in carried for kind in leaf_avals(item.value))


def _carry_function(define: Define, counted_turns: bool) -> Define:
    """A function of one tuple, as JAX's loops want it."""
    turn = define.parameters[:1] if counted_turns else []
    rest = define.parameters[1:] if counted_turns else define.parameters
    unpacking: list[Any] = [Assign(list(rest), code.name("carry"), unpack=True)] if rest else []
    return Define(define.name, [*turn, "carry"], [*unpacking, *define.body], define.result)
