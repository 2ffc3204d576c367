"""What a peer has of our environments: those that are translated from its own."""

import importlib.util
from collections.abc import Callable, Iterator, Mapping

from envwright.core.registry import registered, spec
from envwright.references.registry import ReferenceKind, find_kind


class ByReference(Mapping[str, str]):
    """By our ids, the peer's: of every environment whose reference is `kind:ID`, if the peer `has` that id."""

    def __init__(self, kind: str, has: Callable[[str], bool] = lambda id: True) -> None:
        self._kind, self._has = kind, has

    def __getitem__(self, env: str) -> str:
        kind, _, id = (spec(env).reference or "").partition(":")
        if kind != self._kind or not self._has(id):
            raise KeyError(env)
        return id

    def __iter__(self) -> Iterator[str]:
        return (one.id for one in registered() if one.id in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class PlayingMany(Mapping[str, str]):
    """By our ids, the references of those environments whose reference races by itself."""

    def kind(self, env: str) -> ReferenceKind:
        chosen = spec(env)
        if chosen.reference is None:
            raise KeyError(env)
        return find_kind(chosen.reference, chosen.folder)

    def __getitem__(self, env: str) -> str:
        if not self.kind(env).plays_many:
            raise KeyError(env)
        return spec(env).reference or env

    def __iter__(self) -> Iterator[str]:
        return (one.id for one in registered() if one.id in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def in_gymnax(id: str) -> bool:
    """Whether gymnax has a port of Gymnasium's `id`; where gymnax is not installed, it may."""
    if importlib.util.find_spec("gymnax") is None or importlib.util.find_spec("six") is None:
        return True
    import gymnax

    return id in gymnax.registered_envs
