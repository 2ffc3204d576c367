"""Common subexpression elimination, for expressions with a select in them."""

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Assign, Code, Define, Statement
from envwright.compiler.ir.frame import MARK

SHORTEST = 5  # an expression that is worth a name
MOST = 40  # names for a function body
_LONG = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare)


def eliminate_common_subexpressions(
    body: list[Statement], result: Code, bases: MutableMapping[str, str]
) -> tuple[list[Statement], Code]:
    """Name expressions that occur more than once; loop bodies are separate scopes."""
    for statement in body:
        if isinstance(statement, Define):
            statement.body, statement.result = eliminate_common_subexpressions(statement.body, statement.result, bases)
    for _ in range(MOST):
        found = _repeated(body, result)
        if found is None:
            break
        body, result = _named(body, result, found, bases)
    return body, result


def _repeated(body: list[Statement], result: Code) -> Code | None:
    """The longest expression that occurs more than once."""
    counts: Counter[str] = Counter()
    nodes: dict[str, Code] = {}
    for value in _values(body, result):
        for node in _choices(value):
            text = ast.dump(node)
            counts[text] += 1
            nodes[text] = node
    often = [nodes[text] for text, times in counts.items() if times > 1]
    return max(often, key=code.size, default=None)


def _values(body: list[Statement], result: Code) -> Iterator[Code]:
    yield from (statement.value for statement in body if isinstance(statement, Assign))
    yield result


def _choices(value: Code) -> list[Code]:
    """The expressions in a value with a `jnp.where` in them."""
    found: list[Code] = []

    def visit(node: ast.AST) -> bool:
        inside = [visit(child) for child in ast.iter_child_nodes(node)]
        holds = any(inside) or (isinstance(node, ast.Attribute) and node.attr in ("where", "select"))
        if holds and isinstance(node, _LONG) and code.size(node) >= SHORTEST:
            found.append(node)
        return holds

    visit(value)
    return found


class _Replace(ast.NodeTransformer):
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def of(self, value: Code) -> Code:
        made = self.visit(copy.deepcopy(value))
        assert isinstance(made, ast.expr)
        return made

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and not isinstance(node, ast.Name | ast.Constant) and ast.dump(node) == self.text:
            return code.name(self.name)
        return super().visit(node)


def _named(
    body: list[Statement], result: Code, found: Code, bases: MutableMapping[str, str]
) -> tuple[list[Statement], Code]:
    """Bind the expression to a name before its first use, or use the name that a statement already gives it."""
    text = ast.dump(found)
    uses = [i for i, s in enumerate(body) if isinstance(s, Assign) and _stands_in(s.value, text)]
    first = uses[0] if uses else len(body)
    line = body[first] if uses else None
    if isinstance(line, Assign) and len(line.targets) == 1 and not line.unpack and ast.dump(line.value) == text:
        name, made = line.targets[0], list(body)
        line.auto = False
    else:
        base = _base(found, bases)
        name = f"{base}{MARK}{len(bases)}"
        bases[name] = base
        at = (line.line, line.file) if isinstance(line, Assign) else (0, "")
        made = [*body[:first], Assign([name], copy.deepcopy(found), *at), *body[first:]]
    replace = _Replace(text, name)
    for statement in made[first + 1 :]:
        if isinstance(statement, Assign):
            statement.value = replace.of(statement.value)
    return made, replace.of(result)


def _stands_in(value: Code, text: str) -> bool:
    return any(ast.dump(node) == text for node in _choices(value))


def _base(found: Code, bases: Mapping[str, str]) -> str:
    """A name for a select: that of its last alternative."""
    node: ast.AST = found
    while True:
        match node:
            case ast.Call(func=ast.Name(id="put"), args=[array, *_]):
                node = array
            case ast.Call(args=[*_, last]) if not isinstance(last, ast.Constant):
                node = last
            case ast.Call(args=[_, middle, _]) if not isinstance(middle, ast.Constant):
                node = middle
            case ast.Subscript(value=inner) | ast.BinOp(left=inner) | ast.Compare(left=inner):
                node = inner
            case ast.Attribute(value=ast.Name(), attr=attr):
                return attr
            case ast.Name(id=name):
                return bases.get(name, name).lower()
            case _:
                return "value"
