"""Which functions are recursive, and what their recursive calls cannot change."""

import ast
import inspect
import types
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.front.source import source_of
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.values import Value, as_array, number
from envwright.compiler.middle.inlining import Callee
from envwright.compiler.middle.recursion import as_loop, is_name
from envwright.compiler.refusal import RefusedError

_HARMLESS = {
    "range", "enumerate", "zip", "reversed", "list", "tuple", "abs", "min", "max", "int", "bool", "divmod", "len",
}  # fmt: skip
_OF_LISTS = {"append", "extend", "copy"}


def without_recursion(
    frame: CallFrame, callee: Callee, function: types.FunctionType | None, given: list[Value]
) -> Callee:
    """A recursive function as a loop, if its arguments are run-time values. With constant arguments, recursion may end
    by them, and is unrolled."""
    node = callee.node
    if not isinstance(node, ast.FunctionDef) or (function is not None and function.__code__ in frame.calling):
        return callee
    names = [a.arg for a in node.args.args]
    values = dict(zip(names, (frame.memory.see(value) for value in given), strict=False))
    owner = values.get(names[0]) if names else None
    method = isinstance(owner, ir.Static) and _method(owner.value, node.name) is function and function is not None
    me = names[0] if method else None

    def own(call: ast.Call) -> bool:
        match call.func:
            case ast.Attribute(value=ast.Name(id=base), attr=name):
                return method and base == me and name == node.name
            case ast.Name(id=name):
                return not method and name == node.name and (function is None or callee.globals.get(name) is function)
        return False

    lists = {name for name, value in values.items() if name != me and not (number(value) and not _shape(value))}
    around = owner if method else frame.memory.names.get("self")

    def still(node: ast.expr) -> bool:
        return not lists & _names(node) and _reads_nothing_that_changes(frame, node, around, callee.globals)

    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and own(n)]
    places = range(1 if method else 0, len(names))
    changing = [names[i] for i in places if any(not _passes_on(call, i - places.start, names[i]) for call in calls)]
    if any(isinstance(values.get(name), ir.Static) for name in changing):
        return callee
    try:
        made = as_loop(node, own, places.start, still)
    except RefusedError as why:
        raise why.at(callee.qualified, callee.file, getattr(why.node, "lineno", node.lineno)) from None
    return callee if made is None else replace(callee, node=made)


def _passes_on(call: ast.Call, place: int, name: str) -> bool:
    """Whether an argument of a call is what the function itself was given."""
    return place < len(call.args) and is_name(call.args[place], name)


def _shape(value: Value) -> tuple[int, ...]:
    return as_array(value).kind.shape


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _method(owner: Any, name: str) -> types.FunctionType | None:
    """The function of a method or a property."""
    found = inspect.getattr_static(type(owner), name, None)
    found = found.fget if isinstance(found, property) else found
    return inspect.unwrap(found) if isinstance(found, types.FunctionType) else None


def _reads_nothing_that_changes(
    frame: CallFrame, node: ast.expr, owner: Value | None, around: Mapping[str, Any]
) -> bool:
    """Whether an expression, and all functions it calls, read nothing that a step changes, apart from local names."""
    changing = {attribute for _, attribute in (*frame.program.slots, *frame.memory.attributes)}
    waiting: list[ast.AST] = [node]
    seen: set[types.FunctionType] = set()
    while waiting:
        for inner in ast.walk(waiting.pop()):
            called: Any = None
            match inner:
                case ast.Attribute(attr=name) if name in changing:
                    return False
                case ast.Attribute(value=ast.Name(id="self"), attr=name) if isinstance(owner, ir.Static):
                    called = _method(owner.value, name)
                case ast.Call(func=ast.Name(id=name)):
                    called = around.get(name)
                    if name not in _HARMLESS and not isinstance(called, types.FunctionType):
                        return False
                case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=name)):
                    mine = base == "self" and isinstance(owner, ir.Static) and _method(owner.value, name) is not None
                    if not (mine or name in _OF_LISTS or (around.get(base) is np and name != "random")):
                        return False
                case ast.Call():
                    return False
            if isinstance(called, types.FunctionType) and called not in seen:
                seen.add(called)
                waiting.append(source_of(called).node)
    return True
