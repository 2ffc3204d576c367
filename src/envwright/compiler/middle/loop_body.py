"""The body of a loop as a function of its loop-carried values, and the condition of a while loop."""

import ast
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from envwright.compiler.ir import code, overflow, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.affine import difference
from envwright.compiler.ir.alias_invalidation import as_one_of
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.code import Code, Define
from envwright.compiler.ir.flattening import flatten, same_structure, unflatten
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.operators import truth
from envwright.compiler.ir.phi import join
from envwright.compiler.ir.set_algebra import some_of
from envwright.compiler.ir.store import Store, deep_or_unknown
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.middle.capacity_inference import LoopBounds
from envwright.compiler.middle.control_flow import ControlFlow, Execute, rejoin
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.middle.iteration_space import IterationSpace
from envwright.compiler.middle.loop_carried import Begin, LoopCarried, base_of_name, hint_of, loosened, widen
from envwright.compiler.refusal import RefusedError

MOST = 64  # iterations that are unrolled if there is no other way


def can_be_written_out(iterations: IterationSpace | None) -> bool:
    return (
        iterations is not None
        and iterations.known is not None
        and iterations.count is None
        and len(iterations.known) <= MOST
    )


class IterationBounds(NamedTuple):
    """Bounds on the number of iterations; they do not hold for a list that grows while it is iterated over."""

    iterations: int | None
    living: int
    tops: dict[int, int]  # how long lists are at most before an iteration
    guess: int | None  # the estimated number of iterations, if there is no bound

    def of(self, item: LoopCarried) -> LoopBounds:
        """The bounds for one loop-carried value."""
        if item.place != "locs":
            return LoopBounds(self.iterations)
        if item.key == self.living:
            return LoopBounds(None, self.tops.get(item.key))
        return LoopBounds(self.iterations, self.tops.get(item.key), self.guess)


@dataclass
class LoopBody:
    """A body that was read."""

    stable: bool
    carried: list[LoopCarried]
    define: Define
    test: Define | None
    flags: list[str]
    result: Value | None  # what a return in the loop gives


def read_loop_body(
    frame: CallFrame,
    node: Any,
    iterations: IterationSpace | None,
    begin: Begin | None,
    carried: list[LoopCarried],
    like: Value | None,
    most: IterationBounds,
    execute: Execute,
) -> LoopBody:
    """The body as a function of the loop-carried values; `like` is what a return in it returns."""
    outer, writer = frame.memory, frame.writer
    ends_early = any(isinstance(n, ast.Break | ast.Return) for n in ast.walk(node))
    turn = writer.fresh("i") if iterations is not None else ""
    parameters: list[str] = []
    starts: list[Value] = []
    inside = outer.copy()
    for item in carried:
        value, names = unflatten(item.value, writer.fresh, hint_of(item))
        parameters += names
        starts.append(value)
        getattr(inside, item.place)[item.key] = as_one_of(inside, value, item.aliases)
    old_result, result_names = unflatten(like, writer.fresh, "result") if like is not None else (None, [])
    returned = [writer.fresh("returned")] if like is not None else []
    flag = [writer.fresh("going_on")] if ends_early else []
    before = [*parameters, *result_names, *returned]
    writer.blocks.append([])
    frame.depth += 1
    frame.memory = inside
    try:
        if begin is not None:
            begin(frame, code.name(turn))
        flow = execute(frame, node.body)
        memory, on, result = _ends(frame, flow)
        frame.memory = memory
        after = [_settled(frame, deep_or_unknown(memory, getattr(memory, c.place)[c.key])) for c in carried]
        wanted = _wanted(outer, carried, after, most, can_be_written_out(iterations))
        stable = len(wanted) == len(carried) and all(w.value is c.value for w, c in zip(wanted, carried, strict=True))
        if stable:
            wanted = [replace(w, always=_always(frame, a, b)) for w, a, b in zip(wanted, starts, after, strict=True)]
        form = _form(frame, result[1], like) if result is not None else None
        stable = stable and form is like
        leaves: list[Code] = []
        if stable:
            leaves = [part for c, value in zip(carried, after, strict=True) for part in flatten(value, c.value)]
            if result is not None and like is not None and old_result is not None:
                when, value = result
                new = flatten(value, like)
                leaves += [
                    code.call("jnp.where", when.code, n, code.name(o)) for n, o in zip(new, result_names, strict=True)
                ]
                leaves.append(code.binary(code.name(returned[0]), ast.BitOr(), when.code))
            if flag and iterations is not None:  # iterations after the end change nothing
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
        _test(frame, node.test, carried, [*result_names, *returned], flag, inside)
        if iterations is None and stable
        else None
    )
    return LoopBody(stable, wanted, define, tested, flag, form)


def _settled(frame: CallFrame, value: Value) -> Value:
    """What can be passed on: a set of some values as a list of them."""
    return some_of(frame, value) if isinstance(value, ir.Gathered) and value.items else value


def _wanted(
    outer: Store, carried: list[LoopCarried], after: list[Value], most: IterationBounds, written_out: bool
) -> list[LoopCarried]:
    """The loop-carried values, widened to hold what an iteration leaves behind."""
    wanted: list[LoopCarried] = []
    for item, value in zip(carried, after, strict=True):
        if written_out and isinstance(item.value, ir.Items) and item.value.items and tables.are_texts(item.value.items):
            raise RefusedError("a list of strings is mutated in a loop, which has to be unrolled")
        if isinstance(value, ir.Unknown) and item.place == "locs":
            outer.locs[item.key] = value  # an error only for those who read it
            continue
        lists = isinstance(item.value, ir.Items) and isinstance(value, ir.Items)
        if lists and written_out and len(item.value.items) != len(value.items):  # pyright: ignore
            raise RefusedError("a list grows in every iteration of a loop, which has to be unrolled")
        try:
            wanted.append(replace(item, value=widen(item.value, value, most.of(item))))
        except RefusedError as why:
            if not item.optional:
                raise
            outer.names[item.key] = ir.Unknown(why)  # it is an error only for those who read it after the loop
    guessed = any(isinstance(item.value, ir.Counted | ir.Masked) and item.value.guessed for item in wanted)
    if guessed and not any(item.key == overflow.OVERFLOW for item in wanted):
        wanted.append(LoopCarried("attributes", overflow.OVERFLOW, overflow.flag(outer)))
    return wanted


def _always(frame: CallFrame, before: Value, after: Value) -> bool:
    """Whether a list gets as many elements in every iteration as it has capacity for."""
    if not isinstance(before, ir.Counted) or not isinstance(after, ir.Counted) or not before.roomy:
        return False
    return difference(frame, before.count.code, after.count.code) == before.roomy


def _form(frame: CallFrame, value: Value, like: Value | None) -> Value:
    """What a return gives, as arrays; the same object if it is so already."""
    loose = loosened(frame, value)
    return like if like is not None and same_structure(like, loose) else loose


def _ends(frame: CallFrame, flow: ControlFlow) -> tuple[Store, Code, tuple[ir.Array, Value] | None]:
    """The store after an iteration, whether another one follows, and what is returned, and when."""
    if flow.memory is None and not flow.exits:
        raise RefusedError("a loop whose body never ends is not supported")
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
    result = None if value is None else (ir.Array(_flag_code(returned), Aval(BOOL)), value)
    return memory, _flag_code(on), result


def _flag(when: ir.Array | None, yes: bool, no: bool | Code) -> bool | Code:
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
    frame: CallFrame, test: ast.expr, carried: list[LoopCarried], others: list[str], flag: list[str], inside: Store
) -> Define:
    """The condition of a while loop, as a function of what is carried."""
    writer, outer = frame.writer, frame.memory
    names: list[str] = []
    memory = inside.copy()
    for item in carried:
        value, own = unflatten(item.value, writer.fresh, hint_of(item))
        names += own
        getattr(memory, item.place)[item.key] = as_one_of(memory, value, item.aliases)
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
    held += _draws_left(frame, carried, memory) + list(frame.guards)  # else it may not end in a branch not taken
    if any((item.place, item.key) == ("attributes", overflow.OVERFLOW) for item in carried):
        held += [code.negated(flag) for flag in overflow.noted(memory)]  # nor where something was forgotten
    result = asked
    for condition in held:
        result = code.both(condition, result)
    writer.loops = True
    return Define(writer.fresh("test"), names, body, result)


def _draws_left(frame: CallFrame, carried: list[LoopCarried], memory: Store) -> list[Code]:
    """A loop that draws ends when its chance field is used up."""
    rooms = frame.program.rooms(frame.writer.when)
    fields = [item.key for item in carried if item.place == "cursors"]
    return [code.compare(as_array(memory.cursors[f]).code, ast.Lt(), code.const(rooms[f])) for f in fields]
