"""What rounding does to MuJoCo, by backward error analysis.

MuJoCo's arithmetic is compiled, so it cannot be made to round on the way. But what arithmetic in float32 computes from
a model is what exact arithmetic computes from one nearby, whose numbers are off by a few units in the last place. So
the numbers of the model are moved instead, each by one unit, up or down at random. They are moved anew for each of the
substeps of a step: a soft contact comes to rest at the same depth whatever lengths are a little off, but not if they
change.

A number is moved by one unit in the last place of the size with which it is computed. Places are sums of the lengths
along a tree of bodies, and inertias are added up about one point for all of a tree: so these are moved by a unit of the
longest such sum, and of the mass at that distance. A number that is 0 is exact.

MuJoCo itself computes in float64 and in coordinates of the world: a body that has run far has its places rounded to a
unit of how far it is. So lengths, also those of 0, are moved by at least that unit of float64, whatever `dtype` is;
but not along an axis on which every body of the tree is at 0, as in a plane. And positions and velocities are rounded
when a substep has been added to them, which a moved model hardly ever changes: so they are moved by a unit of float64,
too. It shows in what is a small difference of them, such as a velocity far from the origin.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.references.mujoco_phases import mujoco

Arrays = dict[str, NDArray[np.float64]]

# Arrays of mjModel that are lengths, and those that say to which body each belongs.
_LENGTHS = {
    "body_pos": None, "body_ipos": None, "jnt_pos": "jnt_bodyid", "geom_pos": "geom_bodyid", "site_pos": "site_bodyid",
}  # fmt: skip
_EMPTY = mujoco.MjModel.from_xml_string("<mujoco/>")  # has the attributes that every model has


def _names(owner: Any, kind: type) -> list[str]:
    found = {name: getattr(owner, name, None) for name in dir(owner) if not name.startswith("_")}
    return [name for name, value in found.items() if isinstance(value, kind)]


_ARRAYS = [name for name in _names(_EMPTY, np.ndarray) if getattr(_EMPTY, name).dtype == np.float64]
_VECTORS = _names(_EMPTY.opt, np.ndarray)
_SCALARS = [name for name in _names(_EMPTY.opt, float) if not name.endswith("tolerance")]  # where a solver stops


@contextmanager
def moved_model(model: Any, data: Any, seed: int, dtype: str) -> Iterator[Callable[[], None]]:
    """Meanwhile every number of an mjModel is moved by a last bit of `dtype`.

    The function given, called after each substep, moves them anew, for bodies that are where the mjData has them, and
    moves the positions and velocities there.
    """
    arrays = {name: array for name in _ARRAYS if (array := getattr(model, name)).size}
    arrays |= {f"opt.{name}": getattr(model.opt, name) for name in _VECTORS}
    scalars = {name: getattr(model.opt, name) for name in _SCALARS}
    kept = {name: array.copy() for name, array in arrays.items()} | {"scalars": np.array(list(scalars.values()))}
    units = _units(model, kept, np.dtype(dtype))
    bits = np.random.PCG64(seed)  # not a generator: what those draw counts as the chance of the reference

    def move_model() -> None:
        moved = _moved(kept, units | _units_in_the_world(model, data, units), bits)
        _write(model, arrays, moved, dict(zip(_SCALARS, moved["scalars"].tolist(), strict=True)))

    def move() -> None:
        move_model()
        state = {"qpos": data.qpos, "qvel": data.qvel}
        for name, value in _moved(state, {name: _unit(value) for name, value in state.items()}, bits).items():
            state[name][:] = value

    try:
        move_model()
        yield move
    finally:
        _write(model, arrays, kept, scalars)


def _write(model: Any, arrays: Arrays, values: Arrays, scalars: dict[str, float]) -> None:
    for name, array in arrays.items():
        array[:] = values[name]
    for name, value in scalars.items():
        setattr(model.opt, name, value)


def _units(model: Any, values: Arrays, dtype: np.dtype[Any]) -> Arrays:
    """One unit in the last place of the size with which each number is computed."""
    reach = reaches(model)
    sizes = {name: np.abs(value) for name, value in values.items()}
    for name in sizes.keys() & _LENGTHS.keys():
        sizes[name] = np.maximum(sizes[name], _by_body(model, name, reach)[:, None])
    sizes["body_inertia"] = np.maximum(sizes["body_inertia"], (model.body_mass * reach**2)[:, None])
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the range of `dtype` there are no units
        units = {name: np.spacing(size.astype(dtype)).astype(np.float64) for name, size in sizes.items()}
    return {name: np.where((values[name] != 0) & np.isfinite(unit), unit, 0.0) for name, unit in units.items()}


def _units_in_the_world(model: Any, data: Any, units: Arrays) -> Arrays:
    """Of lengths: at least one unit in the last place of how far any body of their tree is along each axis."""
    away = np.zeros((model.nbody, 3))
    np.maximum.at(away, model.body_rootid, np.abs(data.xpos))
    far = _unit(away)[model.body_rootid]
    return {name: np.maximum(units[name], _by_body(model, name, far)) for name in units.keys() & _LENGTHS.keys()}


def _unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One unit in the last place of float64; none of 0, which is exact."""
    return np.where(values != 0, np.spacing(np.abs(values)), 0.0)


def _by_body(model: Any, name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of the bodies to which the rows of an array of lengths belong."""
    bodies = _LENGTHS[name]
    return values if bodies is None else values[getattr(model, bodies)]


def reaches(model: Any) -> NDArray[np.float64]:
    """Of each body, how far from the origin anything of its tree can be, by the lengths of the bodies in between; the
    world, and what is fixed to it, is a tree of its own."""
    origins = np.zeros(model.nbody)
    for body in range(1, model.nbody):
        origins[body] = origins[model.body_parentid[body]] + np.linalg.norm(model.body_pos[body])
    farthest = origins + np.linalg.norm(model.body_ipos, axis=1)
    surfaces = origins[model.geom_bodyid] + np.linalg.norm(model.geom_pos, axis=1) + model.geom_rbound
    np.maximum.at(farthest, model.geom_bodyid, surfaces)
    trees = np.zeros(model.nbody)
    np.maximum.at(trees, model.body_rootid, farthest)
    return trees[model.body_rootid]


def _moved(values: Arrays, units: Arrays, bits: np.random.PCG64) -> Arrays:
    flat, unit = (np.concatenate([parts[name].ravel() for name in values]) for parts in (values, units))
    ways = 1.0 - 2.0 * (bits.random_raw(flat.size) & np.uint64(1))
    parts = np.split(flat + ways * unit, np.cumsum([value.size for value in values.values()])[:-1])
    return {name: part.reshape(values[name].shape) for name, part in zip(values, parts, strict=True)}
