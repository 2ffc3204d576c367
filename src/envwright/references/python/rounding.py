"""The reference as it would compute in float32: its own functions, with every result rounded, up or down at random.

How far it then moves is what rounding can do on the way, and not only to the numbers that a step begins and ends with:
a small difference of large numbers, or the sine of a large one, is rounded where they are large.
"""

import ast
import functools
import inspect
import math
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

DIGITS, SMALLEST = 24, -149  # of a float32: bits of a number, and the power of two that is the least above zero
LARGEST = 3.4e38
# Functions of NumPy's that compute an array which nobody else has, beside those that are ufuncs.
COMPUTE = {
    "diff", "cumsum", "cumprod", "dot", "inner", "outer", "cross", "convolve", "interp", "sum", "prod", "mean", "std",
    "var", "average", "einsum", "tensordot", "gradient", "norm",
}  # fmt: skip
_NAME = "__envwright_rounding__"  # in the modules of the reference, while it rounds


@contextmanager
def rounding(modules: Sequence[types.ModuleType], seed: int) -> Iterator[None]:
    """Meanwhile, the functions of these modules round what they compute."""
    rounder = Rounder(seed)
    pairs = [pair for module in modules for pair in _pairs(module)]
    try:
        for module in modules:
            vars(module)[_NAME] = rounder
        for function, _, other in pairs:
            function.__code__ = other
        yield
    finally:
        for function, code, _ in pairs:
            function.__code__ = code
        for module in modules:
            vars(module).pop(_NAME, None)


class Rounder:
    """Puts real numbers into the next float32 above or below."""

    def __init__(self, seed: int) -> None:
        self.bits = np.random.PCG64(seed)  # not a generator: what those draw counts as the chance of the reference
        self.coins: list[int] = []

    def scalar(self, value: Any) -> Any:
        """A number; anything else stays what it is, for others may have names for it."""
        kind = type(value)
        if (kind is not float and kind is not np.float64) or not -LARGEST < value < LARGEST:
            return value
        unit = math.ldexp(1.0, max(math.frexp(value)[1] - DIGITS, SMALLEST))
        below = math.floor(value / unit) * unit
        if below == value:
            return value
        if not self.coins:
            self.coins = (self.bits.random_raw(1024) & np.uint64(1)).tolist()
        return kind(below + unit * self.coins.pop())

    def called(self, value: Any, root: Any, path: str) -> Any:
        """What `np.log(...)` gives, or `x.mean(...)`: an array, too, if it must be a new one. Of what is computed in
        float32 already, another library may give the next one up or down."""
        if type(value) not in (np.ndarray, np.float32) or not _makes_new(root, path):
            return self.scalar(value)
        return self.beside(value) if value.dtype == np.float32 else self.fresh(value)

    def beside(self, value: Any) -> Any:
        """A float32, or the next one, up or down."""
        ways = np.reshape(self.bits.random_raw(value.size) % np.uint64(3), value.shape).astype(np.float32) - 1
        there = (np.abs(value) < LARGEST) & (value != 0)
        return np.where(there, value + ways * np.spacing(np.abs(value)), value).astype(np.float32)[()]

    def fresh(self, value: Any) -> Any:
        """What an operator gives: an array, too, for nobody else has it."""
        if type(value) is not np.ndarray or value.dtype != np.float64:
            return self.scalar(value)
        with np.errstate(invalid="ignore"):
            unit = np.ldexp(1.0, np.maximum(np.frexp(value)[1] - DIGITS, SMALLEST))
            below = np.floor(value / unit) * unit
            coins = np.reshape(self.bits.random_raw(value.size), value.shape) & np.uint64(1)
            there = np.abs(value) < LARGEST
            return np.where(there, np.where(below == value, value, below + unit * coins), value)


def _makes_new(root: Any, path: str) -> bool:
    if type(root) is np.ndarray:
        return path in COMPUTE
    if not isinstance(root, types.ModuleType) or root.__name__.partition(".")[0] != "numpy":
        return False
    return path.rpartition(".")[2] in COMPUTE or isinstance(getattr(root, path, None), np.ufunc)


@functools.cache
def _pairs(module: types.ModuleType) -> list[tuple[Any, types.CodeType, types.CodeType]]:
    """The functions of a module, with their own code and the rewritten one."""
    found = _codes(module)
    pairs = [
        (f, f.__code__, found.get((f.__code__.co_qualname, f.__code__.co_firstlineno))) for f in _functions(module)
    ]
    return [(f, code, other) for f, code, other in pairs if other and other.co_freevars == code.co_freevars]


def _codes(module: types.ModuleType) -> dict[tuple[str, int], types.CodeType]:
    """The functions of a module, rewritten and compiled, by name and line; none, if it has no source."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return {}
    made = compile(ast.fix_missing_locations(_Rewrite().visit(tree)), module.__file__ or "", "exec")
    found: dict[tuple[str, int], types.CodeType] = {}
    waiting = [made]
    while waiting:
        code = waiting.pop()
        found[code.co_qualname, code.co_firstlineno] = code
        waiting += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
    return found


def _functions(module: types.ModuleType) -> list[Any]:
    """The functions and methods that are written in a module."""
    members = list(vars(module).values())
    classes = [m for m in members if isinstance(m, type) and m.__module__ == module.__name__]
    members += [member for cls in classes for member in vars(cls).values()]
    found: list[Any] = []
    for member in members:
        inner = [getattr(member, part, None) for part in ("__func__", "fget", "fset", "func")]
        for one in (member, *inner):
            one = inspect.unwrap(one) if callable(one) else one
            if isinstance(one, types.FunctionType) and one.__module__ == module.__name__:
                found.append(one)
    return found


class _Rewrite(ast.NodeTransformer):
    """`a * b + f(c)` becomes fresh(fresh(a * b) + scalar(f(c)))."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [part for statement in node.body for part in _listed(self.visit(statement))]
        return node  # its decorators, defaults and annotations stay as they are

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        return _asked("fresh", self.generic_visit(node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        root, path = _path(node.func) if not any(k.arg == "out" for k in node.keywords) else (None, ())
        made = self.generic_visit(node)
        return _asked("called", made, root, ast.Constant(".".join(path))) if root and path else _asked("scalar", made)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return _asked("scalar", node) if isinstance(node.value, float) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            load: ast.expr = ast.Name(node.target.id, ast.Load())
        elif isinstance(node.target, ast.Attribute) and isinstance(node.target.value, ast.Name):
            load = ast.Attribute(node.target.value, node.target.attr, ast.Load())
        else:
            return node
        again = ast.Assign([node.target], _asked("scalar", ast.copy_location(load, node)))
        return [node, ast.copy_location(again, node)]

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        node.body = [part for statement in node.body for part in _listed(self.visit(statement))]
        return node


def _path(function: ast.expr) -> tuple[ast.Name | None, tuple[str, ...]]:
    """`np.linalg.norm` as the name np and the rest."""
    if isinstance(function, ast.Name):
        return ast.Name(function.id, ast.Load()), ()
    if not isinstance(function, ast.Attribute):
        return None, ()
    root, path = _path(function.value)
    return root, (*path, function.attr)


def _listed(made: Any) -> list[Any]:
    return made if isinstance(made, list) else [made]


def _asked(how: str, node: Any, *more: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name(_NAME, ast.Load()), how, ast.Load())
    return ast.copy_location(ast.Call(function, [node, *more], []), node)
