"""A function of each game of a batch, whose games are along the last axis of every array, in loops as well.

`jax.vmap` would do, but the loops it makes have the games first: arrays are turned on the way in and out, and a CPU's
vectors run along the few places of a board then instead of along the games (Freeway: a third of the speed).
So what JAX writes down of the function is gone through, and loops are written anew; the rest is vmap's.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, DropVar, Jaxpr, JaxprEqn, Literal, jaxpr_as_fun

from envwright.core import kernels, lane_rules, writes
from envwright.core.jaxprs import length
from envwright.core.lane_rules import Flags, Values, widened
from envwright.core.pieces import in_pieces

LAST = -1
# Operations of a function from which on a kernel computes it for so many games at a time. HalfCheetah has 4,600, and
# takes 230, 250, 400 and 350 thousand steps a second with 256, 128, 64 and 32 games at a time; Pong has 300.
LONG, SHORT_TILE = 3000, 64
Masks = Mapping[int, jax.Array]  # by the identity of a write: in which games it takes place


def each(function: Callable[..., Any], *batch: Any) -> Any:
    """`function` of every game of the batch."""
    leaves, tree = jax.tree.flatten(batch)
    one = [jax.ShapeDtypeStruct(leaf.shape[:LAST], leaf.dtype) for leaf in leaves]
    closed, shape = jax.make_jaxpr(function, return_shape=True)(*jax.tree.unflatten(tree, one))
    if closed.effects:
        return jax.vmap(function, in_axes=LAST, out_axes=LAST)(*batch)
    games = leaves[0].shape[LAST]

    some = _at_a_time(closed.jaxpr, games)

    def run(leaves: Values) -> Values:
        return _run(closed, leaves, [True] * len(leaves), [True] * len(closed.out_avals), some)

    results = in_pieces(run)(leaves) if some == games else _in_turns(run, leaves, games, some)
    return jax.tree.unflatten(jax.tree.structure(shape), results)


def _at_a_time(jaxpr: Jaxpr, games: int) -> int:
    """How many games a kernel computes together: of a long function fewer, or what it computes on the way leaves the
    first-level cache."""
    if not kernels.is_traced() or games <= SHORT_TILE or length(jaxpr) < LONG:
        return games
    some = max(n for n in range(1, SHORT_TILE + 1) if games % n == 0)
    return some if some >= SHORT_TILE / 4 else games


def _in_turns(run: Callable[[Values], Values], leaves: Values, games: int, some: int) -> Values:
    """`some` games at a time."""
    part = [jax.ShapeDtypeStruct((*leaf.shape[:LAST], some), leaf.dtype) for leaf in leaves]
    made = [jnp.zeros((*one.shape[:LAST], games), one.dtype) for one in jax.eval_shape(run, part)]

    def turn(i: jax.Array, made: Values) -> Values:
        parts = run([jax.lax.dynamic_slice_in_dim(leaf, i * some, some, axis=LAST) for leaf in leaves])
        put = jax.lax.dynamic_update_slice_in_dim
        return [put(whole, part, i * some, axis=LAST) for whole, part in zip(made, parts, strict=True)]

    return jax.lax.fori_loop(0, games // some, turn, made)


def _run(
    closed: ClosedJaxpr, values: Values, flags: Flags, wanted: Flags, games: int, masks: Masks = MappingProxyType({})
) -> Values:
    """What it gives, with an axis of games where that is wanted; some of its writes are of some games only."""
    jaxpr = closed.jaxpr
    known = dict(zip(jaxpr.constvars, ((const, False) for const in closed.consts), strict=True))
    known |= zip(jaxpr.invars, zip(values, flags, strict=True), strict=True)
    read = lambda v: (_constant(v), False) if isinstance(v, Literal) else known[v]  # noqa: E731
    for equation in jaxpr.eqns:
        inputs = [read(v) for v in equation.invars]
        if id(equation) in masks:  # the last is whether it is written at all
            inputs[-1] = (inputs[-1][0] & masks[id(equation)], True)
        results = _apply(jaxpr, equation, [value for value, _ in inputs], [flag for _, flag in inputs], games)
        known |= zip(equation.outvars, results, strict=True)
    found = [read(v) for v in jaxpr.outvars]
    return widened([value for value, _ in found], [flag for _, flag in found], wanted, games)


def _constant(literal: Literal) -> Any:
    return np.asarray(literal.val, literal.aval.dtype)  # pyright: ignore[reportAttributeAccessIssue]


def _apply(jaxpr: Jaxpr, equation: JaxprEqn, values: Values, flags: Flags, games: int) -> list[tuple[Any, bool]]:
    if not any(flags):
        return [(value, False) for value in _bind(jaxpr, equation, values)]
    after = _spread_by(equation, flags)
    if rule := _RULES.get(equation.primitive.name):
        return list(zip(rule(equation, values, flags, after, games), after, strict=True))
    own = lane_rules.RULES.get(equation.primitive.name)
    if own and (made := own(equation, values, flags, games)) is not None:
        return [(one, True) for one in (made if isinstance(made, list) else [made])]
    moving = [value for value, flag in zip(values, flags, strict=True) if flag]

    def one(*moving: Any) -> Values:
        rest = iter(moving)
        return _bind(
            jaxpr, equation, [next(rest) if flag else value for value, flag in zip(values, flags, strict=True)]
        )

    return [(value, True) for value in jax.vmap(one, in_axes=LAST, out_axes=LAST)(*moving)]


def _bind(jaxpr: Jaxpr, equation: JaxprEqn, values: Values) -> Values:
    """The operation by itself. The jaxpr is the one it is in."""
    given = {v: value for v, value in zip(equation.invars, values, strict=True) if not isinstance(v, Literal)}
    alone = jaxpr.replace(constvars=[], invars=list(given), outvars=equation.outvars, eqns=[equation])
    return jaxpr_as_fun(ClosedJaxpr(alone, ()))(*given.values())


def _call(equation: JaxprEqn, values: Values, flags: Flags, after: Flags, games: int) -> Values:
    return _run(equation.params["jaxpr"], values, flags, after, games)


def _scan(equation: JaxprEqn, values: Values, flags: Flags, after: Flags, games: int) -> Values:
    params, body = equation.params, equation.params["jaxpr"]
    consts, carried = params["num_consts"], params["num_carry"]
    each_turn = consts + carried
    inside = [*flags[:consts], *after[:carried], *flags[each_turn:]]

    def turn(carry: Values, x: Values) -> tuple[Values, Values]:
        results = _run(body, [*values[:consts], *carry, *x], inside, after, games)
        return results[:carried], results[carried:]

    carry, ys = jax.lax.scan(
        turn,
        widened(values[consts:each_turn], flags[consts:each_turn], after[:carried], games),
        values[each_turn:],
        length=params["length"],
        reverse=params["reverse"],
        unroll=params["unroll"],
    )
    return [*carry, *ys]


def _while(equation: JaxprEqn, values: Values, flags: Flags, after: Flags, games: int) -> Values:
    params, body = equation.params, equation.params["body_jaxpr"]
    cut, begin = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    asked, done = (values[:cut], flags[:cut]), (values[cut:begin], flags[cut:begin])
    differs = _spread(params["cond_jaxpr"].jaxpr, [*asked[1], *after])[0]

    def goes_on(carry: Values) -> jax.Array:
        return _run(params["cond_jaxpr"], [*asked[0], *carry], [*asked[1], *after], [differs], games)[0]

    def turn(carry: Values, going: Masks | None = None) -> Values:
        return _run(body, [*done[0], *carry], [*done[1], *after], after, games, going or {})

    start = widened(values[begin:], flags[begin:], after, games)
    if not differs:
        return jax.lax.while_loop(goes_on, turn, start)
    written = [_writes(body.jaxpr, begin - cut + k, k) for k in range(len(after))]

    def turn_of_some(carry: tuple[jax.Array, Values]) -> tuple[jax.Array, Values]:
        """Of the games that go on. In the others nothing is written, or what they had is taken instead."""
        going, old = carry
        new = turn(old, {id(write): going for chain in written for write in chain or ()})
        whole = zip(new, old, after, written, strict=True)
        new = [a if not flag or chain is not None else jnp.where(going, a, b) for a, b, flag, chain in whole]
        return going & goes_on(new), new

    return jax.lax.while_loop(lambda carry: jnp.any(carry[0]), turn_of_some, (goes_on(start), start))[1]


def _writes(body: Jaxpr, before: int, after: int) -> list[JaxprEqn] | None:
    """The writes by which a turn makes what it hands on out of what it got, if it is nothing but those."""
    made = {v: equation for equation in body.eqns for v in equation.outvars}
    found, at = [], body.outvars[after]
    while at is not body.invars[before]:
        if isinstance(at, Literal) or at not in made or made[at].primitive.name not in ("reshape", writes.NAME):
            return None
        if made[at].primitive.name == writes.NAME:
            found.append(made[at])
        at = made[at].invars[0]
    return found


def _cond(equation: JaxprEqn, values: Values, flags: Flags, after: Flags, games: int) -> Values:
    which, inputs = values[0], values[1:]
    branches = [
        lambda inputs, branch=branch: _run(branch, inputs, flags[1:], after, games)
        for branch in equation.params["branches"]
    ]
    if not flags[0]:
        return jax.lax.switch(which, branches, inputs)
    results = branches[-1](inputs)
    for i in reversed(range(len(branches) - 1)):
        hit = which <= i if i == 0 else which == i
        results = [jnp.where(hit, a, b) for a, b in zip(branches[i](inputs), results, strict=True)]
    return results


def _custom_jvp(equation: JaxprEqn, values: Values, flags: Flags, after: Flags, games: int) -> Values:
    return _run(equation.params["call_jaxpr"], values, flags, after, games)


_RULES = {
    **{"jit": _call, "pjit": _call, "closed_call": _call, "custom_jvp_call": _custom_jvp},
    **{"scan": _scan, "while": _while, "cond": _cond},
}


def _spread(jaxpr: Jaxpr, flags: Sequence[bool]) -> Flags:
    """Which results differ from game to game, if these inputs do."""
    known = dict(zip(jaxpr.invars, flags, strict=True))
    read = lambda v: not isinstance(v, Literal) and known.get(v, False)  # noqa: E731
    for equation in jaxpr.eqns:
        known |= zip(equation.outvars, _spread_by(equation, [read(v) for v in equation.invars]), strict=True)
    return [read(v) for v in jaxpr.outvars]


def _spread_by(equation: JaxprEqn, flags: Flags) -> Flags:
    name, params = equation.primitive.name, equation.params
    if not any(flags) or name not in _RULES:
        return [any(flags)] * len(equation.outvars)
    if name == "scan":
        return _settled(params["jaxpr"].jaxpr, flags, params["num_consts"], params["num_carry"])
    if name == "while":
        cut, begin = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        body, consts = params["body_jaxpr"].jaxpr, params["body_nconsts"]
        carry = _settled(body, flags[cut:], consts, len(flags) - begin)
        if not _spread(params["cond_jaxpr"].jaxpr, [*flags[:cut], *carry])[0]:
            return carry
        # Games that ended go on in the loop, in vain. What nobody reads afterwards, as a counter, need not stop.
        ended = [flag or not isinstance(v, DropVar) for flag, v in zip(carry, equation.outvars, strict=True)]
        return _settled(body, [*flags[cut:begin], *ended], consts, len(ended))
    if name == "cond":
        branches = [_spread(branch.jaxpr, flags[1:]) for branch in params["branches"]]
        return [flags[0] or any(each) for each in zip(*branches, strict=True)]
    return _spread(params["call_jaxpr" if name == "custom_jvp_call" else "jaxpr"].jaxpr, flags)


def _settled(body: Jaxpr, flags: Flags, consts: int, carried: int) -> Flags:
    """The results of a loop's body when a turn no longer changes what differs."""
    flags = list(flags)
    while True:
        results = _spread(body, flags)
        before = flags[consts : consts + carried]
        flags[consts : consts + carried] = [a or b for a, b in zip(before, results, strict=False)]
        if flags[consts : consts + carried] == before:
            return [*before, *results[carried:]]
