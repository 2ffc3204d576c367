"""What holds for any body, whatever MuJoCo says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envwright.envs
from envwright.physics import Motion, advance, load_model
from envwright.physics.forward import forward
from envwright.physics.inertia import body_weights, joint_forces, joint_matrix, resist
from envwright.physics.kinematics import kinematics, motions
from envwright.physics.model import Model
from envwright.physics.solver import constraint_forces

FOLDER = Path(envwright.envs.__file__).parent
CHEETAH, WALKER, DOUBLE = (
    load_model(FOLDER / name / "model.json") for name in ("half_cheetah", "walker2d", "inverted_double_pendulum")
)


def states(model: Model, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arbitrary ones, many of them deep in the floor."""
    rng = np.random.default_rng(seed)
    rest = np.array([joint.rest for joint in model.joints])
    far, fast = rng.choice([0.1, 0.5, 1.5, 3.0], size=(count, 1)), rng.choice([0.1, 3.0, 30.0], size=(count, 1))
    qpos = rest + far * rng.normal(size=(count, model.dofs))
    return qpos, fast * rng.normal(size=(count, model.dofs)), rng.uniform(-1, 1, (count, len(model.motors)))


def test_the_mass_matrix_is_positive_and_the_same_wherever_the_body_is() -> None:
    def matrix(qpos: Any) -> jax.Array:
        where = kinematics(CHEETAH, list(qpos))
        armature = [joint.armature for joint in CHEETAH.joints]
        found = joint_matrix(CHEETAH, where.axes, body_weights(CHEETAH, where), armature)
        rows = [[found.get((max(i, j), min(i, j)), 0.0) for j in range(9)] for i in range(9)]
        return jnp.stack([jnp.stack([jnp.asarray(x, qpos.dtype) for x in row]) for row in rows])

    with jax.enable_x64(True):
        qpos = states(CHEETAH, 100)[0]
        here = np.asarray(jax.vmap(matrix)(qpos))
        there = np.asarray(jax.vmap(matrix)(qpos + np.array([1000.0, *[0.0] * 8])))
    assert np.linalg.eigvalsh(here).min() > 0
    np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("model", [CHEETAH, WALKER], ids=["half_cheetah", "walker2d"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_solver_finds_the_balance_of_forces_from_everywhere(model: Model, dtype: str) -> None:
    """One in 10,000 of these states sends full Newton steps round in a circle."""

    def out_of_balance(qpos: jax.Array, qvel: jax.Array, ctrl: jax.Array) -> jax.Array:
        now = forward(model, list(qpos), list(qvel), list(ctrl), [jnp.zeros_like(qpos[0])] * model.dofs)
        moving = motions(model, now.problem.axes, now.qacc)
        wrenches = [resist(weight, motion) for weight, motion in zip(now.problem.weights, moving, strict=True)]
        inertia = joint_forces(model, now.problem.axes, wrenches)
        pushed = constraint_forces(model, now.problem, now.qacc)
        inertia = [f + joint.armature * a for f, joint, a in zip(inertia, model.joints, now.qacc, strict=True)]
        left = [i - f - p for i, f, p in zip(inertia, now.problem.forces, pushed, strict=True)]
        size = sum(jnp.abs(x) for x in [*inertia, *now.problem.forces, *pushed])
        return jnp.max(jnp.abs(jnp.stack(left))) / size

    with jax.enable_x64(dtype == "float64"):
        found = np.asarray(jax.jit(jax.vmap(out_of_balance))(*(x.astype(dtype) for x in states(model, 40_000))))
    assert found.max() < 250 * np.finfo(dtype).eps


def test_forces_of_stiff_contacts_do_not_show_the_rounding_of_accelerations() -> None:
    """Eleven contacts deep in the floor; from accelerations rounded to float32 the forces are off by 6e-6."""
    state = (
        [-1.0039588, -0.84723127, -0.99999994, 0.5258526, -1.2, -0.51260066, 0.5161544, -0.25563037, 0.0],
        [-6.2011585, 8.378025, -1.0000001, 14.36628, 1.9385487, -14.106591, 13.590478, -4.0404935, -3.576872],
        [-0.27429673, -0.44856572, -0.5837817, 0.29981455, 0.6568131, 0.5488163],
        [-49.427315, 185.09366, 999.99994, -1.0000001, -1240.1055, 1524.6099, -366.80252, 1375.2532, -1339.914],
    )

    def forces(dtype: str) -> np.ndarray:
        now = forward(CHEETAH, *(list(jnp.asarray(np.array(part, np.float32), dtype)) for part in state))
        return np.array([float(force) for force in constraint_forces(CHEETAH, now.problem, now.qacc)])

    with jax.enable_x64(True):
        single, double = forces("float32"), forces("float64")
    assert np.abs(single - double).max() < 2e-6 * np.abs(double).max()


def test_a_body_without_damping_keeps_its_energy() -> None:
    """The double pendulum, in small steps: RK4 loses little."""
    with jax.enable_x64(True):
        model = DOUBLE
        bare = [replace(joint, damping=0.0, limit=None) for joint in model.joints]
        free = replace(model, joints=tuple(bare), timestep=1e-3)

        def energy(motion: Motion) -> jax.Array:
            where = kinematics(free, list(motion.qpos))
            moving, weights = motions(free, where.axes, list(motion.qvel)), body_weights(free, where)
            total = jnp.zeros(())
            for body, frame, twist, weight in zip(free.bodies, where.frames, moving, weights, strict=True):
                force = resist(weight, twist)
                total += sum(a * b for a, b in zip(twist, force, strict=True)) / 2
                x = frame.pos[0] + frame.cos * body.com[0] + frame.sin * body.com[1] + where.origin[0]
                z = frame.pos[1] + frame.cos * body.com[1] - frame.sin * body.com[0] + where.origin[1]
                total -= body.mass * (free.gravity[0] * x + free.gravity[1] * z)
            return total

        motion = Motion(jnp.asarray([0.0, 0.4, -0.7]), jnp.asarray([0.3, 1.0, -2.0]), jnp.zeros(3))
        before = energy(motion)
        for _ in range(20):
            motion = advance(free, motion, jnp.zeros(1)).motion
        assert abs(float(energy(motion) - before)) < 1e-6 * abs(float(before))


def test_displacements_do_not_depend_on_how_far_it_has_run() -> None:
    qpos, qvel, ctrl = (x.astype(np.float32) for x in states(CHEETAH, 50))
    far = qpos + np.array([2.0**14, *[0.0] * 8], np.float32)

    def moved(qpos: jax.Array, qvel: jax.Array, ctrl: jax.Array) -> jax.Array:
        return advance(CHEETAH, Motion(qpos, qvel, jnp.zeros_like(qvel)), ctrl).moved

    run = jax.jit(jax.vmap(moved))
    np.testing.assert_array_equal(run(qpos, qvel, ctrl), run(far, qvel, ctrl))


PUSHED = [
    (DOUBLE, [0.3, 0.4, -0.7], [0.3, 1.0, -2.0], [0.5]),
    (DOUBLE, [1.1, 0.4, -0.7], [0.3, 1.0, -2.0], [0.5]),  # at the end of the track, where the limit pushes
    (CHEETAH, [0.0, -0.2, 0.1, 0.2, -0.1, 0.3, -0.2, 0.1, 0.2], [1.0, *[0.5] * 8], [0.3, -0.2, 0.5, -0.4, 0.1, 0.6]),
]


@pytest.mark.parametrize(("model", "qpos", "qvel", "ctrl"), PUSHED, ids=["free", "at a limit", "on the floor"])
def test_the_derivative_of_a_step_is_that_of_finite_differences(
    model: Model, qpos: list[float], qvel: list[float], ctrl: list[float]
) -> None:
    """Where rows do not just begin to push; the solver's loop itself has no derivative. What XLA fuses of thousands of
    scalars it computes over and over, so without fusion the derivative compiles in a tenth of the time."""
    dofs = model.dofs

    def after(x: jax.Array) -> jax.Array:
        motion = Motion(x[:dofs], x[dofs : 2 * dofs], jnp.zeros(dofs))
        motion = advance(model, motion, x[2 * dofs :]).motion
        return jnp.sum(motion.qpos * jnp.arange(1.0, dofs + 1)) + jnp.sum(motion.qvel**2)

    with jax.enable_x64(True):
        x = np.array([*qpos, *qvel, *ctrl])
        run, slope = (
            jax.jit(f, compiler_options={"xla_disable_hlo_passes": "fusion"}) for f in (after, jax.grad(after))
        )
        numeric = [(run(x + h) - run(x - h)) / 2e-6 for h in 1e-6 * np.eye(x.size)]
        np.testing.assert_allclose(slope(x), numeric, rtol=1e-6, atol=1e-5)
