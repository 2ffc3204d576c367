"""Many battles of Showdown at once, over several Node processes: recorded, for L3 in lock-step."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.pokemon.battles import PROCESSES, Battles, Heard, Start, start_of
from envwright.envs.pokemon.columns import Columns
from envwright.envs.pokemon.observing import acting, observe, summaries
from envwright.envs.pokemon.policies import Policy, all_policies
from envwright.envs.pokemon.state import ACTIONS
from envwright.references.protocol import BatchedOutcome, BatchedReference, BatchPolicy, Counts, Draw

TEAMS = ("random", "custom")


class ShowdownBattles(BatchedReference):
    """Battle i is played by policy i modulo their number; each policy has both kinds of teams."""

    games_of_each_policy = True

    def __init__(
        self, num_envs: int, *, teams: Sequence[str] = TEAMS, processes: int = PROCESSES, traced: bool = True
    ) -> None:
        self.num_envs = num_envs
        self._battles = Battles(num_envs, processes, traced)
        players = all_policies()
        self._kinds = [teams[i // len(players) % len(teams)] for i in range(num_envs)]
        self._policies = {name: self._bound(act, i, len(players)) for i, (name, act) in enumerate(players.items())}
        self._now: Columns = {}
        self._log: Columns = {}
        self._legal = np.zeros((num_envs, 2, ACTIONS), bool)
        self._seed = 0
        self._begun = np.zeros(num_envs, np.int64)  # how many battles were begun in each place

    @property
    def policies(self) -> Mapping[str, BatchPolicy]:
        return self._policies

    def reset(self, seed: int) -> BatchedOutcome:
        self._seed, self._begun[:] = seed, 0
        return self._outcome(self._battles.begin(self._start), is_first=True)

    def step(self, actions: NDArray[Any]) -> BatchedOutcome:
        return self._outcome(self._battles.step(actions, self._start), is_first=False)

    def snapshot(self, columns: Columns, game: int) -> dict[str, Any]:
        return {name.removeprefix("state."): c[game] for name, c in columns.items() if name.startswith("state.")}

    def tape(self, draws: Sequence[Draw], chance: Columns, game: int) -> tuple[Draw, ...]:
        """The seed decides; what was drawn from it follows."""
        return (draws[0]._replace(value=chance["seed"][game].tolist()),)

    def counted(self) -> Counts:
        """What was played so far; see showdown/coverage.js."""
        return self._battles.coverage()

    def close(self) -> None:
        self._battles.close()

    def _start(self, game: int) -> Start:
        """Teams and a seed for the next battle in a place; the same as long as that is not begun."""
        number = (self._seed * 1_000_003 + int(self._begun[game])) * self.num_envs + game
        return start_of(self._kinds[game], number)

    def _outcome(self, heard: Heard, *, is_first: bool) -> BatchedOutcome:
        state, told = heard.state, heard.told
        self._now, self._legal = state, told["legal"]
        self._begun += 1 if is_first else told["ended"]
        columns = {f"state.{name}": column for name, column in state.items()}
        columns |= {f"log.{name}": column for name, column in self._summed(heard.last, told["ended"], is_first).items()}
        columns |= {"observation": observe(state), "legal_actions": told["legal"], "acting": acting(state)}
        begun = {f"teams.{name}": column for name, column in heard.teams.items()} | {"seed": heard.start["start"]}
        if is_first:
            return BatchedOutcome(columns, {}, begun)
        columns |= {"reward": told["reward"], "terminated": told["ended"], "truncated": np.zeros(self.num_envs, bool)}
        return BatchedOutcome(columns, {"seed": told["before"]}, begun)

    def _summed(self, last: Columns, ended: NDArray[np.bool_], is_first: bool) -> Columns:
        """What the environment tells of a battle's last state, summed over those that have ended in each place."""
        added = summaries(last)
        mask = ended & (not is_first)
        for name, column in added.items():
            before = np.zeros_like(column) if is_first else self._log[name]
            self._log[name] = before + np.where(mask, column, 0).astype(column.dtype)
        return dict(self._log)

    def _bound(self, policy: Policy, place: int, many: int) -> BatchPolicy:
        """A policy that looks at the states of its own battles rather than at what is observed of them."""

        def act(obs: Any, rng: np.random.Generator, legal: NDArray[np.bool_] | None) -> NDArray[Any]:
            del obs, legal
            mine = {name: column[place::many] for name, column in self._now.items()}
            return policy(mine, self._legal[place::many], rng)

        return act
