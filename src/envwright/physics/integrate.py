"""From accelerations to motion: Euler's method with implicit damping, and Runge and Kutta's of fourth order."""

from collections.abc import Sequence
from typing import Any, NamedTuple

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


class Advance(NamedTuple):
    """What comes of a step."""

    motion: Motion
    moved: jax.Array  # (joints,) by how much the positions changed: in float32 more exact than their difference
    computed: Computed


def advance(model: Model, motion: Motion, ctrl: jax.Array) -> Advance:
    """A step of the environment: all substeps, under the same controls."""

    def turn(before: Advance, _: None) -> tuple[Advance, None]:
        after = substep(model, before.motion, ctrl)
        return after._replace(moved=before.moved + after.moved), None

    still = jnp.zeros_like(motion.qvel)
    return jax.lax.scan(turn, Advance(motion, still, Computed(motion.qpos, still)), None, length=model.substeps)[0]


def substep(model: Model, motion: Motion, ctrl: jax.Array) -> Advance:
    """`timestep` seconds."""
    take = _euler if model.integrator == EULER else _runge_kutta
    return take(model, motion, list(ctrl.astype(motion.qpos.dtype)))


def evaluate(model: Model, motion: Motion, ctrl: jax.Array) -> Computed:
    """What MuJoCo computes when a state is set."""
    return _computed(model, motion.qpos, forward(model, *map(list, (motion.qpos, motion.qvel, ctrl, motion.warmstart))))


def _euler(model: Model, motion: Motion, ctrl: Sequence[Scalar]) -> Advance:
    now = forward(model, list(motion.qpos), list(motion.qvel), ctrl, list(motion.warmstart))
    qvel = motion.qvel + model.timestep * jnp.stack(damped(model, now))
    moved = model.timestep * qvel
    after = Motion(motion.qpos + moved, qvel, jnp.stack(now.qacc))
    return Advance(after, moved, _computed(model, motion.qpos, now))


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


def _runge_kutta(model: Model, motion: Motion, ctrl: Sequence[Scalar]) -> Advance:
    h = model.timestep

    def stage(carry: tuple[Any, ...], which: jax.Array) -> tuple[tuple[Any, ...], None]:
        speed, acceleration, warmstart, moved, sped, _ = carry
        along, weight = which
        qpos = motion.qpos + h * along * speed
        qvel = motion.qvel + h * along * acceleration
        now = forward(model, list(qpos), list(qvel), ctrl, list(warmstart))
        qacc = jnp.stack(now.qacc)
        return (qvel, qacc, qacc, moved + weight * qvel, sped + weight * qacc, _computed(model, qpos, now)), None

    none = jnp.zeros_like(motion.qvel)
    start = none, none, motion.warmstart, none, none, Computed(motion.qpos, none)
    stages = jnp.asarray(_STAGES, motion.qpos.dtype)
    (_, _, warmstart, moved, sped, computed), _ = jax.lax.scan(stage, start, stages)
    return Advance(Motion(motion.qpos + h * moved, motion.qvel + h * sped, warmstart), h * moved, computed)


def _computed(model: Model, qpos: jax.Array, now: Forward) -> Computed:
    forces = constraint_forces(model, now.problem, now.qacc)
    return Computed(qpos, jnp.stack([jnp.asarray(force, qpos.dtype) for force in forces]))
