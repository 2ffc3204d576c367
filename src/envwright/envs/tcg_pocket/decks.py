"""Decks: what a legal one is (spec.md R2.1), published ones, random ones over all cards."""

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.tables import BY_ID, ENERGIES, Card

SIZE, COPIES, MOST_TYPES = 20, 2, 3
PUBLISHED, RANDOM = "published", "random"
RANDOM_DECKS = 1024  # in the pool of that name
CLOSEST = 3  # lines of evolution in a random deck, at most; the rest is single Basics and Trainers


class DeckError(EnvwrightError, ValueError):
    """A deck is not legal; names the card and the rule."""


@dataclass(frozen=True)
class Deck:
    """20 cards by number, ascending, and the types of its energy zone, ascending."""

    cards: tuple[int, ...]
    types: tuple[int, ...]

    @classmethod
    def of(cls, cards: Mapping[str, int] | Sequence[str], energy: Sequence[str]) -> "Deck":
        """A deck of ids, with counts or one by one, and of names of types."""
        counts = cards if isinstance(cards, Mapping) else Counter(cards)
        if unknown := [id for id in counts if id not in BY_ID]:
            raise DeckError(f"There is no card '{unknown[0]}'; ids are as in A1-001, A1a-001 and P-A-001.")
        if wrong := [type for type in energy if type not in ENERGIES]:
            raise DeckError(f"A deck's energy cannot be '{wrong[0]}'; it is one of {', '.join(ENERGIES)}.")
        numbers = sorted(BY_ID[id].number for id, n in counts.items() for _ in range(n))
        deck = cls(tuple(numbers), tuple(sorted(ENERGIES.index(type) for type in energy)))
        deck.check()
        return deck

    @property
    def basics(self) -> list[int]:
        """Places k of its Basic Pokemon."""
        return [k for k, number in enumerate(self.cards) if tables.card(number).basic]

    def check(self) -> None:
        """R2.1: refuses what is not legal."""
        if len(self.cards) != SIZE:
            raise DeckError(f"A deck has {SIZE} cards, but this one has {len(self.cards)} (R2.1).")
        names = Counter(tables.card(number).name for number in self.cards)
        name, n = names.most_common(1)[0]
        if n > COPIES:
            raise DeckError(f"A deck has at most {COPIES} cards named {name}, but this one has {n} (R2.1).")
        if not self.basics:
            raise DeckError("A deck has at least one Basic Pokemon, but this one has none; fossils are not (R2.1).")
        if not 1 <= len(self.types) <= MOST_TYPES or len(set(self.types)) != len(self.types):
            raise DeckError(
                f"A deck has 1 to {MOST_TYPES} different types of energy, but this one has {self.types} (R2.1)."
            )


def pool(decks: str | Iterable[Deck | Mapping[str, Any]]) -> tuple[Deck, ...]:
    """The decks to draw from: `published`, `random`, or a list of decks, or of dicts with `cards` and `energy`."""
    if decks == PUBLISHED:
        return published()
    if decks == RANDOM:
        return random_pool()
    if isinstance(decks, str):
        raise DeckError(f"There are no decks '{decks}'; give '{PUBLISHED}', '{RANDOM}', or a list of decks.")
    found = tuple(deck if isinstance(deck, Deck) else Deck.of(deck["cards"], deck["energy"]) for deck in decks)
    if not found:
        raise DeckError("A pool of decks has at least one deck.")
    for deck in found:
        deck.check()
    return found


@functools.cache
def published() -> tuple[Deck, ...]:
    """The decks of tables/decks.json."""
    return tuple(Deck.of(row["cards"], row["energy"]) for row in tables.PUBLISHED)


@functools.cache
def random_pool(size: int = RANDOM_DECKS, seed: int = 0) -> tuple[Deck, ...]:
    """Random legal decks, always the same for a seed."""
    rng = np.random.default_rng(seed)
    return tuple(random_deck(rng) for _ in range(size))


def random_deck(rng: np.random.Generator) -> Deck:
    """Any card may be in it; evolutions come with what they evolve from, so that they can be played, and the energy is
    that of the attacks."""
    counts: Counter[int] = Counter()
    names: Counter[str] = Counter()

    def add(card: Card) -> None:
        if names[card.name] < COPIES and counts.total() < SIZE:
            counts[card.number] += 1
            names[card.name] += 1

    every = [card for card in tables.CARDS if card]
    for _ in range(int(rng.integers(1, CLOSEST + 1))):
        line = _line(every[int(rng.integers(len(every)))], rng)
        for _ in range(int(rng.integers(1, COPIES + 1))):
            if counts.total() + len(line) <= SIZE:
                for card in line:
                    add(card)
    while counts.total() < SIZE:
        card = every[int(rng.integers(len(every)))]
        if not card.evolution or names[card.evolves_from]:
            add(card)
    if not any(tables.card(number).basic for number in counts):
        return random_deck(rng)
    return Deck(tuple(sorted(counts.elements())), _types(counts, rng))


def _line(card: Card, rng: np.random.Generator) -> list[Card]:
    """A card and, before it, one of each stage that it evolves from."""
    line = [card]
    while line[0].evolves_from:
        below = [other for other in tables.CARDS if other and other.name == line[0].evolves_from]
        line.insert(0, below[int(rng.integers(len(below)))])
    return line


def _types(counts: Counter[int], rng: np.random.Generator) -> tuple[int, ...]:
    """Up to three types, drawn by how many units of each the attacks of the deck cost."""
    weights = np.zeros(len(ENERGIES), int)
    for number, n in counts.items():
        for attack in tables.card(number).attacks:
            weights += n * np.array(attack.cost[: len(ENERGIES)])
    found: list[int] = []
    for _ in range(int(rng.integers(1, MOST_TYPES + 1))):
        units = np.repeat(np.arange(len(ENERGIES)), weights)
        if not units.size:
            break
        found.append(int(units[int(rng.integers(units.size))]))
        weights[found[-1]] = 0
    return tuple(sorted(found)) or (int(rng.integers(len(ENERGIES))),)
