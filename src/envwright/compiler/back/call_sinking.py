"""The same call in both branches is made once, after the branches.

Early returns repeat a call: `where(c, observe(a), observe(b))`. If the state after them is `choose(c, a, b)`, the call
is made for that.
"""

import ast
import copy

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Assign, Code, Define, Statement, substitute, substituted


def sink_calls(body: list[Statement], result: Code, functions: set[str]) -> tuple[list[Statement], Code]:
    """The statements and the result of a function, with duplicate calls of both branches made once."""
    page = _SunkCalls(functions)
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Define):
            substitute(statement, page.others)
            statement.body, statement.result = sink_calls(statement.body, statement.result, functions)
        elif isinstance(statement, Assign):
            statement.value = page.simpler(statement.value)
            if len(statement.targets) == 1 and not statement.unpack and page.has(statement):
                continue
        kept.append(statement)
    return kept, page.simpler(result)


class _SunkCalls:
    """The assignments so far."""

    def __init__(self, functions: set[str]) -> None:
        self.functions = functions
        self.values: dict[str, Code] = {}
        self.names: dict[str, str] = {}  # a state, by how it is made
        self.others: dict[str, Code] = {}  # names for the same, by those that are gone

    def has(self, statement: Assign) -> bool:
        """Whether the same state already has a name, which is then used instead."""
        name, value = statement.targets[0], statement.value
        if isinstance(value, ast.Name) and (value.id in self.names.values() or value.id in self.others):
            self.others[name] = value
            return True
        if self._is_state(value):
            first = self.names.setdefault(ast.dump(value), name)
            if first != name:
                self.others[name] = code.name(first)
                return True
        self.values[name] = value
        return False

    def _is_state(self, value: Code) -> bool:
        if not isinstance(value, ast.Call):
            return False
        return _called(value) == "choose" or (isinstance(value.func, ast.Attribute) and value.func.attr == "replace")

    def simpler(self, value: Code) -> Code:
        return _Simpler(self).visit(copy.deepcopy(substituted(value, self.others)))

    def meaning(self, value: Code) -> Code:
        return self.values.get(value.id, value) if isinstance(value, ast.Name) else value

    def chosen(self, condition: Code, yes: Code, no: Code) -> Code | None:
        """The same call in both branches, made once for the chosen arguments."""
        mine, other = self.meaning(yes), self.meaning(no)
        if not isinstance(mine, ast.Call) or not isinstance(other, ast.Call) or mine.keywords or other.keywords:
            return None
        if _called(mine) not in self.functions or _called(mine) != _called(other) or len(mine.args) != len(other.args):
            return None
        arguments: list[Code] = []
        for a, b in zip(mine.args, other.args, strict=True):
            name = self.names.get(ast.dump(code.call("choose", condition, a, b)))
            if not code.same(a, b) and name is None:
                return None
            arguments.append(a if code.same(a, b) else code.name(name or ""))
        return code.call(_called(mine), *arguments)


class _Simpler(ast.NodeTransformer):
    def __init__(self, page: _SunkCalls) -> None:
        self.page = page

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if _called(node) not in ("choose", "jnp.where") or len(node.args) != 3:
            return node
        condition, yes, no = node.args
        if code.same(yes, no):
            return yes
        return self.page.chosen(condition, yes, no) or node


def _called(node: ast.Call) -> str:
    return code.text(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else ""
