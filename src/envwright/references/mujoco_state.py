"""The state of Gymnasium's MuJoCo environments, which is in MuJoCo's mjData."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from envwright.references import mujoco_phases
from envwright.references.mujoco_phases import mujoco
from envwright.references.mujoco_rounding import moved_model
from envwright.references.protocol import Glimpse
from envwright.references.state_adapter import StateAdapter

_SIMULATE = "_step_mujoco_simulation"  # Gymnasium's method that takes MuJoCo steps
_WHOLE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_BITS = {
    name.removeprefix("mjSTATE_").lower(): int(bit)
    for name, bit in mujoco.mjtState.__members__.items()
    if name.startswith("mjSTATE_") and int(bit).bit_count() == 1 and int(bit) & _WHOLE
}


class MujocoState(StateAdapter):
    """All that MuJoCo integrates: time, qpos, qvel, warmstart, ctrl and so on.

    mj_step computes the fields of mjData before it integrates, so afterwards they lag behind qpos. Where an environment
    reads one of them before its next step, it is state as well: `lagging` names it.
    """

    opaque = ("model", "data", "mujoco_renderer", _SIMULATE)
    phases = (*mujoco_phases.BEFORE, mujoco_phases.AFTER)

    def __init__(self, lagging: Sequence[str] = ()) -> None:
        self.lagging = lagging

    def read(self, env: Any) -> Mapping[str, Any]:
        found = {name: np.empty(mujoco.mj_stateSize(env.model, bit)) for name, bit in _BITS.items()}
        for name, values in found.items():
            mujoco.mj_getState(env.model, env.data, values, _BITS[name])
        return found | {name: getattr(env.data, name).copy() for name in self.lagging}

    def write(self, env: Any, values: Mapping[str, Any]) -> None:
        self._set(env, values, _BITS)
        self._forward(env)
        for name in self.lagging:
            getattr(env.data, name)[:] = values[name]

    def files(self, env: Any) -> Sequence[Path]:
        """MuJoCo itself, and the model."""
        return [*sorted(Path(mujoco.__file__).parent.glob("*mujoco.*")), Path(env.fullpath)]

    def _set(self, env: Any, values: Mapping[str, Any], names: Iterable[str]) -> None:
        for name in names:
            mujoco.mj_setState(env.model, env.data, np.asarray(values[name], np.float64), _BITS[name])

    def watch(self, env: Any, step: Callable[[], None]) -> Sequence[Glimpse]:
        """Every phase of every one of the MuJoCo steps that a step consists of, in order; with RK4, those of its first
        stage."""
        seen: list[Glimpse] = []
        take = env._step_mujoco_simulation

        def one_by_one(ctrl: Any, n_frames: int) -> None:
            for _ in range(n_frames):
                env.data.ctrl[:] = ctrl
                self._forward(env)
                seen.extend(mujoco_phases.before_integration(env.model, env.data))
                take(ctrl, 1)
                seen.append(mujoco_phases.after_integration(env.data))

        with _simulating(env, one_by_one):
            step()
        return seen

    @contextmanager
    def rounding(self, env: Any, seed: int, dtype: str) -> Iterator[None]:
        take = env._step_mujoco_simulation

        def rounded(ctrl: Any, n_frames: int) -> None:
            for _ in range(n_frames):
                take(ctrl, 1)
                move()

        with moved_model(env.model, env.data, seed, dtype) as move, _simulating(env, rounded):
            yield

    def _forward(self, env: Any) -> None:
        """Compute all fields of the present state, and nothing that the next step depends on."""
        warmstart = env.data.qacc_warmstart.copy()
        mujoco.mj_forward(env.model, env.data)
        env.data.qacc_warmstart[:] = warmstart  # which mj_forward changed before MuJoCo 3.3.6


@contextmanager
def _simulating(env: Any, take: Callable[[Any, int], None]) -> Iterator[None]:
    """Meanwhile the environment takes its MuJoCo steps so."""
    before = vars(env).get(_SIMULATE)
    setattr(env, _SIMULATE, take)
    try:
        yield
    finally:
        delattr(env, _SIMULATE)
        if before is not None:
            setattr(env, _SIMULATE, before)


STATE = MujocoState()
STATE_AND_XPOS = MujocoState(lagging=("xpos",))  # where Ant was, for its reward
STATE_AND_XIPOS = MujocoState(lagging=("xipos",))  # where Humanoid was
