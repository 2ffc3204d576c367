"""State that Python cannot walk: a struct behind a pointer, an emulator, another process.

The state of a Python environment is found by walking its attributes. Where part of it lies elsewhere, a `StateAdapter`
reads and writes that part by name; docs/verify.md has an example. An adapter belongs to a class and its subclasses:
`register_state(Pendulum, PendulumState())`, or, in another package, an entry point in the group `envwright.states` that
has the full name of the class: `"games.pendulum.Pendulum" = "my_package.states:PENDULUM"`, an instance.
"""

import importlib.metadata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from envwright.core.errors import DuplicateEnvError, EnvwrightError
from envwright.core.spec import load_object
from envwright.references.protocol import Glimpse

ENTRY_POINTS = "envwright.states"
RecordDraw = Callable[[str, Callable[[], Any]], Any]  # what is drawn, such as "rand", and what draws it

_by_name: dict[str, str] = {
    "gymnasium.envs.mujoco.mujoco_env.MujocoEnv": "envwright.references.mujoco_state:STATE",
    "gymnasium.envs.mujoco.ant_v4.AntEnv": "envwright.references.mujoco_state:STATE_AND_XPOS",
    "gymnasium.envs.mujoco.ant_v5.AntEnv": "envwright.references.mujoco_state:STATE_AND_XPOS",
    "gymnasium.envs.mujoco.humanoid_v4.HumanoidEnv": "envwright.references.mujoco_state:STATE_AND_XIPOS",
    "gymnasium.envs.mujoco.humanoid_v5.HumanoidEnv": "envwright.references.mujoco_state:STATE_AND_XIPOS",
}
_by_class: dict[type, "StateAdapter"] = {}


class StateAdapter(ABC):
    """Reads and writes the state of an environment that lies outside of Python. Holds no state of its own."""

    opaque: Sequence[str] = ()  # attributes of the environment that hold it, which are not walked
    phases: Sequence[str] = ()  # of a step: what `watch` sees, and a contract's [[phase]] names as its `function`

    @abstractmethod
    def read(self, env: Any) -> Mapping[str, Any]:
        """The whole state by name, as plain data, constants too; what changes is found by playing. Random generators
        are no part of it."""

    @abstractmethod
    def write(self, env: Any, values: Mapping[str, Any]) -> None:
        """Put a value for every name of `read` back; they may have been edited."""

    def watch(self, env: Any, step: Callable[[], None]) -> Sequence[Glimpse]:
        """Call `step`, which takes a step, and say what is known after each phase of it."""
        del env
        step()
        return ()

    def rounding(self, env: Any, seed: int, dtype: str) -> AbstractContextManager[None] | None:
        """Meanwhile it computes as in `dtype`, float32 or float64, rounding up or down at random. None: it cannot, and
        its sensitivity to rounding is measured by moving its state by one unit in the last place."""
        del env, seed, dtype
        return None

    def record_draws(self, env: Any, draw: RecordDraw) -> None:
        """Called once for a new environment: route every random draw outside of Python through `draw`. `draw("rand",
        generate)` returns `generate()` and records it, or returns what is on the tape. A contract refers to these draws
        by the name of the Python function that calls `draw`."""
        del env, draw

    def files(self, env: Any) -> Sequence[Path]:
        """Files that decide its behaviour, such as a shared library; when one changes, traces are recorded anew."""
        del env
        return ()


def register_state(cls: type, adapter: StateAdapter) -> None:
    """Have `adapter` read and write the state of the environments of a class and its subclasses."""
    if cls in _by_class:
        raise DuplicateEnvError(f"{cls.__qualname__} has a state adapter already, {type(_by_class[cls]).__qualname__}.")
    _by_class[cls] = adapter


def find_adapter(env: Any) -> StateAdapter | None:
    """The adapter of the nearest class of an object that has one."""
    installed = {point.name: point.value for point in importlib.metadata.entry_points(group=ENTRY_POINTS)}
    named = installed | _by_name
    for cls in type(env).__mro__:
        if cls in _by_class:
            return _by_class[cls]
        if (name := f"{cls.__module__}.{cls.__qualname__}") in named:
            found = load_object(named[name], f"The state adapter of {name} should be")
            if not isinstance(found, StateAdapter):
                raise EnvwrightError(f"{named[name]} should be an instance of a StateAdapter, but is {found!r}.")
            return found
    return None
