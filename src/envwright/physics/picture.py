"""A body in its model's colours, seen from the side."""

import jax
import jax.numpy as jnp

from envwright.physics.algebra import Planar, add
from envwright.physics.kinematics import Frame, Kinematics, kinematics, place
from envwright.physics.model import Model
from envwright.physics.render import VIEW, draw

_WORLD = Frame(1.0, 0.0, (0.0, 0.0))


def picture(model: Model, qpos: jax.Array, *, follow: bool = True, below: float = 0.0, view: float = VIEW) -> jax.Array:
    """All capsules, as (height, width, 3) uint8. The camera follows the first body, or stays at 0; the floor is drawn
    `below` metres under the model's."""
    where = kinematics(model, list(qpos))
    shapes = []
    for capsule in model.capsules:
        start, end = (_in_world(where, capsule.body, local) for local in (capsule.start, capsule.end))
        shapes.append((*start, *end, capsule.radius, capsule.colour))
    return draw(shapes, model.floor - below, where.origin[0] if follow else jnp.zeros(()), view=view)


def _in_world(where: Kinematics, body: int, local: Planar) -> Planar:
    if body < 0:
        return place(_WORLD, local)
    x, z = place(where.frames[body], local)
    return add(where.origin[0], x), add(where.origin[1], z)
