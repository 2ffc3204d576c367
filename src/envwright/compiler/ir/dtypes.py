"""The code for dtypes."""

import ast

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.avals import FLOAT
from envwright.compiler.ir.code import Code


def jnp_name(dtype: str) -> str:
    return "bool_" if dtype == "bool" else dtype


def dtype_code(dtype: str) -> Code:
    """A type as an argument. Real numbers are Python's `float`: float32, unless JAX is told to compute in double
    precision. So the verifier can, to tell another formula from rounding."""
    return code.name("float") if dtype == FLOAT else code.dotted(f"jnp.{jnp_name(dtype)}")


def is_exact(literal: Code) -> bool:
    """Whether a number is the same in float32."""
    value = ast.literal_eval(literal)
    return float(np.float32(value)) == value
