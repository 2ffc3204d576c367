"""Games of the reference in processes of their own, which are told actions and tell columns."""

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.envs.tcg_pocket.decks import Deck
from envwright.envs.tcg_pocket.layout import FIELDS, FIRST_WINS, OVER, SECOND_WINS
from envwright.envs.tcg_pocket.reference import flow
from envwright.envs.tcg_pocket.reference.dice import WORDS
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.reference.tape import START, STEP, TapedDice, columns

Columns = dict[str, NDArray[Any]]
SUMMED = ("games", "turns", "first_player_wins")
Heard = tuple[Columns, Columns, Columns]  # columns, chance of the step, chance of the start, each of every game


class Workers:
    """As many processes as there are cores for us, each with a share of the games."""

    def __init__(self, kinds: Sequence[str], pools: Mapping[str, Sequence[Deck]], flags: Mapping[str, Any]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would inherit JAX's threads in an unknown state
        shares = np.array_split(np.arange(len(kinds)), min(len(kinds), len(os.sched_getaffinity(0))))
        self._shares, self._pipes, self._processes = shares, [], []
        for share in shares:
            ours, theirs = context.Pipe()
            given = theirs, [kinds[game] for game in share], pools, dict(flags)
            process = context.Process(target=_serve, args=given, daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def begin(self, seed: int) -> Heard:
        """New games everywhere."""
        return self._joined(self._ask("begin", [(seed, int(share[0])) for share in self._shares]))

    def step(self, actions: NDArray[Any]) -> Heard:
        """A step of each game: an action of whoever is asked."""
        return self._joined(self._ask("step", [(actions[share].tolist(),) for share in self._shares]))

    def counted(self) -> list[dict[str, dict[str, int]]]:
        """What of the rules each process has used."""
        return self._ask("counted", [()] * len(self._shares))

    def close(self) -> None:
        for pipe, process in zip(self._pipes, self._processes, strict=True):
            pipe.close()
            process.join(5)

    def _ask(self, what: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        for pipe, given in zip(self._pipes, arguments, strict=True):
            pipe.send((what, *given))
        try:
            return [pipe.recv() for pipe in self._pipes]
        except (EOFError, ConnectionResetError):
            raise EnvwrightError("A process with games of the reference has died; see its message above.") from None

    def _joined(self, parts: Sequence[Heard]) -> Heard:
        first, second, third = (
            {name: np.concatenate([part[i][name] for part in parts]) for name in parts[0][i]} for i in range(3)
        )
        return first, second, third


class _Chosen(TapedDice):
    """Dice that choose decks among some of a pool: all its words are fair, but not all are asked for."""

    def __init__(self, low: int, high: int, size: int, seed: int) -> None:
        super().__init__(seed)
        self._range = low, high, size

    def decks(self) -> Any:
        low, high, size = self._range
        index = self.generator.integers(low, high, size=2)
        self.drawn["decks"] = -(-index * WORDS // size)  # the least word that gives this index (R12.2)
        return self.drawn["decks"]


class _Games:
    """One process's share. A game that ends begins anew within the step."""

    def __init__(self, kinds: Sequence[str], pools: Mapping[str, Sequence[Deck]], flags: Mapping[str, Any]) -> None:
        self.pool = tuple(deck for pool in pools.values() for deck in pool)
        ends = np.cumsum([len(pool) for pool in pools.values()]).tolist()
        self.ranges = {kind: (end - len(pools[kind]), end) for kind, end in zip(pools, ends, strict=True)}
        self.kinds = kinds
        self.games = [PocketGame(**flags) for _ in kinds]
        for game in self.games:
            game.pool = self.pool  # checked once, not for each game
        self.tapes: list[TapedDice] = []
        self.log: Columns = {}

    def begin(self, seed: int, first: int) -> Heard:
        self.log = {name: np.zeros(len(self.games), np.int32) for name in SUMMED}
        seeds = [(seed * 1_000_003 + first + i) % 2**63 for i in range(len(self.games))]
        self.tapes = [_Chosen(*self.ranges[kind], len(self.pool), s) for kind, s in zip(self.kinds, seeds, strict=True)]
        for game, tape in zip(self.games, self.tapes, strict=True):
            game.dice = tape
            game.reset()
        return self._standing(), {}, columns([tape.wind() for tape in self.tapes], START)

    def step(self, actions: Sequence[int]) -> Heard:
        steps, starts = [], []
        rewards = np.zeros((len(self.games), 2), np.float32)
        ended = np.zeros(len(self.games), bool)
        for i, (game, action) in enumerate(zip(self.games, actions, strict=True)):
            flow.act(game, action)  # policies choose among what is legal, and `legal_actions` is compared
            steps.append(self.tapes[i].wind())
            rewards[i], ended[i] = game.rewards(), game.pending == OVER
            if ended[i]:
                for name, number in summary(game).items():
                    self.log[name][i] += number
                game.reset()
            starts.append(self.tapes[i].wind())
        ends = {"reward": rewards, "terminated": ended, "truncated": np.zeros_like(ended)}
        return {**self._standing(), **self._logged(), **ends}, columns(steps, STEP), columns(starts, START)

    def counted(self) -> dict[str, dict[str, int]]:
        return self.games[0].envwright_coverage()

    def _logged(self) -> Columns:
        return {f"log.{name}": column.copy() for name, column in self.log.items()}

    def _standing(self) -> Columns:
        made = {f"state.{name}": _stacked(self.games, name, dtype) for name, (_, dtype) in FIELDS.items()}
        return {
            **made,
            "observation": np.stack([game.observations() for game in self.games]),
            "legal_actions": np.stack([game.action_masks() for game in self.games]),
            "acting": np.stack([game.acting() for game in self.games]),
        }


def summary(game: PocketGame) -> dict[str, int]:
    """What is summed over games that have ended: as the environment does, for their last states are seen by nobody."""
    won_by_first = game.winner == (SECOND_WINS if game.first else FIRST_WINS)
    return {"games": 1, "turns": game.turn, "first_player_wins": int(won_by_first)}


def _stacked(games: Sequence[PocketGame], name: str, dtype: str) -> NDArray[Any]:
    return np.array([getattr(game, name) for game in games], dtype)


def _serve(pipe: Any, kinds: Sequence[str], pools: Mapping[str, Sequence[Deck]], flags: Mapping[str, Any]) -> None:
    """A process: does what it is told until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    games = _Games(kinds, pools, flags)
    with contextlib.suppress(EOFError, OSError):
        while True:
            what, *given = pipe.recv()
            pipe.send(getattr(games, what)(*given))
