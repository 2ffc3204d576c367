"""The numbers of a planar body, out of a model that MuJoCo compiled.

    python -m envwright.physics.extract HalfCheetah-v5 model.json

What a contact is made of (friction, softness, margin) is not worked out again from the two geoms: the body
is sunk into the floor, and MuJoCo is asked which contacts it makes.
"""

import copy
import importlib
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.physics.family import check_family, check_joint, load_mujoco, turn_about_y
from envwright.physics.model import (
    EULER,
    HINGE,
    RK4,
    SLIDE,
    Body,
    Capsule,
    Joint,
    Limit,
    Model,
    Motor,
    Softness,
    Sphere,
    Vector,
    save_model,
)

_WORLD = 0
_DEEP = 1000.0  # metres, more than any body is high
_TINY, _LEAST, _MOST = 1e-15, 1e-4, 0.9999  # MuJoCo's mjMINVAL, mjMINIMP and mjMAXIMP


def read_model(m: Any, name: str, substeps: int) -> Model:
    """The planar model of a compiled mjModel; raises `UnsupportedModelError` if it is none."""
    mujoco = load_mujoco()

    check_family(m)
    spheres, floor = _spheres(m)
    return Model(
        name=name,
        source=f"compiled by MuJoCo {mujoco.__version__}",
        timestep=m.opt.timestep,
        substeps=substeps,
        integrator=EULER if m.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER else RK4,
        gravity=_plane(m.opt.gravity),
        floor=floor,
        joints=tuple(_joint(m, i) for i in range(m.njnt)),
        bodies=tuple(_body(m, i) for i in range(1, m.nbody)),
        spheres=spheres,
        motors=tuple(_motor(m, i) for i in range(m.nu)),
        capsules=tuple(_capsule(m, g) for g in range(m.ngeom) if _is(m, g, "CAPSULE", "SPHERE")),
        sites=tuple((int(m.site_bodyid[i]) - 1, _plane(m.site_pos[i])) for i in range(m.nsite)),
    )


def _joint(m: Any, i: int) -> Joint:
    hinge, axis = check_joint(m, i)
    dof = m.jnt_dofadr[i]
    limit = None
    if m.jnt_limited[i]:
        soft = _softness(m, m.jnt_solref[i], m.jnt_solimp[i], m.dof_invweight0[dof])
        limit = Limit(*map(float, m.jnt_range[i]), margin=float(m.jnt_margin[i]), soft=soft)
    return Joint(
        name=m.joint(i).name,
        kind=HINGE if hinge else SLIDE,
        axis=axis,
        pos=_plane(m.jnt_pos[i]),
        rest=float(m.qpos0[m.jnt_qposadr[i]]),
        spring=float(m.qpos_spring[m.jnt_qposadr[i]]),
        stiffness=float(m.jnt_stiffness[i]),
        damping=float(m.dof_damping[dof]),
        armature=float(m.dof_armature[dof]),
        limit=limit,
    )


def _body(m: Any, i: int) -> Body:
    turned = _rotation(m.body_iquat[i])
    return Body(
        name=m.body(i).name,
        parent=int(m.body_parentid[i]) - 1,
        pos=_plane(m.body_pos[i]),
        angle=turn_about_y(m.body_quat[i], f"the body '{m.body(i).name}'"),
        mass=float(m.body_mass[i]),
        com=_plane(m.body_ipos[i]),
        inertia=float(np.sum(turned[1] ** 2 * m.body_inertia[i])),
        joints=tuple(range(m.body_jntadr[i], m.body_jntadr[i] + m.body_jntnum[i])) if m.body_jntnum[i] else (),
    )


def _motor(m: Any, i: int) -> Motor:
    low, high = m.actuator_ctrlrange[i] if m.actuator_ctrllimited[i] else (-math.inf, math.inf)
    gear = float(m.actuator_gear[i, 0] * m.actuator_gainprm[i, 0])
    return Motor(int(m.actuator_trnid[i, 0]), gear, float(low), float(high))


def _spheres(m: Any) -> tuple[tuple[Sphere, ...], float]:
    """What can touch the floor, and the height of the floor."""
    planes = [g for g in range(m.ngeom) if _is(m, g, "PLANE")]
    found = []
    for contact in _contacts(m):
        geom = int(contact.geom[1])
        # Of a pyramid, MuJoCo takes `resistance` of all edges from that of the first, and scales it by the friction.
        weight = float(m.body_invweight0[m.geom_bodyid[geom], 0] + m.body_invweight0[_WORLD, 0])
        friction = float(contact.friction[0]) if contact.dim == 3 else 0.0
        cone = 2 * friction**2 / m.opt.impratio * (1 + friction**2) if friction else 1.0
        start, end, along = _ends(m, geom)
        for pos in (end, start) if end != start else (start,):
            found.append(
                Sphere(
                    body=int(m.geom_bodyid[geom]) - 1,
                    pos=pos,
                    radius=float(m.geom_size[geom, 0]),
                    along=along,
                    friction=friction,
                    margin=float(contact.includemargin),
                    soft=_softness(m, contact.solref, contact.solimp, weight * cone),
                )
            )
    return tuple(found), float(m.geom_pos[planes[0], 2]) if planes and found else 0.0


def _contacts(m: Any) -> list[Any]:
    """A contact of every geom that can touch the floor, in their order."""
    mujoco = load_mujoco()

    sunk = copy.copy(m)
    sunk.body_pos[m.body_parentid == _WORLD, 2] -= _DEEP
    data = mujoco.MjData(sunk)
    mujoco.mj_forward(sunk, data)
    first = {int(contact.geom[1]): copy.copy(contact) for contact in reversed(list(data.contact))}
    return [first[geom] for geom in sorted(first)]


def _softness(m: Any, solref: Sequence[float], solimp: Sequence[float], weight: float) -> Softness:
    low, high, width, midpoint, power = map(float, solimp)
    low, high, midpoint = (min(max(value, _LEAST), _MOST) for value in (low, high, midpoint))
    time, ratio = map(float, solref)
    if time > 0:  # a time constant and a damping ratio; no shorter than two time steps
        time = max(time, 2 * m.opt.timestep)
        stiffness = 1 / max(_TINY, high**2 * time**2 * ratio**2)
        damping = 2 / max(_TINY, high * time)
    else:  # a stiffness and a damping themselves, negative
        stiffness, damping = -time / max(_TINY, high**2), -ratio / max(_TINY, high)
    return Softness(stiffness, damping, low, high, max(0.0, width), midpoint, max(1.0, power), float(weight))


def _ends(m: Any, geom: int) -> tuple[Vector, Vector, Vector]:
    """The start and the end of a capsule, in its body's frame, and its direction; of a sphere, its middle twice."""
    middle = np.asarray(_plane(m.geom_pos[geom]))
    if _is(m, geom, "SPHERE"):
        return _pair(middle), _pair(middle), (0.0, 0.0)
    along = np.asarray(_plane(_rotation(m.geom_quat[geom])[:, 2]))
    half = m.geom_size[geom, 1] * along
    return _pair(middle - half), _pair(middle + half), _pair(along)


def _capsule(m: Any, geom: int) -> Capsule:
    start, end, _ = _ends(m, geom)
    red, green, blue = map(float, m.geom_rgba[geom, :3])
    return Capsule(int(m.geom_bodyid[geom]) - 1, start, end, float(m.geom_size[geom, 0]), (red, green, blue))


def _rotation(quaternion: Any) -> np.ndarray:
    mujoco = load_mujoco()

    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


def _plane(vector: Any) -> Vector:
    return float(vector[0]), float(vector[2])


def _pair(vector: np.ndarray) -> Vector:
    return float(vector[0]), float(vector[1])


def _is(m: Any, geom: int, *kinds: str) -> bool:
    mujoco = load_mujoco()

    return int(m.geom_type[geom]) in [int(getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")) for kind in kinds]


def main(id: str, path: str) -> None:
    """Write the model of a Gymnasium environment to a file."""
    load_mujoco()
    gymnasium: Any = importlib.import_module("gymnasium")
    env = gymnasium.make(id).unwrapped
    save_model(read_model(env.model, id, env.frame_skip), Path(path))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except EnvwrightError as error:
        sys.exit(f"envwright: {error}")
