"""Membership in Gymnasium spaces: `self.action_space.contains(action)`, `action in self.action_space`."""

import ast
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.refusal import RefusedError

MODULES = ("gymnasium.spaces", "gym.spaces")
ACTION = "action"  # what the player did, in a step


def is_space(value: Any) -> bool:
    """Whether this is a space."""
    return not isinstance(value, type) and type(value).__module__.startswith(MODULES)


def asks(function: Any) -> Any:
    """The space whose `contains` this is, if it is."""
    owner = getattr(function, "__self__", None)
    return owner if getattr(function, "__name__", "") in ("contains", "__contains__") and is_space(owner) else None


def holds(space: Any, value: Value) -> Value:
    """`value in space`, for a value without references in it."""
    if isinstance(value, ir.Static):
        return ir.Static(value.value in space)
    array, name = as_array(value), type(space).__name__
    whole = not array.kind.is_float and not array.kind.of
    if name == "Discrete" and whole and array.kind.shape == ():
        start = int(getattr(space, "start", 0))
        return _between(array, start, start + int(space.n) - 1)
    if name == "MultiDiscrete" and whole and array.kind.shape == space.shape:
        start = np.asarray(getattr(space, "start", np.zeros_like(space.nvec)))
        return _between(array, start, start + space.nvec - 1)
    if name == "Box" and code.text(array.code) == ACTION:  # of anything else the type is not known that it asks for
        return _between(array, space.low, space.high)
    raise RefusedError(f"membership in a space of the class {name} is not supported for this value")


def _between(array: ir.Array, low: Any, high: Any) -> ir.Array:
    above = code.compare(array.code, ast.GtE(), _bound(low))
    below = code.compare(array.code, ast.LtE(), _bound(high))
    both = code.both(above, below)
    return ir.Array(code.call("jnp.all", both) if array.kind.shape else both, Aval(BOOL))


def _bound(bound: Any) -> code.Code:
    """A number, or an array if the bounds differ."""
    if np.ndim(bound) and (bound == bound.flat[0]).all():
        bound = bound.flat[0].item()
    return code.call("jnp.array", code.const(bound)) if np.ndim(bound) else code.const(bound)
