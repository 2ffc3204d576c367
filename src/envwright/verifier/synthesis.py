"""States and actions to try single steps from: recorded ones, some with parts replaced, invented ones, corners."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete, Space
from envwright.references.legality import seats
from envwright.verifier.domain import Domain, size
from envwright.verifier.record import Case, Plain

FEW = 18  # actions that are all tried
SIMPLER = 24  # recorded states that are tried in place of one that is shown


@dataclass(frozen=True)
class States:
    """States that were recorded, and how to make others: each part drawn from its domain, parts that constrain each
    other taken from one recorded state, or all of it by the environment's own function."""

    pool: Sequence[Plain]
    domains: Mapping[str, Domain]
    groups: tuple[tuple[str, ...], ...] = ()
    possible: Callable[[np.random.Generator, Sequence[Plain]], Plain] | None = None

    @cached_property
    def parts(self) -> list[tuple[str, ...]]:
        """What is replaced together."""
        if self.possible is not None:
            return [tuple(self.domains)]
        bound = {name for group in self.groups for name in group}
        return [*self.groups, *((name,) for name in self.domains if name not in bound)]

    def invent(self, actions: "ActionSource", count: int, rng: np.random.Generator) -> list[Case]:
        """`count` single steps: a third as recorded, a third with some parts replaced, a third with all of them."""
        parts = [part for part in self.parts if part in self.groups or not _is_fixed(self.domains, part)]
        cases: list[Case] = []
        for i in range(count):
            snapshot = self._recorded(rng)
            if i % 3 == 1 and parts:
                chosen = [part for part in parts if rng.random() < 0.3] or [parts[int(rng.integers(len(parts)))]]
            else:
                chosen = parts if i % 3 == 2 else []
            for part in chosen:
                snapshot |= self._drawn(part, rng)
            cases.append(Case(snapshot, actions(rng)))
        return cases

    def corners(self, actions: "ActionSource", rng: np.random.Generator, most: int) -> list[Case]:
        """Recorded states with one part pushed into each of its corners, under every action if there are few."""
        cases = [
            Case(self._recorded(rng) | values, action)
            for part in self.parts
            for values in self._corners(part, rng)
            for action in actions.all() or [actions(rng)]
        ]
        if len(cases) <= most:
            return cases
        return [cases[i] for i in sorted(rng.choice(len(cases), most, replace=False))]

    def simpler(self, snapshot: Plain) -> list[Plain]:
        """States that are easier to read, by one part."""
        found: list[Plain] = []
        for part in self.parts:
            if any(name not in snapshot for name in part):
                continue
            if self._is_drawn_apart(part):
                found += [{**snapshot, part[0]: value} for value in self.domains[part[0]].simpler(snapshot[part[0]])]
                continue
            now = size(_some(snapshot, part))
            smaller = [values for state in self.pool if size(values := _some(state, part)) < now]
            found += [{**snapshot, **values} for values in sorted(smaller, key=size)[:SIMPLER]]
        return found

    def _is_drawn_apart(self, part: tuple[str, ...]) -> bool:
        return self.possible is None and part not in self.groups

    def _recorded(self, rng: np.random.Generator) -> Plain:
        return dict(self.pool[int(rng.integers(len(self.pool)))])

    def _drawn(self, part: tuple[str, ...], rng: np.random.Generator) -> Plain:
        if self.possible is not None:
            return _checked(self.possible(rng, self.pool), part)
        if self._is_drawn_apart(part):
            return {part[0]: self.domains[part[0]].sample(rng)}
        return _some(self._recorded(rng), part)

    def _corners(self, part: tuple[str, ...], rng: np.random.Generator) -> list[Plain]:
        """Of parts that belong together, the recorded ones in which any of them is smallest or largest."""
        if self.possible is not None:
            return [self._drawn(part, rng) for _ in range(SIMPLER)]
        if self._is_drawn_apart(part):
            return [{part[0]: value} for value in self.domains[part[0]].corners()]
        ends = (end(self.pool, key=lambda state, at=name: size(state[at])) for name in part for end in (min, max))
        return [_some(state, part) for state in ends]


def _some(snapshot: Mapping[str, Any], part: Sequence[str]) -> Plain:
    return {name: snapshot[name] for name in part}


def _checked(made: Any, names: Sequence[str]) -> Plain:
    """A state as the environment's own function made it."""
    if not isinstance(made, Mapping) or set(made) != set(names):
        told = ", ".join(made) if isinstance(made, Mapping) else repr(made)
        raise EnvwrightError(f"The contract's `states` must give a state with {', '.join(names)}, but gave {told}.")
    return dict(made)


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


def _is_fixed(domains: Mapping[str, Domain], part: tuple[str, ...]) -> bool:
    return len(part) == 1 and len(domains[part[0]].describe().get("values", (0, 0))) == 1
