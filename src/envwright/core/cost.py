"""About how much work a function is, from what JAX writes down of it: to choose between two ways to the same result."""

import math
from typing import Any, NamedTuple

import jax

from envwright.core.jaxprs import inner, needed

# By element, in simple operations such as an addition; from what XLA's code for CPUs takes, to within a factor of two.
WEIGHTS = {
    **dict.fromkeys(("sin", "cos", "tan", "tanh", "exp", "expm1", "log", "log1p", "pow", "atan2", "logistic"), 20),
    **dict.fromkeys(("gather", "dynamic_slice", "dynamic_update_slice", "cumsum", "random_fold_in"), 8),
    **{"erf_inv": 60, "sort": 100, "scatter": 30, "random_bits": 15, "random_split": 10, "rem": 6, "div": 3, "sqrt": 3},
}
FREE = {
    "reshape", "broadcast_in_dim", "convert_element_type", "squeeze", "slice", "copy", "random_wrap", "random_unwrap",
}  # fmt: skip
UNKNOWN_TURNS = 8  # of a loop that ends when it ends


class Cost(NamedTuple):
    """How many simple operations a function takes, and how many numbers it gives."""

    operations: int
    numbers: int


def cost(function: Any, argument: Any, *others: Any) -> Cost:
    """Of what depends on `argument`: the rest is computed once, when it is compiled."""
    closed = jax.make_jaxpr(function)(argument, *others)
    moving = set(closed.jaxpr.invars[: len(jax.tree.leaves(argument))])
    return Cost(_cost(closed.jaxpr, moving), sum(math.prod(result.shape) for result in closed.out_avals))


def _cost(jaxpr: Any, moving: set[Any]) -> int:
    total = 0
    for equation in needed(jaxpr, jaxpr.outvars, set(jaxpr.invars))[0]:
        if not any(_is_in(variable, moving) for variable in equation.invars):
            continue
        moving |= set(equation.outvars)
        name = equation.primitive.name
        within = list(inner(equation)) if name not in WEIGHTS else []
        if within:  # all that happens in there, as if everything moved
            turns = equation.params.get("length", UNKNOWN_TURNS if name == "while" else 1)
            total += turns * sum(_cost(body, set(body.invars)) for body in within)
        elif name not in FREE:
            reads = equation.invars if name.startswith(("reduce", "arg")) else []
            size = max(math.prod(getattr(v.aval, "shape", ())) for v in [*equation.outvars, *reads])
            total += WEIGHTS.get(name.partition("-")[0], 1) * size
    return total


def _is_in(variable: Any, moving: set[Any]) -> bool:
    return not hasattr(variable, "val") and variable in moving  # a literal has a value
