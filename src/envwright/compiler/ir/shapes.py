"""Casts to the dtype and shape of a field."""

import math

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import Aval
from envwright.compiler.ir.dtypes import dtype_code, jnp_name
from envwright.compiler.ir.values import cast
from envwright.compiler.refusal import RefusedError


def cast_to(value: ir.Array, kind: Aval) -> ir.Array:
    """A value in the dtype and shape of a field."""
    made = cast(value, kind.dtype)
    if made.kind.shape == kind.shape:
        return made
    size, wanted = (math.prod(s) for s in (made.kind.shape, kind.shape))
    if size == wanted:
        return ir.Array(code.method(made.code, "reshape", code.const(kind.shape)), kind)
    if size != 1:
        raise RefusedError(f"a value has the shape {made.kind.shape}, but had {kind.shape} in the recorded episodes")
    return ir.Array(code.call("jnp.full", code.const(kind.shape), made.code), kind)


def zero(kind: Aval) -> ir.Array:
    """Zeros."""
    if kind.shape == ():
        return ir.Array(code.call(f"jnp.{jnp_name(kind.dtype)}", code.const(False if kind.is_bool else 0)), kind)
    return ir.Array(code.call("jnp.zeros", code.const(kind.shape), dtype_code(kind.dtype)), kind)
