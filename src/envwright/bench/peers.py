"""What a peer has of our environments, found by their references, so that a new environment needs no line here."""

import importlib.util
from collections.abc import Callable, Iterator, Mapping

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


def by_reference(kind: str, has: Callable[[str], bool] = lambda id: True) -> PeerEnvs:
    """Every environment whose reference is `kind:ID`, if the peer `has` that id."""

    def find(chosen: Spec) -> str | None:
        named, _, id = (chosen.reference or "").partition(":")
        return id if named == kind and has(id) else None

    return PeerEnvs(find)


def reference_kind(chosen: Spec) -> ReferenceKind | None:
    """The reference of an environment, if it has one."""
    return None if chosen.reference is None else find_kind(chosen.reference, chosen.folder)


def racing(chosen: Spec) -> str | None:
    """The reference of an environment, if it plays many games by itself."""
    kind = reference_kind(chosen)
    return chosen.reference if kind is not None and kind.plays_many else None


def in_gymnax(id: str) -> bool:
    """Whether gymnax has a port of Gymnasium's `id`; where gymnax is not installed, it may."""
    if importlib.util.find_spec("gymnax") is None or importlib.util.find_spec("six") is None:
        return True
    import gymnax

    return id in gymnax.registered_envs
