"""The reference's games again, on the candidate: all players at once, closed loop, with the reference's chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate, Columns
from envwright.verifier.rows import LEGAL, is_standing, part, take
from envwright.verifier.transfer.candidate_batch import step_with_own_chance
from envwright.verifier.transfer.games import BLOCK, Contestant, PlayedGames, noise_of
from envwright.verifier.transfer.observed import choose_drawn

Array = NDArray[Any]


@dataclass
class Table:
    """All games of all players at once, for the candidate."""

    players: Sequence[Contestant]
    seats: int
    masked: bool  # whether the players are told what is legal
    player: Array  # of each game
    seeds: Sequence[int]
    chance: dict[int, tuple[Array, Array]]  # by step: which games the reference drew chance for, and in which rows
    drawn: Columns
    random: bool  # whether the candidate's steps hold chance that nobody can hand in


def set_table(
    players: Sequence[Contestant],
    seats: int,
    masked: bool,
    seeds: Sequence[int],
    played: Sequence[PlayedGames],
    random: bool,
) -> Table:
    """Every player's games, one after the other."""
    many = len(seeds)
    chance_at = np.concatenate([games.chance_at + np.array([i * many, 0]) for i, games in enumerate(played)])
    drawn = joined([games.chance for games in played if len(games.chance_at)])
    by_step: dict[int, tuple[Array, Array]] = {}
    order = np.argsort(chance_at[:, 1], kind="stable")
    steps, first = np.unique(chance_at[order, 1], return_index=True)
    for step, rows in zip(steps, np.split(order, first[1:]), strict=True) if len(order) else ():
        by_step[int(step)] = chance_at[rows, 0], rows
    return Table(players, seats, masked, np.repeat(np.arange(len(players)), many), seeds, by_step, drawn, random)


def beginnings(candidate: Candidate, table: Table, starts: Columns, seed: int) -> Columns:
    """Where the games begin: from the reference's chance; if that cannot be handed in, its state; or by themselves."""
    many = len(table.player)
    if candidate.takes_chance:
        return candidate.start(part(starts, "chance."), many)
    if table.random:
        return candidate.init(np.random.default_rng([seed, 5]).integers(2**32, size=many, dtype=np.uint32))
    return {name: column for name, column in starts.items() if is_standing(name)}


def play_candidate(candidate: Candidate, table: Table, begin: Columns, seed: int, limit: int) -> list[PlayedGames]:
    """The games of the table on the candidate, side by side; those that have ended are left out of the batch."""
    rng = np.random.default_rng([seed, 4])
    live = np.arange(len(table.player))
    state, now = part(begin, "state."), begin
    memory = [player.no_memory(len(table.seeds) * table.seats) for player in table.players]
    noise: dict[int, Array] = {}
    rows: list[tuple[Array, Array, Array]] = []  # a step: which games, their actions, their rewards
    for step in range(limit):
        if step % BLOCK == 0:
            noise = {game: _noise(table, game, step // BLOCK) for game in live.tolist()}
        chosen = _choose(table, live, now, memory, np.stack([noise[game][step % BLOCK] for game in live.tolist()]))
        if table.random:
            outcome = step_with_own_chance(candidate, state, chosen, rng, random=True)
        else:
            outcome = candidate.step(state, chosen, _chance(candidate, table, live, step, state, chosen, rng))
        rows.append((live, chosen, outcome["reward"]))
        on = ~(outcome["terminated"] | outcome["truncated"])
        live, now = live[on], take(outcome, on)
        state = part(now, "state.")
        if not len(live):
            break
    return _sorted(table, rows)


def _sorted(table: Table, rows: Sequence[tuple[Array, Array, Array]]) -> list[PlayedGames]:
    """Steps of many games, put together game by game."""
    games, actions, rewards = (np.concatenate(column) for column in zip(*rows, strict=True))
    order = np.argsort(games, kind="stable")
    cuts = np.cumsum(np.bincount(games, minlength=len(table.player)))[:-1]
    many = len(table.seeds)
    actions, rewards = (np.split(column[order], cuts) for column in (actions, rewards))
    firsts = range(0, len(table.player), many)
    nothing = np.zeros((0, 2), int)
    return [PlayedGames(actions[i : i + many], rewards[i : i + many], {}, {}, nothing) for i in firsts]


def _noise(table: Table, game: int, block: int) -> Array:
    player, own = divmod(game, len(table.seeds))
    return noise_of(table.players[player], table.seats, table.seeds[own], own, block)


def _choose(table: Table, live: Array, now: Columns, memory: list[Array], noise: Array) -> Array:
    """An action for each live game, by its own player in every seat."""
    chosen: list[Array] = []
    whose = table.player[live]  # in the order of the players, for so the table is set
    for i, player in enumerate(table.players):
        rows = np.flatnonzero(whose == i)
        if len(rows):
            own = (live[rows, None] % len(table.seeds) * table.seats + np.arange(table.seats)).ravel()
            obs = _by_seat(table, now["observation"][rows])
            legal = _by_seat(table, now[LEGAL][rows]) if table.masked else None
            done, memory[i][own] = player.act(obs, memory[i][own], noise[rows].reshape(-1, *noise.shape[2:]), legal)
            chosen.append(done.reshape(len(rows), table.seats, *done.shape[1:]) if table.seats > 1 else done)
    return np.concatenate(chosen)


def _by_seat(table: Table, column: Array) -> Array:
    """(games, seats, ...) as (games * seats, ...)."""
    return column.reshape(-1, *column.shape[2:]) if table.seats > 1 else column


def _chance(
    candidate: Candidate, table: Table, live: Array, step: int, state: Columns, actions: Array, rng: Any
) -> Columns | None:
    """The reference's chance at this step of this game; where it had none, some that the candidate draws."""
    if not candidate.takes_chance:
        return None
    if not candidate.chance_kinds()[1]:
        return {}
    own = candidate.draw(rng.integers(2**32, size=len(live), dtype=np.uint32), state, actions)
    games, rows = table.chance.get(step, (np.zeros(0, int), np.zeros(0, int)))
    at = np.searchsorted(live, games)
    here = (at < len(live)) & (live[np.minimum(at, len(live) - 1)] == games)
    return choose_drawn({name: column[rows[here]] for name, column in table.drawn.items()}, own, at[here])


def joined(parts: Sequence[Columns]) -> Columns:
    return {name: np.concatenate([columns[name] for columns in parts]) for name in (parts[0] if parts else ())}
