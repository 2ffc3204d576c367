"""Long functions, compiled for CPU a piece at a time.

Where a value has several users, XLA's fusion for CPUs computes it again for each of them, and so does what that value
is made of. An update of a Pokemon battle, 10,700 operations, becomes 295,000, which takes LLVM many minutes; only what
is called is never merged with what calls it. `jax.lax.optimization_barrier` does not help: XLA removes it before it
fuses.
"""

from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

import jax
from jax.core import Tracer
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var, jaxpr_as_fun

from envwright.core import execute, kernels
from envwright.core.jaxprs import inner, length, needed

P = ParamSpec("P")
R = TypeVar("R")

# Operations from which on a function is cut, and of a piece. For 256 games, one step after another: Pokemon's 10,700
# compile in 14, 15, 16, 17 and 15 s in pieces of 800, 400, 200, 100 and 50, and take 1.5, 1.5, 3.1, 1.5 and 1.8 ms.
LONG, PIECE = 3000, 400


def in_pieces(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, to the same result; if it is long and compiled for CPU, as calls of pieces of it.

    In one kernel it stays whole: there, all outputs of a tile are computed at once.
    """

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        leaves = jax.tree.leaves((args, kwargs))
        compiled = any(isinstance(leaf, Tracer) for leaf in leaves)
        if not compiled or kernels.is_traced() or not execute.on_cpu():
            return function(*args, **kwargs)
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*args, **kwargs)
        whole = closed.effects or length(closed.jaxpr) < LONG
        results = jaxpr_as_fun(closed)(*leaves) if whole else _called(closed, leaves)  # `function` is traced only once
        return jax.tree.unflatten(jax.tree.structure(shape), results)

    return call


def _called(closed: ClosedJaxpr, leaves: list[Any]) -> list[Any]:
    """What it gives, a piece after another."""
    jaxpr = closed.jaxpr
    known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*closed.consts, *leaves), strict=True))
    for piece in _pieces(jaxpr):
        run = jax.jit(jaxpr_as_fun(ClosedJaxpr(piece, ())))
        with set_xla_metadata(inlineable="false"):
            results = run(*(known[v] for v in piece.invars))
        known |= zip(piece.outvars, results, strict=True)
    return [v.val if isinstance(v, Literal) else known[v] for v in jaxpr.outvars]


def _pieces(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """All that it computes, in order; each piece gives what the later ones and the caller use of it."""
    used = {v for v in jaxpr.outvars if isinstance(v, Var)}
    found = []
    for equations in reversed(list(_cut(needed(jaxpr, jaxpr.outvars, set(jaxpr.invars))[0]))):
        made = [v for equation in equations for v in equation.outvars]
        reads = dict.fromkeys(v for equation in equations for v in equation.invars if isinstance(v, Var))
        given = [v for v in reads if v not in set(made)]
        gives = [v for v in made if v in used]
        found.append(jaxpr.replace(constvars=[], invars=given, outvars=gives, eqns=equations))
        used.update(given)
    return reversed(found)


def _cut(equations: list[JaxprEqn]) -> Iterator[list[JaxprEqn]]:
    piece: list[JaxprEqn] = []
    size = 0
    for equation in equations:
        more = 1 + sum(length(body) for body in inner(equation))
        if piece and size + more > PIECE:
            yield piece
            piece, size = [], 0
        piece.append(equation)
        size += more
    if piece:
        yield piece
