"""Looking at the table: which Pokemon are where, what matches, what energy pays for."""

from collections.abc import Mapping, Sequence
from typing import Any

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    BENCH,
    CARDS,
    ENERGIES,
    IN_DISCARD,
    IN_HAND,
    PARALYZED,
    PLACES,
    PLAYERS,
)
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import TYPES, Ability, Card, Op

Spot = tuple[int, int]  # player and place
ZONES = {"active": (0,), "bench": BENCH, "any": range(PLACES)}


def top(s: PocketState, player: int, place: int) -> Card | None:
    """The top card of a place, which says what the Pokemon is; None if nobody is there."""
    cards = [k for k in s.stack[player][place] if k]
    return tables.card(s.cards[player][cards[-1] - 1]) if cards else None


def pokemon(s: PocketState, player: int, place: int) -> Card:
    """The top card of a place where there is a Pokemon."""
    card = top(s, player, place)
    if card is None:
        raise ValueError(f"Player {player} has no Pokemon at place {place}.")
    return card


def occupied(s: PocketState, player: int, zone: str = "any") -> list[int]:
    """The places of a zone with a Pokemon, ascending."""
    return [place for place in ZONES[zone] if any(s.stack[player][place])]


def team(s: PocketState, player: int) -> list[Card]:
    """The Pokemon of a player."""
    return [pokemon(s, player, place) for place in occupied(s, player)]


def free_bench(s: PocketState, player: int) -> list[int]:
    return [place for place in BENCH if not any(s.stack[player][place])]


def side(player: int, name: str) -> int:
    """`own` or `opponent` of a player."""
    return player if name == "own" else 1 - player


def card_matches(card: Card, wanted: Mapping[str, Any]) -> bool:
    """A card outside of play against a filter: fossils are no Pokemon there (R4.7)."""
    return (
        ("kind" not in wanted or card.kind == wanted["kind"])
        and ("type" not in wanted or card.type == TYPES.index(wanted["type"]))
        and ("stage" not in wanted or card.stage == wanted["stage"])
        and ("names" not in wanted or card.name in wanted["names"])
    )


def matches(s: PocketState, player: int, place: int, wanted: Mapping[str, Any]) -> bool:
    """A Pokemon in play against a filter."""
    card = pokemon(s, player, place)
    in_play = {name: value for name, value in wanted.items() if name not in ("kind", "damaged")}
    return card_matches(card, in_play) and (not wanted.get("damaged") or s.damage[player][place] > 0)


def spots(s: PocketState, player: int, target: Mapping[str, Any]) -> list[Spot]:
    """The Pokemon that a target of `player` means: own ones first, by place."""
    sides = (player, 1 - player) if target["side"] == "both" else (side(player, target["side"]),)
    return [
        (whose, place)
        for whose in sides
        for place in occupied(s, whose, target["zone"])
        if matches(s, whose, place, target.get("filter", {}))
    ]


def hand(s: PocketState, player: int) -> list[int]:
    """The cards k in a hand, ascending."""
    return [k for k in range(CARDS) if s.where[player][k] == IN_HAND]


def deck(s: PocketState, player: int) -> list[int]:
    """The cards k of a deck, from bottom to top."""
    return [k - 1 for k in s.deck[player] if k]


def any_has(s: PocketState, player: int, op: str) -> bool:
    """Whether a Pokemon of the player has this passive ability and is where it works."""
    return any(_has(pokemon(s, player, place), place, op) for place in occupied(s, player))


def active_has(s: PocketState, player: int, op: str) -> bool:
    card = top(s, player, 0)
    return card is not None and _has(card, 0, op)


def _has(card: Card, place: int, op: str) -> bool:
    return card.has(op) and (place == 0 or not _ability(card).active_only)


def _ability(card: Card) -> Ability:
    assert card.ability is not None
    return card.ability


def cannot_move(s: PocketState, player: int) -> bool:
    """R5.1, R4.12: asleep and paralyzed Pokemon neither attack nor retreat."""
    return s.condition[player] in (ASLEEP, PARALYZED)


def at_zero_hp(s: PocketState, player: int, place: int) -> bool:
    return s.damage[player][place] >= pokemon(s, player, place).hp


# ---- energy (R6.2, R6.3) ----


def worth(s: PocketState, player: int, place: int, type: int) -> int:
    """What a unit of a type counts for on a Pokemon."""
    for holder in range(PLACES):
        card = top(s, player, holder)
        if card is not None and card.has("double_energy"):
            op = next(op for op in _ability(card).effect if op["op"] == "double_energy")
            if TYPES.index(op["type"]) == type and matches(s, player, place, op["filter"]):
                return 2  # not cumulative
    return 1


def effective(s: PocketState, player: int, place: int) -> list[int]:
    """Effective energy by type."""
    return [s.energy[player][place][type] * worth(s, player, place, type) for type in range(ENERGIES)]


def pays(energy: Sequence[int], cost: Sequence[int]) -> bool:
    """Whether effective energy pays a cost, by type and then colorless."""
    return all(have >= need for have, need in zip(energy, cost, strict=False)) and sum(energy) >= sum(cost)


# ---- what Trainers and abilities require ----


def required(s: PocketState, player: int, conditions: Sequence[Op]) -> bool:
    return all(_REQUIRES[condition["cond"]](s, player, condition) for condition in conditions)


def _in_play(s: PocketState, player: int, condition: Op) -> bool:
    return len(spots(s, player, condition)) >= condition["min"]


def _energy_on(s: PocketState, player: int, condition: Op) -> bool:
    type = TYPES.index(condition["type"])
    return sum(s.energy[whose][place][type] for whose, place in spots(s, player, condition)) >= condition["min"]


def _bench_free(s: PocketState, player: int, condition: Op) -> bool:
    return len(free_bench(s, side(player, condition["side"]))) >= condition["min"]


def _deck(s: PocketState, player: int, condition: Op) -> bool:
    return len(deck(s, side(player, condition["side"]))) >= condition["min"]


def _discard_has(s: PocketState, player: int, condition: Op) -> bool:
    return len(discarded(s, side(player, condition["side"]), condition["filter"])) >= condition["min"]


_REQUIRES = {
    "in_play": _in_play,
    "energy_on": _energy_on,
    "bench_free": _bench_free,
    "deck": _deck,
    "discard_has": _discard_has,
}


def discarded(s: PocketState, player: int, wanted: Mapping[str, Any]) -> list[int]:
    """Cards k in a discard pile that match, ascending."""
    pile = [k for k in range(CARDS) if s.where[player][k] == IN_DISCARD]
    return [k for k in pile if card_matches(tables.card(s.cards[player][k]), wanted)]


def everybody(s: PocketState) -> list[Spot]:
    """All Pokemon in play."""
    return [(player, place) for player in range(PLAYERS) for place in occupied(s, player)]
