"""What JAX wrote down of a function, read: its operations, with those of the functions within them."""

from collections.abc import Iterator
from typing import Any


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
