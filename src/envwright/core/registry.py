"""Environments by name. Ids look like `Pong-v0`; the version rises only when behaviour changes."""

import difflib
import importlib
import importlib.metadata
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.core.env import Env
from envwright.core.errors import DuplicateEnvError, EnvwrightError, UnknownEnvError
from envwright.core.timelimit import TimeLimit

ENTRY_POINTS = "envwright.envs"  # installed packages add environments under this group: `Id-v0 = "module:Class"`
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_.]*-v[0-9]+")


@dataclass(frozen=True)
class Spec:
    """How to make an environment, without importing it yet."""

    id: str
    entry_point: str  # "module:Class"
    kwargs: dict[str, Any] = field(default_factory=dict)
    max_episode_steps: int | None = None  # a time limit that belongs to the id, as in Gymnasium
    summary: str = ""

    @property
    def name(self) -> str:
        """What people type: `Pong-v0` is `pong`."""
        return self.id.rsplit("-v", 1)[0].lower()

    @property
    def version(self) -> int:
        return int(self.id.rsplit("-v", 1)[1])

    def load(self) -> Any:
        """Import the class."""
        module, _, name = self.entry_point.partition(":")
        try:
            return getattr(importlib.import_module(module), name)
        except (ModuleNotFoundError, AttributeError) as error:
            raise EnvwrightError(f"{self.id} should be at {self.entry_point}, but: {error}.") from error

    @property
    def folder(self) -> Path:
        """Where its code is, and what ships beside it: card, contract, tuned config."""
        kind = self.load()
        return Path(importlib.import_module(kind.__module__).__file__ or ".").parent


_specs: dict[str, Spec] = {}


def register(
    id: str,
    entry_point: str,
    *,
    kwargs: dict[str, Any] | None = None,
    max_episode_steps: int | None = None,
    summary: str = "",
) -> None:
    """Name an environment. Nothing is imported until `make`."""
    if not _ID.fullmatch(id):
        raise EnvwrightError(f"'{id}' is not an environment id; write it like 'Pong-v0'.")
    if ":" not in entry_point:
        raise EnvwrightError(f"'{entry_point}' is not an entry point; write it like 'my_package.my_env:MyEnv'.")
    if id in _specs:
        raise DuplicateEnvError(f"'{id}' is registered already, as {_specs[id].entry_point}; raise its version.")
    _specs[id] = Spec(id, entry_point, kwargs or {}, max_episode_steps, summary)


def registered() -> tuple[Spec, ...]:
    """All environments, ours and those of installed packages, by name and version."""
    installed = importlib.metadata.entry_points(group=ENTRY_POINTS)
    others = {point.name: Spec(point.name, point.value) for point in installed}
    return tuple(sorted((others | _specs).values(), key=lambda spec: (spec.name, spec.version)))


def spec(id: str) -> Spec:
    """The spec of an id or short name, in any case (`pong` is the newest Pong); a wrong one raises with the nearest."""
    specs = registered()
    known = {s.name: s for s in specs} | {s.id.lower(): s for s in specs}
    if id.lower() in known:
        return known[id.lower()]
    near = difflib.get_close_matches(id.lower(), known, n=1, cutoff=0.4)
    hint = f"did you mean '{known[near[0]].id}'?" if near else "see: envwright list"
    raise UnknownEnvError(f"There is no environment '{id}'; {hint}")


def make(id: str, *, max_episode_steps: int | None = None, **kwargs: Any) -> Env[Any, Any]:
    """Make an environment: `make("Pong-v0", frameskip=8)`. A time limit given here replaces the id's; -1 lifts it."""
    chosen = spec(id)
    kind = chosen.load()
    try:
        env = kind(**{**chosen.kwargs, **kwargs})
    except (TypeError, ValueError) as error:
        raise EnvwrightError(f"{chosen.id} cannot be made with {kwargs}: {str(error).rstrip('.')}.") from None
    limit = chosen.max_episode_steps if max_episode_steps is None else max_episode_steps
    return env if limit is None or limit < 0 else TimeLimit(env, limit)
