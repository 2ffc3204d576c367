"""Every card: its numbers, exercised in play, and its plain attacks."""

import pytest
from arranging import WALL, alone, arrange, attacker, every_card, exercises, hit, ids_in, play, spot, whole

from envwright.envs.tcg_pocket.layout import (
    EVOLVE,
    IN_DISCARD,
    IN_HAND,
    IN_PLAY,
    MAIN,
    OWN,
    PASS,
    PROMOTE,
    RETREAT_TO,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.tables import ATTACKS, BY_ID, CARDS, ENERGIES, Card

POKEMON = [card for card in every_card() if card.kind == "pokemon"]
PLAIN = [(card, attack) for card in POKEMON for attack in card.attacks if not attack.effect]
# A plain attack of each type, for weaknesses: Bulbasaur and so on.
ATTACKERS = {"grass": "A1-001", "fire": "A1-042", "water": "A1-053", "lightning": "A1-094", "psychic": "A1-120"}
ATTACKERS |= {"fighting": "A1-143", "darkness": "A1-164", "metal": "A1-180"}


def of_id(card: Card) -> str:
    return card.id


def test_the_tables_have_all_cards() -> None:
    assert (len(CARDS) - 1, len(ATTACKS) - 1) == (302, 287)
    assert [card.id for card in every_card()] == sorted(card.id for card in every_card())
    assert [attack.number for attack in ATTACKS if attack] == list(range(1, 288))
    assert len(BY_ID) == 396  # printings
    assert len(PLAIN) == 287 - 125


@exercises("R6.4")
@pytest.mark.parametrize(("card", "attack"), PLAIN, ids=lambda value: getattr(value, "id", getattr(value, "name", "")))
def test_plain_attacks(card: Card, attack: object) -> None:
    name, damage = attack.name, attack.damage  # type: ignore[attr-defined]
    game = hit(card.id, name)
    assert game.damage == [[0] * 4, [damage, 0, 0, 0]]
    assert damage > 0


@exercises("R5.1", "R6.3")
@pytest.mark.parametrize("card", [card for card in POKEMON if not card.has("double_energy")], ids=of_id)
def test_costs(card: Card) -> None:
    """Every unit of a cost is needed, colorless takes any type and a type takes no other."""
    for index, attack in enumerate(card.attacks):
        action, user = attacker(card.id, attack.name)
        assert action in legal(arrange([user]))
        for type in range(len(ENERGIES)):
            if user["energy"][type]:
                less = [units - (at == type) for at, units in enumerate(user["energy"])]
                assert action not in legal(arrange([spot(card.id, less)]))
            if attack.cost[type]:
                other = [units - (at == type) + (at == (type + 1) % 8) for at, units in enumerate(user["energy"])]
                if other[type] < attack.cost[type]:
                    assert action not in legal(arrange([spot(card.id, other)]))
        assert USE_ATTACK + len(card.attacks) not in legal(arrange([spot(card.id, [4] * 8)]))
        assert index < 2


@exercises("R4.12")
@pytest.mark.parametrize("card", POKEMON, ids=of_id)
def test_retreat_costs(card: Card) -> None:
    for units in range(5):
        game = arrange([spot(card.id, [0, units, 0, 0, 0, 0, 0, 0]), "A1-001"])
        assert (RETREAT_TO in legal(game)) == (units >= card.retreat)
        if units == card.retreat:
            alone(game, RETREAT_TO)
            assert sum(game.energy[0][1]) == 0
            assert (game.pending, game.retreat_used) == (MAIN, True)


@exercises("R8.1", "R8.2")
@pytest.mark.parametrize("card", [card for card in every_card() if card.hp], ids=of_id)
def test_hit_points_and_points(card: Card) -> None:
    for hurt, out in ((card.hp - 20, False), (card.hp - 10, True)):
        game = arrange(["A1-001"], [spot(card.id, "fire", hurt), "A1-001"], poisoned=[False, True])
        whole(game, PASS)
        assert game.points == [(2 if card.ex else 1) if out else 0, 0]
        assert (game.pending == PROMOTE) == out
        if out:
            stack = 1 if card.kind == "fossil" else card.stage + 1
            assert len(ids_in(game, IN_DISCARD, 1)) == stack
            assert game.energy[1][0] == [0] * 8


@exercises("R6.4")
@pytest.mark.parametrize("card", [card for card in every_card() if card.hp], ids=of_id)
def test_weaknesses(card: Card) -> None:
    weak = None if card.weakness < 0 else ENERGIES[card.weakness]
    less = sum(op["amount"] for op in card.ability.effect) if card.ability and card.has("reduce_damage_taken") else 0
    for type, id in ATTACKERS.items():
        attack = BY_ID[id].attacks[0]
        game = hit(id, attack.name, theirs=[card.id])
        assert game.damage[1][0] == attack.damage + 20 * (type == weak) - less


@exercises("R4.2", "R4.3", "R11.2")
@pytest.mark.parametrize("card", POKEMON, ids=of_id)
def test_coming_into_play(card: Card) -> None:
    if card.basic:
        game = arrange(["A1-001"], hands=[[card.id], []])
        alone(game, play(game, card.id))
        assert game.cards[0][game.stack[0][1][0] - 1] == card.number
        assert game.new[0] == [False, True, False, False]
        game = arrange(["A1-001"] * 4, hands=[[card.id], []])
        assert play(game, card.id) not in legal(game)
        return
    below = [other.id for other in every_card() if other.name == card.evolves_from]
    assert all(BY_ID[id].stage == card.stage - 1 for id in below)
    for id in below:
        game = arrange(["A1-211", spot(id, "fire", 10, used=True), id], hands=[[card.id], []])
        alone(game, play(game, card.id))
        assert (game.pending, ids_in(game, IN_HAND)) == (EVOLVE, [card.id])
        assert legal(game) == [OWN + 1, OWN + 2]
        alone(game, OWN + 1)
        assert game.cards[0][game.stack[0][1][card.stage] - 1] == card.number
        assert (game.damage[0][1], sum(game.energy[0][1]), game.new[0][1], game.used[0][1]) == (10, 1, True, False)
        assert card.id in ids_in(game, IN_PLAY)
        assert card.hp >= BY_ID[id].hp  # or an evolution could knock out
    game = arrange([WALL], hands=[[card.id], []])
    assert play(game, card.id) not in legal(game)
