"""A few games on PyBoy at once, a thread each, everything recorded: for L3 in lock-step."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.gameboy.reference import SITE, PyBoyGame
from envwright.references.protocol import BatchedOutcome, BatchedReference, BatchPolicy, Columns, Draw, Outcome

MOST = 8  # machines: PyBoy's columns take a tenth of a gigabyte each in a chunk of steps
LONGEST = 24  # steps for which buttons are held


class PyBoyGames(BatchedReference):
    """Game i is played by policy i modulo their number."""

    def __init__(self, num_envs: int, **options: Any) -> None:
        self.num_envs = min(num_envs, MOST)
        self._games = [PyBoyGame(**options) for _ in range(self.num_envs)]
        self._pool = ThreadPoolExecutor(os.cpu_count())
        self._rng = np.random.default_rng(0)
        actions = len(self._games[0].env.buttons)
        self._policies: dict[str, BatchPolicy] = {"held": _Held(actions), "mashed": _mashed(actions)}

    @property
    def policies(self) -> Mapping[str, BatchPolicy]:
        return self._policies

    def reset(self, seed: int) -> BatchedOutcome:
        self._rng = np.random.default_rng(seed)
        starts = [self._start() for _ in self._games]
        outcomes = list(self._pool.map(lambda game, start: game.reset(tape=(start,)), self._games, starts))
        return BatchedOutcome(self._columns(outcomes), {}, _chance(starts))

    def step(self, actions: NDArray[Any]) -> BatchedOutcome:
        starts = [self._start() for _ in self._games]
        done = list(self._pool.map(_stepped, self._games, actions.tolist(), starts))
        columns = self._columns([now for _, _, now in done])
        ended = [outcome for outcome, _, _ in done]
        columns |= {
            "reward": np.array([outcome.reward for outcome in ended], np.float32),
            "terminated": np.array([outcome.terminated for outcome in ended]),
            "truncated": np.array([outcome.truncated for outcome in ended]),
        }
        for name in done[0][1]:
            columns[f"info.{name}"] = np.stack([seen[name] for _, seen, _ in done])
        return BatchedOutcome(columns, {}, _chance(starts))

    def snapshot(self, columns: Columns, game: int) -> dict[str, Any]:
        return {
            "start": columns["state.start"][game],
            "held": columns["state.held"][game],
            "length": int(columns["state.length"][game]),
        }

    def tape(self, draws: Sequence[Draw], chance: Columns, game: int) -> tuple[Draw, ...]:
        return tuple(draws)  # a step draws nothing

    def close(self) -> None:
        for game in self._games:
            game.close()
        self._pool.shutdown()

    def _start(self) -> Draw:
        script = self._games[0].env.game.start
        return Draw(SITE, "ticks", [int(self._rng.integers(press.low, press.high + 1)) for press in script])

    def _columns(self, outcomes: Sequence[Outcome]) -> Columns:
        """Where the games stand."""
        states = [game.snapshot() for game in self._games]
        return {
            "state.start": np.stack([state["start"] for state in states]),
            "state.held": np.stack([state["held"] for state in states]),
            "state.length": np.array([state["length"] for state in states], np.int32),
            "observation": np.stack([outcome.obs for outcome in outcomes]),
        }


def _stepped(game: PyBoyGame, action: int, start: Draw) -> tuple[Outcome, dict[str, Any], Outcome]:
    """A step, what the machine looks like after it, and where the game stands, which may be a new one."""
    outcome = game.step(action)
    seen = game.machine_columns()
    over = outcome.terminated or outcome.truncated
    return outcome, seen, game.reset(tape=(start,)) if over else outcome


def _chance(starts: Sequence[Draw]) -> Columns:
    return {"start": np.array([start.value for start in starts], np.int32)}


class _Held:
    """Holds what it has chosen for a while, as people do."""

    def __init__(self, actions: int) -> None:
        self._actions = actions
        self._chosen: NDArray[np.int64] = np.zeros(0, np.int64)
        self._left: NDArray[np.int64] = np.zeros(0, np.int64)

    def __call__(self, obs: Any, rng: np.random.Generator, legal: Any) -> NDArray[np.int64]:
        many = len(obs)
        if len(self._chosen) != many:
            self._chosen, self._left = np.zeros(many, np.int64), np.zeros(many, np.int64)
        new = self._left <= 0
        # One button more often than several: with all of them held nothing much happens.
        one = np.where(rng.random(many) < 0.7, 1 << rng.integers(8, size=many), rng.integers(256, size=many))
        chosen = one if self._actions == 256 else rng.integers(self._actions, size=many)
        self._chosen = np.where(new, chosen, self._chosen)
        self._left = np.where(new, rng.integers(1, LONGEST, size=many), self._left - 1)
        return self._chosen.copy()


def _mashed(actions: int) -> BatchPolicy:
    def act(obs: Any, rng: np.random.Generator, legal: Any) -> NDArray[np.int64]:
        return rng.integers(actions, size=len(obs))

    return act
