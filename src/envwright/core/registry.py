"""Environments by name. Ids look like `Pong-v0`; the version rises only when behaviour changes."""

import difflib
import importlib.metadata
import re
from collections.abc import Mapping
from typing import Any

from envwright.core.env import Env
from envwright.core.errors import DuplicateEnvError, EnvwrightError, UnknownEnvError
from envwright.core.native import NativeEnv
from envwright.core.spec import Spec, load_object
from envwright.core.timelimit import TimeLimit

# Installed packages add environments under this group: `Id-v0 = "module:SPEC"`, or "module:Class" where a `Spec` would
# say no more than that.
ENTRY_POINTS = "envwright.envs"
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_.]*-v[0-9]+")

_specs: dict[str, Spec] = {}


def register(id: str | Spec, entry_point: str = "", **more: Any) -> None:
    """Name an environment: `register("Pong-v0", "package.module:Pong")`, with more of what a `Spec` says, or a `Spec`.

    Nothing is imported until `make`.
    """
    new = id if isinstance(id, Spec) else Spec(id, entry_point, **more)
    if not _ID.fullmatch(new.id):
        raise EnvwrightError(f"'{new.id}' is not an environment id; write it like 'Pong-v0'.")
    if ":" not in new.entry_point:
        raise EnvwrightError(f"'{new.entry_point}' is not an entry point; write it like 'my_package.my_env:MyEnv'.")
    if new.id in _specs:
        raise DuplicateEnvError(
            f"'{new.id}' is registered already, as {_specs[new.id].entry_point}; raise its version."
        )
    _specs[new.id] = new


def registered() -> tuple[Spec, ...]:
    """All environments, ours and those of installed packages, by name and version."""
    return tuple(sorted(_known().values(), key=lambda spec: (spec.name, spec.version)))


def _known() -> dict[str, Spec]:
    installed = importlib.metadata.entry_points(group=ENTRY_POINTS)
    return {point.name: Spec(point.name, point.value) for point in installed if point.name not in _specs} | _specs


def _whole(found: Spec) -> Spec:
    """What an entry point leads to, if that is a `Spec`; only then is there more to know of it than its name."""
    if found.id in _specs:
        return found
    there = load_object(found.entry_point, f"{found.id} should be")
    return there if isinstance(there, Spec) else found


def spec(id: str) -> Spec:
    """The spec of an id, a short name or a package, in any case and with or without underscores: `pong` is the newest
    Pong, `half_cheetah` the newest HalfCheetah."""
    specs = registered()
    packages: dict[str, list[Spec]] = {}
    for one in specs:
        packages.setdefault(_folded(one.package), []).append(one)
    known = {name: ones[0] for name, ones in packages.items() if len(ones) == 1}
    known |= {_folded(s.name): s for s in specs} | {_folded(s.id): s for s in specs}
    if _folded(id) in known:
        return _whole(known[_folded(id)])
    near = difflib.get_close_matches(_folded(id), known, n=1, cutoff=0.4)
    hint = f"did you mean '{known[near[0]].id}'?" if near else "see: envwright list"
    raise UnknownEnvError(f"There is no environment '{id}'; {hint}")


def _folded(name: str) -> str:
    return name.lower().replace("_", "")


def make(id: str, *, max_episode_steps: int | None = None, **kwargs: Any) -> Any:
    """Make an environment: `make("Pong-v0", frameskip=8)` gives an `Env`, or a `NativeEnv` for one outside of JAX.

    A time limit given here replaces the id's; -1 lifts it.
    """
    chosen = spec(id)
    limit = chosen.max_episode_steps if max_episode_steps is None else max_episode_steps
    env = _made(chosen, {**chosen.kwargs, **kwargs})
    if limit is None or limit < 0:
        return env
    if isinstance(env, NativeEnv):
        return _made(chosen, {**chosen.kwargs, **kwargs, "max_episode_steps": limit})
    return TimeLimit(env, limit)


def _made(chosen: Spec, options: Mapping[str, Any]) -> Env[Any, Any] | NativeEnv:
    try:
        return chosen.load()(**options)
    except (TypeError, ValueError) as error:
        if isinstance(error, EnvwrightError):
            raise
        raise EnvwrightError(f"{chosen.id} cannot be made with {dict(options)}: {str(error).rstrip('.')}.") from None
