"""What MuJoCo computes on the way through one of its steps, as arrays whose shapes depend on the model alone.

MuJoCo packs contacts and constraint rows: which of them a row is depends on which others are active. Here each has a
slot of its own, and slots of what is not active are zero:

    limits     (joints, 2): the lower limit, then the upper one
    contacts   (2 * geoms): of a capsule on a plane, 2 * geom is its end towards +z of its own frame, 2 * geom + 1 the
               other. Any other contact takes the first slot that is free of the two of its second geom; one for which
               there is none is only counted, in `contacts_left_out`
    rows       (2 * geoms, rows): the constraint rows of a contact; with pyramidal cones these are edges of the pyramid
"""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.references.protocol import Glimpse

mujoco: Any = importlib.import_module("mujoco")  # its functions are in compiled code, which has no types

BEFORE = ("kinematics", "mass", "bias", "passive", "actuation", "smooth", "contacts", "constraints", "solve")
AFTER = "integrate"

Rows = NDArray[np.intp]  # of mjData's constraints, -1 where there is none


def before_integration(model: Any, data: Any) -> Iterator[Glimpse]:
    """What mj_forward computed, phase by phase."""
    jacobian = _jacobian(model, data)
    limits, held = _limit_rows(model, data, jacobian), _contacts_by_slot(model, data)
    rows = _contact_rows(model, data, held)
    yield _copied("kinematics", data, "xpos", "xmat", "xipos", "geom_xpos")
    yield Glimpse("mass", {"M": _mass_matrix(model, data)})
    yield _copied("bias", data, "qfrc_bias")
    yield _copied("passive", data, "qfrc_passive")
    yield _copied("actuation", data, "qfrc_actuator")
    yield _copied("smooth", data, "qfrc_smooth", "qacc_smooth")
    yield Glimpse("contacts", _contacts(data, held))
    yield Glimpse("constraints", _constraints(model, data, jacobian, limits, rows))
    forces = {"limit_force": _taken(data.efc_force, limits), "contact_force": _taken(data.efc_force, rows)}
    yield Glimpse("solve", {"qacc": data.qacc.copy(), "qfrc_constraint": data.qfrc_constraint.copy(), **forces})


def after_integration(data: Any) -> Glimpse:
    """Where the step went."""
    return Glimpse(AFTER, {"qpos": data.qpos.copy(), "qvel": data.qvel.copy(), "warmstart": data.qacc_warmstart.copy()})


def _copied(phase: str, data: Any, *names: str) -> Glimpse:
    return Glimpse(phase, {name: getattr(data, name).copy() for name in names})


def _mass_matrix(model: Any, data: Any) -> NDArray[np.float64]:
    """By products with unit vectors, which are exact; how MuJoCo stores the matrix differs between its versions."""
    matrix = np.zeros((model.nv, model.nv))
    for row, unit in zip(matrix, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    return matrix


def _jacobian(model: Any, data: Any) -> NDArray[np.float64]:
    """Of all constraint rows, dense."""
    if not mujoco.mj_isSparse(model):
        return data.efc_J.reshape(-1, model.nv)[: data.nefc].copy()
    dense = np.zeros((data.nefc, model.nv))
    mujoco.mju_sparse2dense(dense, data.efc_J.ravel(), data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind.ravel())
    return dense


def _limit_rows(model: Any, data: Any, jacobian: NDArray[np.float64]) -> Rows:
    """The rows of the lower and the upper limit of every joint. A ball joint has an upper limit only."""
    rows = np.full((model.njnt, 2), -1)
    for row in np.flatnonzero(data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT):
        joint = data.efc_id[row]
        is_ball = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL
        is_upper = is_ball or jacobian[row, model.jnt_dofadr[joint]] < 0
        rows[joint, int(is_upper)] = row
    return rows


def _contacts_by_slot(model: Any, data: Any) -> Rows:
    """Which contact is in each slot, -1 where none is."""
    slots = np.full(2 * model.ngeom, -1)
    others: list[tuple[int, int]] = []
    for contact, geom in enumerate(data.contact.geom[:, 1]):
        slot = _capsule_end(model, data, contact)
        if slot is not None and slots[slot] < 0:
            slots[slot] = contact
        else:
            others.append((contact, int(geom)))
    for contact, geom in others:
        free = [slot for slot in (2 * geom, 2 * geom + 1) if geom >= 0 and slots[slot] < 0]
        if free:
            slots[free[0]] = contact
    return slots


def _capsule_end(model: Any, data: Any, contact: int) -> int | None:
    """The slot of a capsule's end on a plane; None of other contacts."""
    found, (plane, geom) = data.contact, data.contact.geom[contact]
    if min(plane, geom) < 0 or tuple(model.geom_type[[plane, geom]]) != _PLANE_AND_CAPSULE:
        return None
    radius, half = model.geom_size[geom, :2]
    # The contact is halfway between the plane and the surface; this is the middle of the half-sphere that touches.
    middle = found.pos[contact] + found.frame[contact, :3] * (found.dist[contact] / 2 + radius)
    axis = data.geom_xmat[geom].reshape(3, 3)[:, 2] * half
    ends = data.geom_xpos[geom] + np.stack([axis, -axis])
    return 2 * int(geom) + int(np.argmin(np.linalg.norm(ends - middle, axis=1)))


_PLANE_AND_CAPSULE = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_CAPSULE)


def _contact_rows(model: Any, data: Any, held: Rows) -> Rows:
    """The constraint rows of the contact in each slot."""
    is_pyramid = model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    widest = max(1, *model.geom_condim, *model.pair_dim)
    rows = np.full((len(held), _row_count(widest, is_pyramid)), -1)
    for slot, contact in enumerate(held):
        first = data.contact.efc_address[contact] if contact >= 0 else -1
        if first >= 0:  # those within a gap are no constraints
            count = _row_count(data.contact.dim[contact], is_pyramid)
            rows[slot, :count] = first + np.arange(count)
    return rows


def _row_count(dim: int, is_pyramid: bool) -> int:
    return 2 * (dim - 1) if is_pyramid and dim > 1 else int(dim)


def _contacts(data: Any, held: Rows) -> dict[str, NDArray[Any]]:
    found = data.contact
    return {
        "contact_active": held >= 0,
        "contact_dist": _taken(found.dist, held),
        "contact_pos": _taken(found.pos, held),
        "contact_frame": _taken(found.frame, held),
        "contacts_left_out": np.array(data.ncon - np.count_nonzero(held >= 0)),
    }


def _constraints(
    model: Any, data: Any, jacobian: NDArray[np.float64], limits: Rows, rows: Rows
) -> dict[str, NDArray[Any]]:
    of_joints = _taken(jacobian, limits)
    return {
        "limit_active": limits >= 0,
        "limit_pos": _taken(data.efc_pos, limits),
        "limit_J": np.take_along_axis(of_joints, model.jnt_dofadr[:, None, None], axis=2)[..., 0],
        "limit_aref": _taken(data.efc_aref, limits),
        "limit_D": _taken(data.efc_D, limits),
        "contact_J": _taken(jacobian, rows),
        "contact_aref": _taken(data.efc_aref, rows),
        "contact_D": _taken(data.efc_D, rows),
    }


def _taken(values: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """The rows of an array, in the shape of `rows`; zeros where there is none."""
    with_zeros = np.concatenate([values, np.zeros((1, *values.shape[1:]), values.dtype)])  # -1 is the last
    return with_zeros[rows]
