"""The state of Gymnasium's MuJoCo environments, which is in MuJoCo's mjData."""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from envwright.references.protocol import Glimpse
from envwright.references.state_adapter import StateAdapter

mujoco: Any = importlib.import_module("mujoco")  # its functions are in compiled code, which has no types

_WHOLE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_BITS = {
    name.removeprefix("mjSTATE_").lower(): int(bit)
    for name, bit in mujoco.mjtState.__members__.items()
    if name.startswith("mjSTATE_") and int(bit).bit_count() == 1 and int(bit) & _WHOLE
}
# What is left in mjData of the last of the `frame_skip` steps that MuJoCo takes.
_SEEN = {
    "forces": ("qfrc_bias", "qfrc_passive", "qfrc_actuator"),
    "smooth": ("qacc_smooth",),
    "constraint": ("qfrc_constraint", "qacc"),
}


class MujocoState(StateAdapter):
    """All that MuJoCo integrates: time, qpos, qvel, warmstart, ctrl and so on.

    mj_step computes the fields of mjData before it integrates, so afterwards they lag behind qpos. Where an environment
    reads one of them before its next step, it is state as well: `lagging` names it.
    """

    opaque = ("model", "data", "mujoco_renderer")
    phases = tuple(_SEEN)

    def __init__(self, lagging: Sequence[str] = ()) -> None:
        self.lagging = lagging

    def read(self, env: Any) -> Mapping[str, Any]:
        found = {name: np.empty(mujoco.mj_stateSize(env.model, bit)) for name, bit in _BITS.items()}
        for name, values in found.items():
            mujoco.mj_getState(env.model, env.data, values, _BITS[name])
        return found | {name: getattr(env.data, name).copy() for name in self.lagging}

    def write(self, env: Any, values: Mapping[str, Any]) -> None:
        self._set(env, values, _BITS)
        mujoco.mj_forward(env.model, env.data)  # the fields computed from it
        self._set(env, values, ("warmstart",))  # which mj_forward changed before MuJoCo 3.3.6
        for name in self.lagging:
            getattr(env.data, name)[:] = values[name]

    def _set(self, env: Any, values: Mapping[str, Any], names: Iterable[str]) -> None:
        for name in names:
            mujoco.mj_setState(env.model, env.data, np.asarray(values[name], np.float64), _BITS[name])

    def watch(self, env: Any, step: Callable[[], None]) -> Sequence[Glimpse]:
        step()
        return [Glimpse(phase, {name: getattr(env.data, name) for name in names}) for phase, names in _SEEN.items()]


STATE = MujocoState()
STATE_AND_XPOS = MujocoState(lagging=("xpos",))  # where Ant was, for its reward
STATE_AND_XIPOS = MujocoState(lagging=("xipos",))  # where Humanoid was
