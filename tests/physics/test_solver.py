"""The solver, where constraints are strong."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.half_cheetah.env import MODEL
from envwright.envs.walker2d.env import MODEL as WALKER
from envwright.physics.forward import forward
from envwright.physics.solver import Problem, minimum

# The torso and the back leg: four bodies with six joints.
LEG = replace(
    MODEL,
    joints=MODEL.joints[:6],
    bodies=MODEL.bodies[:4],
    spheres=tuple(sphere for sphere in MODEL.spheres if sphere.body < 4),
    motors=(),
)


def test_accelerations_deep_in_the_floor_keep_their_digits_in_float32() -> None:
    rng = np.random.default_rng(0)
    qpos = rng.uniform(-0.5, 0.5, (100, LEG.dofs)).astype(np.float32)
    qpos[:, 1] = rng.uniform(-0.6, -0.3, 100)
    qvel = rng.normal(size=qpos.shape).astype(np.float32)

    @jax.jit
    @jax.vmap
    def accelerations(qpos: jax.Array, qvel: jax.Array) -> jax.Array:
        return jnp.stack(forward(LEG, list(qpos), list(qvel), [], list(jnp.zeros_like(qvel))).qacc)

    single = np.asarray(accelerations(qpos, qvel))
    with jax.enable_x64(True):
        double = np.asarray(accelerations(qpos.astype(np.float64), qvel.astype(np.float64)))
    errors = np.abs(single - double).max(axis=1) / np.abs(double).max(axis=1)
    # From the sum of all forces, instead of what is out of balance, it is 9e-6.
    assert np.median(errors) < 1e-6


def test_float32_solves_its_own_problem_as_float64_does() -> None:
    """Rounding of the problem left aside, also where contacts make the matrix ill-conditioned."""
    rng = np.random.default_rng(0)
    qpos = rng.uniform(-1, 1, (2_000, WALKER.dofs)).astype(np.float32)
    qpos[:, 1] = rng.uniform(0.25, 1.05, len(qpos))
    qvel = rng.normal(scale=10, size=qpos.shape).astype(np.float32)

    def solved(qpos: jax.Array, qvel: jax.Array) -> tuple[Problem, jax.Array]:
        still, idle = [jnp.zeros_like(qpos[0])] * WALKER.dofs, [jnp.zeros_like(qpos[0])] * len(WALKER.motors)
        found = forward(WALKER, list(qpos), list(qvel), idle, still)
        return found.problem, jnp.stack(found.qacc)

    problem, single = jax.tree.map(np.asarray, jax.jit(jax.vmap(solved))(qpos, qvel))
    with jax.enable_x64(True):
        widened = jax.tree.map(lambda x: x.astype(np.float64) if x.dtype == np.float32 else x, problem)
        still = [jnp.zeros(())] * WALKER.dofs
        double = np.asarray(jax.jit(jax.vmap(lambda p: jnp.stack(minimum(WALKER, p, still))))(widened))
    errors = np.abs(single - double).max(axis=1) / np.abs(double).max(axis=1)
    # Without iterative refinement 8e-5.
    assert errors.max() < 2e-5
