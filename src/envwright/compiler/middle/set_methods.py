"""Methods of sets, and going through one, which is allowed where nobody can tell in which order that is done."""

import ast
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code, sets
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import counted, items_of, order_matters
from envwright.compiler.ir.sequences import distinct
from envwright.compiler.ir.values import Array, Gathered, Items, Masked, Members, Static, Value
from envwright.compiler.ir.writing import set_content
from envwright.compiler.refusal import RefusedError

ORDERLESS = {"any", "all", "sum", "min", "max", "len", "sorted", "set", "frozenset"}  # give the same in any order


def _add(frame: Frame, base: Value, content: Members, arguments: list[Value]) -> Value:
    _set(frame, base, sets.added(frame.memory, content, arguments[0]))
    return Static(None)


def _discard(frame: Frame, base: Value, content: Members, arguments: list[Value]) -> Value:
    _set(frame, base, sets.removed(frame.memory, content, arguments[0]))
    return Static(None)


def _clear(frame: Frame, base: Value, content: Members, arguments: list[Value]) -> Value:
    _set(frame, base, sets.empty(content))
    return Static(None)


def _copy(frame: Frame, base: Value, content: Members, arguments: list[Value]) -> Value:
    return content


def _update(frame: Frame, base: Value, content: Members, arguments: list[Value]) -> Value:
    for item in items_of(frame.memory, arguments[0]):
        content = sets.added(frame.memory, content, item)
    _set(frame, base, content)
    return Static(None)


def _set(frame: Frame, base: Value, value: Members) -> None:
    array = replace(value.array, code=frame.named("flags", value.array.code))
    count = replace(value.count, code=frame.named("count", value.count.code))
    set_content(frame, base, replace(value, array=array, count=count))


SETS: dict[str, Callable[[Frame, Value, Members, list[Value]], Value]] = {
    "add": _add, "discard": _discard, "remove": _discard, "clear": _clear, "copy": _copy, "update": _update,
}  # fmt: skip


# ---- going through ----


def members_in_use(frame: Frame, value: Members) -> Masked:
    """The members as numbers or rows of them; those that are there are kept."""
    if value.texts:
        raise RefusedError("a set of texts is gone through")
    places = np.array(value.places)
    table = frame.program.constant("PLACES", places)
    flat = code.method(value.array.code, "ravel")
    kind = Kind(INT, places.shape)
    flags = Array(flat, Kind(value.array.kind.dtype, places.shape[:1]))
    return Masked(Array(table, kind, listed=True), flags, unordered=True)


def some_of(frame: Frame, value: Value) -> Value:
    """A set as a list of which some elements are there, in no order; other things as they are."""
    value = frame.memory.deep(value)
    if isinstance(value, Gathered):
        return distinct(counted(frame.memory.deep(Items(value.items, True))))
    return members_in_use(frame, value) if isinstance(value, Members) else value


def check_loop(body: list[ast.stmt]) -> None:
    """Refuse a loop over a set, unless each turn gives things the same constant, or counts, and looks at nothing else
    that turns change."""
    plain = [statement for block in body for statement in _statements(block)]
    targets = [t for s in plain for t in (s.targets if isinstance(s, ast.Assign) else [s.target])]  # pyright: ignore
    given = {ast.unparse(s.value) for s in plain if isinstance(s, ast.Assign)}
    written = {ast.unparse(_whole(target)) for target in targets}
    looked_at = {ast.unparse(n) for part in _looks(body, targets) for n in ast.walk(part) if isinstance(n, _PLACES)}
    calls = any(isinstance(n, ast.Call | ast.NamedExpr | ast.Await) for s in body for n in ast.walk(s))
    if len(given) > 1 or calls or written & looked_at:
        raise order_matters()


_PLACES = (ast.Name, ast.Attribute, ast.Subscript)


def _statements(node: ast.stmt) -> list[ast.stmt]:
    """The assignments in a statement: `x[...] = constant` and `n += whole constant` are all that there may be."""
    match node:
        case ast.Assign(targets=[ast.Subscript()], value=ast.Constant()):
            return [node]
        case ast.AugAssign(op=ast.Add() | ast.Sub(), value=ast.Constant(value=int())):
            return [node]
        case ast.If(body=body, orelse=rest):
            return [inner for statement in (*body, *rest) for inner in _statements(statement)]
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return []
    raise order_matters()


def _whole(target: ast.expr) -> ast.expr:
    """`x` of `x[1][2]`."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _looks(body: list[ast.stmt], targets: list[ast.expr]) -> list[ast.expr]:
    """The conditions, and the indices of what is written."""
    found = [n.test for s in body for n in ast.walk(s) if isinstance(n, ast.If)]
    for target in targets:
        while isinstance(target, ast.Subscript):
            found.append(target.slice)
            target = target.value
    return found
