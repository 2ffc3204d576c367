"""How good a policy is: whole games, in any batch of environments, ours or a slow original's."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import Stepping
from envwright.core.errors import EnvwrightError
from envwright.core.spec import Spec
from envwright.core.versus import Opponent, in_many_games, opponents_of
from envwright.training.experience import each_seat, to_games, to_seats
from envwright.training.player import Player

LONGEST = 100_000  # steps after which a game counts as endless
Z = 1.959964  # of a 95 % interval

Array = NDArray[Any]
# Observations, whether they begin a game, and legal actions (None: all) to actions, a leading axis of choices on each.
Chooser = Callable[[Array, Array, Array | None], Array]


@dataclass(frozen=True)
class Evaluation:
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


@dataclass(frozen=True)
class Match:
    """Games for two against one opponent, half of them from either seat."""

    opponent: str
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        return self.wins / self.games

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the win rate, which stays within 0 and 1 and holds at 0 and at 1 as well."""
        share, spread = self.win_rate, Z * Z / self.games
        middle = (share + spread / 2) / (1 + spread)
        half = (share * (1 - share) * spread + spread * spread / 4) ** 0.5 / (1 + spread)
        return max(0.0, middle - half), min(1.0, middle + half)

    def text(self) -> str:
        low, high = self.interval()
        return (
            f"against {self.opponent}: win rate {self.win_rate:.1%} [{low:.1%}, {high:.1%}] over {self.games} games "
            f"({self.wins} wins, {self.draws} draws, {self.losses} losses)"
        )


def evaluate(
    spec: Spec,
    batch: Stepping,
    player: Player,
    seed: int,
    *,
    against: Sequence[str] | None = None,
    sample: bool = True,
) -> Iterator[Evaluation | Match]:
    """The policy's returns; in a game for two, a match against each of the opponents named, or against all of them."""
    if batch.players == 2:
        for name, opponent in opponents_of(spec, batch.action_space, against).items():
            yield play_match(batch, player, name, opponent, seed, sample=sample)
    elif against is not None:
        raise EnvwrightError(f"{spec.id} is not a game for two, so nobody can be played against; leave --against out.")
    else:
        yield play_games(batch, player, seed, sample=sample)


def play_games(
    batch: Stepping, player: Player, seed: int, *, sample: bool = True, longest: int = LONGEST
) -> Evaluation:
    """The first game of every environment, to its end, all seats the policy's. Actions are drawn as in training, or the
    likeliest ones."""
    check_fits(batch, player)
    returns, lengths = first_games(batch, in_all_seats(batch, player, seed, sample), seed, longest)
    return Evaluation(returns.ravel(), lengths)


def play_match(
    batch: Stepping,
    player: Player,
    name: str,
    opponent: Opponent,
    seed: int,
    *,
    sample: bool = True,
    longest: int = LONGEST,
) -> Match:
    """The first game of every environment, the policy in seat 0 of every other one and in seat 1 of the rest."""
    check_fits(batch, player)
    many = batch.num_envs
    games, mine = np.arange(many), np.arange(many) % 2
    choose = by_policy(player, many, np.random.default_rng(seed), sample)
    answer = in_many_games(opponent, seed)

    def act(obs: Array, fresh: Array, legal: Array | None) -> Array:
        my_legal, their_legal = (None if legal is None else legal[games, seat] for seat in (mine, 1 - mine))
        actions = np.zeros((many, 2, *batch.action_space.shape), batch.action_space.dtype)
        actions[games, mine] = choose(obs[games, mine], fresh, my_legal)
        actions[games, 1 - mine] = answer(obs[games, 1 - mine], their_legal)
        return actions

    returns, _ = first_games(batch, act, seed, longest)
    gained, lost = returns[games, mine], returns[games, 1 - mine]
    return Match(name, int((gained > lost).sum()), int((gained == lost).sum()), int((gained < lost).sum()))


def in_all_seats(batch: Stepping, player: Player, seed: int, sample: bool = True) -> Chooser:
    """A policy that chooses for every player of every game."""
    players = batch.players
    choose = by_policy(player, batch.num_envs * players, np.random.default_rng(seed), sample)

    def act(obs: Array, fresh: Array, legal: Array | None) -> Array:
        seats = None if legal is None else to_seats(legal, players)
        return to_games(choose(to_seats(obs, players), each_seat(fresh, players), seats), players)

    return act


def by_policy(player: Player, many: int, rng: np.random.Generator, sample: bool) -> Chooser:
    """A policy that makes `many` choices at a time, and remembers what it saw of each game."""
    memory = player.no_memory(many)

    def choose(obs: Array, fresh: Array, legal: Array | None) -> Array:
        nonlocal memory
        memory = np.where(fresh[:, None], 0, memory)
        actions, memory = player.act(obs, memory, player.noise(rng, many) if sample else None, legal)
        return actions

    return choose


def first_games(
    batch: Stepping, act: Chooser, seed: int, longest: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Returns (games, [players]) and lengths of the first game of every environment."""
    many = batch.num_envs
    obs = np.asarray(batch.reset([(seed + i) % 2**32 for i in range(many)]))
    returns = np.zeros((many, batch.players) if batch.players > 1 else many)
    lengths, playing, ended = np.zeros(many, np.int64), np.ones(many, bool), np.ones(many, bool)
    for _ in range(longest):
        legal = batch.legal_actions()
        step = batch.step_and_restart(act(obs, ended, None if legal is None else np.asarray(legal)))
        returns[playing] += np.asarray(step.reward, np.float64)[playing]
        lengths[playing] += 1
        ended = np.asarray(step.terminated) | np.asarray(step.truncated)
        playing &= ~ended
        if not playing.any():
            return returns, lengths
        obs = np.asarray(step.obs)
    raise EnvwrightError(f"{int(playing.sum())} of {many} games did not end within {longest:,} steps.")


def check_fits(batch: Stepping, player: Player) -> None:
    """A policy plays where it sees and does what it learned with."""
    learned = player.policy.observations.shape, player.policy.action_space
    here = batch.observation_space.shape, batch.action_space
    if learned != here:
        raise EnvwrightError(
            f"This policy was trained on observations of shape {learned[0]} and actions {learned[1]}, but here they "
            f"are {here[0]} and {here[1]}."
        )
