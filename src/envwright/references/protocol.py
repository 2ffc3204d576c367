"""What the verifier asks of a slow original, whatever it is written in.

    reset, step                     play, with random draws recorded
    reset(tape=...), step(tape=...) play again with recorded draws
    look, snapshot, restore         see the state, keep it, put it back, or put another one in
    call                            one function in isolation
    watch                           a step, with the state as it is between its phases
    record_calls, covering          which functions are called with what, which lines run, while it plays
    rounding                        all this as it would compute in another precision

Everything it hands out is plain data: numbers, strings, None, NumPy arrays, and lists, tuples and dicts of these. So a
reference may live in another process or another language.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space


class Draw(NamedTuple):
    """One random outcome of the reference."""

    site: str  # where the reference asked for it: "blackjack.py:18 draw_card"
    method: str  # what it asked for: "choice"
    value: Any  # what it got
    pick: tuple[int, int] | None = None  # of a choice of one: its index in the list chosen from, and that list's length


class Outcome(NamedTuple):
    """What a reset or a step gave; a reset has no reward and no end.

    Of a game for several players, observations, rewards and legal actions have a leading axis of players.
    """

    obs: Any
    reward: Any  # a float; of several players an array of them
    terminated: bool
    truncated: bool
    info: dict[str, Any]
    draws: tuple[Draw, ...]
    legal: NDArray[np.bool_] | None = None  # which actions may be taken next; None: all
    acting: NDArray[np.bool_] | None = None  # which players choose next; None: all


class Glimpse(NamedTuple):
    """The reference in the middle of a step."""

    phase: str
    names: Mapping[str, Any]  # its state, and the local names of the function it is in


@dataclass(frozen=True)
class Watchpoint:
    """Where a phase ends: just before a line of the reference runs, `line` being that line's text without its indent.

    `occurrence` counts the lines of that text in the function, from 1. An empty `line` means the return of `function`.
    """

    phase: str
    function: str
    line: str = ""
    occurrence: int = 1


@dataclass
class Covered:
    """Lines and branches of the functions that were entered at all: run, out of possible, and which not."""

    lines: int = 0
    lines_possible: int = 0
    branches: int = 0
    branches_possible: int = 0
    missing: tuple[str, ...] = ()  # "blackjack.py:42 return 0" and "blackjack.py:40 -> 42"

    def report(self) -> dict[str, Any]:
        """As a verdict has it; nothing, if nothing was measured."""
        if not self.lines_possible:
            return {}
        lines, branches = (self.lines, self.lines_possible), (self.branches, self.branches_possible)
        return {"lines": list(lines), "branches": list(branches), "missing": list(self.missing)}


Counts = Mapping[str, Mapping[str, int]]  # how often what was met: {"move": {"surf": 12}}


class Reference(Protocol):
    """A slow original under observation, one game at a time."""

    name: str

    @property
    def players(self) -> int:
        """How many act at once; with two or more, an action is an array of one each."""
        return 1

    @property
    def action_space(self) -> Space | None:
        """The actions of a player, if they are integers 0 .. n-1 or a box of numbers; else None."""
        ...

    @property
    def observation_space(self) -> Space | None:
        """The observations, likewise."""
        ...

    @property
    def observation_shape(self) -> tuple[int, ...] | None:
        """The shape of an observation as an array, or None if it is not one."""
        ...

    def provenance(self) -> dict[str, Any]:
        """What this is: package, version, hashes of its source."""
        ...

    def sample_action(self, rng: np.random.Generator) -> Any:
        """A random action, legal where the game stands."""
        ...

    def legal(self) -> NDArray[np.bool_] | None:
        """Which actions may be taken where the game stands, ([players,] n) booleans; None: all."""
        return None

    def reset(self, seed: int | None = None, tape: Sequence[Draw] | None = None) -> Outcome:
        """A new episode. With a tape, random outcomes are read from it instead of drawn."""
        ...

    def step(self, action: Any, tape: Sequence[Draw] | None = None) -> Outcome: ...

    def look(self) -> dict[str, Any]:
        """The state by name: what changes from step to step, and constants too, for contracts to refer to."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """What changes from step to step, by name, as plain data that can be edited and written to JSON."""
        ...

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Put a snapshot back, whole or in part; it may have been edited."""
        ...

    def call(self, function: str, arguments: Sequence[Any]) -> Any:
        """One function or method of the reference, by its name."""
        ...

    def watch(
        self, points: Sequence[Watchpoint], action: Any, tape: Sequence[Draw] | None = None
    ) -> tuple[list[Glimpse], Outcome]:
        """A step, seen at each watchpoint that it passes; a point passed twice is seen twice."""
        ...

    def late_changes(self) -> list[str]:
        """What was thought constant and has changed all the same; from now on it is part of the state."""
        ...

    def functions(self) -> list[str]:
        """The names of its own functions, as far as they can be called or watched."""
        ...

    def record_calls(self, names: Sequence[str], play: Callable[[], None], /) -> dict[str, list[dict[str, Any]]]:
        """The distinct arguments that functions are called with while `play` runs."""
        ...

    def covering(self) -> AbstractContextManager[Covered]:
        """Measures what of the reference's source runs meanwhile; nothing, where that cannot be seen."""
        ...

    def counted(self) -> Counts:
        """What of its rules it has met since it was made, as far as it counts that itself; see verifier/counting.py."""
        return {}

    def rounding(self, seed: int, dtype: str) -> AbstractContextManager[None] | None:
        """Meanwhile it computes as in `dtype`, float32 or float64, rounding up or down at random; None, where that
        cannot be had."""
        return None

    def setting(self, values: Mapping[str, Any]) -> AbstractContextManager[None] | None:
        """Meanwhile these attributes of it, by their dotted names, are set so; None, where that cannot be had."""
        return None

    def close(self) -> None: ...


Columns = dict[str, NDArray[Any]]  # arrays with a leading axis of games, by name
BatchPolicy = Callable[
    [Any, np.random.Generator, NDArray[np.bool_] | None], NDArray[Any]
]  # observations, legal actions


class BatchedOutcome(NamedTuple):
    """What a reset or a step of many games gave, under the names that the contract has for it.

    A game that ends begins anew within the step: reward and ends are those of the old game, all else is the new one's.
    """

    columns: Columns  # state.NAME, observation, reward, terminated, truncated, legal_actions; log.NAME: sums so far
    chance: Columns  # of the step; after a reset nothing
    start: Columns  # of the game that began; where none did, anything


class BatchedReference(Protocol):
    """Many games of a reference at once, whatever steps them."""

    num_envs: int
    games_of_each_policy: bool = False  # whether so many games are wanted of each policy, not of all together

    @property
    def policies(self) -> Mapping[str, BatchPolicy]:
        """Who plays: game i is played by policy i modulo their number."""
        ...

    def reset(self, seed: int) -> BatchedOutcome:
        """New games, everywhere."""
        ...

    def step(self, actions: NDArray[Any]) -> BatchedOutcome: ...

    def snapshot(self, columns: Columns, game: int) -> dict[str, Any]:
        """A game of earlier columns as `Reference.restore` takes it."""
        ...

    def tape(self, draws: Sequence[Draw], chance: Columns, game: int) -> tuple[Draw, ...]:
        """Draws of a single step, with what a game drew in place of their values."""
        ...

    def counted(self) -> Counts:
        """As `Reference.counted`."""
        return {}

    def close(self) -> None: ...


class ReferenceFailedError(EnvwrightError, RuntimeError):
    """The reference raised, crashed, hung or ate all memory; says where."""


class NotReproducibleError(EnvwrightError, RuntimeError):
    """The reference does not repeat itself, given the same seed or tape; names the attribute."""


class SnapshotError(EnvwrightError, TypeError):
    """An attribute of the reference cannot be copied; names it and the hook to write."""


class TapeError(EnvwrightError, ValueError):
    """A tape does not fit what it is replayed into, or is of another version."""
