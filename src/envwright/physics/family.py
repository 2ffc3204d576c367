"""Which models are in the family: planar trees of hinges and slides, with capsules and spheres above a level floor."""

import importlib
import itertools
import math
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError, missing_extra
from envwright.physics.model import Vector

_STRAIGHT = 1e-9  # a direction may miss the plane by this much, which is rounding
_SUPPORTED = (
    "supported is one tree of bodies in the x-z plane with hinges about y, slides in the plane, and capsules or "
    "spheres above a level floor, with motors at joints"
)


class UnsupportedModelError(EnvwrightError, ValueError):
    """A model has an element that planar physics does not know."""

    def __init__(self, element: str) -> None:
        super().__init__(f"{element[0].upper()}{element[1:]} is outside of planar physics; {_SUPPORTED}.")


def load_mujoco() -> Any:
    """MuJoCo's module, whose functions are in compiled code without types."""
    try:
        return importlib.import_module("mujoco")
    except ModuleNotFoundError as error:
        raise missing_extra("mujoco", "mujoco") from error


def check_family(m: Any) -> None:
    """Raise unless everything about a compiled mjModel is supported; what is checked joint by joint, and body by body,
    is checked where these are read."""
    _check_elements(m)
    _check_options(m)
    _check_bodies(m)
    _check_actuators(m)
    _check_geoms(m)


def check_joint(m: Any, i: int) -> tuple[bool, Vector]:
    """Whether a joint is a hinge, and its axis."""
    mujoco = load_mujoco()

    kind, axis, name = mujoco.mjtJoint(int(m.jnt_type[i])), m.jnt_axis[i], f"the joint '{m.joint(i).name}'"
    if kind not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
        kinds = {mujoco.mjtJoint.mjJNT_FREE: "a free joint", mujoco.mjtJoint.mjJNT_BALL: "a ball joint"}
        raise UnsupportedModelError(f"{name}, {kinds.get(kind, 'of an unknown kind')},")
    if m.jnt_actfrclimited[i] or m.jnt_stiffnesspoly[i].any() or m.dof_dampingpoly[m.jnt_dofadr[i]].any():
        raise UnsupportedModelError(f"{name}, with limited or nonlinear forces,")
    hinge = kind == mujoco.mjtJoint.mjJNT_HINGE
    across = axis[[0, 2]] if hinge else axis[1:2]
    if np.abs(across).max() > _STRAIGHT:
        raise UnsupportedModelError(f"{name}, whose axis is {axis.round(3).tolist()},")
    return hinge, (math.copysign(1.0, axis[1]), 0.0) if hinge else (float(axis[0]), float(axis[2]))


def turn_about_y(quaternion: Any, what: str) -> float:
    """The angle of a rotation about y."""
    w, x, y, z = map(float, quaternion)
    if max(abs(x), abs(z)) > _STRAIGHT:
        raise UnsupportedModelError(f"{what}, turned out of the plane,")
    return 2 * math.atan2(y, w)


def _check_elements(m: Any) -> None:
    kinds = {
        "ntendon": "tendon",
        "neq": "equality constraint",
        "nflex": "flex",
        "nmesh": "mesh",
        "nhfield": "height field",
        "npair": "contact pair",
        "nexclude": "excluded pair",
        "nplugin": "plugin",
        "nmocap": "mocap body",
        "na": "actuator with a state",
        "ngravcomp": "body with gravity compensation",
    }
    for count, what in kinds.items():
        if getattr(m, count):
            raise UnsupportedModelError(f"a {what}" if what[0] not in "ae" else f"an {what}")


def _check_options(m: Any) -> None:
    mujoco = load_mujoco()

    opt = m.opt
    for ok, what in (
        (opt.solver == mujoco.mjtSolver.mjSOL_NEWTON, "a solver other than Newton's"),
        (opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL, "an elliptic friction cone"),
        (
            opt.integrator in (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_RK4),
            "an integrator other than Euler's or RK4",
        ),
        (opt.density == 0 and opt.viscosity == 0, "a fluid"),
        (abs(opt.gravity[1]) <= _STRAIGHT, "gravity across the plane"),
        (opt.disableflags == 0 and opt.enableflags == 0, "an option that is disabled or enabled"),
        (opt.noslip_iterations == 0, "the no-slip solver"),
        (not m.dof_frictionloss.any(), "friction loss in a joint"),
    ):
        if not ok:
            raise UnsupportedModelError(what)


def _check_bodies(m: Any) -> None:
    roots = [m.body(i).name for i in range(1, m.nbody) if m.body_parentid[i] == 0]
    if len(roots) > 1:
        raise UnsupportedModelError(f"a second tree of bodies, at '{roots[1]}',")


def _check_actuators(m: Any) -> None:
    mujoco = load_mujoco()

    for i in range(m.nu):
        plain = (
            m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_JOINT
            and m.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_FIXED
            and m.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_NONE
            and m.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_NONE
            and not m.actuator_forcelimited[i]
            and not m.actuator_dampingpoly[i].any()
        )
        if not plain:
            raise UnsupportedModelError(f"the actuator '{m.actuator(i).name}', which is not a plain motor at a joint,")


def _check_geoms(m: Any) -> None:
    mujoco = load_mujoco()

    plane, capsule, sphere = (getattr(mujoco.mjtGeom, f"mjGEOM_{kind}") for kind in ("PLANE", "CAPSULE", "SPHERE"))
    floors = []
    for a, b in itertools.combinations(range(m.ngeom), 2):
        if not _collide(m, a, b):
            continue
        kinds = {int(m.geom_type[a]): a, int(m.geom_type[b]): b}
        if int(plane) not in kinds or not {int(capsule), int(sphere)} & set(kinds):
            raise UnsupportedModelError(f"{_name(m, a)} against {_name(m, b)}")
        floors.append(kinds[int(plane)])
        if max(m.geom_condim[a], m.geom_condim[b]) not in (1, 3):
            raise UnsupportedModelError(f"{_name(m, a)} against {_name(m, b)}, with rolling or torsional friction,")
        if m.geom_gap[a] or m.geom_gap[b] or m.geom_adhesion[a] or m.geom_adhesion[b]:
            raise UnsupportedModelError(f"{_name(m, a)} against {_name(m, b)}, with a gap or adhesion,")
    if len(set(floors)) > 1:
        raise UnsupportedModelError("a second floor")
    for floor in set(floors):
        if m.geom_bodyid[floor] != 0 or np.abs(m.geom_quat[floor] - (1, 0, 0, 0)).max() > _STRAIGHT:
            raise UnsupportedModelError(f"{_name(m, floor)}, which is not a level floor,")


def _collide(m: Any, a: int, b: int) -> bool:
    """MuJoCo's filter: the masks agree, and the two are neither on one body nor on a body and its parent, unless that
    is the world."""
    bodies = [int(m.body_weldid[m.geom_bodyid[g]]) for g in (a, b)]
    parents = [int(m.body_weldid[m.body_parentid[body]]) for body in bodies]
    if not (m.geom_contype[a] & m.geom_conaffinity[b] or m.geom_contype[b] & m.geom_conaffinity[a]):
        return False
    related = 0 not in bodies and (parents[0] == bodies[1] or parents[1] == bodies[0])
    return bodies[0] != bodies[1] and not related


def _name(m: Any, geom: int) -> str:
    mujoco = load_mujoco()

    kind = mujoco.mjtGeom(int(m.geom_type[geom])).name.removeprefix("mjGEOM_").lower()
    return f"the {kind} '{m.geom(geom).name}'" if m.geom(geom).name else f"a {kind}"
