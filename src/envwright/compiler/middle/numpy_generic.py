"""The general case of NumPy functions: the same function of jax.numpy; NumPy itself computes the shape, from zeros."""

from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, FLOAT, INT, Aval, is_number, narrow, promote
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.dtypes import dtype_code
from envwright.compiler.ir.values import Value, as_array, cast, stack
from envwright.compiler.refusal import RefusedError

Options = dict[str, Value]

REAL = {
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10", "log1p",
    "expm1", "sqrt", "cbrt", "deg2rad", "rad2deg", "radians", "degrees", "arctan2", "hypot", "mean", "std", "var",
    "true_divide", "divide", "logaddexp", "arctanh", "arcsinh", "arccosh", "sinc", "reciprocal", "average", "median",
}  # fmt: skip
FLAGS = {
    "logical_and", "logical_or", "logical_not", "logical_xor", "isnan", "isinf", "isfinite", "equal", "not_equal",
    "less", "less_equal", "greater", "greater_equal", "any", "all", "isclose", "allclose", "array_equal", "isin",
}  # fmt: skip
PLACES = {"argmax", "argmin", "count_nonzero", "argsort", "searchsorted", "digitize", "ravel_multi_index"}
RENAMED = {
    "amin": "min", "amax": "max", "absolute": "abs", "around": "round", "fabs": "abs", "copy": "array", "fix": "trunc",
}  # fmt: skip
JOIN = {
    "concatenate",
    "stack",
    "hstack",
    "vstack",
    "dstack",
    "column_stack",
    "row_stack",
    "block",
}  # of lists of arrays


def generic(name: str, arguments: list[Value], options: Options) -> Value:
    parts = [_argument(a, name in JOIN) for a in arguments]
    named = {
        key: _argument(v, name in JOIN)
        for key, v in options.items()
        if not (isinstance(v, ir.Static) and v.value is None)
    }
    dtype_given = named.pop("dtype", None)
    probe_arguments = [p[1] for p in parts]
    try:
        with np.errstate(all="ignore"):
            function = getattr(np, name, None) or getattr(np.linalg, name)
            probed = function(*probe_arguments, **{k: v[1] for k, v in named.items()})
    except RefusedError:
        raise
    except Exception as error:
        raise RefusedError(f"np.{name} does not accept these arguments: {error}") from None
    arrays = [p[2] for p in parts if p[2] is not None]
    flat = [a for group in arrays for a in group]
    dtype = _result_type(name, flat)
    if dtype_given is not None and isinstance(dtype_given[1], type | np.dtype | str):
        dtype = narrow(dtype_given[1])
    module = "jnp.linalg" if name == "norm" else "jnp"
    made = code.call(
        f"{module}.{RENAMED.get(name, name)}", *(p[0] for p in parts), **{k: v[0] for k, v in named.items()}
    )
    if isinstance(probed, tuple | list):
        items = [ir.Array(code.index(made, code.const(i)), Aval(dtype, np.shape(v))) for i, v in enumerate(probed)]
        return ir.Items(tuple(items))
    result = ir.Array(made, Aval(dtype, np.shape(probed)))
    if dtype_given is not None:
        return cast(result, dtype)
    return result


def _argument(value: Value, joined: bool) -> tuple[Code, Any, list[ir.Array] | None]:
    """The code of an argument, a probe for NumPy, and the arrays in it. Lists of arrays stay lists only for functions
    that join them."""
    if isinstance(value, ir.Static):
        inner = value.value
        if isinstance(inner, np.ndarray) or (is_number(inner) and not isinstance(inner, bool)):
            array = as_array(value)
            return array.code, inner, [array]
        if isinstance(inner, type | np.dtype):
            return dtype_code(narrow(inner)), inner, None
        if isinstance(inner, range):
            return code.const(list(inner)), list(inner), None
        return code.const(inner), inner, None
    if isinstance(value, ir.Items):
        parts = [_argument(v, joined) for v in value.items]
        arrays = [a for p in parts if p[2] is not None for a in p[2]]
        whole = all(a.kind.shape == () for a in arrays)
        if arrays and (whole or not joined):
            array = stack(value)
            return array.code, np.zeros(array.kind.shape, array.kind.dtype), [array]
        return code.list_of(p[0] for p in parts), [p[1] for p in parts], arrays
    if isinstance(value, ir.Counted | ir.Masked):
        raise RefusedError("a variable-length list is passed to a NumPy function that is not supported for it")
    array = as_array(value)
    return array.code, np.ones(array.kind.shape, array.kind.dtype), [array]


def _result_type(name: str, arrays: list[ir.Array]) -> str:
    if name in FLAGS:
        return BOOL
    if name in PLACES:
        return INT
    kind, loose = Aval(BOOL), True
    for i, array in enumerate(arrays):
        if name == "where" and i == 0:
            continue
        if kind.dtype == BOOL and array.kind.is_bool:
            kind = Aval(BOOL)
        else:
            kind = Aval(promote(Aval(kind.dtype), Aval(array.kind.dtype), loose, array.weak))
        loose = loose and array.weak
    if name in REAL or name == "norm":
        return kind.dtype if kind.is_float else FLOAT
    if name in ("sum", "prod", "cumsum", "cumprod", "add", "multiply", "subtract", "trace", "dot") and kind.is_bool:
        return INT
    return kind.dtype
