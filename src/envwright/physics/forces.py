"""The forces that do not depend on constraints."""

from collections.abc import Sequence

from envwright.core.numerics import clamp
from envwright.physics.algebra import Scalar, add, mul, sub
from envwright.physics.inertia import Wrench, joint_forces
from envwright.physics.kinematics import Kinematics, Twist, place, scaled, sum_of_twists, velocity_at
from envwright.physics.model import Model


def bias_forces(model: Model, where: Kinematics, qvel: Sequence[Scalar]) -> list[Scalar]:
    """Gravity, centrifugal and Coriolis forces: what the motors would have to exert for no joint to accelerate.

    Newton and Euler's recursion: velocities and accelerations from the root outwards, forces back.
    """
    moving: list[Twist] = []
    speeding: list[Twist] = []
    wrenches: list[Wrench] = []
    falling = Twist(0.0, -model.gravity[0], -model.gravity[1])  # gravity as an acceleration of the world
    for body, frame in zip(model.bodies, where.frames, strict=True):
        velocity = moving[body.parent] if body.parent >= 0 else Twist(0.0, 0.0, 0.0)
        acceleration = speeding[body.parent] if body.parent >= 0 else falling
        for i in body.joints:
            axis = where.axes[i]
            acceleration = sum_of_twists(acceleration, scaled(_drift(axis, velocity), qvel[i]))
            velocity = sum_of_twists(velocity, scaled(axis, qvel[i]))
        moving.append(velocity)
        speeding.append(acceleration)
        com = place(frame, body.com)
        x, z = velocity_at(acceleration, com)
        along, up = velocity_at(velocity, com)
        # `acceleration` is that of whatever passes the origin; a point that moves also turns with the body.
        force_x = mul(body.mass, add(x, mul(velocity.turn, up)))
        force_z = mul(body.mass, sub(z, mul(velocity.turn, along)))
        torque = add(mul(body.inertia, acceleration.turn), sub(mul(com[1], force_x), mul(com[0], force_z)))
        wrenches.append(Wrench(torque, force_x, force_z))
    return joint_forces(model, where.axes, wrenches)


def _drift(axis: Twist, carrier: Twist) -> Twist:
    """How a joint's axis changes as the body that carries it moves: a hinge is carried along, a slide is turned."""
    return Twist(
        0.0,
        sub(mul(carrier.turn, axis.z), mul(axis.turn, carrier.z)),
        sub(mul(axis.turn, carrier.x), mul(carrier.turn, axis.x)),
    )


def passive_forces(model: Model, qpos: Sequence[Scalar], qvel: Sequence[Scalar]) -> list[Scalar]:
    """Springs and dampers."""
    return [
        sub(mul(-joint.stiffness, sub(q, joint.spring)), mul(joint.damping, v))
        for joint, q, v in zip(model.joints, qpos, qvel, strict=True)
    ]


def actuator_forces(model: Model, ctrl: Sequence[Scalar]) -> list[Scalar]:
    """Motors; controls are clipped to their range."""
    found: list[Scalar] = [0.0] * model.dofs
    for motor, control in zip(model.motors, ctrl, strict=True):
        found[motor.joint] = add(found[motor.joint], mul(motor.gear, clamp(control, motor.low, motor.high)))
    return found
