"""Many games of the Python reference at once, over several processes: recorded, for L3 in lock-step.

Game i is played by policy i modulo their number, with published and with random decks in turn.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.tcg_pocket import decks as lists
from envwright.envs.tcg_pocket.policies import Policy, all_policies
from envwright.envs.tcg_pocket.workers import Columns, Heard, Workers
from envwright.references.protocol import BatchedOutcome, BatchedReference, BatchPolicy, Draw


class PocketGames(BatchedReference):
    """Games with the decks that `decks` names, `all` as well as those of the environment, and with flags by name."""

    def __init__(self, num_envs: int, *, decks: Any = lists.PUBLISHED, **flags: Any) -> None:
        self.num_envs = num_envs
        players = all_policies()
        pools = {lists.PUBLISHED: lists.published(), lists.RANDOM: lists.random_pool()}
        if decks != lists.ALL:
            pools = {"these": lists.pool(decks)}
        kinds = [list(pools)[i // len(players) % len(pools)] for i in range(num_envs)]
        self._workers = Workers(kinds, pools, flags)
        self._policies = {name: self._bound(act, i, len(players)) for i, (name, act) in enumerate(players.items())}
        self._now: Columns = {}

    @property
    def policies(self) -> Mapping[str, BatchPolicy]:
        return self._policies

    def reset(self, seed: int) -> BatchedOutcome:
        return self._outcome(self._workers.begin(seed))

    def step(self, actions: NDArray[Any]) -> BatchedOutcome:
        return self._outcome(self._workers.step(actions[np.arange(self.num_envs), self._now["actor"]]))

    def snapshot(self, columns: Columns, game: int) -> dict[str, Any]:
        return {n.removeprefix("state."): c[game].tolist() for n, c in columns.items() if n.startswith("state.")}

    def tape(self, draws: Sequence[Draw], chance: Columns, game: int) -> tuple[Draw, ...]:
        """The same kinds are drawn from the same state by the same action."""
        return tuple(draw._replace(value=chance[draw.site.rpartition(" ")[2]][game]) for draw in draws)

    def counted(self) -> Mapping[str, Mapping[str, int]]:
        total: dict[str, dict[str, int]] = {}
        for part in self._workers.counted():
            for kind, counts in part.items():
                mine = total.setdefault(kind, {})
                for name, times in counts.items():
                    mine[name] = mine.get(name, 0) + times
        return total

    def close(self) -> None:
        self._workers.close()

    def _outcome(self, heard: Heard) -> BatchedOutcome:
        columns, chance, start = heard
        self._now = {n.removeprefix("state."): c for n, c in columns.items() if n.startswith("state.")}
        return BatchedOutcome(columns, chance, start)

    def _bound(self, player: Policy, place: int, many: int) -> BatchPolicy:
        """A player that looks at the states of its own games rather than at what is observed of them."""

        def act(obs: Any, rng: np.random.Generator, legal: NDArray[np.bool_] | None) -> NDArray[Any]:
            del obs
            assert legal is not None  # the reference tells
            mine = {name: column[place::many] for name, column in self._now.items()}
            return player(mine, legal, rng)

        return act
