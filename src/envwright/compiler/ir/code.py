"""The code that is generated: expressions are Python's own syntax trees; statements are in single-assignment form."""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Code = ast.expr


def name(text: str) -> Code:
    return ast.Name(text, ast.Load())


def dotted(text: str) -> Code:
    """`jax.lax.while_loop` and the like."""
    first, *rest = text.split(".")
    code = name(first)
    for part in rest:
        code = ast.Attribute(code, part, ast.Load())
    return code


def attribute(base: Code, part: str) -> Code:
    return ast.Attribute(base, part, ast.Load())


def const(value: Any) -> Code:
    """A number, a string, or lists of them, as written in a program."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple | list):
        return (ast.Tuple if isinstance(value, tuple) else ast.List)([const(v) for v in value], ast.Load())
    if isinstance(value, float) and not np.isfinite(value):
        return dotted("jnp.nan") if value != value else negative(dotted("jnp.inf")) if value < 0 else dotted("jnp.inf")
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        return negative(ast.Constant(-value))
    return ast.Constant(value)


def negative(code: Code) -> Code:
    return ast.UnaryOp(ast.USub(), code)


def call(function: str | Code, *arguments: Code, **options: Code) -> Code:
    found = dotted(function) if isinstance(function, str) else function
    return ast.Call(found, list(arguments), [ast.keyword(key, value) for key, value in options.items()])


def method(base: Code, what: str, *arguments: Code, **options: Code) -> Code:
    return call(attribute(base, what), *arguments, **options)


def binary(left: Code, operator: ast.operator, right: Code) -> Code:
    return ast.BinOp(left, operator, right)


def compare(left: Code, operator: ast.cmpop, right: Code) -> Code:
    return ast.Compare(left, [operator], [right])


def index(base: Code, *where: Code) -> Code:
    inner = where[0] if len(where) == 1 else ast.Tuple(list(where), ast.Load())
    return ast.Subscript(base, inner, ast.Load())


def span(start: Code | None = None, stop: Code | None = None, step: Code | None = None) -> Code:
    return ast.Slice(start, stop, step)


def tuple_of(items: Iterable[Code]) -> Code:
    return ast.Tuple(list(items), ast.Load())


def list_of(items: Iterable[Code]) -> Code:
    return ast.List(list(items), ast.Load())


def both(a: Code, b: Code) -> Code:
    if _is_true(a) or _is_true(b):
        return b if _is_true(a) else a
    return binary(a, ast.BitAnd(), b)


def _is_true(value: Code) -> bool:
    if isinstance(value, ast.Call):
        return text(value) == "jnp.bool_(True)"
    return isinstance(value, ast.Constant) and value.value is True


def is_zero(value: Code) -> bool:
    return isinstance(value, ast.Constant) and value.value == 0


def implies(condition: Code, other: Code) -> bool:
    """Whether a conjunction contains a condition."""
    if isinstance(condition, ast.BinOp) and isinstance(condition.op, ast.BitAnd):
        return implies(condition.left, other) or implies(condition.right, other)
    return same(condition, other)


def negated(condition: Code) -> Code:
    """The opposite, without a double negation."""
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Invert):
        return condition.operand
    if isinstance(condition, ast.Compare) and len(condition.ops) == 1:
        opposite = _OPPOSITE.get(type(condition.ops[0]))
        if opposite is not None:
            return ast.Compare(condition.left, [opposite()], condition.comparators)
    return ast.UnaryOp(ast.Invert(), condition)


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}


def text(code: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(code))


def same(a: Code, b: Code) -> bool:
    return a is b or ast.dump(a) == ast.dump(b)


def size(code: Code) -> int:
    """The approximate size of an expression."""
    return sum(isinstance(node, ast.Name | ast.Constant | ast.Call | ast.Attribute) for node in ast.walk(code))


def names_in(code: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(code) if isinstance(node, ast.Name)}


def names_arrays(written: Code) -> bool:
    """Whether an expression reads anything that is computed at run time, and not only constants."""
    return any("\u00b7" in n or n in ("state", "action", "chance") for n in names_in(written))


def with_axes(value: Code, more: int) -> Code:
    """With more axes behind those it has, of length one."""
    for _ in range(more):
        value = index(value, const(...), const(None))
    return value


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, Code]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self.values[node.id]) if node.id in self.values else node


def substituted(value: Code, values: Mapping[str, Code]) -> Code:
    """An expression with others in the place of names."""
    return _Substitution(values).visit(copy.deepcopy(value)) if names_in(value) & values.keys() else value


# ---- statements ----


@dataclass
class Assign:
    """`a, b = value`; every name is assigned once."""

    targets: list[str]
    value: Code
    line: int = 0
    file: str = ""
    auto: bool = False  # the name is a compiler temporary
    unpack: bool = False  # `(a,) = value`


@dataclass
class Define:
    """A function inside of a function: the body of a loop."""

    name: str
    parameters: list[str]
    body: "list[Statement]"
    result: Code
    line: int = 0
    file: str = ""


@dataclass
class Note:
    """A comment of the original, kept if the statement it belongs to is."""

    text: str
    line: int = 0
    file: str = ""
    end: int = 0  # the last line of that statement


Statement = Assign | Define | Note


@dataclass
class Written:
    """A function of the translation."""

    name: str
    parameters: list[tuple[str, str]]  # name and annotation
    body: list[Statement]
    result: Code
    returns: str
    doc: str
    origin: str  # qualified name of the original's
    file: str = ""
    line: int = 0
    bases: dict[str, str] = field(default_factory=dict)  # of each name, the one that was wanted


def substitute(define: Define, values: Mapping[str, Code]) -> None:
    """Substitution inside of a nested function."""
    for statement in define.body:
        if isinstance(statement, Assign):
            statement.value = substituted(statement.value, values)
        elif isinstance(statement, Define):
            substitute(statement, values)
    define.result = substituted(define.result, values)


def uses(statement: Statement) -> set[str]:
    """The names that a statement reads from outside of it."""
    if isinstance(statement, Assign):
        return names_in(statement.value)
    if isinstance(statement, Define):
        inside = set(statement.parameters) | {n for s in statement.body for n in defines(s)}
        read = set().union(names_in(statement.result), *(uses(s) for s in statement.body))
        return read - inside
    return set()


def defines(statement: Statement) -> Sequence[str]:
    if isinstance(statement, Assign):
        return statement.targets
    return [statement.name] if isinstance(statement, Define) else []


def walk(body: Sequence[Statement]) -> Iterator[Statement]:
    for statement in body:
        yield statement
        if isinstance(statement, Define):
            yield from walk(statement.body)
