"""Who plays while games of the reference are recorded; each leaves something out that another one seeks.

A policy is given columns of the states of some games, their masks, and random numbers; it gives an action for each
player. NumPy throughout: it plays beside the reference, not in JAX.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import (
    ACTIONS,
    CARDS,
    COPY_OF,
    DISCARD,
    ENERGIZE,
    PASS,
    PLACES,
    PLAY,
    RETREAT_TO,
    USE_ABILITY,
    USE_ATTACK,
)

Columns = Mapping[str, NDArray[np.generic]]
Mask = NDArray[np.bool_]
Policy = Callable[[Columns, Mask, np.random.Generator], NDArray[np.int32]]

KEEPS = 0.9  # how often an action is taken among those that lead somewhere
RETREATS = 0.04  # how often a Pokemon retreats all the same: who does so as often as else never has energy for attacks
SEEKS = 0.8  # how often the seeking one takes what is rarest

_NUMBERS = np.arange(ACTIONS)
_RETREAT = (_NUMBERS >= RETREAT_TO) & (_NUMBERS < USE_ABILITY)
_ATTACK = (_NUMBERS >= USE_ATTACK) & (_NUMBERS < DISCARD)
_ENERGIZE = (_NUMBERS >= ENERGIZE) & (_NUMBERS < RETREAT_TO)
_OTHERS = ~(_RETREAT | _ATTACK | (_NUMBERS == PASS))  # what keeps a turn going

_MANY = len(tables.CARDS)
_FIRST_ATTACK = np.array([card.attacks[0].number if card and card.attacks else 0 for card in tables.CARDS])
_NAMED = 2 * _MANY + len(tables.ATTACKS) + 1  # cards played, cards whose abilities are used, attacks


def uniform(columns: Columns, legal: Mask, rng: np.random.Generator) -> NDArray[np.int32]:
    """Any legal action."""
    del columns
    return _best(rng.random(legal.shape), legal)


def eager(columns: Columns, legal: Mask, rng: np.random.Generator) -> NDArray[np.int32]:
    """Mostly an action that leads somewhere: energy to the Active, what does not end the turn, an attack."""
    del columns
    return _best(rng.random(legal.shape) + _urge(legal, rng), legal)


class Seeking:
    """Eager, and among what keeps a turn going, and among attacks, what was used least so far."""

    def __init__(self) -> None:
        self.times = np.zeros(_NAMED, np.int64)

    def __call__(self, columns: Columns, legal: Mask, rng: np.random.Generator) -> NDArray[np.int32]:
        named = what_is_named(columns)
        rare = np.where(named > 0, 1.0 / (2.0 + self.times[named]), 0.3 * rng.random(named.shape))
        seeks = rng.random(legal.shape[:2])[..., None] < SEEKS
        chosen = _best(np.where(seeks, rare, rng.random(legal.shape)) + _urge(legal, rng), legal)
        np.add.at(self.times, np.take_along_axis(named, chosen[..., None], axis=2), 1)
        return chosen


def all_policies() -> Mapping[str, Policy]:
    """New ones, for those that count."""
    return {"uniform": uniform, "eager": eager, "seeking": Seeking()}


def _urge(legal: Mask, rng: np.random.Generator) -> NDArray[np.float64]:
    """More than 1 for the first of these kinds that is legal, each with some chance to be passed over."""
    left = np.ones(legal.shape[:2], bool)
    found = np.zeros(legal.shape)
    to_active = _NUMBERS == ENERGIZE
    for kind, keeps in ((_RETREAT, RETREATS), (to_active, KEEPS), (_OTHERS, KEEPS), (_ATTACK, KEEPS)):
        takes = left & (legal & kind).any(axis=2) & (rng.random(left.shape) < keeps)
        found += 2.0 * (takes[..., None] & kind)
        left &= ~takes
    return found


def what_is_named(columns: Columns) -> NDArray[np.int64]:
    """A number for what each action would use, (games, 2, actions): a card, an ability or an attack; 0: nothing."""
    cards = columns["cards"].astype(np.int64)  # (games, 2, 20)
    tops = top_cards(cards, columns["stack"].astype(np.int64))
    found = np.zeros((*cards.shape[:2], ACTIONS), np.int64)
    found[..., PLAY : PLAY + CARDS] = cards
    found[..., USE_ABILITY : USE_ABILITY + PLACES] = _MANY + tops
    attacks = _FIRST_ATTACK[tops[..., :1]]
    found[..., USE_ATTACK : USE_ATTACK + 2] = np.where(attacks > 0, 2 * _MANY + attacks + np.arange(2), 0)
    copied = _FIRST_ATTACK[tops[:, ::-1]].repeat(2, axis=2)
    found[..., COPY_OF:] = np.where(copied > 0, 2 * _MANY + copied + np.tile(np.arange(2), PLACES), 0)
    return found


def top_cards(cards: NDArray[np.int64], stack: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the top card at each place, (games, 2, places); 0: nobody."""
    height = (stack > 0).sum(axis=3)
    k = np.take_along_axis(stack, np.maximum(height - 1, 0)[..., None], axis=3)[..., 0]
    number = np.take_along_axis(cards, np.maximum(k - 1, 0), axis=2)
    return np.where(k > 0, number, 0)


def _best(worth: NDArray[np.float64], legal: Mask) -> NDArray[np.int32]:
    """The legal action that is worth most."""
    return np.where(legal, worth, -np.inf).argmax(axis=2).astype(np.int32)
