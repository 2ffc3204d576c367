"""Functions of the module math, of numbers of the game."""

import ast

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, FLOAT, INT, Kind, broadcast
from envwright.compiler.ir.operators import numbers
from envwright.compiler.ir.values import (
    Array,
    Value,
    cast,
)
from envwright.compiler.middle.numpy_generic import REAL
from envwright.compiler.refusal import RefusedError


def call_math(frame: Frame, name: str, arrays: list[Array]) -> Value:
    """`math.name(...)` of numbers of the game."""
    shape = broadcast(*(a.kind.shape for a in arrays))
    if shape == (1,):
        arrays = [
            Array(code.method(a.code, "reshape", code.const(())), Kind(a.kind.dtype)) if a.kind.shape else a
            for a in arrays
        ]
        shape = ()
    renamed = {
        "fabs": "abs",
        "pow": "power",
        "atan2": "arctan2",
        "asin": "arcsin",
        "acos": "arccos",
        "atan": "arctan",
    }.get(name, name)
    if name == "dist":
        apart = code.binary(arrays[0].code, ast.Sub(), arrays[1].code)
        return Array(code.call("jnp.linalg.norm", apart), Kind(FLOAT))
    if name in ("floor", "ceil", "trunc"):
        return cast(Array(code.call(f"jnp.{name}", arrays[0].code), Kind(FLOAT, shape)), INT)
    if name == "pow":
        found = numbers(ast.Pow(), cast(arrays[0], FLOAT) if arrays[0].kind.is_whole else arrays[0], arrays[1])
        return Array(found.code, Kind(FLOAT, shape))
    if name in ("isnan", "isinf", "isfinite"):
        return Array(code.call(f"jnp.{name}", arrays[0].code), Kind(BOOL, shape))
    if name == "isclose":
        distance = code.call("jnp.abs", code.binary(arrays[0].code, ast.Sub(), arrays[1].code))
        larger = code.call("jnp.maximum", *(code.call("jnp.abs", a.code) for a in arrays[:2]))
        near = code.compare(distance, ast.LtE(), code.binary(code.const(1e-09), ast.Mult(), larger))
        return Array(near, Kind(BOOL, shape))
    if renamed not in REAL and renamed not in ("abs", "copysign", "gcd", "fmod", "power", "hypot"):
        raise RefusedError(f"math.{name} is not covered")
    kind = Kind(INT if name == "gcd" else FLOAT, shape)
    return Array(code.call(f"jnp.{renamed}", *(a.code for a in arrays)), kind)
