"""Many battles of Showdown at once, over several Node processes."""

import base64
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.envs.pokemon import columns as layout
from envwright.envs.pokemon.columns import Columns
from envwright.envs.pokemon.oracle import Oracle, team_of, words

PROCESSES = 2
Start = tuple[list[Mapping[str, str]], list[int]]  # teams and a seed


class Heard(NamedTuple):
    """What Node tells of every battle after a step."""

    state: Columns
    last: Columns  # states, of battles that ended in this step
    told: Columns  # `layout.TOLD`: masks, reward, end, and the seed before
    teams: Columns  # of the battle that is on
    start: Columns  # and the seed with which it began


class Battles:
    """Battles in Node processes. One that ends begins anew within the step, with what `start` says for its place.
    `traced`: what is played and where numbers are drawn is counted, for which Node takes a third more time."""

    def __init__(self, num_envs: int, processes: int = PROCESSES, traced: bool = False) -> None:
        self._parts = [part for part in np.array_split(np.arange(num_envs), processes) if len(part)]
        self._oracles = [Oracle() for _ in self._parts]
        fields = {"state": layout.for_node(layout.STATE), "team": layout.for_node(layout.TEAMS)}
        for oracle, part in zip(self._oracles, self._parts, strict=True):
            oracle.ask("open", games=len(part), fields=fields, traced=traced)

    def begin(self, start: Callable[[int], Start]) -> Heard:
        for oracle, part in zip(self._oracles, self._parts, strict=True):
            oracle.say("batchBegin", **_starts(start, part))
        return self._hear()

    def step(self, actions: NDArray[Any], start: Callable[[int], Start]) -> Heard:
        for oracle, part in zip(self._oracles, self._parts, strict=True):
            chosen = base64.b64encode(np.asarray(actions)[part].astype(np.uint8).tobytes()).decode()
            oracle.say("batchStep", actions=chosen, **_starts(start, part))
        return self._hear()

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

    def _hear(self) -> Heard:
        tables = [layout.STATE, layout.STATE, layout.TOLD, layout.TEAMS, layout.START]
        pairs = zip(self._oracles, self._parts, strict=True)
        parts = [layout.unpack(oracle.hear(), len(part), tables) for oracle, part in pairs]
        return Heard(
            *(
                {name: np.concatenate([part[i][name] for part in parts]) for name in fields}
                for i, fields in enumerate(tables)
            )
        )


def start_of(kind: str, number: int) -> Start:
    """The battle of that number."""
    return [team_of(kind, 4 * number + side) for side in (0, 1)], words(4 * number + 2)


def _starts(start: Callable[[int], Start], part: NDArray[np.intp]) -> dict[str, Any]:
    teams, seeds = zip(*map(start, part.tolist()), strict=True)
    return {"teams": teams, "seeds": seeds}
