"""Constants: their code, constant folding, and how messages name them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.avals import INT, Aval, aval_of
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.dtypes import dtype_code
from envwright.compiler.refusal import RefusedError

LARGEST = 2**31 - 1  # integer


def checked_aval(value: Any) -> Aval:
    """The aval of a constant; integers must fit into 32 bits."""
    kind = aval_of(value)
    if kind.dtype == INT and np.size(value) and (np.max(value) > LARGEST or np.min(value) < -LARGEST - 1):
        raise RefusedError(f"{short(value)} does not fit into a 32-bit integer")
    return kind


def plain_enum(value: Any) -> Any:
    """The number of a member of an enumeration."""
    inner = getattr(value, "value", None)
    return inner if type(type(value)).__name__ in ("EnumType", "EnumMeta") and isinstance(inner, int) else value


def constant_code(value: Any) -> Code:
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return code.const(value)
    if value.size > 1 and (value == value.flat[0]).all():
        fill = value.flat[0]
        shape = code.const(value.shape if value.ndim > 1 else value.shape[0])
        dtype = dtype_code(aval_of(value).dtype)
        if fill == 0:
            return code.call("jnp.zeros", shape, dtype)
        return code.call("jnp.full", shape, code.const(fill), dtype)
    return code.call("jnp.array", code.const(value), dtype_code(aval_of(value).dtype))


def fold(what: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Constant folding. Where the function raises, so does the original: a refusal."""
    try:
        return function(*arguments, **options)
    except Exception as error:  # whatever the original's objects raise
        raise RefusedError(f"{what} fails: {error}") from None


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"a {type(value).__name__}"
