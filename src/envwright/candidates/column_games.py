"""A native environment as a candidate: its rules on columns, as it gives them itself."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.play_on import play_on_stepwise
from envwright.candidates.protocol import ColumnKind, Columns
from envwright.core.errors import EnvwrightError
from envwright.core.native import Kinds, NativeEnv
from envwright.core.spaces import Space


class ColumnCandidate:
    """`NativeEnv.columns`, asked in batches."""

    takes_chance = True

    def __init__(self, env: NativeEnv, name: str) -> None:
        self.name, self._env, self._games = name, env, env.columns()

    @property
    def players(self) -> int:
        return self._env.players

    @property
    def action_space(self) -> Space | None:
        return self._env.action_space

    @property
    def observation_space(self) -> Space:
        return self._env.observation_space

    @property
    def params(self) -> Columns:
        return {}

    def kinds(self) -> dict[str, ColumnKind]:
        return _named(self._games.kinds())

    def chance_kinds(self) -> tuple[dict[str, ColumnKind], dict[str, ColumnKind]]:
        return _named(self._games.chance_kinds()), {}

    def provenance(self) -> dict[str, Any]:
        return {"candidate": self.name, **self._games.provenance()}

    def init(self, seeds: NDArray[np.uint32]) -> Columns:
        return self.start(self.draw_start(seeds), len(seeds))

    def start(self, chance: Columns, games: int) -> Columns:
        return self._games.start(chance, games)

    def step(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        return self._games.step(state, np.asarray(actions))

    def step_uncompiled(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        return self.step(state, actions)  # there is only the compiled one

    def play(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        outcomes: list[Columns] = []
        for chosen in np.moveaxis(np.asarray(actions), 1, 0):
            outcomes.append(self.step(state, chosen))
            state = {name.removeprefix("state."): c for name, c in outcomes[-1].items() if name.startswith("state.")}
        return {name: np.stack([outcome[name] for outcome in outcomes], axis=1) for name in outcomes[0]}

    def play_on(self, state: Columns, actions: NDArray[Any], chance: Columns, start: Columns) -> Columns:
        return play_on_stepwise(self, state, actions, chance, start)

    def draw_start(self, seeds: NDArray[np.uint32]) -> Columns:
        return self._games.draw_start(np.asarray(seeds, np.uint32))

    def draw(self, seeds: NDArray[np.uint32], state: Columns, actions: NDArray[Any]) -> Columns:
        return {}

    def phases(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> dict[str, Columns]:
        return self._games.phases(state, np.asarray(actions))

    def draws(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> Columns:
        return {}

    def call(self, function: str, arguments: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return self._games.call(function, arguments)

    def with_params(self, params: Columns) -> "ColumnCandidate":
        if params:
            raise EnvwrightError(f"{self.name} has no param {min(params)}; it has none. Correct [params].")
        return self

    def in_float64(self) -> "ColumnCandidate | None":
        return None


def _named(kinds: Kinds) -> dict[str, ColumnKind]:
    return {name: ColumnKind(*kind) for name, kind in kinds.items()}
