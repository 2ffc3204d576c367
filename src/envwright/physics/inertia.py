"""Inertia: from bodies to joints, and back from forces to accelerations.

A `Weight` says which force resists a motion of a body: its mass does, and so does a contact, whose resistance adds to
that of the mass. Both go through the same composite-body algorithm, and the sum is factored along the tree, from the
leaves to the root, where nothing is filled in that was zero.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from envwright.physics.algebra import Planar, Scalar, add, dot, mul, sub
from envwright.physics.kinematics import Kinematics, Twist, place
from envwright.physics.model import Body, Model

Matrix = Mapping[tuple[int, int], Scalar]  # of (joint, itself or a joint between it and the world)


class Weight(NamedTuple):
    """A symmetric matrix from a `Twist` to a `Wrench`, both at the origin."""

    turn: Scalar
    turn_x: Scalar
    turn_z: Scalar
    x: Scalar
    x_z: Scalar
    z: Scalar


class Wrench(NamedTuple):
    """A torque about the origin, and a force."""

    torque: Scalar
    x: Scalar
    z: Scalar


Parts = TypeVar("Parts", Weight, Wrench)


class Factor(NamedTuple):
    """A matrix as Lᵀ D L."""

    lower: Matrix
    inverse: Sequence[Scalar]  # of D


def weight_of(body: Body, com: Planar) -> Weight:
    """Of the mass of a body."""
    x, z = mul(body.mass, com[0]), mul(body.mass, com[1])
    turn = add(body.inertia, mul(x, com[0]), mul(z, com[1]))
    return Weight(turn, z, -x, body.mass, 0.0, body.mass)


def body_weights(model: Model, where: Kinematics) -> list[Weight]:
    return [weight_of(body, place(frame, body.com)) for body, frame in zip(model.bodies, where.frames, strict=True)]


def stiffness_at(point: Planar, along: Scalar, between: Scalar, up: Scalar) -> Weight:
    """What resists a body at a point, as a weight at the origin."""
    x, z = point
    turn_x = sub(mul(z, along), mul(x, between))
    turn_z = sub(mul(z, between), mul(x, up))
    return Weight(sub(mul(z, turn_x), mul(x, turn_z)), turn_x, turn_z, along, between, up)


def wrench_at(point: Planar, force: Planar) -> Wrench:
    """A force at a point, as a wrench at the origin."""
    return Wrench(sub(mul(point[1], force[0]), mul(point[0], force[1])), *force)


def sum_of(a: Parts, b: Parts) -> Parts:
    """Of two weights, or two wrenches."""
    return type(a)(*(add(x, y) for x, y in zip(a, b, strict=True)))


def joint_matrix(model: Model, axes: Sequence[Twist], weights: Sequence[Weight], diagonal: Sequence[Scalar]) -> Matrix:
    """What resists the joints, if `weights` resist the bodies and `diagonal` each joint by itself."""
    whole = list(weights)
    for i in reversed(range(len(whole))):
        parent = model.bodies[i].parent
        if parent >= 0:
            whole[parent] = sum_of(whole[parent], whole[i])
    found = {}
    for joint, axis in enumerate(axes):
        force = resist(whole[model.body_of(joint)], axis)
        found[joint, joint] = add(dot(axis, force), diagonal[joint])
        found |= {(joint, other): dot(axes[other], force) for other in model.ancestors(joint)}
    return found


def resist(weight: Weight, motion: Twist) -> Wrench:
    w = weight
    return Wrench(
        dot((w.turn, w.turn_x, w.turn_z), motion),
        dot((w.turn_x, w.x, w.x_z), motion),
        dot((w.turn_z, w.x_z, w.z), motion),
    )


def joint_forces(model: Model, axes: Sequence[Twist], wrenches: Sequence[Wrench]) -> list[Scalar]:
    """The forces at the joints of wrenches at the bodies."""
    whole = list(wrenches)
    for i in reversed(range(len(whole))):
        parent = model.bodies[i].parent
        if parent >= 0:
            whole[parent] = sum_of(whole[parent], whole[i])
    return [dot(axis, whole[model.body_of(joint)]) for joint, axis in enumerate(axes)]


def factor(model: Model, matrix: Matrix) -> Factor:
    """Eliminate joint after joint, the last first."""
    m = dict(matrix)
    inverse: list[Scalar] = [0.0] * model.dofs
    for k in reversed(range(model.dofs)):
        inverse[k] = 1.0 / m[k, k]
        between = list(model.ancestors(k))
        for at, i in enumerate(between):
            ratio = mul(m[k, i], inverse[k])
            for j in between[at:]:
                m[i, j] = sub(m[i, j], mul(ratio, m[k, j]))
            m[k, i] = ratio
    return Factor({where: value for where, value in m.items() if where[0] != where[1]}, inverse)


def solve(model: Model, by: Factor, forces: Sequence[Scalar]) -> list[Scalar]:
    """The accelerations under which these forces are resisted."""
    x = list(forces)
    for i in reversed(range(model.dofs)):
        for j in model.ancestors(i):
            x[j] = sub(x[j], mul(by.lower[i, j], x[i]))
    x = [mul(value, inverse) for value, inverse in zip(x, by.inverse, strict=True)]
    for i in range(model.dofs):
        for j in model.ancestors(i):
            x[i] = sub(x[i], mul(by.lower[i, j], x[j]))
    return x
