"""Recursion without a return value, as a loop over a stack of pending calls.

    def fill(r, c):                     def fill(r, c):
        if board[r, c]:                     def turn(r, c):
            return                              if board[r, c]:
        board[r, c] = 1           as                return
        fill(r + 1, c)                          board[r, c] = 1
        fill(r, c + 1)                          calls.insert(first, (r + 1, c))
                                                calls.insert(first, (r, c + 1))
                                            calls = [(r, c)]
                                            while calls:
                                                r, c = calls.pop()
                                                first = len(calls)
                                                turn(r, c)

The calls are made in the same order. Code after a call must not depend on what that call changes: it may read local
numbers only. The exception is the condition of a call itself, which is evaluated when the call is popped.
"""

import ast
import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from envwright.compiler.refusal import RefusedError


@dataclass
class _Function:
    """What is known of the function while it is rewritten."""

    own: Callable[[ast.Call], bool]  # whether a call is one of the function itself
    names: list[str]  # the parameters that differ from call to call
    places: list[int]  # where these are among the arguments of a call
    still: Callable[[ast.expr], bool]  # whether no call can change what an expression reads, but for its own names
    values: dict[str, list[ast.expr | None]]  # what the names inside are set to; None: by a loop
    new: dict[str, str]  # the names of the loop, which the function has not
    asked: list[ast.expr] | None = None  # conditions of calls, in the words of what is called; None: there are none

    def calls(self, node: ast.AST) -> bool:
        return any(isinstance(n, ast.Call) and self.own(n) for n in ast.walk(node))


def as_loop(
    node: ast.FunctionDef, own: Callable[[ast.Call], bool], bound: int, still: Callable[[ast.expr], bool]
) -> ast.FunctionDef | None:
    """The function as a loop; None if it is not recursive. The first `bound` parameters are not arguments of a call."""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and own(n)]
    if not calls:
        return None
    spec = node.args
    names = [a.arg for a in spec.args]
    plain = not (spec.posonlyargs or spec.kwonlyargs or spec.vararg or spec.kwarg or spec.defaults)
    if not plain or any(len(c.args) != len(names) - bound or c.keywords or _starred(c) for c in calls):
        raise RefusedError(f"{node.name} is recursive with other than plain positional arguments", calls[0])
    if any(isinstance(n, ast.Return) and not _gives_nothing(n) for n in ast.walk(node)):
        raise RefusedError(f"{node.name} is recursive and returns a value, which is not supported", calls[0])
    values = _values(node)
    kept = {
        name for i, name in enumerate(names)
        if name not in values and (i < bound or all(is_name(c.args[i - bound], name) for c in calls))
    }  # fmt: skip
    places = [i - bound for i, name in enumerate(names) if name not in kept]
    changing = [name for name in names if name not in kept]
    if not changing:
        raise RefusedError(f"{node.name} is recursive without changing its arguments", calls[0])
    new = {name: _free(node, name) for name in ("turn", "calls", "first", "asked")}
    function = _Function(own, changing, places, still, values, new)
    try:
        body, _ = _rewritten(function, node.body, False)
    except _AskedError:
        function.asked = []
        body, _ = _rewritten(function, node.body, False)
    return _loop(function, node, body)


class _AskedError(Exception):
    """Some conditions have to be evaluated when a pending call is popped."""


def _free(node: ast.FunctionDef, name: str) -> str:
    while any(name in (getattr(n, "id", None), getattr(n, "arg", None)) for n in ast.walk(node)):
        name += "_"
    return name


def _gives_nothing(node: ast.Return) -> bool:
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)


def _starred(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args)


def is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _values(node: ast.FunctionDef) -> dict[str, list[ast.expr | None]]:
    """What each name inside of a function is set to."""
    found: dict[str, list[ast.expr | None]] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.setdefault(inner.id, [])
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
            targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
            for name in {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and n.id in found}:
                found[name].append(inner.value)
        elif isinstance(inner, ast.For | ast.comprehension):
            for name in {n.id for n in ast.walk(inner.target) if isinstance(n, ast.Name)}:
                found[name].append(inner.iter)
    return found


# ---- the body ----


def _rewritten(function: _Function, body: list[ast.stmt], later: bool) -> tuple[list[ast.stmt], bool]:
    """Statements with deferred calls; whether there was one before (`later`), and after."""
    made: list[ast.stmt] = []
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Call() as call) if function.own(call):
                made.append(_put_off(function, call, 0, later))
                later = True
            case ast.If(test=test) if function.calls(statement) and not function.calls(test):
                if later and not _is_still(function, test):
                    made.append(_ask_then(function, statement))
                    continue
                yes, one = _rewritten(function, statement.body, later)
                no, other = _rewritten(function, statement.orelse, later)
                made.append(ast.copy_location(ast.If(test, yes, no), statement))
                later = one or other
            case ast.For(iter=over, orelse=[]) if function.calls(statement) and not function.calls(over):
                if not _is_still(function, over):
                    raise _seen(over)
                inner, later = _rewritten(function, statement.body, True)
                made.append(ast.copy_location(ast.For(statement.target, over, inner, []), statement))
            case _ if function.calls(statement):
                raise RefusedError("a recursive call inside another statement is not supported", statement)
            case _:
                if later:
                    _check_after(function, statement)
                made.append(statement)
    return made, later


def _put_off(function: _Function, call: ast.Call, asked: int, later: bool) -> ast.stmt:
    """`calls.insert(first, arguments)`."""
    given = [call.args[i] for i in function.places]
    if any(function.calls(a) for a in given):
        raise RefusedError("a recursive call is nested in the arguments of another", call)
    if later and not all(_is_still(function, a) for a in given):
        raise _seen(call)
    row = [*map(ast.unparse, given), *([str(asked)] if function.asked is not None else [])]
    text = "{calls}.insert({first}, ({row},))".format(**function.new, row=", ".join(row))
    return _at(call, ast.parse(text).body[0])


def _ask_then(function: _Function, node: ast.If) -> ast.stmt:
    """`if condition: call`, whose condition depends on earlier calls."""
    match node:
        case ast.If(body=[ast.Expr(value=ast.Call() as call)], orelse=[]) if function.own(call):
            now, then = _parts(function, node.test)
            named = {f" {name}": name for name in function.names}  # as no name of the original's is
            given = {ast.dump(call.args[i]): new for i, new in zip(function.places, named, strict=True)}
            asked = _Abstracted(given).visit(copy.deepcopy(then))
            left = {n.id for n in ast.walk(asked) if isinstance(n, ast.Name)} & {*function.values, *function.names}
            if not left:
                if function.asked is None:
                    raise _AskedError
                renamed = {ast.dump(_load(new)): name for new, name in named.items()}
                function.asked.append(_Abstracted(renamed).visit(asked))
                made = _put_off(function, call, len(function.asked), True)
                return made if now is None else ast.copy_location(ast.If(now, [made], []), node)
    raise _seen(node.test)


def _parts(function: _Function, test: ast.expr) -> tuple[ast.expr | None, ast.expr]:
    """Split `a and b` into what can be evaluated now, and what only when the call is popped."""
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
        return None, test
    first = 0
    while _is_still(function, test.values[first]):
        first += 1  # there is one that is not
    now, then = (
        values[0] if len(values) == 1 else ast.copy_location(ast.BoolOp(ast.And(), values), test) if values else None
        for values in (test.values[:first], test.values[first:])
    )
    assert then is not None
    return now, then


class _Abstracted(ast.NodeTransformer):
    """An expression with names in the place of some of its parts."""

    def __init__(self, given: dict[str, str]) -> None:
        self.given = given

    def visit(self, node: ast.AST) -> Any:
        name = self.given.get(ast.dump(node))
        return ast.copy_location(_load(name), node) if name is not None else self.generic_visit(node)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _is_still(function: _Function, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
    """Whether an expression has the same value before and after a call."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    if not function.still(node) or any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
        return False
    sources = [value for name in names - seen for value in function.values.get(name, ())]
    return all(value is not None and _is_still(function, value, seen | names) for value in sources)


def _check_after(function: _Function, node: ast.stmt) -> None:
    """Refuse code after a call that reads or writes anything but local numbers."""
    match node:
        case ast.Assign(targets=[target], value=value) if _names_only(target) and _is_still(function, value):
            return
        case ast.AugAssign(target=ast.Name(), value=value) if _is_still(function, value):
            return
        case ast.If(test=test, body=body, orelse=rest) if _is_still(function, test):
            for inner in (*body, *rest):
                _check_after(function, inner)
            return
        case ast.Pass() | ast.Return() | ast.Continue() | ast.Break() | ast.Expr(value=ast.Constant()):
            return
    raise _seen(node)


def _names_only(target: ast.expr) -> bool:
    return all(isinstance(n, ast.Name | ast.Tuple | ast.expr_context) for n in ast.walk(target))


def _seen(node: ast.AST) -> RefusedError:
    return RefusedError("code after a recursive call may depend on what the call changes", node)


# ---- the loop ----


_LOOP = """
{calls} = [({given},)]
while {calls}:
    {row}, = {calls}.pop()
    {first} = len({calls})
    {turn}({calls}, {first}, {row})
"""


def _loop(function: _Function, node: ast.FunctionDef, body: list[ast.stmt]) -> ast.FunctionDef:
    names = {**function.new, "row": ", ".join([*function.names, *([function.new["asked"]] if function.asked else [])])}
    lines = ["def {turn}({calls}, {first}, {row}):".format(**names)]
    for i, asked in enumerate(function.asked or [], 1):
        lines.append(f"    if {names['asked']} == {i} and not ({ast.unparse(asked)}):\n        return")
    turn = _at(node, ast.parse("\n".join([*lines, "    pass"])).body[0])
    assert isinstance(turn, ast.FunctionDef)
    turn.body = [*turn.body, *body]
    first = ", ".join([*function.names, *(["0"] if function.asked else [])])
    text = _LOOP.format(**names, given=first)
    rest = [_at(node, statement) for statement in ast.parse(text).body]
    made = ast.FunctionDef(node.name, node.args, [turn, *rest], [], node.returns)
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _at(origin: ast.AST, made: ast.stmt) -> ast.stmt:
    for part in ast.walk(made):
        ast.copy_location(part, origin)
    return made
