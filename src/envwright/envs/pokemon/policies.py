"""Who plays while battles of Showdown are recorded; each leaves something out that another one seeks.

A policy is given columns of the states of some battles, their masks, and random numbers; it gives an action for each
side. NumPy throughout: it plays beside Node, not in JAX.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from envwright.envs.pokemon import tables
from envwright.envs.pokemon.columns import Columns
from envwright.envs.pokemon.state import ACTIONS, FIRST_SWITCH, FROZEN, SLOTS

Mask = NDArray[np.bool_]
Policy = Callable[[Columns, Mask, np.random.Generator], NDArray[np.int32]]

_FACTORS = np.array([1.0, 2.0, 0.5, 0.0])  # by the kinds of the chart
_SWITCHES = 0.06  # how often a policy that seeks moves switches all the same
_NOVELTY = 0.85  # how often the exhaustive one takes what is rarest
_EFFECTS = 24  # of a side that is active, as `effects` numbers them


def uniform(columns: Columns, legal: Mask, rng: np.random.Generator) -> NDArray[np.int32]:
    """Any legal action."""
    return best(rng.random(legal.shape), legal)


def attacking(columns: Columns, legal: Mask, rng: np.random.Generator) -> NDArray[np.int32]:
    """Any move; a switch only where it must be."""
    return best(rng.random(legal.shape) + _is_move(), legal)


def greedy(columns: Columns, legal: Mask, rng: np.random.Generator) -> NDArray[np.int32]:
    """The move that is expected to do most damage, and one of the best nearly always; rarely it switches."""
    worth = np.zeros(legal.shape)
    worth[..., :SLOTS] = 1.0 + damage(columns) * rng.uniform(0.9, 1.1, (*legal.shape[:2], SLOTS))
    worth[..., FIRST_SWITCH:] = rng.random((*legal.shape[:2], ACTIONS - SLOTS))
    switches = (rng.random(legal.shape[:2]) < _SWITCHES)[..., None] & ~_is_move().astype(bool)
    return best(np.where(switches, 1e6 * rng.random(legal.shape), worth), legal)


class Exhaustive:
    """What was played least so far: a move beside what is active on either side, and after what the foe last used."""

    def __init__(self) -> None:
        self.moves = np.zeros(len(tables.MOVES), np.int64)
        self.beside = np.zeros((len(tables.MOVES), 2 * _EFFECTS), np.int64)
        self.after = np.zeros((len(tables.MOVES), len(tables.MOVES)), np.int64)

    def __call__(self, columns: Columns, legal: Mask, rng: np.random.Generator) -> NDArray[np.int32]:
        moves, there = columns["active_moves"], effects(columns)
        both = np.concatenate([there, there[:, ::-1]], axis=2)  # of the own side, then of the foe's
        seen = columns["used"][:, ::-1, None]
        beside = np.where(both[:, :, None], self.beside[moves], np.iinfo(np.int64).max).min(axis=3)
        rare = np.minimum(np.minimum(beside, self.after[moves, seen] * 4), self.moves[moves])
        worth = np.zeros(legal.shape)
        worth[..., :SLOTS] = 2.0 + 1.0 / (1.0 + rare) + 1e-3 * rng.random(rare.shape)
        worth[..., FIRST_SWITCH:] = rng.random((*legal.shape[:2], ACTIONS - SLOTS))
        at_random = rng.random(legal.shape[:2])[..., None] > _NOVELTY
        chosen = best(np.where(at_random, rng.random(legal.shape), worth), legal)
        self._count(moves, both, seen, chosen)
        return chosen

    def _count(self, moves: NDArray[np.uint8], both: Mask, seen: NDArray[np.uint8], chosen: NDArray[np.int32]) -> None:
        game, side = np.nonzero(chosen < SLOTS)
        move = moves[game, side, chosen[game, side]]
        np.add.at(self.moves, move, 1)
        np.add.at(self.after, (move, seen[game, side, 0]), 1)
        np.add.at(self.beside, move, both[game, side].astype(np.int64))


def best(worth: NDArray[np.float64], legal: Mask) -> NDArray[np.int32]:
    """The legal action that is worth most."""
    return np.where(legal, worth, -np.inf).argmax(axis=-1).astype(np.int32)


def damage(columns: Columns) -> NDArray[np.float64]:
    """About what each of the four moves does, (games, 2, 4)."""
    moves = columns["active_moves"]
    rows = {name: tables.MOVE_ROWS[name][moves] for name in ("power", "type", "accuracy", "category", "damage")}
    hits = (tables.MOVE_ROWS["hits_least"] + tables.MOVE_ROWS["hits_most"])[moves] / 2
    types, theirs = columns["types"], columns["types"][:, ::-1]
    factors = [_FACTORS[tables.CHART[rows["type"], theirs[:, :, None, i]]] for i in range(2)]
    own = (rows["type"][..., None] == types[:, :, None, :]).any(axis=3)
    stats = np.maximum(columns["modified"], 1).astype(np.float64)
    physical, special = (stats[:, :, i] / stats[:, ::-1, j] for i, j in ((0, 1), (3, 3)))
    ratio = np.where(rows["category"] == tables.PHYSICAL, physical[..., None], special[..., None])
    formula = rows["power"] * hits * ratio * factors[0] * factors[1] * np.where(own, 1.5, 1.0)
    whole = np.where(rows["damage"] == tables.DAMAGES.index("formula"), formula, 50.0 * (rows["damage"] > 0))
    return whole * rows["accuracy"] / 255


def effects(columns: Columns) -> Mask:
    """What is active on each side, (games, 2, effects)."""
    lead = np.arange(len(columns["turn"]))[:, None], np.arange(2)[None], columns["order"][:, :, 0]
    status, boosts = columns["status"][lead], columns["boosts"]
    flags = [columns[name] > 0 for name in ("substitute", "confusion", "transformed", "recharging", "charging")]
    flags += [columns["reflect"] > 0, columns["flinched"] > 0, columns["substitute_broke"][lead] > 0]
    flags += [status == kind for kind in range(FROZEN + 2)]
    flags += [(boosts > 0).any(axis=2), (boosts < 0).any(axis=2), (columns["modified"] >= 999).any(axis=2)]
    flags += [4 * columns["hp"][lead] <= columns["stats"][lead][..., 0], columns["rested"][lead] > 0]
    found = np.stack(flags, axis=2)
    return np.pad(found, ((0, 0), (0, 0), (0, _EFFECTS - found.shape[2])))


def _is_move() -> NDArray[np.float64]:
    return (np.arange(ACTIONS) < SLOTS).astype(np.float64)


def all_policies() -> Mapping[str, Policy]:
    """New ones, for those that count."""
    return {"uniform": uniform, "attacking": attacking, "greedy": greedy, "exhaustive": Exhaustive()}


def attack(obs: NDArray[np.float32], rng: np.random.Generator, legal: Mask) -> int:
    """For one player, from what it observes: a move, rather one that is expected to do more damage."""
    from envwright.envs.pokemon.observation import INDEX  # needs JAX, which the others do not

    worth = rng.random(ACTIONS) * 0.3
    worth[:SLOTS] += 1.0 + np.array([obs[INDEX[f"move{i}.damage"]] for i in range(SLOTS)])
    return int(np.where(legal, worth, -np.inf).argmax())
