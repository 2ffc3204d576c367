"""Sizes of arrays, as far as they are written in Python source."""

import ast

from envwright.recipe.analyse.python_files import Constant
from envwright.recipe.analyse.python_meanings import ALLOCATORS
from envwright.recipe.analyse.python_types import Scope, Types
from envwright.recipe.analyse.whole import arithmetic

_DEEPEST = 8  # constants behind constants


def elements(value: ast.expr, types: Types, scope: Scope) -> int | None:
    """How many elements an expression allocates, or None."""
    match value:
        case ast.Call(func=ast.Attribute(attr=name), args=[shape, *_]) if name in ALLOCATORS:
            return _product(shape, types, scope)
        case ast.Call(func=ast.Name(id="bytearray"), args=[shape]):
            return _product(shape, types, scope)
        case ast.BinOp(op=ast.Mult(), left=ast.List(elts=held), right=times):
            count = _product(times, types, scope)
            return count and count * len(held)
    return None


def _product(shape: ast.expr, types: Types, scope: Scope) -> int | None:
    total = 1
    for part in shape.elts if isinstance(shape, ast.Tuple | ast.List) else [shape]:
        size = _integer(part, types, scope, 0)
        if size is None:
            return None
        total *= size
    return total


def _integer(node: ast.expr, types: Types, scope: Scope, depth: int) -> int | None:
    """A whole number: written as such, as a constant of the file, or as arithmetic with these."""
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name) if not scope.find(name)[0] and depth < _DEEPEST:
            found = types.package.lookup(scope.file, name)
            values = found.file.statements[found.name] if isinstance(found, Constant) else []
            if isinstance(found, Constant) and len(values) == 1 and isinstance(values[0], ast.Assign):
                return _integer(values[0].value, types, Scope(found.file), depth + 1)
        case ast.BinOp(op=operation, left=left, right=right):
            a, b = _integer(left, types, scope, depth + 1), _integer(right, types, scope, depth + 1)
            return None if a is None or b is None else arithmetic(operation, a, b)
    return None
