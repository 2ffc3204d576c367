"""Places on a body, in the world."""

import jax

from envwright.physics.algebra import add
from envwright.physics.kinematics import kinematics, place
from envwright.physics.model import Model


def site(model: Model, which: int, qpos: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Where a site of the model is: x and z."""
    where = kinematics(model, list(qpos))
    body, local = model.sites[which]
    x, z = place(where.frames[body], local)
    return add(where.origin[0], x), add(where.origin[1], z)
