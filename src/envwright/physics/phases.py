"""Every intermediate of every substep, under MuJoCo's names, for the verifier to look at.

Places and directions are (x, z). Contacts and limits are in fixed places, filled with 0 where they are not active: a
contact for each sphere of the model, and a lower and an upper limit for each joint.
"""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp

from envwright.physics.algebra import Scalar, add, mul, where
from envwright.physics.forward import Forward, forward
from envwright.physics.inertia import factor, joint_matrix, solve
from envwright.physics.integrate import Motion, substep
from envwright.physics.kinematics import Kinematics, place, velocity_at
from envwright.physics.model import Model
from envwright.physics.solver import constraint_forces, shortfalls

Array = Callable[[Sequence[Scalar]], jax.Array]
Phases = dict[str, dict[str, jax.Array]]


def phases(model: Model, motion: Motion, ctrl: jax.Array) -> Phases:
    """All phases of a step, with a leading axis of substeps."""

    def turn(motion: Motion, _: None) -> tuple[Motion, Phases]:
        controls = ctrl.astype(motion.qpos.dtype)
        now = forward(model, *map(list, (motion.qpos, motion.qvel, controls, motion.warmstart)))
        after = substep(model, motion, ctrl).motion
        seen = _seen(model, motion, now)
        seen["integrate"] = {"qpos": after.qpos, "qvel": after.qvel, "warmstart": after.warmstart}
        return after, seen

    return jax.lax.scan(turn, motion, None, length=model.substeps)[1]


def _seen(model: Model, motion: Motion, now: Forward) -> Phases:
    def array(values: Sequence[Scalar]) -> jax.Array:
        return jnp.stack([jnp.asarray(value, motion.qpos.dtype) for value in values])

    axes, weights = now.problem.axes, now.problem.weights
    matrix = joint_matrix(model, axes, weights, [joint.armature for joint in model.joints])
    smooth = solve(model, factor(model, matrix), now.problem.forces)
    mass = [[matrix.get((max(i, j), min(i, j)), 0.0) for j in range(model.dofs)] for i in range(model.dofs)]
    return {
        "kinematics": _kinematics(model, now.where, array),
        "mass": {"M": jnp.stack([array(row) for row in mass])},
        "bias": {"qfrc_bias": array(now.bias)},
        "passive": {"qfrc_passive": array(now.passive)},
        "actuation": {"qfrc_actuator": array(now.actuation)},
        "smooth": {"qfrc_smooth": array(now.problem.forces), "qacc_smooth": array(smooth)},
        "contacts": _contacts(model, now, array),
        "constraints": _constraints(model, now, array),
        "solve": _solve(model, now, array),
    }


def _kinematics(model: Model, where_: Kinematics, array: Array) -> dict[str, jax.Array]:
    x, z = where_.origin
    points = [frame.pos for frame in where_.frames]
    coms = [place(frame, body.com) for frame, body in zip(where_.frames, model.bodies, strict=True)]
    return {
        "xpos": jnp.stack([array((add(x, px), add(z, pz))) for px, pz in points]),
        "xipos": jnp.stack([array((add(x, px), add(z, pz))) for px, pz in coms]),
        "cos": array([frame.cos for frame in where_.frames]),
        "sin": array([frame.sin for frame in where_.frames]),
    }


def _contacts(model: Model, now: Forward, array: Array) -> dict[str, jax.Array]:
    if not model.spheres:
        return {}
    x, z = now.where.origin
    all_of = now.problem.contacts
    points = [(add(x, contact.point[0]), add(z, contact.point[1])) for contact in all_of]
    return {
        "contact_active": jnp.stack([contact.active for contact in all_of]),
        "contact_dist": array([where(contact.active, contact.distance, 0.0) for contact in all_of]),
        "contact_pos": jnp.stack(
            [array([where(c.active, part, 0.0) for part in point]) for c, point in zip(all_of, points, strict=True)]
        ),
    }


def _constraints(model: Model, now: Forward, array: Array) -> dict[str, jax.Array]:
    """Rows: of a contact its edges, plus and minus the first tangent, then twice the normal."""
    found = {}
    if model.spheres:
        jacobian, reference, strength = [], [], []
        for sphere, contact in zip(model.spheres, now.problem.contacts, strict=True):
            frictions = _frictions(sphere.friction, contact.forward)
            units = [
                velocity_at(axis, contact.point) if _carries(model, joint, sphere.body) else (0.0, 0.0)
                for joint, axis in enumerate(now.problem.axes)
            ]
            along, up = contact.reference
            row = lambda f, x, z, on=contact.active: where(on, add(z, mul(f, x)), 0.0)  # noqa: E731
            jacobian.append(jnp.stack([array([row(f, *unit) for unit in units]) for f in frictions]))
            reference.append(array([row(f, along, up) for f in frictions]))
            strength.append(array([contact.strength] * len(frictions)))
        found |= {"contact_J": jnp.stack(jacobian), "contact_aref": jnp.stack(reference)}
        found |= {"contact_D": jnp.stack(strength)}
    sides = {"limit_pos": lambda s: s.distance, "limit_aref": lambda s: s.reference, "limit_D": lambda s: s.strength}
    for name, take in sides.items():
        flipped = name == "limit_aref"  # the row of an upper limit is that of the joint, the other way round
        found[name] = jnp.stack([array(_sides(now, i, take, flipped)) for i in range(model.dofs)])
    return found


def _solve(model: Model, now: Forward, array: Array) -> dict[str, jax.Array]:
    found = {"qacc": array(now.qacc), "qfrc_constraint": array(constraint_forces(model, now.problem, now.qacc))}
    if model.spheres:
        forces, short = [], shortfalls(model, now.problem, now.qacc).contacts
        for sphere, contact, (along, up) in zip(model.spheres, now.problem.contacts, short, strict=True):
            frictions = _frictions(sphere.friction, contact.forward)
            forces.append(array([contact.strength * jnp.maximum(0.0, add(up, mul(f, along))) for f in frictions]))
        found["contact_force"] = jnp.stack(forces)
    return found


def _frictions(friction: float, forward: jax.Array) -> tuple[Scalar, ...]:
    """The share of +x in each row of a contact."""
    first = where(forward, friction, -friction)
    return first, -first, 0.0, 0.0


def _sides(now: Forward, joint: int, take: Callable[..., Scalar], flipped: bool) -> tuple[Scalar, Scalar]:
    """A value of a joint's lower limit and one of its upper limit."""
    if joint not in now.problem.stops:
        return 0.0, 0.0
    stop = now.problem.stops[joint]
    value = take(stop)
    lower = where(stop.active & ~stop.upper, value, 0.0)
    return lower, where(stop.active & stop.upper, -value if flipped else value, 0.0)


def _carries(model: Model, joint: int, body: int) -> bool:
    """Whether a joint moves a body."""
    while body >= 0:
        if joint in model.bodies[body].joints:
            return True
        body = model.bodies[body].parent
    return False
