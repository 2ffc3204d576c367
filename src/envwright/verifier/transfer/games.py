"""Games on the reference, with all that the candidate needs to play the same ones (replayed.py).

Seeds, starts, the chance of every step and the noise of every choice are the same. So two games part only where the two
sides do, and what chance does to returns cancels out of their difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.protocol import Reference
from envwright.verifier.contract import Contract
from envwright.verifier.record import Beat, as_action
from envwright.verifier.rows import Row, stack, start_row
from envwright.verifier.transfer.observed import chance_of, observe

Array = NDArray[Any]
BLOCK = 64  # choices whose noise is drawn at once


class Contestant(Protocol):
    """Who plays, in all seats: `train.player.Player`, or one that plays at random."""

    @property
    def name(self) -> str: ...

    def no_memory(self, many: int) -> Array: ...

    def noise(self, rng: np.random.Generator, many: int) -> Array: ...

    def act(self, obs: Any, memory: Array, noise: Array | None, legal: Array | None = None) -> tuple[Array, Array]: ...


@dataclass
class PlayedGames:
    """Games of one player on one side; lists have an element a game."""

    actions: list[Array]
    rewards: list[Array]  # a row a step; of several seats a column each
    starts: Columns  # of the reference only: state, observation and chance
    chance: Columns  # of the reference only: a row for each step that drew any
    chance_at: Array  # (rows, 2): game and step of these

    @property
    def returns(self) -> NDArray[np.float64]:
        return np.array([rewards.sum(dtype=np.float64) for rewards in self.rewards])

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.array([len(rewards) for rewards in self.rewards])

    def of_seat(self, seat: int) -> "PlayedGames":
        """The same games, with the rewards of one seat alone."""
        return replace(self, rewards=[rewards[:, seat] for rewards in self.rewards])


def noise_of(player: Contestant, seats: int, seed: int, game: int, block: int) -> Array:
    """The noise of BLOCK of a player's choices in a game, (BLOCK, seats): the same whoever asks, in any process."""
    noise = player.noise(np.random.default_rng([seed, game, block]), BLOCK * seats)
    return noise.reshape(BLOCK, seats, *noise.shape[1:])


def equal_games(one: PlayedGames, other: PlayedGames) -> int:
    """How many games are the same step for step: actions, rewards and length."""
    return sum(
        a.shape == b.shape and np.array_equal(a, b) and np.array_equal(r.astype(np.float32), s.astype(np.float32))
        for a, b, r, s in zip(one.actions, other.actions, one.rewards, other.rewards, strict=True)
    )


def play_reference(
    reference: Reference,
    contract: Contract,
    player: Contestant,
    seeds: Sequence[int],
    dtype: str,
    limit: int,
    beat: Beat,
) -> PlayedGames:
    """One game a seed, where the reference lives. Observations are rounded to the candidate's dtype."""
    starts: list[Row] = []
    chance: list[Row] = []
    chance_at: list[tuple[int, int]] = []
    games, seats = PlayedGames([], [], {}, {}, np.zeros((0, 2), int)), reference.players
    for game, seed in enumerate(seeds):
        noise, memory = player.noise(np.random.default_rng(0), 0), player.no_memory(seats)
        outcome = reference.reset(seed=seed)
        starts.append(start_row(contract, reference, outcome))
        now, ended = observe(contract, reference, outcome), False
        actions: list[Any] = []
        rewards: list[Array] = []
        while not ended and len(rewards) < limit:
            block, at = divmod(len(rewards), BLOCK)
            noise = noise_of(player, seats, seed, game, block) if at == 0 else noise
            obs = now.obs.astype(dtype)
            legal = None if now.legal is None else np.atleast_2d(now.legal)
            chosen, memory = player.act(obs if seats > 1 else obs[None], memory, noise[at], legal)
            action = chosen if seats > 1 else as_action(chosen[0])
            before = reference.look() if contract.looks_back else {}
            outcome = reference.step(action)
            now = observe(contract, reference, outcome, action)
            if outcome.draws and contract.chance_step:
                chance.append(chance_of(contract, reference, outcome, action, before))
                chance_at.append((game, len(rewards)))
            ended = now.terminated or now.truncated
            actions.append(action)
            rewards.append(now.reward)
            beat()
        games.actions.append(np.asarray(actions))
        games.rewards.append(np.asarray(rewards))
    games.starts, games.chance = stack(starts, "start"), stack(chance, "step")
    games.chance_at = np.array(chance_at, int).reshape(-1, 2)
    return games
