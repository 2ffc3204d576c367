"""Functions of the module math."""

import ast

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, FLOAT, INT, Aval, broadcast
from envwright.compiler.ir.operators import numbers
from envwright.compiler.ir.values import Value, cast
from envwright.compiler.middle.numpy_generic import REAL
from envwright.compiler.refusal import RefusedError

_RENAMED = {
    "fabs": "abs", "pow": "power", "atan2": "arctan2", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
}  # fmt: skip


def call_math(name: str, arrays: list[ir.Array]) -> Value:
    """`math.name(...)` of run-time values."""
    shape = broadcast(*(a.kind.shape for a in arrays))
    if shape == (1,):
        arrays = [
            ir.Array(code.method(a.code, "reshape", code.const(())), Aval(a.kind.dtype)) if a.kind.shape else a
            for a in arrays
        ]
        shape = ()
    renamed = _RENAMED.get(name, name)
    if name == "dist":
        apart = code.binary(arrays[0].code, ast.Sub(), arrays[1].code)
        return ir.Array(code.call("jnp.linalg.norm", apart), Aval(FLOAT))
    if name in ("floor", "ceil", "trunc"):
        return cast(ir.Array(code.call(f"jnp.{name}", arrays[0].code), Aval(FLOAT, shape)), INT)
    if name == "pow":
        found = numbers(ast.Pow(), cast(arrays[0], FLOAT) if arrays[0].kind.is_whole else arrays[0], arrays[1])
        return ir.Array(found.code, Aval(FLOAT, shape))
    if name in ("isnan", "isinf", "isfinite"):
        return ir.Array(code.call(f"jnp.{name}", arrays[0].code), Aval(BOOL, shape))
    if name == "isclose":
        distance = code.call("jnp.abs", code.binary(arrays[0].code, ast.Sub(), arrays[1].code))
        larger = code.call("jnp.maximum", *(code.call("jnp.abs", a.code) for a in arrays[:2]))
        near = code.compare(distance, ast.LtE(), code.binary(code.const(1e-09), ast.Mult(), larger))
        return ir.Array(near, Aval(BOOL, shape))
    if renamed not in REAL and renamed not in ("abs", "copysign", "gcd", "fmod", "power", "hypot"):
        raise RefusedError(f"math.{name} is not supported")
    kind = Aval(INT if name == "gcd" else FLOAT, shape)
    return ir.Array(code.call(f"jnp.{renamed}", *(a.code for a in arrays)), kind)
