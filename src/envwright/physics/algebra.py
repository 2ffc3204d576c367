"""Arithmetic on numbers of which some are known when tracing: a Python number that is 0 or 1 leaves no operation.

A `Scalar` is a JAX array without axes, or a Python float. Physics is written in scalars: under `vmap` each becomes a
row with an entry for every environment, which is what a CPU's vector instructions run along.
"""

from typing import Any

import jax
import jax.numpy as jnp

Scalar = Any  # a jax.Array of shape (), or a float
Planar = tuple[Scalar, Scalar]  # (x, z)


def is_zero(a: Scalar) -> bool:
    """Whether it is known to be 0."""
    return isinstance(a, float | int) and a == 0


def add(*terms: Scalar) -> Scalar:
    """The sum, from left to right."""
    total: Scalar = 0.0
    for term in terms:
        if is_zero(term):
            continue
        total = term if is_zero(total) else total + term
    return total


def sub(a: Scalar, b: Scalar) -> Scalar:
    if is_zero(b):
        return a
    return -b if is_zero(a) else a - b


def mul(a: Scalar, b: Scalar) -> Scalar:
    if is_zero(a) or is_zero(b):
        return 0.0
    for one, other in ((a, b), (b, a)):
        if isinstance(one, float | int) and one in (1, -1):
            return other if one == 1 else -other
    return a * b


def dot(a: Any, b: Any) -> Scalar:
    return add(*(mul(x, y) for x, y in zip(a, b, strict=True)))


def where(condition: Any, a: Scalar, b: Scalar) -> Scalar:
    """One of two scalars, not both of which are known when tracing."""
    dtype = jnp.result_type(a, b)
    return jax.lax.select(condition, jnp.asarray(a, dtype), jnp.asarray(b, dtype))
