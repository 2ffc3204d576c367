"""Functions that yield: all that one yields, as a list, where nobody can tell that it was not made one by one.

That is so where it is gone through at once, by a loop or a function that asks for all of it, and where what happens
in between changes nothing that it reads.
"""

import ast
import copy
import inspect
import types
from typing import Any

from envwright.compiler.front.source import is_generator, source_of
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.values import Method, Static, Value
from envwright.compiler.refusal import RefusedError

YIELDED = "__yielded__"
TAKES_ALL = {"list", "tuple", "sum", "any", "all", "sorted", "set", "min", "max", "enumerate", "len"}


def consumed(frame: Frame, node: ast.expr) -> None:
    """Note that all that a call yields is taken at once."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TAKES_ALL and node.args:
        node = node.args[0]
    if isinstance(node, ast.Call):
        frame.taken.add(node)


def function_of(value: Value) -> types.FunctionType | None:
    """The function of Python's that is called, if it is one."""
    found = value.function if isinstance(value, Method) else value.value if isinstance(value, Static) else None
    found = found.__func__ if isinstance(found, types.MethodType) else found
    return found if isinstance(found, types.FunctionType) else None


def check_loop(frame: Frame, function: Value, body: list[ast.stmt]) -> None:
    """Refuse a loop over what is yielded, if it changes things, and the generator looks at things that change."""
    found = function_of(function)
    if found is None or not inspect.isgeneratorfunction(found):
        return
    node = source_of(found).node
    state = {key[1] for key in frame.program.slots}
    reads = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)} & state
    written = {n.attr for s in body for n in ast.walk(s) if isinstance(n, ast.Attribute)}
    calls = any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute | ast.Name) and _may_change(n.func)
        for s in body
        for n in ast.walk(s)
    )
    if reads & written or (reads and calls):
        raise RefusedError(f"{found.__qualname__} is a generator that reads {min(reads)} while the loop may change it")


def _may_change(node: ast.expr) -> bool:
    """Whether a call may be one of the game's own rules: methods of self; functions of Python's change nothing here."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def as_list(node: Any, name: str) -> Any:
    """The function that gives what the generator yields as a list."""
    for inner in ast.walk(node):
        own = isinstance(inner, ast.Assign | ast.AugAssign) and not _names_only(inner)
        if own or (isinstance(inner, ast.Return) and inner.value is not None):
            raise RefusedError(f"{name} is a generator that does more than to yield")
    made = copy.deepcopy(node)
    first = ast.parse(f"{YIELDED} = []").body[0]
    last = ast.parse(f"return {YIELDED}").body[0]
    made.body = [first, *(_Listing().visit(statement) for statement in made.body), last]
    for new in (first, last):
        for part in ast.walk(new):
            if hasattr(part, "lineno"):
                part.lineno = node.lineno  # pyright: ignore[reportAttributeAccessIssue]
    return ast.fix_missing_locations(made)


def _names_only(node: ast.Assign | ast.AugAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    stores = [n for t in targets for n in ast.walk(t) if isinstance(getattr(n, "ctx", None), ast.Store)]
    return all(isinstance(n, ast.Name | ast.Tuple | ast.List) for n in stores)


class _Listing(ast.NodeTransformer):
    """`yield x` as an append."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        match node.value:
            case ast.Yield(value=value):
                text = f"{YIELDED}.append({'None' if value is None else ast.unparse(value)})"
            case ast.YieldFrom(value=value):
                text = f"{YIELDED}.extend({ast.unparse(value)})"
            case _:
                return node
        made = ast.parse(text).body[0]
        for part in ast.walk(made):
            ast.copy_location(part, node)
        return made

    def visit_Return(self, node: ast.Return) -> ast.AST:
        return ast.copy_location(ast.Return(ast.copy_location(ast.Name(YIELDED, ast.Load()), node)), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # an inner function yields for itself


def check_alone(name: str, before: Memory, after: Memory) -> None:
    """Refuse a generator that draws, or changes something: others might come in between."""
    if not after.is_as(before):
        raise RefusedError(f"{name} is a generator that does more than to yield")


def is_taken(frame: Frame, function: types.FunctionType, node: ast.AST | None) -> bool:
    """Whether it is a generator; one under a name is refused, for it is gone through piece by piece."""
    if not is_generator(source_of(function).node):
        return False
    if node not in frame.taken:
        raise RefusedError(f"{function.__qualname__} is a generator")
    return True
