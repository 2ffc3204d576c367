"""For every card a position in which it is used, made from what the card asks for; and what the reference does then."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from arranging import WALL, arrange, cost_of, every_card, k_in, spot

from envwright.envs.tcg_pocket.layout import DISCARD as DISCARD_AT
from envwright.envs.tcg_pocket.layout import (
    ENERGIES,
    MAIN,
    OVER,
    PLAY,
    USE_ABILITY,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference import flow
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.reference.tape import TapedDice
from envwright.envs.tcg_pocket.tables import TYPES, Card

Fields = dict[str, Any]
RICH = [2] * ENERGIES
COINS = 4  # how often an attack that flips coins is used
CHOICES = 8  # most that an action is followed by
HAND, DECK, DISCARD = ["A1-001", "P-A-005"], ["A1-120", "A1-002", "A1-001", "P-A-001", "A1-121"], ["A1-001", "A1-033"]


class Taken(NamedTuple):
    """A step of the reference."""

    card: str
    before: Fields
    action: int
    draws: Mapping[str, Any]
    after: PocketGame  # a copy, as it is then


def fixtures(card: Card) -> Iterator[tuple[PocketGame, int]]:
    """Positions, and the action that uses the card: each of its attacks, its ability, and how it comes into play."""
    if card.kind == "pokemon":
        for attack in card.attacks:
            index, cost = cost_of(card.id, attack.name)
            energy = [a + b for a, b in zip(cost, RICH, strict=True)]
            for seed in range(COINS if attack.op("coin_flips") else 1):
                yield _position([spot(card.id, energy, 10)], seed=seed), USE_ATTACK + index
        yield from _into_play(card)
        if card.ability:
            yield from _ability(card)
    elif card.kind == "fossil":
        yield from _into_play(card)
        yield _position([spot(WALL, RICH), card.id]), DISCARD_AT + 1
    else:
        game = _position(_asked_for(card.requires, card.effect), hand=[card.id])
        yield game, PLAY + k_in(game, card.id)


def _into_play(card: Card) -> Iterator[tuple[PocketGame, int]]:
    """From the hand: onto the Bench, or onto what it evolves from."""
    mine: list[Any] = [spot(WALL, RICH)]
    if card.evolves_from:
        mine = [spot(next(lower.id for lower in every_card() if lower.name == card.evolves_from), "grass", 10)]
    game = _position(mine, hand=[card.id])
    yield game, PLAY + k_in(game, card.id)


def _ability(card: Card) -> Iterator[tuple[PocketGame, int]]:
    assert card.ability is not None
    if card.ability.kind == "activated":
        active, *bench = _asked_for(card.ability.requires, card.ability.effect)
        if card.ability.active_only:
            yield _position([spot(card.id, RICH, 10), *bench]), USE_ABILITY
        else:
            yield _position([active, spot(card.id, RICH, 10), *bench[:2]]), USE_ABILITY + 1
        return
    # What a passive ability changes: the opponent's attack, its evolution, its Supporters; the own energy.
    yield _position([spot("A1-002", RICH)], [spot(card.id, RICH)], hand=["A1-003", "P-A-007"]), USE_ATTACK
    yield _position([spot("A1-002", RICH), spot(card.id, RICH)]), USE_ATTACK


def _position(
    mine: list[Any], theirs: list[Any] | None = None, hand: list[str] | None = None, seed: int = 0
) -> PocketGame:
    bench = [spot("A1-001", RICH, 10), spot("A1-053", RICH, 20), spot("A1-094", RICH, 10)]
    others = theirs or [spot("A1-037", RICH, 10), spot("A1-053", "water", 10), "A1-001"]
    game = arrange(
        (mine + bench[: 3 - len(mine)])[:4],
        others,
        hands=([*(hand or []), "A1-002"], HAND),
        decks=(DECK, DECK),
        discards=((), DISCARD),
    )
    game.dice = TapedDice(seed)
    return game


def _asked_for(requires: Any, effect: Any) -> list[Any]:
    """An Active and Benched Pokemon of the names, types and stages that filters ask for, all of them damaged."""
    wanted = list(_filters((requires, effect)))
    found = [card for each in wanted for card in every_card() if _fits(card, each)][:1] if wanted else []
    for each in wanted:
        found += [card for card in every_card() if _fits(card, each) and card not in found][:1]
    active = found[0].id if found else "A1-053"
    return [spot(active, RICH, 20), *(spot(card.id, RICH, 20) for card in (found[1:3] or found[:1]))]


def _fits(card: Card, wanted: Mapping[str, Any]) -> bool:
    return (
        card.kind == "pokemon"
        and ("type" not in wanted or card.type == TYPES.index(wanted["type"]))
        and ("stage" not in wanted or card.stage == wanted["stage"])
        and ("names" not in wanted or card.name in wanted["names"])
    )


def _filters(facts: Any) -> Iterator[Mapping[str, Any]]:
    """The filters anywhere in operations and conditions that are about own Pokemon in play."""
    if isinstance(facts, Mapping):
        for name, value in facts.items():
            if name in ("filter", "attacker") and facts.get("side", "own") != "opponent" and "to" not in facts:
                yield value
            yield from _filters(value)
    elif isinstance(facts, list | tuple):
        for value in facts:
            yield from _filters(value)


def play(card: Card) -> Iterator[Taken]:
    """The fixtures of a card on the reference, with what is asked after each action answered at random."""
    for number, (game, action) in enumerate(fixtures(card)):
        rng = np.random.default_rng([card.number, number])
        turn = game.turn
        for _ in range(CHOICES):
            game.check(action)
            before, dice = game.fields(), game.dice
            assert isinstance(dice, TapedDice)
            flow.act(game, action)
            yield Taken(card.id, before, action, dice.wind(), _copy(game))
            if game.pending in (MAIN, OVER) or game.turn != turn:
                break
            action = int(rng.choice(legal(game)))


def _copy(game: PocketGame) -> PocketGame:
    found = PocketGame()
    found.put(game.fields())
    return found
