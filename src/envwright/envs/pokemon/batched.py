"""Many battles of Showdown at once, over several Node processes: recorded, for L3 in lock-step."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.pokemon import columns as layout
from envwright.envs.pokemon.columns import Columns
from envwright.envs.pokemon.observing import observe, summaries
from envwright.envs.pokemon.oracle import Oracle, team_of, words
from envwright.envs.pokemon.policies import Policy, all_policies
from envwright.references.protocol import BatchedOutcome, BatchedReference, BatchPolicy, Draw

PROCESSES = 2
TEAMS = ("random", "custom")


class ShowdownBattles(BatchedReference):
    """Each kind of player with each kind of team: battle i is played by player i modulo their number."""

    def __init__(self, num_envs: int, *, teams: Sequence[str] = TEAMS, processes: int = PROCESSES, traced: bool = False):
        self.num_envs = num_envs
        self._parts = [part for part in np.array_split(np.arange(num_envs), processes) if len(part)]
        self._oracles = [Oracle() for _ in self._parts]
        fields = {"state": layout.for_node(layout.STATE), "team": layout.for_node(layout.TEAMS)}
        for oracle, part in zip(self._oracles, self._parts, strict=True):
            oracle.ask("open", games=len(part), fields=fields, traced=traced)
        players = [(f"{name}, {kind} teams", policy, kind) for kind in teams for name, policy in all_policies().items()]
        self._kinds = [players[i % len(players)][2] for i in range(num_envs)]
        self._policies = {
            name: self._bound(policy, i, len(players)) for i, (name, policy, _) in enumerate(players)
        }
        self._now: Columns = {}
        self._log: Columns = {}
        self._legal = np.zeros((num_envs, 2, 10), bool)
        self._seed = 0
        self._begun = np.zeros(num_envs, np.int64)  # how many battles were begun in each place

    @property
    def policies(self) -> Mapping[str, BatchPolicy]:
        return self._policies

    def reset(self, seed: int) -> BatchedOutcome:
        self._seed, self._begun[:] = seed, 0
        for oracle, part in zip(self._oracles, self._parts, strict=True):
            teams, seeds = zip(*map(self._start, part.tolist()), strict=True)
            oracle.say("batchBegin", teams=teams, seeds=seeds)
        return self._heard(is_first=True)

    def step(self, actions: NDArray[Any]) -> BatchedOutcome:
        for oracle, part in zip(self._oracles, self._parts, strict=True):
            teams, seeds = zip(*map(self._start, part.tolist()), strict=True)
            chosen = base64.b64encode(np.asarray(actions[part], np.uint8).tobytes()).decode()
            oracle.say("batchStep", actions=chosen, teams=teams, seeds=seeds)
        return self._heard(is_first=False)

    def snapshot(self, columns: Columns, game: int) -> dict[str, Any]:
        return {name.removeprefix("state."): c[game] for name, c in columns.items() if name.startswith("state.")}

    def tape(self, draws: Sequence[Draw], chance: Columns, game: int) -> tuple[Draw, ...]:
        """The seed decides; what was drawn from it follows."""
        return (draws[0]._replace(value=chance["seed"][game].tolist()),)

    def coverage(self) -> dict[str, dict[str, int]]:
        """What was played so far, counted in all processes: moves, pairs, effects, messages, and places of draws."""
        total: dict[str, dict[str, int]] = {}
        for oracle in self._oracles:
            for table, counts in oracle.ask("coverage").items():
                mine = total.setdefault(table, {})
                for key, count in counts.items():
                    mine[key] = mine.get(key, 0) + count
        return total

    def close(self) -> None:
        for oracle in self._oracles:
            oracle.close()

    def _start(self, game: int) -> tuple[list[Mapping[str, str]], list[int]]:
        """Teams and a seed for the next battle in a place; the same as long as that is not begun."""
        number = (self._seed * 1_000_003 + int(self._begun[game])) * self.num_envs + game
        return [team_of(self._kinds[game], 4 * number + side) for side in (0, 1)], words(4 * number + 2)

    def _heard(self, *, is_first: bool) -> BatchedOutcome:
        tables = [layout.STATE, layout.STATE, layout.TOLD, layout.TEAMS, layout.START]
        pairs = zip(self._oracles, self._parts, strict=True)
        parts = [layout.unpack(oracle.hear(), len(part), tables) for oracle, part in pairs]
        state, last, told, teams, start = ({n: np.concatenate([p[i][n] for p in parts]) for n in t} for i, t in enumerate(tables))
        self._now, self._legal = state, told["legal"]
        self._begun += 1 if is_first else told["ended"]
        columns = {f"state.{name}": column for name, column in state.items()}
        columns |= {f"log.{name}": column for name, column in self._summed(last, told["ended"], is_first).items()}
        columns |= {"observation": observe(state), "legal_actions": told["legal"], "acting": acting(state)}
        begun = {f"teams.{name}": column for name, column in teams.items()} | {"seed": start["start"]}
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


def acting(state: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Who is asked for a choice."""
    return state["request"] > 0
