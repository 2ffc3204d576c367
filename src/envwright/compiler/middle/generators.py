"""Generator functions, as the list of what they yield, where that makes no difference.

That is so where all of it is consumed at once, and nothing in between changes what the generator reads.
"""

import ast
import copy
import inspect
import itertools
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from envwright.compiler.front.source import is_generator, source_of
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.values import Value
from envwright.compiler.refusal import RefusedError

YIELDED = "__yielded__"
TAKES_ALL = {"list", "tuple", "sum", "any", "all", "sorted", "set", "min", "max", "enumerate", "len"}


def consumed(frame: CallFrame, node: ast.expr) -> None:
    """Note that everything a call yields is consumed at once."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TAKES_ALL and node.args:
        node = node.args[0]
    if isinstance(node, ast.Call):
        frame.taken.add(node)


def function_of(value: Value) -> types.FunctionType | None:
    """The Python function that is called, if it is one."""
    found = value.function if isinstance(value, ir.Method) else value.value if isinstance(value, ir.Static) else None
    found = found.__func__ if isinstance(found, types.MethodType) else found
    return found if isinstance(found, types.FunctionType) else None


class Reads(NamedTuple):
    """What a lazily evaluated iterable reads."""

    described: str
    attributes: frozenset[Any]
    locs: frozenset[int]


def reads_of(frame: CallFrame, node: ast.expr, function: Value) -> tuple[Reads, ...]:
    """What a generator that a loop iterates over reads."""
    found = function_of(function)
    if isinstance(node, ast.Call) and found is not None and inspect.isgeneratorfunction(found):
        nodes, described = [source_of(found).node, *node.args], f"{found.__qualname__} is a generator that"
    elif isinstance(node, ast.GeneratorExp) or (isinstance(function, ir.Static) and function.value in (map, filter)):
        nodes, described = [node], "a lazily evaluated expression"
    else:
        return ()
    words = _words(frame, nodes, found.__globals__ if found is not None else frame.globals)
    attributes = {key for key in frame.memory.attributes if key[1] in words}
    values = [frame.memory.attributes[key] for key in attributes]
    values += [value for word, value in frame.memory.names.items() if word in words]
    locs = {loc for value in values for loc in locs_within(value)}
    return (Reads(described, frozenset(attributes), frozenset(locs)),)


def _words(frame: CallFrame, nodes: Sequence[ast.AST], around: Mapping[str, Any]) -> set[str]:
    """The names and attributes in an expression, and in the functions that it may call."""
    words: set[str] = set()
    waiting, owner = list(nodes), frame.memory.names.get("self")
    while waiting:
        inside = [n for n in ast.walk(waiting.pop()) if isinstance(n, ast.Attribute | ast.Name)]
        new = {n.attr if isinstance(n, ast.Attribute) else n.id for n in inside} - words
        words |= new
        for word in new:
            called = inspect.getattr_static(type(owner.value), word, None) if isinstance(owner, ir.Static) else None
            called = called.fget if isinstance(called, property) else called
            called = called if isinstance(called, types.FunctionType) else around.get(word)
            if isinstance(called, types.FunctionType):
                waiting.append(source_of(called).node)
    return words


def check_reads(reads: Sequence[Reads], before: Store, after: Sequence[Store]) -> None:
    """Refuse a loop that changes what its generator reads."""
    for each, memory in itertools.product(reads, after):
        keys = [key for key in each.attributes if memory.attributes.get(key) != before.attributes.get(key)]
        locs = {loc for loc in each.locs if memory.locs.get(loc) is not before.locs.get(loc)}
        keys += [key for key in each.attributes if locs & locs_within(before.attributes[key])]
        if keys or locs:
            what = min((key[1] for key in keys), default="a list")
            raise RefusedError(f"{each.described} reads {what}, which the loop may change")


def as_list(node: Any, name: str) -> Any:
    """A generator as a function that returns the list of what it yields."""
    for inner in ast.walk(node):
        own = isinstance(inner, ast.Assign | ast.AugAssign) and not _names_only(inner)
        if own or (isinstance(inner, ast.Return) and inner.value is not None):
            raise RefusedError(f"{name} is a generator with side effects")
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


def check_alone(name: str, before: Store, after: Store) -> None:
    """Refuse a generator with side effects."""
    if not after.is_as(before):
        raise RefusedError(f"{name} is a generator with side effects")


def is_taken(frame: CallFrame, function: types.FunctionType, node: ast.AST | None) -> bool:
    """Whether it is a generator; one that is not consumed at once is refused."""
    if not is_generator(source_of(function).node):
        return False
    if node not in frame.taken:
        raise RefusedError(f"{function.__qualname__} is a generator")
    return True
