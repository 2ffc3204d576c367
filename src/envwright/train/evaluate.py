"""How good a policy is: whole games, in any batch of environments, ours or a slow original's."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import Stepping
from envwright.core.errors import EnvwrightError
from envwright.train.player import Player

LONGEST = 100_000  # steps after which a game counts as endless


@dataclass(frozen=True)
class Games:
    """One finished game an environment."""

    returns: NDArray[np.float64]
    lengths: NDArray[np.int64]

    def text(self) -> str:
        many = len(self.returns)
        error = self.returns.std(ddof=1) / many**0.5 if many > 1 else float("nan")
        return (
            f"mean return {self.returns.mean():.2f} ± {error:.2f} over {many} games "
            f"(from {self.returns.min():.2f} to {self.returns.max():.2f}), mean length {self.lengths.mean():.1f}"
        )


def play_games(batch: Stepping, player: Player, seed: int, *, sample: bool = True, longest: int = LONGEST) -> Games:
    """The first game of every environment, to its end. Actions are drawn as in training, or the likeliest ones."""
    check_fits(batch, player)
    many = batch.num_envs
    rng = np.random.default_rng(seed)
    obs = np.asarray(batch.reset([(seed + i) % 2**32 for i in range(many)]))
    memory = player.no_memory(many)
    returns, lengths, playing = np.zeros(many), np.zeros(many, np.int64), np.ones(many, bool)
    for _ in range(longest):
        legal = legal_of(batch)
        actions, memory = player.act(obs, memory, player.noise(rng, many) if sample else None, legal)
        step = batch.step_and_restart(actions)
        returns[playing] += np.asarray(step.reward, np.float64)[playing]
        lengths[playing] += 1
        ended = np.asarray(step.terminated) | np.asarray(step.truncated)
        playing &= ~ended
        if not playing.any():
            return Games(returns, lengths)
        obs, memory = np.asarray(step.obs), np.where(ended[:, None], 0, memory)
    raise EnvwrightError(f"{int(playing.sum())} of {many} games did not end within {longest:,} steps.")


def check_fits(batch: Stepping, player: Player) -> None:
    """A policy plays where it sees and does what it learned with."""
    sides = (
        (player.policy.observations.shape, player.policy.action_space),
        (
            batch.observation_space.shape,
            batch.action_space,
        ),
    )
    if sides[0] != sides[1]:
        raise EnvwrightError(
            f"This policy was trained on observations of shape {sides[0][0]} and actions {sides[0][1]}, but here they "
            f"are {sides[1][0]} and {sides[1][1]}."
        )


def legal_of(batch: Stepping) -> Any:
    """Which actions may be taken now, where a batch knows that."""
    legal = getattr(batch, "legal_actions", None)
    return None if legal is None else legal()
