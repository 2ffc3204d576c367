"""Expressions."""

import ast
import builtins
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code, object_arena
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import one_list
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.lists import concatenate, counted, items_of
from envwright.compiler.ir.operators import binary, compare, truth, unary
from envwright.compiler.ir.phi import EVERYBODY, choose, join_memories
from envwright.compiler.ir.store import differs, known
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.middle import allocated_objects, attributes, comprehensions
from envwright.compiler.middle.generators import TAKES_ALL, consumed
from envwright.compiler.middle.parts import elements, keep_new, one_of, part, under, unwrapped
from envwright.compiler.middle.set_methods import ORDERLESS
from envwright.compiler.middle.slices import span
from envwright.compiler.refusal import RefusedError


def evaluate(frame: CallFrame, node: ast.expr, hints: tuple[str, ...] = ()) -> Value:
    """The value of an expression; `hints` are the names it will get."""
    if (line := getattr(node, "lineno", 0)) and frame.line == 0:
        frame.line = line
    kind = _KINDS.get(type(node))
    if kind is None:
        raise frame.placed(RefusedError(f"{_said(node)} is not supported", node))
    try:
        if isinstance(node, ast.Call):
            return _call(frame, node, hints)
        return kind(frame, node)
    except RefusedError as why:
        if why.node is None:
            why.node = node
        raise frame.placed(why) from None


_SAID = {ast.Yield: "a generator", ast.YieldFrom: "a generator", ast.Await: "await", ast.Set: "a set made at run time"}


def _said(node: ast.AST) -> str:
    return _SAID.get(type(node), type(node).__name__)


def evaluate_all(frame: CallFrame, nodes: list[ast.expr]) -> list[Value]:
    """List elements or arguments, with starred ones unpacked."""
    values: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values += items_of(frame.memory, evaluate(frame, node.value))
        else:
            values.append(evaluate(frame, node))
    return values


def _name(frame: CallFrame, node: ast.Name) -> Value:
    scope: CallFrame | None = frame
    while scope is not None:
        names = frame.memory.names if scope is frame else scope.memory.names
        if node.id in names:
            return names[node.id]
        scope = scope.outer
    for table in (frame.nonlocals, frame.globals, vars(builtins)):
        if node.id in table:
            return attributes.lift(frame, table[node.id], node.id)
    raise RefusedError(f"the name {node.id} is not defined here")


def _attribute(frame: CallFrame, node: ast.Attribute) -> Value:
    return attributes.get(frame, evaluate(frame, node.value), node.attr)


def _subscript(frame: CallFrame, node: ast.Subscript) -> Value:
    base = unwrapped(evaluate(frame, node.value))
    where = index_parts(frame, node.slice)
    if method := _item_method(base):
        return frame.program.call(frame, method, [_whole(where)], {}, node)
    content = frame.memory.see(base)
    if (one := one_of(frame, content, where)) is not None:
        return one
    if isinstance(base, ir.PLACES) and object_arena.arena_of(frame.memory, content) is None:
        return part(frame, base, where, table_name(node.value))
    return subscripted(frame, base, where, table_name(node.value))


def subscripted(frame: CallFrame, base: Value, where: tuple[Value, ...], name: str) -> Value:
    """`base[where]`, as a value."""
    if (arena := object_arena.arena_of(frame.memory, frame.memory.see(base))) is not None:
        return allocated_objects.key_of(frame, arena, base, where)
    return read(frame.memory, frame.memory.see(base), where, name)


def _item_method(base: Value) -> Value | None:
    """`__getitem__` of an object of the original's."""
    if not isinstance(base, ir.Static) or isinstance(base.value, type):
        return None
    own = isinstance(getattr(type(base.value), "__getitem__", None), types.FunctionType)
    library = type(base.value).__module__.partition(".")[0] in ("collections", "enum", "numpy")
    return ir.Static(base.value.__getitem__) if own and not library else None


def _whole(where: tuple[Value, ...]) -> Value:
    return where[0] if len(where) == 1 else ir.Items(where)


def table_name(node: ast.expr) -> str:
    """A name for a table, from its expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    return table_name(node.value) if isinstance(node, ast.Subscript) else "TABLE"


def index_parts(frame: CallFrame, node: ast.expr) -> tuple[Value, ...]:
    """The parts of a subscript."""
    if isinstance(node, ast.Tuple):
        return tuple(_index_part(frame, n) for n in node.elts)
    part = _index_part(frame, node)
    return (part,)


def _index_part(frame: CallFrame, node: ast.expr) -> Value:
    if isinstance(node, ast.Slice):
        ends = [
            frame.memory.deep(evaluate(frame, e)) if e is not None else ir.Static(None)
            for e in (node.lower, node.upper, node.step)
        ]
        return span(frame, ends)
    return frame.memory.deep(evaluate(frame, node))


def _bool_op(frame: CallFrame, node: ast.BoolOp) -> Value:
    """`and`, `or`, with short-circuit evaluation of side effects."""
    result = evaluate(frame, node.values[0])
    for later in node.values[1:]:
        asked = truth(frame, result)
        if isinstance(asked, ir.Static):
            if bool(asked.value) == isinstance(node.op, ast.And):
                result = evaluate(frame, later)
                continue
            return result
        condition = asked if isinstance(node.op, ast.And) else unary(frame, ast.Not(), asked)
        before = frame.memory
        frame.memory = before.copy()
        frame.depth += 1
        value = evaluate(frame, later)
        frame.depth -= 1
        after, frame.memory = frame.memory, before
        keep_new(before, after)
        if differs(after, before):
            frame.memory = join_memories(frame, as_array(condition), after, before)
        result = _logical(frame, node.op, result, value, asked)
    return result


def _logical(frame: CallFrame, how: ast.boolop, first: Value, second: Value, asked: Value) -> Value:
    """Boolean logic for flags; for other values, a select of Python's result."""
    flags = [frame.memory.see(v) for v in (first, second)]
    if any(
        isinstance(f, ir.Counted | ir.Rows | ir.Keyed | ir.Members | ir.FixedKeyDict) for f in flags
    ):  # a list is only asked whether it is empty
        flags = [truth(frame, f) for f in flags]
    if all(_is_flag(f) for f in flags) or (all(isinstance(f, ir.Static) for f in flags[1:]) and _is_flag(flags[1])):
        later = truth(frame, flags[1])
        if isinstance(later, ir.Static):
            if isinstance(how, ast.And):
                return asked if later.value else ir.Static(False)
            return ir.Static(True) if later.value else asked
        operator = ast.BitAnd() if isinstance(how, ast.And) else ast.BitOr()
        return ir.Array(code.binary(as_array(asked).code, operator, as_array(later).code), Aval(BOOL))
    sides = (flags[1], flags[0]) if isinstance(how, ast.And) else (flags[0], flags[1])
    if isinstance(first, ir.PLACES) and isinstance(second, ir.PLACES):
        sides = (second, first) if isinstance(how, ast.And) else (first, second)
    yes, no = ((side, frame.memory) for side in sides)
    return choose(frame, as_array(asked), yes, no, frame.memory, EVERYBODY)


def _is_flag(value: Value) -> bool:
    if isinstance(value, ir.Static):
        return isinstance(value.value, bool | np.bool_)
    return isinstance(value, ir.Array) and value.kind == Aval(BOOL)


def _compare(frame: CallFrame, node: ast.Compare) -> Value:
    left = evaluate(frame, node.left)
    result: Value | None = None
    for how, other in zip(node.ops, node.comparators, strict=True):
        right = evaluate(frame, other)
        found = compare(frame, how, left, right)
        result = found if result is None else _logical(frame, ast.And(), result, found, truth(frame, result))
        left = right
    assert result is not None
    return result


def _if_exp(frame: CallFrame, node: ast.IfExp) -> Value:
    asked = truth(frame, evaluate(frame, node.test))
    if isinstance(asked, ir.Static):
        return evaluate(frame, node.body if asked.value else node.orelse)
    when = as_array(asked)
    return under(frame, when, lambda: _or_unknown(frame, node.body), lambda: _or_unknown(frame, node.orelse))


def _or_unknown(frame: CallFrame, node: ast.expr) -> Value:
    try:
        return evaluate(frame, node)
    except RefusedError as why:
        return ir.Unknown(why)


def _sequence(frame: CallFrame, node: ast.Tuple | ast.List) -> Value:
    if (joined := _starred(frame, node)) is not None:
        return joined
    values = tuple(evaluate_all(frame, node.elts))
    if values and all(isinstance(v, ir.Static) for v in values) and isinstance(node, ast.Tuple):
        return ir.Static(tuple(v.value for v in values))  # pyright: ignore[reportAttributeAccessIssue]
    return ir.Items(values, isinstance(node, ast.List))


def _starred(frame: CallFrame, node: ast.Tuple | ast.List) -> Value | None:
    """`[*these, 3]`, where the length is known only at run time."""
    if not any(isinstance(n, ast.Starred) for n in node.elts):
        return None
    parts = [
        evaluate(frame, n.value) if isinstance(n, ast.Starred) else ir.Items((evaluate(frame, n),), True)
        for n in node.elts
    ]
    whole = [frame.memory.deep(these) for these in object_arena.numbered(frame, parts)]
    if not any(isinstance(v, ir.Counted | ir.Masked) for v in whole):
        items = [v for these in parts for v in elements(frame, these)]
        return ir.Items(tuple(items), isinstance(node, ast.List))
    made = whole[0]
    for more in whole[1:]:
        made = concatenate(frame.memory, made, more)
    return one_list(frame.memory, counted(made), parts)


def _dict(frame: CallFrame, node: ast.Dict) -> Value:
    items: dict[Any, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            inner = frame.memory.see(evaluate(frame, value))
            items |= inner.items if isinstance(inner, ir.Keyed) else {k: ir.Static(v) for k, v in known(inner).items()}
        else:
            items[known(frame.memory.deep(evaluate(frame, key)))] = _or_unknown(frame, value)
    if all(isinstance(v, ir.Static) for v in items.values()):
        return ir.Static({k: v.value for k, v in items.items()})  # pyright: ignore[reportAttributeAccessIssue]
    return ir.Keyed(items)


def _set(frame: CallFrame, node: ast.Set) -> Value:
    values = [frame.memory.deep(v) for v in evaluate_all(frame, node.elts)]
    try:
        return ir.Static({known(v) for v in values})
    except RefusedError:
        return ir.Gathered(tuple(values))


def _f_string(frame: CallFrame, node: ast.JoinedStr) -> Value:
    try:
        return ir.Static("".join(str(_text_part(frame, part)) for part in node.values))
    except RefusedError as why:
        return ir.Unknown(why)


def _text_part(frame: CallFrame, part: ast.expr) -> Any:
    return known(frame.memory.deep(evaluate(frame, part.value if isinstance(part, ast.FormattedValue) else part)))


def _call(frame: CallFrame, node: ast.Call, hints: tuple[str, ...]) -> Value:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in frame.memory.names:
        return attributes.superclass(frame, [evaluate(frame, a) for a in node.args])
    if isinstance(node.func, ast.Name) and node.func.id in TAKES_ALL:
        consumed(frame, node)
    if isinstance(node.func, ast.Name) and node.func.id in ORDERLESS:
        frame.orderless.update(node.args)
    function = evaluate(frame, node.func)
    arguments = [
        a
        for n in node.args
        for a in (
            items_of(frame.memory, evaluate(frame, n.value)) if isinstance(n, ast.Starred) else [_or_unknown(frame, n)]
        )
    ]
    options: dict[str, Value] = {}
    for keyword in node.keywords:
        value = _or_unknown(frame, keyword.value)
        if keyword.arg is None:
            inner = frame.memory.see(value)
            options |= (
                inner.items if isinstance(inner, ir.Keyed) else {k: ir.Static(v) for k, v in known(inner).items()}
            )
        else:
            options[keyword.arg] = value
    frame.call = node
    return frame.program.call(frame, function, arguments, options, node, hints)


def _named_expr(frame: CallFrame, node: ast.NamedExpr) -> Value:
    value = evaluate(frame, node.value)
    assert isinstance(node.target, ast.Name)
    if isinstance(value, ir.Array) and not value.kind.shape:
        value = replace(value, code=code.name(frame.bind(node.target.id, value.code)))
    frame.memory.names[node.target.id] = frame.memory.hold(value)
    return frame.memory.names[node.target.id]


def _lambda(frame: CallFrame, node: ast.Lambda) -> Value:
    return ir.Closure(node, frame)


def _comprehension(frame: CallFrame, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> Value:
    return comprehensions.comprehend(frame, node, evaluate)


def _constant(frame: CallFrame, node: ast.Constant) -> Value:
    return ir.Static(node.value)


_KINDS: dict[type[ast.expr], Callable[[CallFrame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: lambda f, n: binary(f, n.op, evaluate(f, n.left), evaluate(f, n.right)),
    ast.UnaryOp: lambda f, n: unary(f, n.op, evaluate(f, n.operand)),
    ast.BoolOp: _bool_op,
    ast.Compare: _compare,
    ast.IfExp: _if_exp,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Dict: _dict,
    ast.Set: _set,
    ast.Call: lambda f, n: _call(f, n, ()),
    ast.NamedExpr: _named_expr,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.JoinedStr: _f_string,
}
