"""One step from arbitrary states on MuJoCo and on ours: how far every phase and the result are apart.

    python benchmarks/physics_parity.py --states 100000

States are upright, on the back, deep in the floor, at and beyond the limits of joints, and spinning fast. Differences
are relative to the largest number of an array in that state, or to a thousandth of the largest in any state if that is
more.
"""

import argparse
import importlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

BODIES = {
    "HalfCheetah-v5": "half_cheetah",
    "Walker2d-v5": "walker2d",
    "InvertedPendulum-v5": "inverted_pendulum",
    "InvertedDoublePendulum-v5": "inverted_double_pendulum",
}
TIGHT = {"tolerance": 0.0, "ls_tolerance": 1e-12, "iterations": 200, "ls_iterations": 200}
BATCH = 2000
SMALL = 1e-3


def arbitrary(model: Any, rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """States and controls of a compiled mjModel."""
    nv = model.nv
    far = rng.choice([0.01, 0.3, 1.0, 3.0], size=(count, 1))
    qpos = model.qpos0 + far * rng.uniform(-1, 1, size=(count, nv))
    for joint in np.flatnonzero(model.jnt_limited):  # a third at a limit, or a little beyond
        at = rng.random(count) < 1 / 3
        limit = model.jnt_range[joint][rng.integers(2, size=count)]
        qpos[at, joint] = (limit + rng.normal(0, 0.01, count))[at]
    qvel = rng.choice([0.0, 0.1, 3.0, 20.0], size=(count, 1)) * rng.normal(size=(count, nv))
    warmstart = rng.choice([0.0, 100.0], size=(count, 1)) * rng.normal(size=(count, nv))
    return {"qpos": qpos, "qvel": qvel, "warmstart": warmstart, "ctrl": rng.uniform(-1.5, 1.5, (count, model.nu))}


def mujoco_side(env: Any, states: Mapping[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """What MuJoCo computes in the first substep of a step, phase by phase, and the state after all of them."""
    from envwright.references import mujoco_phases
    from envwright.references.mujoco_phases import mujoco

    model, data = env.model, env.data
    for qpos, qvel, warmstart, ctrl in zip(*(states[n] for n in ("qpos", "qvel", "warmstart", "ctrl")), strict=True):
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:], data.ctrl[:] = qpos, qvel, warmstart, ctrl
        mujoco.mj_forward(model, data)
        seen: dict[str, np.ndarray] = {}
        for glimpse in mujoco_phases.before_integration(model, data):
            seen |= glimpse.names
        mujoco.mj_step(model, data, nstep=env.frame_skip)
        seen |= {"qpos": data.qpos.copy(), "qvel": data.qvel.copy(), "final qacc": data.qacc_warmstart.copy()}
        for name in ("xpos", "xipos"):
            seen[name] = seen[name][1:, ::2]
        seen["cos"], seen["sin"] = seen["xmat"][1:, 0], seen["xmat"][1:, 2]
        for name in [name for name in seen if name.startswith("contact_")]:
            seen[name] = seen[name][2:]  # the first geom is the floor
        seen["contact_pos"] = seen["contact_pos"][:, ::2]
        yield seen


def our_side(folder: str, states: Mapping[str, np.ndarray], dtype: str) -> dict[str, np.ndarray]:
    import jax

    from envwright.core.pieces import in_pieces
    from envwright.physics import Motion, advance, phases

    model = importlib.import_module(f"envwright.envs.{folder}.env").MODEL

    def one(qpos: Any, qvel: Any, warmstart: Any, ctrl: Any) -> dict[str, Any]:
        motion = Motion(qpos, qvel, warmstart)
        first = {name: value[0] for phase in phases(model, motion, ctrl).values() for name, value in phase.items()}
        after = advance(model, motion, ctrl).motion
        return first | {"qpos": after.qpos, "qvel": after.qvel, "final qacc": after.warmstart}

    run = _compiled.setdefault((folder, dtype), jax.jit(jax.vmap(in_pieces(one))))
    given = [states[name].astype(dtype) for name in ("qpos", "qvel", "warmstart", "ctrl")]
    return {name: np.asarray(value, np.float64) for name, value in run(*given).items() if name != "warmstart"}


_compiled: dict[tuple[str, str], Any] = {}


def differences(id: str, count: int, seed: int, dtype: str, tight: bool) -> dict[str, np.ndarray]:
    """Of each array, its relative differences, a number a state."""
    import gymnasium

    env: Any = gymnasium.make(id).unwrapped
    for name, value in TIGHT.items() if tight else ():
        setattr(env.model.opt, name, value)
    rng, found = np.random.default_rng(seed), []
    for start in range(0, count, BATCH):
        states = arbitrary(env.model, rng, min(BATCH, count - start))
        states = {name: value.astype(dtype).astype(np.float64) for name, value in states.items()}
        ours, theirs = our_side(BODIES[id], states, dtype), list(mujoco_side(env, states))
        expected = {name: np.stack([one[name] for one in theirs]).astype(np.float64) for name in ours}
        found.append({name: (_largest(ours[name] - expected[name]), _largest(expected[name])) for name in ours})
    result = {}
    for name in found[0]:
        apart, size = (np.concatenate([one[name][i] for one in found]) for i in (0, 1))
        result[name] = apart / np.maximum(np.maximum(size, SMALL * size.max()), np.finfo(float).tiny)
    return result


def _largest(values: np.ndarray) -> np.ndarray:
    return np.abs(values).reshape(len(values), -1).max(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bodies", nargs="+", default=list(BODIES), choices=list(BODIES))
    parser.add_argument("--dtype", default="float64", choices=["float64", "float32"])
    parser.add_argument("--tolerance", default="tight", choices=["tight", "default"], help="of MuJoCo's solver")
    asked = parser.parse_args()
    os.environ["JAX_ENABLE_X64"] = "true"
    for id in asked.bodies:
        found = differences(id, asked.states, asked.seed, asked.dtype, asked.tolerance == "tight")
        print(f"{id}: {asked.states:,} states, {asked.dtype}, {asked.tolerance} tolerance", flush=True)
        for name, values in found.items():
            middle, most, worst = np.median(values), np.quantile(values, 0.999), values.max()
            print(f"  {name:16} median {middle:.1e}  99.9% {most:.1e}  max {worst:.1e}")


if __name__ == "__main__":
    main()
