"""Numbers put into the type and shape that a field has."""

import math

from envwright.compiler.ir import code
from envwright.compiler.ir.dtypes import dtype_code, jnp_name
from envwright.compiler.ir.kinds import Kind
from envwright.compiler.ir.values import Array, cast
from envwright.compiler.refusal import RefusedError


def cast_to(value: Array, kind: Kind) -> Array:
    """A number in the type and shape that a field has."""
    made = cast(value, kind.dtype)
    if made.kind.shape == kind.shape:
        return made
    size, wanted = (math.prod(s) for s in (made.kind.shape, kind.shape))
    if size == wanted:
        return Array(code.method(made.code, "reshape", code.const(kind.shape)), kind)
    if size != 1:
        raise RefusedError(f"a value has the shape {made.kind.shape}, but in the games played it had {kind.shape}")
    return Array(code.call("jnp.full", code.const(kind.shape), made.code), kind)


def zero(kind: Kind) -> Array:
    """Nothing, of a kind."""
    if kind.shape == ():
        return Array(code.call(f"jnp.{jnp_name(kind.dtype)}", code.const(False if kind.is_bool else 0)), kind)
    return Array(code.call("jnp.zeros", code.const(kind.shape), dtype_code(kind.dtype)), kind)
