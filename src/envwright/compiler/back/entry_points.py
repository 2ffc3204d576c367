"""The entry points: start, apply, their random draws, and the functions that the contract names."""

import ast
import copy
import inspect
import math
import types
from typing import Any

import numpy as np

from envwright.compiler.back.sampling import add_draw, write_drawing
from envwright.compiler.front.forms import part_of
from envwright.compiler.front.objects import Objects
from envwright.compiler.ir import code, object_arena, overflow, record
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, FLOAT, INT, Aval, narrow
from envwright.compiler.ir.code import Code, Written
from envwright.compiler.ir.frame import CallFrame, Writer
from envwright.compiler.ir.shapes import cast_to
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.ir.values import Value, as_array, cast, stack
from envwright.compiler.middle import capacity_check
from envwright.compiler.middle.coercion import fit
from envwright.compiler.middle.emitting import CompiledFunction, _key, _write
from envwright.compiler.middle.inlining import Callee, callee_of, read_inline
from envwright.compiler.refusal import InternalError, Refusal, RefusedError
from envwright.references.python.functions import find_function
from envwright.verifier.codecs import Joined
from envwright.verifier.interface import Interface


def _top(program: TranslationUnit, start: bool) -> CallFrame:
    writer = Writer(start=start, top=True)
    return CallFrame(program, writer, Store(program))


def write_start(program: TranslationUnit, interface: Interface, objects: Objects) -> None:
    """`start` and `draw_start`."""
    frame = _top(program, start=True)
    _before_it(program, frame)
    callee, given = _entry(objects.start, objects.start_arguments)
    value = read_inline(frame, callee, given, {})
    value = frame.memory.deep(value)
    if isinstance(value, ir.Static) and isinstance(value.value, tuple):
        value = ir.Items(tuple(ir.Static(v) for v in value.value))
    obs = value.items[0] if isinstance(value, ir.Items) and _is_with_info(value) else value
    frame.line = 0
    observation = frame.named("obs", _fitted(frame, obs, interface.observation).code)
    capacity_check.cut_short(frame)
    state = record.flush(frame, frame.memory)
    result = code.tuple_of([observation, code.name(state)])
    returns = "tuple[jax.Array, State]"
    _add(program, "start", [("chance", "StartChance")], frame, result, returns, "Begin an episode.", callee)
    if any(drawn.late for _, drawn in frame.writer.collected):
        drawing = _top(program, start=True)
        drawing.writer.drawing = True
        _before_it(program, drawing)
        write_drawing(program, drawing, callee, given, "start", interface.start_luck, frame.writer.collected)
        return
    parameters, drawn = [("key", "jax.Array")], frame.writer.collected
    add_draw(program, "draw_start", parameters, "StartChance", interface.start_luck, drawn, "start")


def _is_with_info(value: ir.Items) -> bool:
    """Whether a reset gives an observation and an info. Before Gymnasium, it gave the observation alone, which may be
    two numbers."""
    info = value.items[-1] if len(value.items) == 2 else ir.Static(None)
    return isinstance(info.value, dict) if isinstance(info, ir.Static) else not isinstance(info, ir.Array | ir.Items)


def _before_it(program: TranslationUnit, frame: CallFrame) -> None:
    """The state before a reset: lists and sets are empty, arrays and dicts as in any other episode. Their content does
    not matter, or episodes would not be independent."""
    memory = frame.memory
    object_arena.blank(memory)
    overflow.begin(memory)
    for key, slot in program.slots.items():
        if slot.form == "objects":
            memory.attributes[key] = memory.hold(object_arena.fitted(frame, slot, ir.Items((), True)))
        if slot.form == "listed":
            array, count = (slot.blank()[name] for name, _ in slot.fields)
            none = ir.Array(code.const(0), count.kind, weak=True)
            held = ir.Counted(ir.Array(array.code, array.kind, listed=True), none, clean=True)
            memory.attributes[key] = memory.hold(held)
        if slot.form == "flags":
            memory.attributes[key] = memory.hold(fit(frame, slot, ir.Static(set())))
        if slot.form in ("plain", "letters", "keyed") and isinstance(program.before[key], np.ndarray | list | dict):
            memory.attributes[key] = memory.hold(fit(frame, slot, ir.Static(copy.deepcopy(program.before[key]))))


def write_step(program: TranslationUnit, interface: Interface, objects: Objects) -> None:
    """`apply` and `draw`."""
    frame = _top(program, start=False)
    record.load(frame, frame.memory, "state")
    assert objects.step is not None
    callee, given = _entry(objects.step, objects.step_arguments)
    value = frame.memory.deep(read_inline(frame, callee, [*given, _action(interface)], {}))
    if isinstance(value, ir.Static) and isinstance(value.value, tuple):
        value = ir.Items(tuple(ir.Static(v) for v in value.value))
    if not isinstance(value, ir.Items) or len(value.items) not in (4, 5):
        raise RefusedError("step does not return a tuple of observation, reward, terminated, truncated and info")
    parts = list(value.items)
    if len(parts) == 4:
        parts.insert(3, ir.Static(False))
    obs, reward, terminated, truncated, info = parts
    frame.line = 0
    too_many = [*object_arena.too_many(frame.memory), *overflow.noted(frame.memory)]
    fields: dict[str, Code] = {
        "obs": frame.named("obs", _fitted(frame, obs, interface.observation).code),
        "state": code.name(record.flush(frame, frame.memory)),
        "reward": frame.named("reward", _scalar(frame, reward, FLOAT)),
        "terminated": frame.named("terminated", _scalar(frame, terminated, BOOL)),
        "truncated": frame.named("truncated", _scalar(frame, truncated, BOOL)),
        "info": _info(frame, interface, info),
    }
    capacity_check.check(program, frame, [fields["terminated"], fields["truncated"]], interface.max_episode_steps)
    fields["truncated"] = _or_too_long(frame, fields["truncated"], too_many)
    parameters = [("state", "State"), ("action", "jax.Array"), ("chance", "StepChance")]
    _add(program, "apply", parameters, frame, code.call("Step", **fields), "Step", "Take a step.", callee)
    if any(drawn.late for _, drawn in frame.writer.collected):
        drawing = _top(program, start=False)
        drawing.writer.drawing = True
        record.load(drawing, drawing.memory, "state")
        given = [*given, _action(interface)]
        write_drawing(program, drawing, callee, given, "step", interface.step_luck, frame.writer.collected)
        return
    parameters = [("key", "jax.Array"), ("state", "State"), ("action", "jax.Array")]
    add_draw(program, "draw", parameters, "StepChance", interface.step_luck, frame.writer.collected, "step")


def _or_too_long(frame: CallFrame, truncated: Code, over: list[Code]) -> Code:
    """Truncate an episode in which a list, a set, the random draws, the objects or an estimated loop capacity overflow
    (`over`): the original would go on, but the translation no longer follows it."""
    over, state = list(over), code.name(frame.memory.state)
    for slot in frame.program.slots.values():
        if slot.is_list and (slot.extra is None or slot.form == "objects") and slot.count not in frame.program.lengths:
            over.append(code.compare(code.attribute(state, slot.count), ast.Gt(), code.const(slot.room)))
        if slot.form == "flags":
            flags, count = (code.attribute(state, name) for name, _ in slot.fields)
            over.append(code.compare(code.call("jnp.sum", flags), ast.NotEq(), count))
    rooms = frame.program.rooms("step")
    for name, drawn in frame.memory.cursors.items():
        if not isinstance(drawn, ir.Static) and frame.writer.most[name] > (rooms[name] or 1):
            over.append(code.compare(as_array(drawn).code, ast.Gt(), code.const(rooms[name])))
    for more in over:
        known = code.text(frame.writer.meaning(truncated)).startswith("jnp.bool_(False")
        truncated = more if known else code.binary(truncated, ast.BitOr(), more)
    return truncated


def refusal_in(function: Any, why: RefusedError) -> Refusal:
    """The refusal of a start or step whose result, or whose state, cannot be represented."""
    callee, _ = _entry(function, [])
    internal = isinstance(why, InternalError)
    placed = why if internal else RefusedError(f"what it returns, or stores in the state: {why.why}")
    return placed.at(callee.qualified, callee.file, callee.node.lineno).place or Refusal(f"{why.why}.")


def _entry(function: Any, arguments: list[Any]) -> tuple[Callee, list[Value]]:
    given: list[Value] = [ir.Static(a) for a in arguments]
    if isinstance(function, types.MethodType):
        given, function = [ir.Static(function.__self__), *given], function.__func__
    return callee_of(inspect.unwrap(function)), given


def _action(interface: Interface) -> ir.Array:
    space = interface.action_space
    if hasattr(space, "n"):
        return ir.Array(code.name("action"), Aval(INT))
    return ir.Array(code.name("action"), Aval(narrow(space.dtype), tuple(space.shape)))


def _fitted(frame: CallFrame, value: Value, wanted: Any) -> ir.Array:
    if isinstance(value, ir.Unknown):
        raise value.why
    value = frame.memory.deep(value)
    kind = Aval(narrow(wanted.dtype), tuple(wanted.shape))
    if isinstance(wanted.codec, Joined):
        parts = [code.call("jnp.ravel", cast(part, kind.dtype).code) for part in _row(frame, value)]
        return ir.Array(code.call("jnp.concatenate", code.list_of(parts)), kind)
    return cast_to(as_array(value), kind)


def _row(frame: CallFrame, value: Value) -> list[ir.Array]:
    """The arrays in a nested dict or tuple, in order."""
    value = frame.memory.deep(value)
    if isinstance(value, ir.Static) and isinstance(value.value, dict):
        value = ir.Keyed({k: ir.Static(v) for k, v in value.value.items()})
    if isinstance(value, ir.Static) and isinstance(value.value, tuple | list):
        value = ir.Items(tuple(ir.Static(v) for v in value.value))
    if isinstance(value, ir.Keyed | ir.Items):
        inner = value.items.values() if isinstance(value, ir.Keyed) else value.items
        return [array for part in inner for array in _row(frame, part)]
    return [as_array(value)]


def _scalar(frame: CallFrame, value: Value, dtype: str) -> Code:
    if isinstance(value, ir.Unknown):
        raise value.why
    array = as_array(frame.memory.deep(value))
    if array.kind.shape and math.prod(array.kind.shape) == 1:  # one number, in an array
        array = ir.Array(code.call("jnp.reshape", array.code, code.tuple_of([])), Aval(array.kind.dtype))
    if dtype == BOOL and not array.kind.is_bool:
        return code.compare(array.code, ast.NotEq(), code.const(0))
    return cast_to(array, Aval(dtype)).code


def _info(frame: CallFrame, interface: Interface, value: Value) -> Code:
    """The entries of info that the contract asks for."""
    wanted = {f.name.removeprefix("info."): f for f in interface.info}
    if not wanted:
        return ast.Dict([], [])
    value = frame.memory.deep(value)
    if isinstance(value, ir.Static):
        value = ir.Keyed({k: ir.Static(v) for k, v in value.value.items()})
    have = value.items if isinstance(value, ir.Keyed) else {}
    missing = [name for name in wanted if name not in have]
    if missing:
        raise RefusedError(f"info has no {missing[0]}")
    codes = [_fitted(frame, have[name], of).code for name, of in wanted.items()]
    return ast.Dict([code.const(name) for name in wanted], codes)


def _add(
    program: TranslationUnit, name: str, parameters: list[tuple[str, str]], frame: CallFrame, result: Code,
    returns: str, doc: str, callee: Callee,
) -> None:  # fmt: skip
    said = callee.doc or doc
    program.functions[name] = Written(
        name, parameters, frame.writer.blocks[0], result, returns, said, callee.qualified, callee.file,
        callee.node.lineno, frame.writer.bases,
    )  # fmt: skip


# ---- functions of the contract ----


def write_functions(program: TranslationUnit, interface: Interface, objects: Objects, refusals: list[Refusal]) -> None:
    """The functions that the contract verifies on their own, under its names and with its arguments."""
    parts = objects.reference.driver.parts(objects.reference.object)
    for signature in interface.functions:
        try:
            function = inspect.unwrap(find_function(parts, signature.reference))
            _write_function(program, signature, function)
        except RefusedError as why:
            refusals.append(why.place or Refusal(f"{why.why}."))


def _write_function(program: TranslationUnit, signature: Any, function: Any) -> None:
    callee, given = _entry(function, [])
    names = [a.arg for a in callee.node.args.args][len(given) :]
    values: dict[str, Value] = {a.arg: v for a, v in zip(callee.node.args.args, given, strict=False)}
    arrays: dict[str, list[ir.Array]] = {}
    for argument in signature.arguments:
        kind = Aval(narrow(argument.dtype), tuple(argument.shape))
        arrays.setdefault(part_of(argument)[0], []).append(ir.Array(code.name(argument.name), kind))
    for name in names:
        if name not in arrays:
            continue
        array, *count = arrays[name]
        values[name] = ir.Counted(ir.Array(array.code, array.kind, listed=True), count[0]) if len(count) == 1 else array
    order = {a.arg: values[a.arg] for a in callee.node.args.args if a.arg in values}
    frame = CallFrame(program, Writer(top=False), Store(program))
    made = _write(frame, callee, order)
    if not isinstance(made, CompiledFunction) or made.name not in program.functions or made.notes:
        raise RefusedError(
            f"{signature.reference} mutates its arguments, draws random numbers or may exceed a capacity, so it "
            "cannot be verified alone"
        ).at(callee.qualified, callee.file, callee.node.lineno)
    written = program.functions.pop(made.name)
    wanted = signature.name.rpartition(".")[2]
    written.name = wanted
    kind = Aval(narrow(signature.result.dtype), tuple(signature.result.shape))
    value = made.value
    if isinstance(value, ir.Items) and kind.shape:
        value = stack(value, kind.dtype)
        written.result = value.code
        written.returns = "jax.Array"
    elif isinstance(value, ir.Array) and value.kind != kind:
        value = cast_to(value, kind)
        written.result = value.code
    elif isinstance(value, ir.Static):
        raise RefusedError(f"{signature.reference} always returns the same value")
    program.functions[wanted] = written
    program.names.add(wanted)
    program.cache["contract", callee.code] = (
        CompiledFunction(wanted, value, made.reads_state, made.writes_state, {}, [], made.order, loops=made.loops),
        order,
    )
    key = (callee.code, False, tuple((n, _key(v)) for n, v in order.items()))
    program.cache[key] = program.cache["contract", callee.code][0]
