"""Decks: what a legal one is (spec.md R2.1), published ones, random ones over all cards."""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.tables import BY_ID, ENERGIES, Attack, Card

SIZE, COPIES, MOST_TYPES = 20, 2, 3
PUBLISHED, RANDOM, ALL, TRAIN, HELD_OUT = "published", "random", "all", "train", "held_out"
ALIKE = 6  # Pokemon in common from which on two published decks count as one
HELD = 3  # of so many kinds of published decks one is held out
RANDOM_DECKS = 1024  # in the pool of that name
LINES = 2, 5  # further lines of evolution in a random deck, below the second; then Trainers and Basic Pokemon
ANY, TRAINERS = 0.2, 0.7  # shares: of lines that the energy need not pay for, of Trainers in the rest


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
        if bad := [id for id, n in counts.items() if not isinstance(n, int) or n < 1]:
            raise DeckError(f"There are {counts[bad[0]]!r} cards '{bad[0]}'; how many there are is a whole number.")
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
    """The decks to draw from: `published`, `random`, `all` of both, the part of `published` that policies learn with,
    `train`, and that they are tried with, `held_out`, a list of decks, or of dicts with `cards` and `energy`, or a
    .json file of it."""
    if isinstance(decks, str) and decks in POOLS:
        return POOLS[decks]()
    if isinstance(decks, str):
        decks = _read(Path(decks))
    if not isinstance(decks, Iterable) or isinstance(decks, Mapping):
        raise DeckError(f"Decks are {', '.join(POOLS)}, a .json file, or a list of decks, not {decks!r}.")
    found = tuple(_listed(number, deck) for number, deck in enumerate(decks, 1))
    if not found:
        raise DeckError("A pool of decks has at least one deck.")
    return found


def _listed(number: int, deck: Any) -> Deck:
    """A deck of a list, checked; what is wrong with it says which one it is."""
    try:
        if isinstance(deck, Deck):
            deck.check()
            return deck
        if not isinstance(deck, Mapping) or not {"cards", "energy"} <= set(deck):
            raise DeckError(
                f"A deck has 'cards', such as {{'A1-001': 2}}, and 'energy', such as ['grass'], not {deck!r}."
            )
        return Deck.of(deck["cards"], deck["energy"])
    except DeckError as error:
        raise DeckError(f"Deck {number}: {error}") from None


def _read(path: Path) -> Any:
    """The list of decks in a file."""
    if path.suffix != ".json":
        raise DeckError(f"There are no decks '{path}'; give {', '.join(POOLS)}, a .json file, or a list of decks.")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DeckError(f"The decks in {path} cannot be read: {error}.") from None
    if not isinstance(found, list):
        raise DeckError(f"{path} should hold a list of decks, but it holds a {type(found).__name__}.")
    return found


@functools.cache
def published() -> tuple[Deck, ...]:
    """The decks of tables/decks.json."""
    return tuple(Deck.of(row["cards"], row["energy"]) for row in tables.PUBLISHED)


@functools.cache
def train() -> tuple[Deck, ...]:
    """The published decks that are not held out."""
    return tuple(deck for deck in published() if deck not in held_out())


@functools.cache
def held_out() -> tuple[Deck, ...]:
    """Published decks of kinds that `train` has none of: every third kind, in the order of tables/decks.json."""
    return tuple(deck for kind in _kinds(published())[HELD - 1 :: HELD] for deck in kind)


def _kinds(decks: Sequence[Deck]) -> list[list[Deck]]:
    """Decks that share many Pokemon, and those that share many with one of these, together."""
    kinds: list[list[Deck]] = []
    for deck in decks:
        near = [kind for kind in kinds if any(_in_common(deck, other) >= ALIKE for other in kind)]
        kinds = [kind for kind in kinds if kind not in near]
        kinds.append([*(other for kind in near for other in kind), deck])
    return sorted(kinds, key=lambda kind: min(decks.index(deck) for deck in kind))


def _in_common(one: Deck, other: Deck) -> int:
    """How many Pokemon two decks have in common, by name."""
    return (_pokemon(one) & _pokemon(other)).total()


def _pokemon(deck: Deck) -> Counter[str]:
    cards = [tables.card(number) for number in deck.cards]
    return Counter(card.name for card in cards if card.kind == "pokemon")


@functools.cache
def random_pool(size: int = RANDOM_DECKS, seed: int = 0) -> tuple[Deck, ...]:
    """Random legal decks, always the same for a seed."""
    rng = np.random.default_rng(seed)
    return tuple(random_deck(rng) for _ in range(size))


def random_deck(rng: np.random.Generator) -> Deck:
    """A deck around some Pokemon. Any card may be in it, most can be used: evolutions come with what they evolve from,
    Pokemon with energy that pays for an attack, cards that ask for others by name with one of these."""
    every = [card for card in tables.CARDS if card]
    main = [card for card in every if card.attacks][int(rng.integers(sum(bool(card.attacks) for card in every)))]
    types = _types(main, rng)
    fitting = [card for card in every if card.attacks and any(_payable(attack, types) for attack in card.attacks)]
    trainers = [card for card in every if card.kind in ("item", "supporter")]
    deck = _Making(rng)
    deck.add_line(main)
    for _ in range(int(rng.integers(*LINES))):
        wanted = every if rng.random() < ANY else fitting
        deck.add_line(wanted[int(rng.integers(len(wanted)))])
    while len(deck.cards) < SIZE:
        wanted = trainers if rng.random() < TRAINERS else [card for card in fitting if card.basic]
        deck.add_line(wanted[int(rng.integers(len(wanted)))])
    found = Deck(tuple(sorted(deck.cards)), tuple(types))
    return found if found.basics else random_deck(rng)


def _types(main: Card, rng: np.random.Generator) -> list[int]:
    """Types that pay for the attacks of a Pokemon, and perhaps others."""
    types = {type for attack in main.attacks for type, units in enumerate(attack.cost[: len(ENERGIES)]) if units}
    number = max(len(types), int(rng.integers(1, MOST_TYPES + 1)))
    for type in rng.permutation(len(ENERGIES)):
        if len(types) < number:
            types.add(int(type))
    return sorted(types)


class _Making:
    """A deck that grows."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.cards, self.names = rng, list[int](), Counter[str]()

    def add_line(self, card: Card) -> None:
        """A card, what it evolves from, and what it asks for by name, once or twice, as far as there is room."""
        for _ in range(int(self.rng.integers(1, COPIES + 1))):
            self._add(self._line(card))
        asked = sorted(_names_in((card.requires, card.effect, [attack.effect for attack in card.attacks])))
        if asked and not any(self.names[name] for name in asked):
            self._add(self._line(self._named(asked[int(self.rng.integers(len(asked)))])))

    def _add(self, line: list[Card]) -> None:
        if len(self.cards) + len(line) <= SIZE and all(self.names[card.name] < COPIES for card in line):
            self.cards += [card.number for card in line]
            self.names.update(card.name for card in line)

    def _line(self, card: Card) -> list[Card]:
        line = [card]
        while line[0].evolves_from:
            line.insert(0, self._named(line[0].evolves_from))
        return line

    def _named(self, name: str) -> Card:
        """Any card of that name."""
        cards = [card for card in tables.CARDS if card and card.name == name]
        return cards[int(self.rng.integers(len(cards)))]


def _payable(attack: Attack, types: Sequence[int]) -> bool:
    return all(type in types for type, units in enumerate(attack.cost[: len(ENERGIES)]) if units)


def _names_in(effects: Any) -> set[str]:
    """The names that filters ask for, anywhere in operations and conditions."""
    if isinstance(effects, Mapping):
        found = set(effects["names"]) if "names" in effects else set()
        return found.union(*map(_names_in, effects.values()))
    return set().union(*map(_names_in, effects)) if isinstance(effects, list | tuple) else set()


def every() -> tuple[Deck, ...]:
    """Published and random ones."""
    return published() + random_pool()


POOLS = {PUBLISHED: published, RANDOM: random_pool, ALL: every, TRAIN: train, HELD_OUT: held_out}
