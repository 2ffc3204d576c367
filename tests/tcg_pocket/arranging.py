"""Positions made by hand, with dice that fall as the test says."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envwright.envs import tcg_pocket
from envwright.envs.tcg_pocket.layout import IN_DECK, IN_DISCARD, IN_HAND, IN_PLAY, MAIN, PLAY, USE_ABILITY, USE_ATTACK
from envwright.envs.tcg_pocket.reference import flow
from envwright.envs.tcg_pocket.reference.dice import WORDS, Dice
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.tables import BY_ID, CARDS, ENERGIES, Card

SPEC = Path(tcg_pocket.__file__).with_name("spec.md").read_text()
RULES = re.findall(r"^- \*\*(R\d+\.\d+)\*\*", SPEC, re.MULTILINE)
FILLER = "P-A-001"  # Potion: fills up a deck list, in the discard pile, where nothing looks for it
VINE_WHIP = ("A1-001", "Vine Whip")  # 40 for grass and colorless
WALL = "A1-185"  # Dragonite: 160 HP, no weakness, no ability

# Fields that count ends of turn.
LASTING = ("no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left", "lock_left")
LASTING += ("dealt_less_left", "taken_less_left", "guard_left")


def exercises(*rules: str) -> Any:
    """Marks a test with the rules of spec.md that it exercises."""
    for rule in rules:
        assert rule in RULES, f"spec.md has no {rule}"

    def mark(test: Any) -> Any:
        return test

    return mark


class Loaded(Dice):
    """Dice that give the words they were loaded with. Energy is the first type, shuffles change nothing; whatever else
    is drawn must have been loaded."""

    def __init__(self, **words: Any) -> None:
        super().__init__(0)
        self.words = {"zone": 0, "keys": list(range(20)), **words}
        self.drawn: list[str] = []

    def give(self, kind: str) -> Any:
        self.drawn.append(kind)
        assert kind in self.words, f"{kind} is drawn, but was not loaded"
        return self.words[kind]

    def smokescreen(self) -> Any:
        return self.give("smokescreen")

    def coins(self) -> Any:
        return self.give("coins")

    def targets(self) -> Any:
        return self.give("targets")

    def pick(self) -> Any:
        return self.give("pick")

    def keys(self) -> Any:
        return self.give("keys")

    def wake(self) -> Any:
        return self.give("wake")

    def zone(self) -> Any:
        return self.give("zone")


def flips(coins: str) -> int:
    """A word whose first coins are these, H or T; all others are tails."""
    return sum(1 << number for number, coin in enumerate(coins) if coin == "H")


def one_of(index: int, n: int) -> int:
    """A word that chooses this index among n."""
    return -(-index * WORDS // n)


def number(id: str) -> int:
    return BY_ID[id].number


def every_card() -> list[Card]:
    return [card for card in CARDS if card]


def stack_of(id: str) -> list[str]:
    """A card with one card of each stage below it."""
    ids = [id]
    while name := BY_ID[ids[0]].evolves_from:
        ids.insert(0, next(card.id for card in every_card() if card.name == name))
    return ids


def units(energy: str | Sequence[int]) -> list[int]:
    """Energy as counts by type: `grass 2 fire` or counts."""
    if not isinstance(energy, str):
        return list(energy)
    counts, words = [0] * len(ENERGIES), energy.split()
    for at, word in enumerate(words):
        if not word.isdigit():
            follows = words[at + 1] if at + 1 < len(words) else ""
            counts[ENERGIES.index(word)] += int(follows) if follows.isdigit() else 1
    return counts


def spot(id: str, energy: str | Sequence[int] = "", damage: int = 0, **marks: bool) -> dict[str, Any]:
    """A Pokemon in play, on top of what it evolves from."""
    return {"id": id, "energy": energy, "damage": damage, **marks}


def arrange(
    mine: Sequence[Any],
    theirs: Sequence[Any] = (WALL,),
    hands: Sequence[Sequence[str]] = ((), ()),
    decks: Sequence[Sequence[str]] = ((), ()),
    discards: Sequence[Sequence[str]] = ((), ()),
    dice: Mapping[str, Any] | None = None,
    flags: Mapping[str, Any] | None = None,
    **fields: Any,
) -> PocketGame:
    """Player 0 is on turn 5, in the main phase. Pokemon are ids or `spot`s, the Active first, None for an empty place;
    decks from bottom to top."""
    game = PocketGame(**(flags or {}))
    game.clear()
    game.dice = Loaded(**(dice or {}))
    for player, pokemon in enumerate((mine, theirs)):
        _lay(game, player, pokemon, hands[player], decks[player], discards[player])
    game.types, game.zone_next = [1, 1], [1, 1]
    game.turn, game.pending = 5, MAIN
    game.put(fields)
    return game


def _lay(
    game: PocketGame,
    player: int,
    pokemon: Sequence[Any],
    hand: Sequence[str],
    deck: Sequence[str],
    discard: Sequence[str],
) -> None:
    found = [spot(each) if isinstance(each, str) else each for each in pokemon]
    stacks = [stack_of(each["id"]) if each else [] for each in found]
    zones = [(IN_HAND, hand), (IN_DECK, deck), (IN_DISCARD, discard), *((IN_PLAY, stack) for stack in stacks)]
    count = sum(len(ids) for _, ids in zones)
    assert count <= 20, "more than 20 cards"
    zones.append((IN_DISCARD, [FILLER] * (20 - count)))
    cards = sorted(
        (number(id), zone, at, which) for which, (zone, ids) in enumerate(zones) for at, id in enumerate(ids)
    )
    k_of = {(which, at): k for k, (_, _, at, which) in enumerate(cards)}
    game.cards[player] = [card for card, *_ in cards]
    game.where[player] = [zone for _, zone, *_ in cards]
    game.deck[player] = [k_of[1, at] + 1 for at in range(len(deck))] + [0] * (20 - len(deck))
    for place, each in enumerate(found):
        if not each:
            continue
        stack = [k_of[3 + place, at] + 1 for at in range(len(stacks[place]))]
        game.stack[player][place] = stack + [0] * (3 - len(stack))
        game.energy[player][place] = units(each["energy"])
        game.damage[player][place] = each["damage"]
        for mark in ("new", "used"):
            getattr(game, mark)[player][place] = each.get(mark, False)


def k_in(game: PocketGame, id: str, zone: int = IN_HAND, player: int = 0) -> int:
    """The first card k of that id in a zone."""
    places = zip(game.cards[player], game.where[player], strict=True)
    return next(k for k, (card, where) in enumerate(places) if card == number(id) and where == zone)


def ids_in(game: PocketGame, zone: int, player: int = 0) -> list[str]:
    """The ids of the cards in a zone, without filler."""
    cards = [CARDS[card] for card in game.cards[player]]
    found = [card.id for card, where in zip(cards, game.where[player], strict=True) if card and where == zone]
    return [id for id in found if id != FILLER]


def deck_ids(game: PocketGame, player: int = 0) -> list[str]:
    """From bottom to top."""
    found = [CARDS[game.cards[player][k - 1]] for k in game.deck[player] if k]
    return [card.id for card in found if card]


def alone(game: PocketGame, action: int) -> None:
    """A legal action without what follows: no knock-outs, no end of turn."""
    assert action in legal(game), f"{action} is not among {legal(game)}"
    flow.take(game, action)


def whole(game: PocketGame, *actions: int) -> None:
    """Legal actions of whoever is asked, with all that follows."""
    for action in actions:
        game.check(action)
        flow.act(game, action)


def play(game: PocketGame, id: str) -> int:
    return PLAY + k_in(game, id, player=game.actor)


def cost_of(id: str, name: str) -> tuple[int, list[int]]:
    """Which attack of a card this is, and energy that pays for it exactly, with darkness for colorless."""
    card = BY_ID[id]
    index = next(index for index, attack in enumerate(card.attacks) if attack.name == name)
    energy = list(card.attacks[index].cost[: len(ENERGIES)])
    energy[ENERGIES.index("darkness")] += card.attacks[index].cost[len(ENERGIES)]
    return index, energy


def attacker(id: str, name: str, energy: str = "", damage: int = 0) -> tuple[int, dict[str, Any]]:
    """The action that uses an attack, and its user with the energy for it, and more."""
    index, cost = cost_of(id, name)
    return USE_ATTACK + index, spot(id, [a + b for a, b in zip(cost, units(energy), strict=True)], damage)


def hit(id: str, name: str, coins: str | None = None, energy: str = "", damage: int = 0, **position: Any) -> PocketGame:
    """A position after an attack alone."""
    action, user = attacker(id, name, energy, damage)
    dice = {**position.pop("dice", {}), **({"coins": flips(coins)} if coins is not None else {})}
    game = arrange([user, *position.pop("bench", ())], dice=dice, **position)
    alone(game, action)
    return game


def ability(game: PocketGame, place: int = 0) -> None:
    alone(game, USE_ABILITY + place)


def started(**options: Any) -> PocketGame:
    """A game that has just begun, of published decks."""
    game = PocketGame(**options)
    game.reset(seed=0)
    return game
