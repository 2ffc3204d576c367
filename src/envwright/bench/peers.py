"""What a peer has of our environments, found by their references, so that a new environment needs no line here."""

import contextlib
import importlib
import importlib.util
import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from envwright.core.registry import registered, spec
from envwright.core.spec import Spec
from envwright.references.registry import ReferenceKind, find_kind


class PeerEnvs(Mapping[str, str]):
    """By our ids, the peer's; `find` says what the peer calls an environment, None if it has none."""

    def __init__(self, find: Callable[[Spec], str | None]) -> None:
        self._find = find

    def __getitem__(self, env: str) -> str:
        found = self._find(spec(env))
        if found is None:
            raise KeyError(env)
        return found

    def __iter__(self) -> Iterator[str]:
        return (one.id for one in registered() if one.id in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def by_reference(kind: str, name_of: Callable[[str], str | None] = lambda id: id) -> PeerEnvs:
    """Every environment whose reference is `kind:ID`, if the peer has a name for that id."""

    def find(chosen: Spec) -> str | None:
        named, _, id = (chosen.reference or "").partition(":")
        return name_of(id) if named == kind else None

    return PeerEnvs(find)


def reference_kind(chosen: Spec) -> ReferenceKind | None:
    """The reference of an environment, if it has one."""
    return None if chosen.reference is None else find_kind(chosen.reference, chosen.folder)


def racing(chosen: Spec) -> str | None:
    """The reference of an environment, if it plays games by itself."""
    kind = reference_kind(chosen)
    return chosen.reference if kind is not None and kind.races else None


def in_gymnax(id: str) -> str | None:
    """gymnax's name of Gymnasium's `id`, if it has a port; where gymnax is not installed, it may."""
    if importlib.util.find_spec("gymnax") is None or importlib.util.find_spec("six") is None:
        return id
    import gymnax

    return id if id in gymnax.registered_envs else None


def in_mujoco(id: str) -> str | None:
    """`id`, if it is one of Gymnasium's MuJoCo environments. MuJoCo is not imported; without Gymnasium, it may be."""
    if importlib.util.find_spec("gymnasium") is None:
        return id
    import gymnasium

    spec = gymnasium.registry.get(id)
    return id if spec is not None and str(spec.entry_point).startswith("gymnasium.envs.mujoco.") else None


def in_brax(id: str) -> str | None:
    """Brax's name of one of Gymnasium's MuJoCo environments: HalfCheetah-v5 is halfcheetah, underscores aside."""
    name = id.rpartition("-v")[0].lower()
    if in_mujoco(id) is None or importlib.util.find_spec("brax") is None:
        return in_mujoco(id) and name
    known = {one.replace("_", ""): one for one in import_quietly("brax.envs")._envs}
    return known.get(name)


def in_envpool(id: str) -> str | None:
    """`id`, if envpool has it; where envpool is not installed, it may."""
    if importlib.util.find_spec("envpool") is None:
        return id
    return id if id in import_quietly("envpool").list_all_envs() else None


def import_quietly(name: str) -> Any:
    """A module that prints and warns while it is imported, of its own dependencies."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)
