"""Who can race: ours and the libraries of others, a file each. Nothing of theirs is imported before it races.

A side's module says what it has (`ENVS`, by our ids), which packages it `NEEDS` and which extra installs them, and in
which `layouts(what)` it does something, none if it cannot. `prepare` fetches what is missing, before any race. In a
worker, `set_up(job)` imports, and `build(job)` makes the thing that runs, which is what compile time is the time of.
"""

import difflib
import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from envwright.bench.job import Built, Job
from envwright.bench.peers import reference_kind
from envwright.core.errors import EnvwrightError, missing_extra
from envwright.core.registry import spec

OURS = "envwright"
REFERENCE = "reference"
PEERS = ("reference", "gymnax", "gymnasium", "rejax", "mujoco", "mjx", "brax", "envpool")
MACHINE = "machine"  # no environment at all: the limits of the hardware


class Side(Protocol):
    """What a side's module has."""

    ENVS: Mapping[str, str] | None  # None: all of ours
    NEEDS: Mapping[str, str]
    LARGEST: int  # environments in a batch, above which it takes too long to be of use

    def layouts(self, what: str) -> tuple[str, ...]: ...
    def prepare(self, env: str) -> None: ...
    def set_up(self, job: Job) -> None: ...
    def build(self, job: Job) -> Built: ...


def module_name(side: str) -> str:
    return "envwright.bench.roof" if side == MACHINE else f"{__name__}.{side}_side"


def side(name: str) -> Side:
    """A side by name."""
    return cast(Side, importlib.import_module(module_name(name)))


def check(name: str, env: str) -> None:
    """Raise unless this peer exists, has the environment, and can be run on this machine."""
    if name not in PEERS:
        near = difflib.get_close_matches(name, PEERS, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(PEERS)}."
        raise EnvwrightError(f"There is no peer '{name}' to race against; {hint}")
    peer = side(name)
    if peer.ENVS is not None and env not in peer.ENVS:
        others = [other for other in PEERS if env in (side(other).ENVS or ())]
        hint = f"race against {', '.join(others)}." if others else "no peer has; leave --against out."
        raise EnvwrightError(f"The peer '{name}' has no {env}; {hint}")
    for package, extra in peer.NEEDS.items():
        if importlib.util.find_spec(package) is None:
            raise missing_extra(package, extra)
    peer.prepare(env)


def largest(name: str, env: str) -> int:
    """How many environments a side is raced with at most."""
    kind = reference_kind(spec(env)) if name == REFERENCE else None
    return side(name).LARGEST if kind is None else min(side(name).LARGEST, kind.races_most)


def known_as(name: str, env: str) -> str:
    """The peer that is meant: a reference may be called by its kind, such as showdown."""
    kind = (spec(env).reference or "").partition(":")[0]
    return REFERENCE if name not in PEERS and name == kind else name


def available(env: str) -> list[str]:
    """The peers that have this environment and can be run here."""
    found = []
    for name in PEERS:
        try:
            check(name, env)
        except EnvwrightError:
            continue
        found.append(name)
    return found


def can(names: Sequence[str], what: str) -> list[str]:
    """Those of the sides that do this."""
    return [name for name in names if side(name).layouts(what)]
