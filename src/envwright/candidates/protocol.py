"""What the verifier asks of a candidate. Everything is done in batches, and everything is a column.

A column is a NumPy array with a leading axis of games, under a name:

    outcome   state.NAME, observation, reward, terminated, truncated, info.KEY; and legal_actions, acting: what may be
              done next and by whom, if not everything by everybody
    state     the same fields without "state."; a state that is one array is called `value`
    chance    the leaves of the candidate's chance; chance that is one array is called `value`
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.core.spaces import Space
from envwright.references.protocol import Columns as Columns


class ColumnKind(NamedTuple):
    """Shape and dtype of one game's value in a column."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Candidate(Protocol):
    """A translation under test. None of these resets a finished game."""

    @property
    def name(self) -> str: ...

    @property
    def takes_chance(self) -> bool:
        """Whether its chance can be handed in; if not, it draws by seed and only its seeds can be chosen."""
        ...

    @property
    def players(self) -> int:
        """How many act at once; with two or more, observations, actions, rewards and masks have an axis of them."""
        ...

    @property
    def action_space(self) -> Space | None:
        """The actions of a player."""
        ...

    @property
    def params(self) -> Columns:
        """The numbers of its rules, by name, without an axis of games."""
        ...

    def kinds(self) -> dict[str, ColumnKind]:
        """What an outcome's columns look like."""
        ...

    def chance_kinds(self) -> tuple[dict[str, ColumnKind], dict[str, ColumnKind]]:
        """What the chance of a start and of a step looks like; empty without any, or where it cannot be handed in."""
        ...

    def provenance(self) -> dict[str, Any]: ...

    def init(self, seeds: NDArray[np.uint32]) -> Columns:
        """New games with chance of their own; state, observation, and what may be done first."""
        ...

    def start(self, chance: Columns, games: int) -> Columns:
        """New games with given chance; likewise."""
        ...

    def step(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        """One step of each game, with given chance or by seed (0, 1, 2, ...). Missing fields are as in `init`."""
        ...

    def step_uncompiled(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        """The same, operation by operation, where `step` is compiled."""
        ...

    def play(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        """Games played on and on: actions and outcomes have a second axis, of steps."""
        ...

    def play_on(self, state: Columns, actions: NDArray[Any], chance: Columns, start: Columns) -> Columns:
        """The same, with an axis of steps before that of games, and where a game ends another begins within the step,
        with the chance `start`: reward and ends are then the old game's, all else is the new one's. `log.NAME`, given
        with the state and returned, sums up what is reported of games that have ended."""
        ...

    def draw_start(self, seeds: NDArray[np.uint32]) -> Columns:
        """The chance it would draw for new games."""
        ...

    def draw(self, seeds: NDArray[np.uint32], state: Columns, actions: NDArray[Any]) -> Columns:
        """The chance it would draw for a step."""
        ...

    def phases(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> dict[str, Columns]:
        """What it knows after each phase of a step, in order; empty if it does not say."""
        ...

    def draws(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> Columns:
        """The random numbers that a step makes of its chance, by the place in its code, in order; masked where it makes
        none there. Empty if it does not say."""
        ...

    def call(self, function: str, arguments: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """One of its functions, on a batch of arguments."""
        ...

    def with_params(self, params: Columns) -> "Candidate":
        """The same rules with other numbers."""
        ...

    def in_float64(self) -> "Candidate | None":
        """The same rules in double precision, or None if they hold on to single precision."""
        ...
