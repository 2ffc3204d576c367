"""Arithmetic on numbers and arrays, with the type promotion of Python and NumPy."""

import ast
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, FLOAT, INT, Aval, broadcast, promote
from envwright.compiler.ir.lists import counted
from envwright.compiler.ir.values import Value, as_array, cast
from envwright.compiler.refusal import RefusedError

_UPWARDS = (ast.Add, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.RShift, ast.LShift)


def numbers(how: ast.operator, a: ir.Array, b: ir.Array) -> ir.Array:
    """An operator on two numbers or arrays."""
    if a.kind.of or b.kind.of:
        raise RefusedError("an operator that a class overloads is not supported")
    shape = broadcast(a.kind.shape, b.kind.shape) if not isinstance(how, ast.MatMult) else ()
    loose = a.weak and b.weak
    if isinstance(how, ast.BitAnd | ast.BitOr | ast.BitXor) and a.kind.is_bool and b.kind.is_bool:
        return ir.Array(code.binary(a.code, how, b.code), Aval(BOOL, shape))
    dtype = promote(a.kind, b.kind, a.weak, b.weak)
    if isinstance(how, ast.Div) and not dtype.startswith("float"):
        dtype = FLOAT
    a, b = (cast(v, INT) if v.kind.is_bool else v for v in (a, b))
    if isinstance(how, ast.MatMult):
        return _product(a, b, dtype)
    if isinstance(how, ast.Pow):
        return _power(a, b, dtype, shape)
    natural = b.natural and isinstance(how, _UPWARDS) and (a.natural or isinstance(how, ast.Mod))
    most = a.most if isinstance(how, ast.Sub) and b.natural else None
    if isinstance(how, ast.Mod) and b.natural and b.most and not (a.kind.is_float or b.kind.is_float):
        most = b.most - 1
    return ir.Array(code.binary(a.code, how, b.code), Aval(dtype, shape), weak=loose, natural=natural, most=most)


def _product(a: ir.Array, b: ir.Array, dtype: str) -> ir.Array:
    left, right = a.kind.shape, b.kind.shape
    shape = np.matmul(np.zeros(left), np.zeros(right)).shape
    return ir.Array(code.call("jnp.matmul", a.code, b.code), Aval(dtype, shape))


def _power(a: ir.Array, b: ir.Array, dtype: str, shape: tuple[int, ...]) -> ir.Array:
    whole = isinstance(b.code, ast.Constant) and isinstance(b.code.value, int)
    if whole and b.code.value == 2 and code.size(a.code) <= 2:  # pyright: ignore[reportAttributeAccessIssue]
        return ir.Array(code.binary(a.code, ast.Mult(), a.code), Aval(a.kind.dtype, shape), weak=a.weak)
    if _is_negative(b.code) and a.kind.is_whole and not shape:  # then it is real in Python
        return ir.Array(code.binary(cast(a, FLOAT).code, ast.Pow(), b.code), Aval(FLOAT, shape))
    if whole or b.kind.is_float:
        return ir.Array(code.binary(a.code, ast.Pow(), b.code), Aval(dtype, shape))
    if a.kind.is_whole and b.kind.is_whole:
        return ir.Array(code.call("jnp.power", a.code, b.code), Aval(dtype, shape))
    return ir.Array(code.binary(a.code, ast.Pow(), b.code), Aval(dtype, shape))


def _is_negative(value: code.Code) -> bool:
    return isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub)


def side_by_side(values: Sequence[Value]) -> tuple[ir.Masked | ir.Counted, list[Value]]:
    """Operands with variable-length arrays among them, as arrays of one capacity; and the first of these, to take the
    result."""
    changing = [value for value in values if isinstance(value, ir.Masked | ir.Counted)]
    alike = all(isinstance(v, ir.Masked) for v in changing) and all(_same_mask(v, changing[0]) for v in changing)
    if len(changing) > 1 and not alike:  # one after the other, then; the original has as many of each
        room = max(counted(value).room for value in changing)
        values = [counted(v, room) if isinstance(v, ir.Masked | ir.Counted) else v for v in values]
    first = next(value for value in values if isinstance(value, ir.Masked | ir.Counted))
    for value in values:
        shape = () if isinstance(value, ir.Masked | ir.Counted) else as_array(value).kind.shape
        if shape and len(shape) >= len(first.array.kind.shape):
            raise RefusedError("a variable-length array is combined with one of fixed length")
    like = replace(first, shared=False) if isinstance(first, ir.Masked) else ir.Counted(first.array, first.count)
    return like, [v.array if isinstance(v, ir.Masked | ir.Counted) else v for v in values]


def _same_mask(value: Value, other: Value) -> bool:
    return isinstance(value, ir.Masked) and isinstance(other, ir.Masked) and code.same(value.mask.code, other.mask.code)
