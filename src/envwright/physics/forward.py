"""From positions, velocities and controls to accelerations: MuJoCo's pipeline, phase by phase."""

from typing import Any, NamedTuple

from envwright.physics.algebra import Scalar, add
from envwright.physics.constraints import contacts, stops
from envwright.physics.forces import actuator_forces, bias_forces, passive_forces
from envwright.physics.inertia import body_weights
from envwright.physics.kinematics import Kinematics, kinematics, motions
from envwright.physics.model import Model
from envwright.physics.solver import Problem, minimum


class Forward(NamedTuple):
    """Everything that was computed on the way."""

    where: Kinematics
    bias: list[Scalar]
    passive: list[Scalar]
    actuation: list[Scalar]
    problem: Problem
    qacc: list[Scalar]


def forward(model: Model, qpos: Any, qvel: Any, ctrl: Any, warmstart: Any) -> Forward:
    """The accelerations of a body."""
    where = kinematics(model, qpos)
    moving = motions(model, where.axes, qvel)
    bias = bias_forces(model, where, qvel)
    passive = passive_forces(model, qpos, qvel)
    actuation = actuator_forces(model, ctrl)
    smooth = [add(p, a, -b) for p, a, b in zip(passive, actuation, bias, strict=True)]
    problem = Problem(
        where.axes, body_weights(model, where), smooth, contacts(model, where, moving), stops(model, qpos, qvel)
    )
    qacc = minimum(model, problem, warmstart)
    return Forward(where, bias, passive, actuation, problem, qacc)
