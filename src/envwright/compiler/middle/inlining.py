"""Inlining: arguments are bound to names, and the body is read in a frame of its own."""

import ast
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envwright.compiler.front.source import is_generator, source_of
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.values import Value
from envwright.compiler.middle.control_flow import settle
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.middle.generators import as_list
from envwright.compiler.middle.statements import execute
from envwright.compiler.refusal import RefusedError


@dataclass(frozen=True)
class Callee:
    """A function that is called."""

    node: ast.FunctionDef | ast.Lambda
    file: str
    name: str
    qualified: str
    globals: Mapping[str, Any]
    nonlocals: Mapping[str, Any]
    defaults: Mapping[str, Any]
    owner: type | None
    comments: Mapping[int, list[str]]
    outer: CallFrame | None = None  # of a lambda: the frame around it
    closure: ir.Closure | None = None
    code: types.CodeType | None = None

    @property
    def doc(self) -> str:
        return (ast.get_docstring(self.node) or "") if isinstance(self.node, ast.FunctionDef) else ""


def callee_of(function: types.FunctionType) -> Callee:
    """The callee behind a Python function."""
    source = source_of(function)
    node = as_list(source.node, function.__qualname__) if is_generator(source.node) else source.node
    nonlocals = {}
    if function.__closure__:
        for name, loc in zip(function.__code__.co_freevars, function.__closure__, strict=True):
            try:
                nonlocals[name] = loc.cell_contents
            except ValueError:  # not set yet
                continue
    parameters = inspect.signature(function).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
    return Callee(
        node, source.file, function.__name__, function.__qualname__, function.__globals__, nonlocals, defaults,
        nonlocals.get("__class__") or owner_of(function), source.comments, code=function.__code__,
    )  # fmt: skip


def owner_of(function: types.FunctionType) -> type | None:
    """The class that a method is defined in."""
    path = function.__qualname__.split(".")[:-1]
    found: Any = function.__globals__
    for part in path:
        found = found.get(part) if isinstance(found, dict) else getattr(found, part, None)
    return found if isinstance(found, type) else None


def bind(callee: Callee, arguments: list[Value], options: dict[str, Value]) -> dict[str, Value]:
    """The arguments by parameter name."""
    spec = callee.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    bound: dict[str, Value] = {}
    given = list(arguments)
    for name in names:
        if given:
            bound[name] = given.pop(0)
    if given and spec.vararg is None:
        raise RefusedError(f"{callee.name} gets too many arguments")
    if spec.vararg is not None:
        bound[spec.vararg.arg] = ir.Items(tuple(given))
    rest = dict(options)
    for name in [*names, *(a.arg for a in spec.kwonlyargs)]:
        if name in rest:
            bound[name] = rest.pop(name)
        elif name not in bound:
            bound[name] = _default(callee, name)
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = ir.Keyed(rest) if rest else ir.Static({})
    elif rest:
        raise RefusedError(f"{callee.name} has no argument {next(iter(rest))}")
    return bound


def _default(callee: Callee, name: str) -> Value:
    if name in callee.defaults:
        return ir.Static(callee.defaults[name])
    spec = callee.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    late = dict(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True)) if spec.defaults else {}
    late |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
    if name in late and callee.outer is not None:
        return evaluate(callee.outer, late[name])
    raise RefusedError(f"{callee.name} lacks its argument {name}")


def frame_for(frame: CallFrame, callee: Callee, memory: Store) -> CallFrame:
    """The frame of a callee."""
    return CallFrame(
        program=frame.program,
        writer=frame.writer,
        memory=memory,
        function=callee.name,
        qualified=callee.qualified,
        file=callee.file,
        globals=callee.globals,
        nonlocals={**callee.nonlocals},
        owner=callee.owner,
        node=callee.node,
        outer=callee.outer,
        depth=frame.depth,
        inlined=frame.inlined,
        guards=frame.guards,
        comments=callee.comments,
        calling=(*frame.calling, callee.code) if callee.code is not None else frame.calling,
    )


def read_inline(frame: CallFrame, callee: Callee, arguments: list[Value], options: dict[str, Value]) -> Value:
    """Inline a function."""
    names = bind(callee, arguments, options)
    for name, value in names.items():
        names[name] = value if _is_global(frame, value) else frame.memory.hold(value)
    inner = frame_for(frame, callee, frame.memory.inner(names))
    if callee.closure is not None and callee.outer is not None and callee.outer is frame:
        inner.outer = frame
    value = read_body(inner, callee)
    frame.memory.take_over(inner.memory)
    return value


def _is_global(frame: CallFrame, value: Value) -> bool:
    """A list of the module, which a compiled step cannot change."""
    return isinstance(value, ir.Static) and any(value.value is other for other in frame.globals.values())


def read_body(frame: CallFrame, callee: Callee) -> Value:
    """The value of a function, given a frame with its arguments."""
    if isinstance(callee.node, ast.Lambda):
        return frame.memory.deep(evaluate(frame, callee.node.body))
    if is_generator(callee.node):
        raise RefusedError(f"{callee.name} is a generator")
    flow = execute(frame, callee.node.body)
    try:
        return settle(frame, flow)
    except RefusedError as why:
        raise frame.placed(why) from None
