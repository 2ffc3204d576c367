"""The accelerations at which inertia, forces and constraints are in balance.

They are the minimum of a convex function: quadratic in the acceleration, with another quadratic for each row that
pushes (`constraints.py`). Given which rows push, its minimum solves a linear system, and that is Newton's step. Where
the rows that push after the step are those before it, it is the minimum of the whole, exactly but for rounding, which
another step takes out again (iterative refinement). MuJoCo's own solver comes near it, to its tolerance. The minimum
is unique, so neither the way to it nor its start matters.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from envwright.physics.algebra import Scalar, add, mul, sub, where
from envwright.physics.constraints import Contact, Stop
from envwright.physics.inertia import (
    Weight,
    Wrench,
    factor,
    joint_forces,
    joint_matrix,
    resist,
    solve,
    stiffness_at,
    sum_of,
    wrench_at,
)
from envwright.physics.kinematics import Twist, motions, velocity_at
from envwright.physics.model import Model, Sphere

# From a million random states, one in 10,000 does not settle in 20 full steps but goes round in a circle; all others
# need at most 19, and in play hardly any needs 4. So after every `_PATIENCE` steps their length is halved. The minimum
# is found from everywhere: a step reduces the cost if it is short enough, however many rows come to push.
_PATIENCE = 12
_MOST_STEPS = 10 * _PATIENCE
_ROUNDING = 8  # units in the last place: an acceleration that changes no more has settled

# A step is computed from forces that nearly cancel, and is rounded with them: in float32, deep in the floor, by up to
# 1/2,000 of its length. A step this short, relative to the result, leaves no more than rounding does anyway.
_SHORT = 1 / 16


class Problem(NamedTuple):
    """What is to be in balance."""

    axes: list[Twist]
    weights: list[Weight]  # of the bodies
    forces: list[Scalar]  # at the joints, without constraints
    contacts: list[Contact]
    stops: dict[int, Stop]


class Edges(NamedTuple):
    """Which rows of a contact push: the normal, which counts twice, and the two edges along x."""

    normal: Any
    plus: Any
    minus: Any


class PushingRows(NamedTuple):
    """Which rows push."""

    contacts: list[Edges]
    stops: dict[int, Any]


class _Search(NamedTuple):
    qacc: tuple[Scalar, ...]
    settled: Any  # bool
    steps: Any  # int32


def minimum(model: Model, problem: Problem, warmstart: Sequence[Scalar]) -> list[Scalar]:
    """The accelerations in balance. Differentiable: their derivative is that of one Newton step from where they are."""
    leaves, tree = jax.tree.flatten(problem)
    known = [isinstance(leaf, float) for leaf in leaves]  # when tracing, and to stay so

    def rebuilt(unknown: Sequence[Any]) -> Problem:
        rest = iter(unknown)
        whole = [leaf if is_known else next(rest) for leaf, is_known in zip(leaves, known, strict=True)]
        return jax.tree.unflatten(tree, whole)

    @jax.custom_jvp
    def find(unknown: Sequence[Any], start: Sequence[Scalar]) -> list[Scalar]:
        return _search(model, rebuilt(unknown), start)

    @find.defjvp
    def find_jvp(values: Any, tangents: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        found = find(*values)
        rows = pushing(model, rebuilt(values[0]), found)
        _, moved = jax.jvp(lambda unknown: newton_step(model, rebuilt(unknown), rows, found), values[:1], tangents[:1])
        return found, moved

    unknown = [leaf for leaf, is_known in zip(leaves, known, strict=True) if not is_known]
    return find(unknown, list(warmstart))


def _search(model: Model, problem: Problem, start: Sequence[Scalar]) -> list[Scalar]:
    def step(before: _Search) -> _Search:
        rows = pushing(model, problem, before.qacc)
        change = newton_step(model, problem, rows, before.qacc)
        new = [a + c for a, c in zip(before.qacc, change, strict=True)]
        after = pushing(model, problem, new)
        same = [a == b for a, b in zip(jax.tree.leaves(rows), jax.tree.leaves(after), strict=True)]
        largest, change_at_most = (reduce(jnp.maximum, [jnp.abs(a) for a in values]) for values in (new, change))
        still = change_at_most <= _ROUNDING * jnp.finfo(largest.dtype).eps * largest
        at_minimum = reduce(jnp.logical_and, same, jnp.bool_(True)) | still
        settled = at_minimum & ~(change_at_most > _SHORT * largest)  # numbers that are not finite end the search, too
        less = jnp.where(at_minimum, 0, before.steps // _PATIENCE).astype(largest.dtype)
        length = jnp.exp2(-less)
        qacc = [where(less > 0, a + length * c, b) for a, b, c in zip(before.qacc, new, change, strict=True)]
        return _Search(tuple(qacc), settled, before.steps + 1)

    def goes_on(now: _Search) -> Any:
        return ~now.settled & (now.steps < _MOST_STEPS)

    return list(jax.lax.while_loop(goes_on, step, _Search(tuple(start), jnp.bool_(False), jnp.int32(0))).qacc)


def pushing(model: Model, problem: Problem, qacc: Sequence[Scalar]) -> PushingRows:
    """Which rows push at given accelerations: those along which it is below the reference."""
    moving = motions(model, problem.axes, qacc)
    edges = []
    for sphere, contact in zip(model.spheres, problem.contacts, strict=True):
        x, z = velocity_at(moving[sphere.body], contact.point)
        slip, rise = mul(sphere.friction, sub(x, contact.reference[0])), sub(z, contact.reference[1])
        edges.append(Edges(rise < 0, rise + slip < 0, rise - slip < 0))
    stops = {
        i: where(stop.upper, qacc[i] > stop.reference, qacc[i] < stop.reference) for i, stop in problem.stops.items()
    }
    return PushingRows(edges, stops)


def newton_step(model: Model, problem: Problem, rows: PushingRows, qacc: Sequence[Scalar]) -> list[Scalar]:
    """From given accelerations to those in balance if just these rows push: each adds its strength to inertia.

    It follows from the forces that are out of balance. From all forces it would be exact, too, but not when rounded:
    deep in the floor those of constraints are large, and what they leave of each other is small.
    """
    moving = motions(model, problem.axes, qacc)
    wrenches = [Wrench(*(-part for part in resist(w, a))) for w, a in zip(problem.weights, moving, strict=True)]
    weights = list(problem.weights)
    for sphere, contact, edges in zip(model.spheres, problem.contacts, rows.contacts, strict=True):
        stiff, wrench = _push(sphere, contact, edges, moving[sphere.body])
        weights[sphere.body] = sum_of(weights[sphere.body], stiffness_at(contact.point, *stiff))
        wrenches[sphere.body] = sum_of(wrenches[sphere.body], wrench)
    forces = [
        add(force, more, mul(-joint.armature, a))
        for force, more, joint, a in zip(
            problem.forces, joint_forces(model, problem.axes, wrenches), model.joints, qacc, strict=True
        )
    ]
    diagonal: list[Scalar] = [joint.armature for joint in model.joints]
    for i, stop in problem.stops.items():
        strength = where(rows.stops[i], stop.strength, 0.0)
        diagonal[i] = add(diagonal[i], strength)
        forces[i] = add(forces[i], mul(strength, sub(stop.reference, qacc[i])))
    return solve(model, factor(model, joint_matrix(model, problem.axes, weights, diagonal)), forces)


def constraint_forces(model: Model, problem: Problem, qacc: Sequence[Scalar]) -> list[Scalar]:
    """The forces of the constraints at the joints, at accelerations in balance."""
    rows, found = pushing(model, problem, qacc), shortfalls(model, problem, qacc)
    wrenches = [Wrench(0.0, 0.0, 0.0)] * len(model.bodies)
    for sphere, contact, edges, short in zip(
        model.spheres, problem.contacts, rows.contacts, found.contacts, strict=True
    ):
        force = _times(_stiffness(sphere.friction, contact.strength, edges), *short)
        wrenches[sphere.body] = sum_of(wrenches[sphere.body], wrench_at(contact.point, force))
    forces = joint_forces(model, problem.axes, wrenches)
    for i, stop in problem.stops.items():
        forces[i] = add(forces[i], where(rows.stops[i], mul(stop.strength, found.stops[i]), 0.0))
    return forces


class Shortfalls(NamedTuple):
    """By how much accelerations are below the reference of their constraint."""

    contacts: list[tuple[Scalar, Scalar]]  # along x and z
    stops: dict[int, Scalar]


def shortfalls(model: Model, problem: Problem, qacc: Sequence[Scalar]) -> Shortfalls:
    """Of all constraints, at accelerations in balance.

    Deep in the floor they are small differences of large numbers, and what rounding took from the accelerations shows.
    One more Newton step finds it again: it is kept apart from them, and so not rounded away.
    """
    lost = newton_step(model, problem, pushing(model, problem, qacc), qacc)
    rounded, rest = (motions(model, problem.axes, part) for part in (qacc, lost))
    contacts = []
    for sphere, contact in zip(model.spheres, problem.contacts, strict=True):
        x, z = velocity_at(rounded[sphere.body], contact.point)
        more_x, more_z = velocity_at(rest[sphere.body], contact.point)
        along, up = contact.reference
        contacts.append((sub(sub(along, x), more_x), sub(sub(up, z), more_z)))
    return Shortfalls(contacts, {i: sub(sub(s.reference, qacc[i]), lost[i]) for i, s in problem.stops.items()})


def _push(
    sphere: Sphere, contact: Contact, edges: Edges, motion: Twist
) -> tuple[tuple[Scalar, Scalar, Scalar], Wrench]:
    """The stiffness of a contact, and its force on a body with a given acceleration."""
    x, z = velocity_at(motion, contact.point)
    stiff = _stiffness(sphere.friction, contact.strength, edges)
    force = _times(stiff, sub(contact.reference[0], x), sub(contact.reference[1], z))
    return stiff, wrench_at(contact.point, force)


def _stiffness(friction: float, strength: Scalar, edges: Edges) -> tuple[Scalar, Scalar, Scalar]:
    """Of the rows of a contact together, which is a symmetric matrix: along x, between x and z, along z."""
    plus, minus = where(edges.plus, strength, 0.0), where(edges.minus, strength, 0.0)
    normal = where(edges.normal, 2 * strength, 0.0)
    both = plus + minus
    return friction**2 * both, friction * (plus - minus), normal + both


def _times(stiffness: tuple[Scalar, Scalar, Scalar], x: Scalar, z: Scalar) -> tuple[Scalar, Scalar]:
    along, between, up = stiffness
    return add(mul(along, x), mul(between, z)), add(mul(between, x), mul(up, z))
