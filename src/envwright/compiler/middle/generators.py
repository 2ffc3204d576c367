"""Functions that yield: all that one yields, as a list, where nobody can tell that it was not made one by one.

That is so where it is gone through at once, by a loop or a function that asks for all of it, and where what happens
in between changes nothing that it reads.
"""

import ast
import copy
import inspect
import itertools
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from envwright.compiler.front.source import is_generator, source_of
from envwright.compiler.ir.cells import cells_within
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


class Reads(NamedTuple):
    """What is looked at by something that is computed one by one, while a loop goes through it."""

    told: str
    attributes: frozenset[Any]
    cells: frozenset[int]


def reads_of(frame: Frame, node: ast.expr, function: Value) -> tuple[Reads, ...]:
    """What a generator looks at, if it is one that a loop goes through."""
    found = function_of(function)
    if isinstance(node, ast.Call) and found is not None and inspect.isgeneratorfunction(found):
        nodes, told = [source_of(found).node, *node.args], f"{found.__qualname__} is a generator that"
    elif isinstance(node, ast.GeneratorExp) or (isinstance(function, Static) and function.value in (map, filter)):
        nodes, told = [node], "an expression that is computed one by one"
    else:
        return ()
    words = _words(frame, nodes, found.__globals__ if found is not None else frame.globals)
    attributes = {key for key in frame.memory.attributes if key[1] in words}
    values = [frame.memory.attributes[key] for key in attributes]
    values += [value for word, value in frame.memory.names.items() if word in words]
    cells = {cell for value in values for cell in cells_within(value)}
    return (Reads(told, frozenset(attributes), frozenset(cells)),)


def _words(frame: Frame, nodes: Sequence[ast.AST], around: Mapping[str, Any]) -> set[str]:
    """The names and attributes in something, and in the methods and functions that it may call."""
    words: set[str] = set()
    waiting, owner = list(nodes), frame.memory.names.get("self")
    while waiting:
        inside = [n for n in ast.walk(waiting.pop()) if isinstance(n, ast.Attribute | ast.Name)]
        new = {n.attr if isinstance(n, ast.Attribute) else n.id for n in inside} - words
        words |= new
        for word in new:
            called = inspect.getattr_static(type(owner.value), word, None) if isinstance(owner, Static) else None
            called = called.fget if isinstance(called, property) else called
            called = called if isinstance(called, types.FunctionType) else around.get(word)
            if isinstance(called, types.FunctionType):
                waiting.append(source_of(called).node)
    return words


def check_reads(reads: Sequence[Reads], before: Memory, after: Sequence[Memory]) -> None:
    """Refuse a loop that changes what the generator looks at that it goes through."""
    for each, memory in itertools.product(reads, after):
        keys = [key for key in each.attributes if memory.attributes.get(key) != before.attributes.get(key)]
        cells = {cell for cell in each.cells if memory.cells.get(cell) is not before.cells.get(cell)}
        keys += [key for key in each.attributes if cells & cells_within(before.attributes[key])]
        if keys or cells:
            what = min((key[1] for key in keys), default="a list")
            raise RefusedError(f"{each.told} reads {what} while the loop may change it")


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
