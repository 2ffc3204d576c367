"""Small faults, put into Python source: what a translator gets wrong. Each changes one place of one function."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.FloorDiv: ast.Mod, ast.Mod: ast.FloorDiv,
}  # fmt: skip
CHOICES = ("where", "choose")  # functions whose second and third arguments can be mixed up


@dataclass(frozen=True)
class Fault:
    """One change to one function."""

    function: str
    line: int
    what: str
    source: str  # the whole file with it


def faults(source: str) -> list[Fault]:
    """Every small fault that can be put into a file, in the order of its lines."""
    tree = ast.parse(source)
    found: list[Fault] = []
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            places = len(list(_changes(function)))
            for place in range(places):
                changed = copy.deepcopy(tree)
                same = next(n for n in changed.body if isinstance(n, ast.FunctionDef) and n.name == function.name)
                node, what, apply = list(_changes(same))[place]
                apply()
                found.append(Fault(function.name, node.lineno, what, ast.unparse(ast.fix_missing_locations(changed))))
    return found


def function_names(source: str) -> list[str]:
    """The functions of a file."""
    return [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def with_function(source: str, other: str, function: str) -> str:
    """`source` with one of its functions as it is in `other`."""
    tree, right = ast.parse(source), ast.parse(other)
    good = next(n for n in right.body if isinstance(n, ast.FunctionDef) and n.name == function)
    tree.body = [good if isinstance(n, ast.FunctionDef) and n.name == function else n for n in tree.body]
    return ast.unparse(ast.fix_missing_locations(tree))


def _changes(function: ast.FunctionDef) -> Iterator[tuple[ast.expr, str, "_Apply"]]:
    """The places of a function that can be changed; calling the last of the three changes it."""
    for node in _expressions(function):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
            new = COMPARISONS[type(node.ops[0])]
            yield node, f"{_sign(node.ops[0])} becomes {_sign(new())}", _Apply(node, "ops", [new(), *node.ops[1:]])
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            new = OPERATORS[type(node.op)]
            yield node, f"{_sign(node.op)} becomes {_sign(new())}", _Apply(node, "op", new())
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)
        ):
            yield node, f"{node.value} becomes {node.value + 1}", _Apply(node, "value", node.value + 1)
        elif isinstance(node, ast.Call) and _called(node) in CHOICES and len(node.args) == 3:
            first, this, that = node.args
            yield node, f"both sides of {_called(node)} change places", _Apply(node, "args", [first, that, this])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            yield node, "a ~ is left out", _Apply(node, "op", ast.UAdd())


def _expressions(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """All expressions of a body, but not those of annotations, docstrings and indices of shapes."""
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.expr):
                yield node


@dataclass
class _Apply:
    node: ast.expr
    field: str
    value: object

    def __call__(self) -> None:
        setattr(self.node, self.field, self.value)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _sign(operator: ast.AST) -> str:
    return {
        "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!=", "Add": "+", "Sub": "-",
        "Mult": "*", "BitAnd": "&", "BitOr": "|", "FloorDiv": "//", "Mod": "%",
    }[type(operator).__name__]  # fmt: skip
