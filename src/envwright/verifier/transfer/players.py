"""Who is compared: policies trained on either side, finished and half-trained, and one that plays at random.

The finished ones may all win every game, which would hide a difference. The half-trained ones do not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import Stepping
from envwright.core.env import Env
from envwright.core.spaces import Discrete, Space
from envwright.training.config import Config
from envwright.training.host_trainer import HostTrainer
from envwright.training.player import Player
from envwright.training.ppo import Trainer
from envwright.verifier.transfer.curves import filled

Array = NDArray[Any]
Progress = Callable[[str], None]
KEPT = 24  # policies of each run, one of which is the half-trained one


@dataclass(frozen=True)
class Trained:
    """What training on one side gave."""

    players: list[Player]  # of each seed the finished one, then the half-trained one
    curves: NDArray[np.float64]  # (updates, seeds) mean return of the episodes that ended; NaN where none did


def train_compiled(env: Env[Any, Any], params: Any, config: Config, seeds: Sequence[int], side: str) -> Trained:
    """On an environment in our interface, all seeds in one program."""
    # On one device, as the reference's trainer, so that a verdict does not depend on how many there are.
    trainer = Trainer(env, config, params=params, seeds=tuple(seeds), devices=1)
    state = trainer.start()
    kept: dict[int, list[Player]] = {}
    rows: list[Array] = []
    for update in range(1, config.updates + 1):  # one at a time: any other number would be compiled by itself
        state, metrics = trainer.run(state, 1)
        rows.append(np.asarray(metrics["return"], np.float64))
        if update in keeps(config.updates):
            kept[update] = [trainer.player(state, i) for i in range(len(seeds))]
    curves = np.concatenate(rows)
    pupils = [
        chosen({update: players[i] for update, players in kept.items()}, curves[:, i], f"{side}, seed {seed}")
        for i, seed in enumerate(seeds)
    ]
    return Trained([player for pair in pupils for player in pair], curves)


def train_stepped(
    make: Callable[[], Stepping], config: Config, seeds: Sequence[int], side: str, progress: Progress
) -> Trained:
    """On a batch that is stepped from here, one seed after the other."""
    players: list[Player] = []
    curves: list[Array] = []
    for seed in seeds:
        progress(f"L4 training on {side}, seed {seed}")
        trainer, done = HostTrainer(make, config, seeds=(seed,)), 0
        state = trainer.start()
        kept: dict[int, Player] = {}
        parts: list[Array] = []
        for update in keeps(config.updates):
            state, metrics = trainer.run(state, update - done)
            parts.append(metrics["return"][:, 0].astype(np.float64))
            kept[update], done = trainer.player(state), update
        curves.append(np.concatenate(parts))
        players += chosen(kept, curves[-1], f"{side}, seed {seed}")
    return Trained(players, np.stack(curves, axis=1))


def keeps(updates: int) -> list[int]:
    """The updates after which the policy is kept; the last one is among them."""
    return sorted({-(-updates * (i + 1) // KEPT) for i in range(KEPT)})


def chosen(kept: Mapping[int, Player], curve: Array, side: str) -> list[Player]:
    """The finished policy, and the one before it whose return was nearest to a quarter of the way up.

    A quarter, not a half: the curve shows episodes that began some updates ago, and the policy is ahead of them.
    """
    curve = filled(curve[:, None])[:, 0]
    *before, last = sorted(kept)
    quarter = 0.75 * curve[0] + 0.25 * curve[-max(1, len(curve) // KEPT) :].mean()
    half = min(before or [last], key=lambda update: abs(curve[update - 1] - quarter))
    named = ((kept[last], "finished"), (kept[half], "half-trained"))
    return [in_double(replace(player, name=f"trained on {side}, {stage}")) for player, stage in named]


def in_double(player: Player) -> Player:
    """The same player with its weights in float64 already, which saves converting them at every step."""
    return replace(player, weights=jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), player.weights))


@dataclass(frozen=True)
class RandomPlayer:
    """Plays anything that is legal, evenly."""

    space: Space
    name: str = "random"

    def no_memory(self, many: int) -> Array:
        return np.zeros((many, 0))

    def noise(self, rng: np.random.Generator, many: int) -> Array:
        return rng.random((many, *self.space.shape))

    def act(self, obs: Any, memory: Array, noise: Array | None, legal: Array | None = None) -> tuple[Array, Array]:
        assert noise is not None
        if isinstance(self.space, Discrete) and legal is not None:
            order = np.argsort(~legal, axis=1, kind="stable")  # legal actions first
            return order[np.arange(len(legal)), (noise * legal.sum(axis=1)).astype(int)].astype(np.int32), memory
        if isinstance(self.space, Discrete):
            return (noise * self.space.n).astype(np.int32), memory
        low, high = np.asarray(self.space.low), np.asarray(self.space.high)
        return (low + noise * (high - low)).astype(self.space.dtype), memory
