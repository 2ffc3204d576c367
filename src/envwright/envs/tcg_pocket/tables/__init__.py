"""Cards and published decks as facts. The files are made by `derive.py`; their hashes are pinned here, so that nobody
edits them by hand. A card's number is its place in the file, from 1, an attack's its place among all attacks, from 1.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SHA256 = {
    "cards.json": "f0cee9972e1d44b6ac09d7d448b01c6ffb21ac9355ef3ba3ddd6f3a90696f555",
    "decks.json": "4cfbbae73e50ddc488d34a28eb057a630302644d2f742594e9e9a3f4490240f6",
}

ENERGIES = ("grass", "fire", "water", "lightning", "psychic", "fighting", "darkness", "metal")
TYPES = (*ENERGIES, "dragon", "colorless")
BRANCHES = ("then", "if_heads", "if_tails", "if_all_heads")  # of coins: operations within an operation
FOSSIL_HP = 40

Op = Mapping[str, Any]  # an operation as the file has it; spec.md says what it does
Ops = tuple[Op, ...]


@dataclass(frozen=True)
class Attack:
    number: int
    card: int  # the card that it is printed on
    name: str
    cost: tuple[int, ...]  # units by type, ENERGIES and then colorless
    damage: int
    effect: Ops

    @property
    def total(self) -> int:
        return sum(self.cost)

    def op(self, name: str) -> Op | None:
        """The operation of that name, be it in a branch of a coin."""
        return next((op for op in walk(self.effect) if op["op"] == name), None)


@dataclass(frozen=True)
class Ability:
    name: str
    kind: str  # activated, passive, triggered
    active_only: bool
    once: bool  # a turn
    requires: Ops
    effect: Ops


@dataclass(frozen=True)
class Card:
    number: int
    id: str
    printings: tuple[str, ...]
    name: str
    kind: str  # pokemon, item, supporter, fossil
    type: int = -1  # of TYPES; of a fossil that it has in play; -1: an Item or Supporter
    stage: int = 0
    evolves_from: str = ""
    hp: int = 0
    weakness: int = -1  # of TYPES; -1: none
    retreat: int = 0
    ex: bool = False
    attacks: tuple[Attack, ...] = ()
    ability: Ability | None = None
    requires: Ops = ()  # of a Trainer
    effect: Ops = ()

    @property
    def basic(self) -> bool:
        """Whether this is a Basic Pokemon wherever it is."""
        return self.kind == "pokemon" and self.stage == 0

    @property
    def evolution(self) -> bool:
        return self.kind == "pokemon" and self.stage > 0

    def has(self, op: str) -> bool:
        """Whether its passive or triggered ability has that operation."""
        return (
            self.ability is not None
            and self.ability.kind != "activated"
            and any(each["op"] == op for each in self.ability.effect)
        )


def walk(ops: Sequence[Op]) -> Iterator[Op]:
    """Operations and those in their branches."""
    for op in ops:
        yield op
        for branch in BRANCHES:
            yield from walk(op.get(branch, ()))


def _rows(name: str) -> tuple[Mapping[str, Any], list[dict[str, Any]]]:
    text = (FOLDER / name).read_bytes()
    if hashlib.sha256(text).hexdigest() != SHA256[name]:
        raise ImportError(f"{name} is not what `python -m {__name__}.derive` made; restore it, or pin its new hash.")
    data = json.loads(text)
    return data["provenance"], data["rows"]


def _ability(fact: Mapping[str, Any] | None) -> Ability | None:
    if fact is None:
        return None
    active, once = fact["where"] == "active", fact["limit"] == "once_per_turn"
    return Ability(fact["name"], fact["kind"], active, once, tuple(fact["requires"]), tuple(fact["effect"]))


def _cards(facts: Sequence[Mapping[str, Any]]) -> Iterator[Card]:
    attacks = 0
    for number, fact in enumerate(facts, 1):
        found = []
        for attack in fact["attacks"]:
            attacks += 1
            cost = tuple(attack["cost"].count(type) for type in (*ENERGIES, "colorless"))
            found.append(Attack(attacks, number, attack["name"], cost, attack["damage"], tuple(attack["effect"])))
        trainer = fact.get("trainer", {"requires": (), "effect": ()})
        fossil = fact["kind"] == "fossil"
        yield Card(
            number=number,
            id=fact["id"],
            printings=tuple(fact["printings"]),
            name=fact["name"],
            kind=fact["kind"],
            type=TYPES.index(fact["type"]) if "type" in fact else -1,
            stage=fact.get("stage", 0),
            evolves_from=fact.get("evolves_from", ""),
            hp=FOSSIL_HP if fossil else fact.get("hp", 0),
            weakness=TYPES.index(fact["weakness"]) if "weakness" in fact else -1,
            retreat=fact.get("retreat", 0),
            ex=fact["is_ex"],
            attacks=tuple(found),
            ability=_ability(fact.get("ability")),
            requires=tuple(trainer["requires"]),
            effect=tuple(trainer["effect"]),
        )


PROVENANCE, _facts = _rows("cards.json")
CARDS: tuple[Card | None, ...] = (None, *_cards(_facts))  # by number; 0 is none
ATTACKS: tuple[Attack | None, ...] = (None, *(attack for card in CARDS if card for attack in card.attacks))
BY_ID = {printing: card for card in CARDS if card for printing in card.printings}
PUBLISHED: list[dict[str, Any]] = _rows("decks.json")[1]


def card(number: int) -> Card:
    """The card of a number."""
    found = CARDS[number]
    if found is None:
        raise ValueError("Number 0 is no card.")
    return found


def attack(number: int) -> Attack:
    """The attack of a number."""
    found = ATTACKS[number]
    if found is None:
        raise ValueError("Number 0 is no attack.")
    return found
