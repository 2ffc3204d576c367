"""Where the bodies are.

Positions are relative to the origin of the first body, so that dynamics do not depend on how far it has travelled: in
float32 a cheetah at 500 m would otherwise move in steps of 30 µm.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp

from envwright.physics.algebra import Planar, Scalar, add, mul, sub
from envwright.physics.model import HINGE, Joint, Model


class Twist(NamedTuple):
    """A motion, a velocity or an acceleration of a body: how it turns, and how it moves at the origin."""

    turn: Scalar
    x: Scalar
    z: Scalar


class Frame(NamedTuple):
    """Where a body is: how it is turned, and where its own origin is."""

    cos: Scalar
    sin: Scalar
    pos: Planar


class Kinematics(NamedTuple):
    origin: Planar  # of the first body, in the world
    frames: list[Frame]  # of each body
    axes: list[Twist]  # of each joint: how what is behind it moves at a speed of 1


def kinematics(model: Model, qpos: Sequence[Scalar]) -> Kinematics:
    """Go through the tree, joint by joint."""
    frames: list[Frame] = []
    axes: list[Twist] = []
    angles: list[Scalar] = []
    origin: Planar = (0.0, 0.0)
    for body in model.bodies:
        root = body.parent < 0
        parent = Frame(1.0, 0.0, (0.0, 0.0)) if root else frames[body.parent]
        angle = add(0.0 if root else angles[body.parent], body.angle)
        offset = turned(parent, body.pos)
        pos = (0.0, 0.0) if root else _plus(parent.pos, offset)
        frame = Frame(*_cos_sin(angle), pos) if body.angle else parent._replace(pos=pos)
        origin = offset if root else origin
        for i in body.joints:
            joint = model.joints[i]
            moved = _moved(joint, qpos[i])
            if joint.kind == HINGE:
                anchor = _plus(frame.pos, turned(frame, joint.pos))
                angle = add(angle, mul(joint.axis[0], moved))
                frame = Frame(*_cos_sin(angle), frame.pos)
                arm = turned(frame, joint.pos)
                if root:  # whose origin stays at 0: the world moves instead, and what was placed in it before
                    origin = _plus(origin, _minus(anchor, arm))
                    axes = [_shifted(axis, _minus(arm, anchor)) for axis in axes]
                    anchor = arm
                else:
                    frame = frame._replace(pos=_minus(anchor, arm))
                sign = joint.axis[0]
                axes.append(Twist(sign, mul(-sign, anchor[1]), mul(sign, anchor[0])))
            else:
                direction = turned(frame, joint.axis)
                step = (mul(direction[0], moved), mul(direction[1], moved))
                if root:
                    origin = _plus(origin, step)
                    axes = [_shifted(axis, (-step[0], -step[1])) for axis in axes]
                else:
                    frame = frame._replace(pos=_plus(frame.pos, step))
                axes.append(Twist(0.0, *direction))
        frames.append(frame)
        angles.append(angle)
    return Kinematics(origin, frames, axes)


def place(frame: Frame, local: Planar) -> Planar:
    """A point of a body."""
    return _plus(frame.pos, turned(frame, local))


def turned(frame: Frame, local: Planar) -> Planar:
    """A direction of a body."""
    x, z = local
    return add(mul(frame.cos, x), mul(frame.sin, z)), sub(mul(frame.cos, z), mul(frame.sin, x))


def velocity_at(twist: Twist, point: Planar) -> Planar:
    """How a point moves, at a given motion of its body."""
    return add(twist.x, mul(twist.turn, point[1])), sub(twist.z, mul(twist.turn, point[0]))


def scaled(twist: Twist, factor: Scalar) -> Twist:
    return Twist(*(mul(part, factor) for part in twist))


def sum_of_twists(*twists: Twist) -> Twist:
    return Twist(*(add(*parts) for parts in zip(*twists, strict=True)))


def motions(model: Model, axes: Sequence[Twist], speeds: Sequence[Scalar]) -> list[Twist]:
    """How each body moves, at given speeds of the joints; accelerations likewise."""
    found: list[Twist] = []
    for body in model.bodies:
        above = [found[body.parent]] if body.parent >= 0 else []
        found.append(sum_of_twists(Twist(0.0, 0.0, 0.0), *above, *(scaled(axes[i], speeds[i]) for i in body.joints)))
    return found


def _shifted(axis: Twist, by: Planar) -> Twist:
    """The same motion, after everything moved by `by` relative to the origin."""
    return Twist(axis.turn, sub(axis.x, mul(axis.turn, by[1])), add(axis.z, mul(axis.turn, by[0])))


def _moved(joint: Joint, position: Scalar) -> Scalar:
    return sub(position, joint.rest)


def _cos_sin(angle: Scalar) -> tuple[Scalar, Scalar]:
    return jnp.cos(angle), jnp.sin(angle)


def _plus(a: Planar, b: Planar) -> Planar:
    return add(a[0], b[0]), add(a[1], b[1])


def _minus(a: Planar, b: Planar) -> Planar:
    return sub(a[0], b[0]), sub(a[1], b[1])
