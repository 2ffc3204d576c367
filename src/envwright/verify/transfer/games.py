"""Games on the reference, with all that the candidate needs to play the same ones (replayed.py).

Seeds, starts, the luck of every step and the noise of every choice are the same. So two games part only where the two
sides do, and what luck does to returns cancels out of their difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.protocol import Reference
from envwright.verify.contract import Contract
from envwright.verify.record import Beat, as_action
from envwright.verify.rows import Row, stack, start_row
from envwright.verify.transfer.sight import luck_of, see

Array = NDArray[Any]
BLOCK = 64  # choices whose noise is drawn at once


class Player(Protocol):
    """Who plays: `train.player.Player`, or one that plays at random."""

    @property
    def name(self) -> str: ...

    def no_memory(self, many: int) -> Array: ...

    def noise(self, rng: np.random.Generator, many: int) -> Array: ...

    def act(self, obs: Any, memory: Array, noise: Array | None, legal: Array | None = None) -> tuple[Array, Array]: ...


@dataclass
class Games:
    """Games of one player on one side; lists have an element a game."""

    actions: list[Array]
    rewards: list[Array]
    starts: Columns  # of the reference only: state, observation and luck
    luck: Columns  # of the reference only: a row for each step that drew any
    luck_at: Array  # (rows, 2): game and step of these

    @property
    def returns(self) -> NDArray[np.float64]:
        return np.array([rewards.sum(dtype=np.float64) for rewards in self.rewards])

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.array([len(rewards) for rewards in self.rewards])


def noise_of(player: Player, seed: int, game: int, block: int) -> Array:
    """The luck of BLOCK of a player's choices in a game: the same whoever asks, and in which process."""
    return player.noise(np.random.default_rng([seed, game, block]), BLOCK)


def equal_games(one: Games, other: Games) -> int:
    """How many games are the same step for step: actions, rewards and length."""
    return sum(
        a.shape == b.shape and np.array_equal(a, b) and np.array_equal(r.astype(np.float32), s.astype(np.float32))
        for a, b, r, s in zip(one.actions, other.actions, one.rewards, other.rewards, strict=True)
    )


def play_reference(
    reference: Reference, contract: Contract, player: Player, seeds: Sequence[int], dtype: str, limit: int, beat: Beat
) -> Games:
    """One game a seed, where the reference lives. Observations are rounded to the candidate's dtype."""
    starts: list[Row] = []
    luck: list[Row] = []
    luck_at: list[tuple[int, int]] = []
    games = Games([], [], {}, {}, np.zeros((0, 2), int))
    for game, seed in enumerate(seeds):
        noise, memory = player.noise(np.random.default_rng(0), 0), player.no_memory(1)
        outcome = reference.reset(seed=seed)
        starts.append(start_row(contract, reference, outcome))
        obs, ended = see(contract, reference, outcome).obs, False
        actions: list[Any] = []
        rewards: list[float] = []
        while not ended and len(rewards) < limit:
            block, at = divmod(len(rewards), BLOCK)
            noise = noise_of(player, seed, game, block) if at == 0 else noise
            chosen, memory = player.act(obs.astype(dtype)[None], memory, noise[at : at + 1])
            action = as_action(chosen[0])
            before = reference.look() if contract.looks_back else {}
            outcome = reference.step(action)
            seen = see(contract, reference, outcome, action)
            if outcome.draws and contract.chance_step:
                luck.append(luck_of(contract, reference, outcome, action, before))
                luck_at.append((game, len(rewards)))
            obs, ended = seen.obs, seen.terminated or seen.truncated
            actions.append(action)
            rewards.append(seen.reward)
            beat()
        games.actions.append(np.asarray(actions))
        games.rewards.append(np.asarray(rewards))
    games.starts, games.luck = stack(starts, "start"), stack(luck, "step")
    games.luck_at = np.array(luck_at, int).reshape(-1, 2)
    return games
