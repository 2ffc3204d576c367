"""States and actions to try single steps from: recorded ones, some with parts replaced, invented ones, corners."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envwright.core.spaces import Box, Discrete, Space
from envwright.references.legality import seats
from envwright.verify.domain import Domain
from envwright.verify.record import Case, Plain

FEW = 18  # actions that are all tried


def invent(
    pool: Sequence[Plain], domains: Mapping[str, Domain], actions: "ActionSource", count: int, rng: np.random.Generator
) -> list[Case]:
    """`count` single steps: a third as recorded, a third with some parts replaced, a third with all of them."""
    names = [name for name in domains if not _is_fixed(domains[name])]
    cases: list[Case] = []
    for i in range(count):
        snapshot = dict(pool[int(rng.integers(len(pool)))])
        if i % 3 == 1 and names:
            chosen = [n for n in names if rng.random() < 0.3] or [names[int(rng.integers(len(names)))]]
        else:
            chosen = names if i % 3 == 2 else []
        for name in chosen:
            snapshot[name] = domains[name].sample(rng)
        cases.append(Case(snapshot, actions(rng)))
    return cases


def corners(
    pool: Sequence[Plain], domains: Mapping[str, Domain], actions: "ActionSource", rng: np.random.Generator, most: int
) -> list[Case]:
    """Recorded states with one part pushed into each of its corners, under every action if there are few."""
    cases: list[Case] = []
    for name, domain in domains.items():
        for value in domain.corners():
            for action in actions.all() or [actions(rng)]:
                snapshot = dict(pool[int(rng.integers(len(pool)))])
                snapshot[name] = value
                cases.append(Case(snapshot, action))
    if len(cases) <= most:
        return cases
    return [cases[i] for i in sorted(rng.choice(len(cases), most, replace=False))]


class ActionSource:
    """Random actions, and for boxes their corners and what lies beyond."""

    def __init__(self, space: Space | None, sample: Any, players: int = 1) -> None:
        self.space, self.sample, self.players = space, sample, players

    def __call__(self, rng: np.random.Generator) -> Any:
        space, lead = self.space, seats(self.players)
        if isinstance(space, Box) and rng.random() < 0.3:
            low, high = (np.broadcast_to(np.asarray(b, space.dtype), space.shape) for b in (space.low, space.high))
            beyond = rng.random() < 0.3 and space.dtype.kind == "f"  # whole numbers beyond their bounds are no actions
            factor = 2.0 if beyond else 1.0
            chosen = np.where(rng.random((*lead, *space.shape)) < 0.5, low, high) * factor
            return np.nan_to_num(chosen, posinf=1e3, neginf=-1e3).astype(space.dtype)
        if isinstance(space, Discrete):
            return rng.integers(space.n, size=lead) if lead else int(rng.integers(space.n))
        return self.sample(rng)

    def all(self) -> list[Any]:
        """Every action, if they are few; of several players those that all take together, too, or else nothing but."""
        n = self.space.n if isinstance(self.space, Discrete) else FEW + 1
        if self.players == 1:
            return list(range(n)) if n <= FEW else []
        if n**self.players <= FEW:
            return [np.array(joint) for joint in itertools.product(range(n), repeat=self.players)]
        return [np.full(self.players, action) for action in range(n)] if n <= FEW else []


def rounded(snapshot: Plain, dtype: np.dtype[Any]) -> Plain:
    """The state with every real number rounded to `dtype`, so that both sides can begin from the very same numbers."""
    return {name: _rounded(value, dtype) for name, value in snapshot.items()}


def _rounded(value: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(dtype).astype(value.dtype)
    if isinstance(value, float | np.floating):
        return type(value)(dtype.type(value))
    if isinstance(value, tuple | list):
        return type(value)([_rounded(v, dtype) for v in value])
    if isinstance(value, dict):
        return {k: _rounded(v, dtype) for k, v in value.items()}
    return value


def _is_fixed(domain: Domain) -> bool:
    return len(domain.describe().get("values", (0, 0))) == 1
