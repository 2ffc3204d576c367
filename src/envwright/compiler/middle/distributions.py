"""Random distributions: how `jax.random` draws what NumPy and `random` draw.

Each function gets the chance field and the arguments of the call; it returns the code that samples it, with `key` in
it, and the value that the original gets.
"""

import ast
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import broadcast
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.refusal import RefusedError


def argument(arguments: list[Value], options: dict[str, Value], place: int, names: str, default: Any) -> Value:
    """An argument by position or keyword; NumPy and `random` name some differently."""
    if len(arguments) > place:
        return arguments[place]
    return next((options[name] for name in names.split() if name in options), ir.Static(default))


def key() -> Code:
    return code.name("key")


def size_of(size: Any) -> tuple[int, ...]:
    return tuple(int(s) for s in size) if isinstance(size, tuple | list) else (int(size),)


def number(value: Value) -> ir.Array:
    """A parameter of a draw, as a float."""
    if isinstance(value, ir.Static | ir.Items):
        try:
            found = np.asarray(known(value), float)
            return as_array(ir.Static(found.astype(np.float32) if found.ndim else float(found)))
        except RefusedError:
            pass
    return as_array(value)


def _uniform(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    low = number(argument(arguments, options, 0, "low a", 0.0))
    high = number(argument(arguments, options, 1, "high b", 1.0))
    size = known(argument(arguments, options, 2, "size", None))
    shape = broadcast(low.kind.shape, high.kind.shape) if size is None else size_of(size)
    bounds = {"minval": low.code, "maxval": high.code}
    return code.call("jax.random.uniform", key(), code.const(shape), **bounds), value


def _normal(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    mean = argument(arguments, options, 0, "loc mean mu", 0.0)
    deviation = argument(arguments, options, 1, "scale sigma", 1.0)
    size = known(argument(arguments, options, 2, "size", None))
    middle, width = number(mean), number(deviation)
    shape = broadcast(middle.kind.shape, width.kind.shape) if size is None else size_of(size)
    made = code.call("normal", key(), code.const(shape))
    if not (isinstance(deviation, ir.Static) and np.all(np.asarray(deviation.value) == 1)):
        made = code.binary(made, ast.Mult(), width.code)
    if not (isinstance(mean, ir.Static) and np.all(np.asarray(mean.value) == 0)):
        made = code.binary(made, ast.Add(), middle.code)
    return made, value


def _log_normal(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    made, _ = _normal(value, arguments, options)
    return code.call("jnp.exp", made), value


def _standard_normal(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    size = known(argument(arguments, options, 0, "size", None))
    return code.call("normal", key(), code.const(() if size is None else size_of(size))), value


def _randn(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    return code.call("normal", key(), code.const(tuple(int(known(a)) for a in arguments))), value


def _together(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    """Multivariate normal, by SVD as in NumPy, for singular covariances."""
    mean, covariance = (number(argument(arguments, options, i, name, None)) for i, name in enumerate(("mean", "cov")))
    size = known(argument(arguments, options, 2, "size", None))
    named = {"shape": code.const(() if size is None else size_of(size)), "method": code.const("svd")}
    return code.call("jax.random.multivariate_normal", key(), mean.code, covariance.code, **named), value


def _expovariate(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    rate = number(argument(arguments, options, 0, "lambd", 1.0))
    return code.binary(code.call("jax.random.exponential", key()), ast.Div(), rate.code), value


def _triangular(*order: str) -> Any:
    """The corners, in the order in which they are given."""

    def sample(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
        if len(arguments) + len(options) < len(order):
            raise RefusedError("a triangular distribution without all of left, mode and right is not supported")
        given = {name: number(argument(arguments, options, i, name, 0.0)) for i, name in enumerate(order)}
        size = known(argument(arguments, options, len(order), "size", None))
        corners = [
            given[name] for names in ("left low", "mode", "right high") for name in names.split() if name in given
        ]
        shape = broadcast(*(c.kind.shape for c in corners)) if size is None else size_of(size)
        return code.call("jax.random.triangular", key(), *(c.code for c in corners), shape=code.const(shape)), value

    return sample


def _moved(function: str) -> Any:
    """A standardised distribution of jax.random, with location and scale."""

    def sample(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
        middle, width = (number(argument(arguments, options, i, n, i)) for i, n in enumerate(("loc", "scale")))
        size = known(argument(arguments, options, 2, "size", None))
        shape = broadcast(middle.kind.shape, width.kind.shape) if size is None else size_of(size)
        made = code.call(f"jax.random.{function}", key(), code.const(shape))
        return code.binary(code.binary(made, ast.Mult(), width.code), ast.Add(), middle.code), value

    return sample


def _other(function: str, *names: str, scale: str = "") -> Any:
    """A distribution of jax.random, by its parameters, and perhaps a scale."""

    def sample(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
        order = [*names, *([scale] if scale else [])]
        given = [number(argument(arguments, options, i, name, 1.0)) for i, name in enumerate(order)]
        size = known(argument(arguments, options, len(order), "size", None))
        shapes = [g.kind.shape for g in given]
        shape = (broadcast(*shapes) if function != "dirichlet" else ()) if size is None else size_of(size)
        parameters = [g.code for g in given[: len(names)]]
        made = code.call(f"jax.random.{function}", _threefry(), *parameters, shape=code.const(shape))
        return (code.binary(made, ast.Mult(), given[-1].code) if scale else made), value

    return sample


def _threefry() -> Code:
    """Some distributions of jax.random need threefry keys."""
    return code.call("jax.random.key", code.call("jax.random.bits", key()))


DISTRIBUTIONS: Any = {
    "uniform": _uniform, "normal": _normal, "gauss": _normal, "normalvariate": _normal, "lognormal": _log_normal,
    "lognormvariate": _log_normal, "standard_normal": _standard_normal, "randn": _randn,
    "multivariate_normal": _together, "expovariate": _expovariate,
    "triangular": _triangular("left", "mode", "right"), "triangular_python": _triangular("low", "high", "mode"),
    "laplace": _moved("laplace"), "logistic": _moved("logistic"), "gumbel": _moved("gumbel"),
    "poisson": _other("poisson", "lam"), "exponential": _other("exponential", scale="scale"),
    "binomial": _other("binomial", "n", "p"), "beta": _other("beta", "a", "b"),
    "betavariate": _other("beta", "alpha", "beta"), "dirichlet": _other("dirichlet", "alpha"),
    "gamma": _other("gamma", "shape", scale="scale"), "gammavariate": _other("gamma", "alpha", scale="beta"),
    "geometric": _other("geometric", "p"), "standard_exponential": _other("exponential"),
    "chisquare": _other("chisquare", "df"), "standard_t": _other("t", "df"), "rayleigh": _other("rayleigh", "scale"),
}  # fmt: skip
