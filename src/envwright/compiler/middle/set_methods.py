"""Methods of sets, and loops over sets whose order does not matter."""

import ast
from collections.abc import Callable
from dataclasses import replace

from envwright.compiler.ir import sets
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, items_of, order_matters
from envwright.compiler.ir.sequences import distinct
from envwright.compiler.ir.set_algebra import added, combined, compared, is_set
from envwright.compiler.ir.values import Value
from envwright.compiler.ir.writing import set_content
from envwright.compiler.middle import capacity_check

ORDERLESS = {"any", "all", "sum", "min", "max", "len", "sorted", "set", "frozenset"}  # give the same in any order


def _add(frame: CallFrame, base: Value, content: ir.Members, arguments: list[Value]) -> Value:
    capacity_check.note(frame, base, longer=True)
    _set(frame, base, sets.added(frame.memory, content, arguments[0]))
    return ir.Static(None)


def _discard(frame: CallFrame, base: Value, content: ir.Members, arguments: list[Value]) -> Value:
    _set(frame, base, sets.removed(frame.memory, content, arguments[0]))
    return ir.Static(None)


def _clear(frame: CallFrame, base: Value, content: ir.Members, arguments: list[Value]) -> Value:
    capacity_check.note(frame, base, longer=False)
    _set(frame, base, sets.empty(content))
    return ir.Static(None)


def _copy(frame: CallFrame, base: Value, content: ir.Members, arguments: list[Value]) -> Value:
    return content


def _update(frame: CallFrame, base: Value, content: ir.Members, arguments: list[Value]) -> Value:
    capacity_check.note(frame, base, longer=True)
    for item in items_of(frame.memory, arguments[0]):
        content = sets.added(frame.memory, content, item)
    _set(frame, base, content)
    return ir.Static(None)


def _set(frame: CallFrame, base: Value, value: ir.Members) -> None:
    array = replace(value.array, code=frame.named("flags", value.array.code))
    count = replace(value.count, code=frame.named("count", value.count.code))
    set_content(frame, base, replace(value, array=array, count=count))


def _set_of_step(frame: CallFrame, value: Value) -> Value:
    """What a method of a set is given, as a set."""
    content = frame.memory.deep(value)
    if is_set(content):
        return content
    return distinct(counted(content))


def algebra(frame: CallFrame, base: Value, content: Value, name: str, arguments: list[Value]) -> Value | None:
    """Methods that stand for operators, and those that mutate a local set."""
    if name in OPERATORS and len(arguments) == 1:
        return combined(frame, OPERATORS[name], content, _set_of_step(frame, arguments[0]))
    if name in COMPARISONS and len(arguments) == 1:
        return compared(frame, COMPARISONS[name], content, _set_of_step(frame, arguments[0]))
    if name == "clear" and isinstance(content, ir.Gathered | ir.Masked):
        set_content(frame, base, ir.Gathered(()))
        return ir.Static(None)
    if isinstance(content, ir.Gathered | ir.Masked) and isinstance(base, ir.Ref) and len(arguments) == 1:
        if name in ("add", "update") and isinstance(content, ir.Masked) and (content.roomy or content.guessed):
            for item in arguments if name == "add" else items_of(frame.memory, arguments[0]):
                content = added(frame, content, item)
            set_content(frame, base, content)
            return ir.Static(None)
        if name in _CHANGES:
            set_content(frame, base, combined(frame, _CHANGES[name], content, ir.Gathered((arguments[0],))))
            return ir.Static(None)
        if name in _UPDATES:
            more = _set_of_step(frame, arguments[0])
            set_content(frame, base, combined(frame, _UPDATES[name], content, more))
            return ir.Static(None)
    return None


OPERATORS: dict[str, ast.operator] = {
    "difference": ast.Sub(), "union": ast.BitOr(), "intersection": ast.BitAnd(), "symmetric_difference": ast.BitXor(),
}  # fmt: skip
COMPARISONS: dict[str, ast.cmpop] = {"issubset": ast.LtE(), "issuperset": ast.GtE()}
_CHANGES: dict[str, ast.operator] = {"add": ast.BitOr(), "discard": ast.Sub(), "remove": ast.Sub()}
_UPDATES: dict[str, ast.operator] = {
    "update": ast.BitOr(), "difference_update": ast.Sub(), "intersection_update": ast.BitAnd(),
}  # fmt: skip

SETS: dict[str, Callable[[CallFrame, Value, ir.Members, list[Value]], Value]] = {
    "add": _add, "discard": _discard, "remove": _discard, "clear": _clear, "copy": _copy, "update": _update,
}  # fmt: skip


# ---- iterating over ----


def check_loop(node: ast.For, is_number: Callable[[ast.expr], bool]) -> None:
    """Refuse a loop over a set, unless its iterations commute: they store one number or count, and read nothing
    that other iterations write."""
    body = node.body
    plain = [statement for block in body for statement in _statements(block)]
    targets = [t for s in plain for t in (s.targets if isinstance(s, ast.Assign) else [s.target])]  # pyright: ignore
    given = {ast.unparse(s.value) for s in plain if isinstance(s, ast.Assign)}
    written = {ast.unparse(_whole(target)) for target in targets}
    looked_at = {ast.unparse(n) for part in _looks(body, targets) for n in ast.walk(part) if isinstance(n, _PLACES)}
    calls = any(isinstance(n, ast.Call | ast.NamedExpr | ast.Await) for s in body for n in ast.walk(s))
    own = {ast.unparse(n) for n in ast.walk(node.target)}
    numbers = [s.value for s in plain if isinstance(s, ast.Assign) and not isinstance(s.value, ast.Constant)]
    same = all(ast.unparse(n) not in own | written and is_number(n) for n in numbers)
    if len(given) > 1 or not same or calls or written & looked_at:
        raise order_matters()


_PLACES = (ast.Name, ast.Attribute, ast.Subscript)


def _statements(node: ast.stmt) -> list[ast.stmt]:
    """The assignments in a statement; only `x[...] = number` and `n += integer constant` are allowed."""
    match node:
        case ast.Assign(targets=[ast.Subscript()], value=ast.Constant() | ast.Name() | ast.Attribute(value=ast.Name())):
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
