"""What JAX wrote down of a function, read: its operations, with those of the functions within them."""

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Literal, Var


def inner(equation: Any) -> Iterator[Any]:
    """The functions within an operation: bodies of loops, branches, what is called."""
    for value in equation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            found = getattr(one, "jaxpr", one)
            if hasattr(found, "eqns"):
                yield found


def operations(jaxpr: Any) -> set[str]:
    """The names of all operations."""
    names = {equation.primitive.name for equation in jaxpr.eqns}
    return names.union(*(operations(body) for equation in jaxpr.eqns for body in inner(equation)))


def length(jaxpr: Any) -> int:
    """How many operations there are, those of loops and branches counted once."""
    return sum(1 + sum(length(body) for body in inner(equation)) for equation in jaxpr.eqns)


def needed(jaxpr: Any, wanted: Sequence[Any], given: set[Any]) -> tuple[list[Any], set[Any]]:
    """The operations that lead from what is given to what is wanted, and what else they need."""
    missing = {v for v in wanted if isinstance(v, Var)} - given
    found = []
    for equation in reversed(jaxpr.eqns):
        if not missing.isdisjoint(equation.outvars):
            found.append(equation)
            missing -= set(equation.outvars)
            missing |= {v for v in equation.invars if isinstance(v, Var)} - given
    return found[::-1], missing


def doings(jaxpr: Any, consts: Sequence[Any] = ()) -> Any:
    """What is computed, whatever variables are called: equal for functions that do the same in the same order."""
    labels: dict[Any, Any] = {v: ("input", i) for i, v in enumerate(jaxpr.invars)}
    labels |= {v: _constant(const) for v, const in zip(jaxpr.constvars, consts, strict=False)}
    read = lambda v: (str(v.aval), _constant(v.val)) if isinstance(v, Literal) else labels[v]  # noqa: E731
    lines = []
    for number, equation in enumerate(needed(jaxpr, jaxpr.outvars, set(jaxpr.invars))[0]):
        labels |= {v: (number, i) for i, v in enumerate(equation.outvars)}
        params = [(name, _plain(value)) for name, value in sorted(equation.params.items())]
        lines.append((equation.primitive.name, [read(v) for v in equation.invars], params))
    return lines, [read(v) for v in jaxpr.outvars]


def _constant(value: Any) -> Any:
    if jnp.issubdtype(getattr(value, "dtype", np.dtype(int)), jax.dtypes.extended):  # keys
        value = jax.random.key_data(value)
    array = np.asarray(value)
    return "constant", array.shape, str(array.dtype), array.tobytes()


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    inside = getattr(value, "jaxpr", value)
    if hasattr(inside, "eqns"):
        return doings(inside, getattr(value, "consts", ()))
    return repr(value)
