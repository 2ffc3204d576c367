"""The solver, where constraints are strong."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.half_cheetah.env import MODEL
from envwright.physics.forward import forward

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
