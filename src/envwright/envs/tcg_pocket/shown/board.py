"""The table of a state in words and numbers, for whoever shows it. States are NumPy."""

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import ASLEEP, IN_DECK, IN_DISCARD, IN_HAND, PARALYZED, PLACES
from envwright.envs.tcg_pocket.state import State
from envwright.envs.tcg_pocket.tables import ENERGIES, TYPES, Attack, Card


@dataclass(frozen=True)
class Standing:
    """A Pokemon in play."""

    base: int  # place k of its lowest card, by which it is followed
    card: Card
    below: tuple[Card, ...]
    hp: int  # left
    energy: tuple[int, ...]  # units by type
    conditions: tuple[str, ...]


def as_numpy(state: Any) -> State:
    """A state whose fields can be read one by one without the device."""
    return jax.tree.map(np.asarray, state)


def standing(state: State, player: int, place: int) -> Standing | None:
    """Who is at a place; None if nobody is."""
    ks = [int(k) - 1 for k in state.stack[player, place] if int(k)]
    if not ks:
        return None
    cards = [tables.card(int(state.cards[player, k])) for k in ks]
    damage = int(state.damage[player, place])
    units = tuple(int(n) for n in state.energy[player, place])
    conditions = _conditions(state, player) if place == 0 else ()
    return Standing(ks[0], cards[-1], tuple(cards[:-1]), max(0, cards[-1].hp - damage), units, conditions)


def in_play(state: State, player: int) -> list[Standing | None]:
    return [standing(state, player, place) for place in range(PLACES)]


def _conditions(state: State, player: int) -> tuple[str, ...]:
    found = {ASLEEP: ["asleep"], PARALYZED: ["paralyzed"]}.get(int(state.condition[player]), [])
    found = found + ["poisoned"] * bool(state.poisoned[player])
    for name, words in {
        "no_attack_left": "cannot attack", "no_retreat_left": "cannot retreat", "prevent_left": "protected",
        "needs_coin_left": "needs a coin",
    }.items():  # fmt: skip
        found = found + [words] * bool(getattr(state, name)[player])
    if int(state.dealt_less[player]):
        found = [*found, f"deals -{int(state.dealt_less[player])}"]
    if int(state.taken_less[player]):
        found = [*found, f"takes -{int(state.taken_less[player])}"]
    return tuple(found)


def cards_at(state: State, player: int, where: int) -> list[Card]:
    """Cards in hand, deck or discard pile, in order of their numbers."""
    return [
        tables.card(int(number))
        for number, at in zip(state.cards[player], state.where[player], strict=True)
        if int(at) == where
    ]


def hand(state: State, player: int) -> list[Card]:
    return cards_at(state, player, IN_HAND)


def discard(state: State, player: int) -> list[Card]:
    return cards_at(state, player, IN_DISCARD)


def deck_size(state: State, player: int) -> int:
    return int((state.where[player] == IN_DECK).sum())


def zone(number: Any) -> str:
    """The type of an energy in the zone; empty if there is none."""
    return ENERGIES[int(number) - 1] if int(number) else ""


def cost(attack: Attack) -> list[str]:
    """The types of the units that an attack costs."""
    return [type for type, units in zip((*ENERGIES, "colorless"), attack.cost, strict=True) for _ in range(units)]


def type_of(card: Card) -> str:
    return TYPES[card.type] if card.type >= 0 else ""
