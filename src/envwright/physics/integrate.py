"""From accelerations to motion: Euler's method with implicit damping, and Runge and Kutta's of fourth order."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core.record import Record
from envwright.physics.algebra import Scalar, mul, sub
from envwright.physics.forward import Forward, forward
from envwright.physics.inertia import factor, joint_matrix, solve
from envwright.physics.model import EULER, Model
from envwright.physics.solver import constraint_forces

# Runge and Kutta's: how far along the last slope each stage is taken, and the weight of its own slope.
_STAGES = ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))


class Motion(Record):
    """The state of a body."""

    qpos: jax.Array  # (joints,) metres of slides, radians of hinges
    qvel: jax.Array  # (joints,)
    warmstart: jax.Array  # (joints,) the last accelerations, from which the solver starts


class Computed(Record):
    """What MuJoCo's data holds after a step: fields of the last evaluation, which lag behind the state."""

    qpos: jax.Array  # (joints,) where it was evaluated
    constraint: jax.Array  # (joints,) the forces of constraints


def advance(model: Model, motion: Motion, ctrl: jax.Array) -> tuple[Motion, Computed]:
    """A step of the environment: all substeps, under the same controls."""

    def turn(carry: tuple[Motion, Computed], _: None) -> tuple[tuple[Motion, Computed], None]:
        return substep(model, carry[0], ctrl), None

    start = motion, Computed(motion.qpos, jnp.zeros_like(motion.qvel))
    return jax.lax.scan(turn, start, None, length=model.substeps)[0]


def substep(model: Model, motion: Motion, ctrl: jax.Array) -> tuple[Motion, Computed]:
    """`timestep` seconds."""
    take = _euler if model.integrator == EULER else _runge_kutta
    return take(model, motion, list(ctrl.astype(motion.qpos.dtype)))


def evaluate(model: Model, motion: Motion, ctrl: jax.Array) -> Computed:
    """What MuJoCo computes when a state is set."""
    return _computed(model, motion.qpos, forward(model, *map(list, (motion.qpos, motion.qvel, ctrl, motion.warmstart))))


def _euler(model: Model, motion: Motion, ctrl: Sequence[Scalar]) -> tuple[Motion, Computed]:
    qpos, qvel, h = list(motion.qpos), list(motion.qvel), model.timestep
    now = forward(model, qpos, qvel, ctrl, list(motion.warmstart))
    qvel = [v + h * a for v, a in zip(qvel, damped(model, now), strict=True)]
    qpos = [q + h * v for q, v in zip(qpos, qvel, strict=True)]
    return Motion(jnp.stack(qpos), jnp.stack(qvel), jnp.stack(now.qacc)), _computed(model, motion.qpos, now)


def damped(model: Model, now: Forward) -> list[Scalar]:
    """The accelerations if damping acts on the velocities after the step instead of on those before it.

    With damping B, that is (M + hB) a' = M a, in which M a are all forces.
    """
    extra = [model.timestep * joint.damping for joint in model.joints]
    if not any(extra):
        return now.qacc
    diagonal = [joint.armature + more for joint, more in zip(model.joints, extra, strict=True)]
    by = factor(model, joint_matrix(model, now.problem.axes, now.problem.weights, diagonal))
    less = solve(model, by, [mul(more, a) for more, a in zip(extra, now.qacc, strict=True)])
    return [sub(a, b) for a, b in zip(now.qacc, less, strict=True)]


def _runge_kutta(model: Model, motion: Motion, ctrl: Sequence[Scalar]) -> tuple[Motion, Computed]:
    qpos, qvel, h = list(motion.qpos), list(motion.qvel), model.timestep

    def stage(carry: tuple[Any, ...], which: jax.Array) -> tuple[tuple[Any, ...], None]:
        speed, acceleration, warmstart, moved, sped, _ = carry
        along, weight = which
        there = [q + h * along * v for q, v in zip(qpos, speed, strict=True)]
        moving = [v + h * along * a for v, a in zip(qvel, acceleration, strict=True)]
        now = forward(model, there, moving, ctrl, list(warmstart))
        moved = tuple(m + weight * v for m, v in zip(moved, moving, strict=True))
        sped = tuple(s + weight * a for s, a in zip(sped, now.qacc, strict=True))
        return (tuple(moving), tuple(now.qacc), tuple(now.qacc), moved, sped, _computed(model, jnp.stack(there), now)), None

    none = tuple(jnp.zeros_like(v) for v in qvel)
    start = (none, none, tuple(motion.warmstart), none, none, Computed(motion.qpos, jnp.zeros_like(motion.qvel)))
    stages = jnp.asarray(_STAGES, motion.qpos.dtype)
    (_, _, warmstart, moved, sped, computed), _ = jax.lax.scan(stage, start, stages)
    qpos = [q + h * v for q, v in zip(qpos, moved, strict=True)]
    qvel = [v + h * a for v, a in zip(qvel, sped, strict=True)]
    return Motion(jnp.stack(qpos), jnp.stack(qvel), jnp.stack(warmstart)), computed


def _computed(model: Model, qpos: jax.Array, now: Forward) -> Computed:
    forces = constraint_forces(model, now.problem, now.qacc)
    return Computed(qpos, jnp.stack([jnp.asarray(force, qpos.dtype) for force in forces]))
