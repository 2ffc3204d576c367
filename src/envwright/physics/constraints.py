"""What pushes back: the floor, and the limits of joints.

MuJoCo's constraints are soft. Each row has a reference acceleration, towards which it pushes with a strength D while
the acceleration along the row is below it, and never pulls. Both depend on how far the constraint is violated.

A contact has four rows, the edges of a friction pyramid: its normal, plus and minus `friction` times each of two
tangents. In the plane nothing moves along the second tangent, so two of the rows are the normal itself.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp

from envwright.physics.algebra import Planar, Scalar, add, mul, sub, where
from envwright.physics.kinematics import Kinematics, Twist, place, turned, velocity_at
from envwright.physics.model import Model, Softness


class Contact(NamedTuple):
    """A sphere and the floor."""

    active: Any  # bool
    distance: Scalar  # to the floor, negative inside
    point: Planar  # halfway between the two surfaces
    forward: Any  # bool: whether the first tangent is +x, not -x
    strength: Scalar  # D of each row, 0 if not active
    reference: Planar  # the acceleration along x and z towards which it pushes


class Stop(NamedTuple):
    """A joint and the nearer of its limits."""

    upper: Any  # bool: whether that is the upper one
    active: Any  # bool
    distance: Scalar  # to the limit, negative beyond
    strength: Scalar  # D, 0 if not active
    reference: Scalar  # the acceleration of the joint towards which it pushes


def contacts(model: Model, where_: Kinematics, moving: Sequence[Twist]) -> list[Contact]:
    """One for each sphere, whether or not it touches."""
    found = []
    for sphere in model.spheres:
        frame = where_.frames[sphere.body]
        x, z = place(frame, sphere.pos)
        distance = add(z, where_.origin[1], -(model.floor + sphere.radius))
        point = (x, sub(sub(z, sphere.radius), mul(0.5, distance)))
        active = distance < sphere.margin if sphere.margin else distance < 0
        beyond = sub(distance, sphere.margin)
        impedance = impedance_of(sphere.soft, beyond)
        speed = velocity_at(moving[sphere.body], point)
        rise = add(mul(sphere.soft.damping, speed[1]), mul(sphere.soft.stiffness, mul(impedance, beyond)))
        found.append(
            Contact(
                active=active,
                distance=distance,
                point=point,
                forward=turned(frame, sphere.along)[0] >= -1e-15,  # below, MuJoCo takes it for 0
                strength=where(active, strength_of(sphere.soft, impedance), 0.0),
                reference=(mul(-sphere.soft.damping, speed[0]), -rise),
            )
        )
    return found


def stops(model: Model, qpos: Sequence[Scalar], qvel: Sequence[Scalar]) -> dict[int, Stop]:
    """One for each joint that has limits."""
    found = {}
    for i, joint in enumerate(model.joints):
        if joint.limit is None:
            continue
        limit, q = joint.limit, qpos[i]
        upper = q > (limit.low + limit.high) / 2
        distance = where(upper, limit.high - q, q - limit.low)
        beyond = sub(distance, limit.margin)
        impedance = impedance_of(limit.soft, beyond)
        pull = mul(limit.soft.stiffness, mul(impedance, beyond))
        active = beyond < 0
        found[i] = Stop(
            upper=upper,
            active=active,
            distance=distance,
            strength=where(active, strength_of(limit.soft, impedance), 0.0),
            reference=sub(where(upper, pull, -pull), mul(limit.soft.damping, qvel[i])),
        )
    return found


def impedance_of(soft: Softness, beyond: Scalar) -> Scalar:
    """Between 0 and 1: how much of the reference acceleration is reached; a spline of the violation."""
    if soft.low == soft.high or soft.width == 0:
        return (soft.low + soft.high) / 2
    x = jnp.minimum(jnp.abs(beyond) / soft.width, 1.0)
    if soft.power == 1:
        y = x
    elif soft.power == 2:
        y = where(x <= soft.midpoint, x * x / soft.midpoint, 1 - (1 - x) * (1 - x) / (1 - soft.midpoint))
    else:
        rising = x**soft.power / soft.midpoint ** (soft.power - 1)
        falling = 1 - (1 - x) ** soft.power / (1 - soft.midpoint) ** (soft.power - 1)
        y = where(x <= soft.midpoint, rising, falling)
    return soft.low + y * (soft.high - soft.low)


def strength_of(soft: Softness, impedance: Scalar) -> Scalar:
    """D, which makes an acceleration reach its share `impedance` of the reference."""
    return impedance / ((1 - impedance) * soft.resistance)
