"""The code for dtypes."""

import ast

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.avals import FLOAT
from envwright.compiler.ir.code import Code


def jnp_name(dtype: str) -> str:
    return "bool_" if dtype == "bool" else dtype


def dtype_code(dtype: str) -> Code:
    """A dtype as an argument. Floats are Python's `float`: float32, or float64 if JAX is told to, which is how the
    verifier tells rounding from another formula."""
    return code.name("float") if dtype == FLOAT else code.dotted(f"jnp.{jnp_name(dtype)}")


def is_exact(literal: Code) -> bool:
    """Whether a number is the same in float32."""
    value = ast.literal_eval(literal)
    return float(np.float32(value)) == value
