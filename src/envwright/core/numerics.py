"""Arithmetic that keeps IEEE 754's word.

XLA rewrites float expressions for speed. On CPU it turns `x / c` into `x * (1 / c)` and contracts `a * b + c` into a
fused multiply-add; measured on random float32 inputs, a fifth of such quotients and a third of such sums then differ
from C in the last bit. A bitwise translation must say where it cannot bear that. Each guard below costs two cheap
vector instructions. Subnormal numbers (below 1.2e-38) are the exception: XLA on CPU takes them for zero.
"""

import jax
import jax.numpy as jnp
import numpy as np


def divide(x: jax.Array, y: jax.Array | float) -> jax.Array:
    """`x / y`, correctly rounded: the divisor is made to look as if it depended on `x`, so none is inverted ahead."""
    return x / jnp.where(x == x, jnp.asarray(y, x.dtype), x)


def multiply(x: jax.Array, y: jax.Array) -> jax.Array:
    """`x * y`, rounded before anything is added to it."""
    product = x * y
    return jnp.where(product == product, product, jnp.asarray(jnp.nan, product.dtype))


def clamp(x: jax.Array, low: jax.Array | float, high: jax.Array | float) -> jax.Array:
    """C's `fminf(fmaxf(x, low), high)` for numbers; as comparisons, because XLA's min and max pay for NaN."""
    x = jnp.where(x > low, x, low)
    return jnp.where(x < high, x, high)


def round_down(number: float) -> float:
    """The largest float32 not above a number: of a float32, `x > number` and `x > round_down(number)` ask the same.
    In double precision, which is JAX's default number where x64 is enabled, the number itself."""
    if jnp.result_type(float) == jnp.float64:
        return number
    near = np.float32(number)
    return float(near if float(near) <= number else np.nextafter(near, np.float32(-np.inf)))


def round_up(number: float) -> float:
    """The smallest float32 that is not below a number; in double precision the number itself."""
    return -round_down(-number)
