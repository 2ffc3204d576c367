"""Every Trainer card, in a position made for it."""

from typing import Any

import pytest
from arranging import (
    WALL,
    alone,
    arrange,
    deck_ids,
    every_card,
    exercises,
    flips,
    hit,
    ids_in,
    one_of,
    play,
    spot,
    units,
    whole,
)

from envwright.envs.tcg_pocket.layout import (
    DISCARD,
    IN_DISCARD,
    IN_HAND,
    MAIN,
    OWN,
    PLAY,
    PROMOTE,
    SWITCH,
    TARGET,
    TRAINER,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference import playing
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.tables import BY_ID, Card

FOSSILS = ["A1-216", "A1-217", "A1-218"]
WHERE_IT_CANNOT_BE_PLAYED: dict[str, dict[str, Any]] = {  # each but those that always can
    "Helix Fossil": {"mine": ["A1-001"] * 4},
    "Dome Fossil": {"mine": ["A1-001"] * 4},
    "Old Amber": {"mine": ["A1-001"] * 4},
    "Erika": {"mine": ["A1-001", spot("A1-053", damage=10)]},
    "Misty": {"mine": ["A1-001"]},
    "Koga": {"mine": ["A1-177"]},
    "Brock": {"mine": ["A1-001"]},
    "Sabrina": {"mine": ["A1-001"]},
    "Lt. Surge": {"mine": ["A1-095", spot("A1-094", "fire")]},
    "Pokémon Flute": {"mine": ["A1-001"], "discards": [[], ["A1-002", "A1-216"]]},
    "Mythical Slab": {"mine": ["A1-001"]},
    "Budding Expeditioner": {"mine": ["A1a-032"]},
    "Potion": {"mine": ["A1-001"], "theirs": [spot(WALL, damage=10)]},
    "Pokédex": {"mine": ["A1-001"]},
    "Poké Ball": {"mine": ["A1-001"]},
    "Professor's Research": {"mine": ["A1-001"]},
}
ALWAYS = {"Giovanni", "Blaine", "Blue", "Leaf", "X Speed", "Red Card", "Hand Scope"}


def trainers() -> list[Card]:
    return [card for card in every_card() if card.kind != "pokemon"]


def played(id: str, mine: Any = ("A1-001",), *more: int, hand: Any = (), **position: Any) -> PocketGame:
    """A position after a Trainer alone, and the choices for it."""
    hands = [[id, *hand], position.pop("their_hand", [])]
    game = arrange(mine, hands=hands, **position)
    alone(game, play(game, id))
    for action in more:
        alone(game, action)
    return game


@exercises("R4.5")
@pytest.mark.parametrize("card", trainers(), ids=lambda card: card.id)
def test_what_a_trainer_requires(card: Card) -> None:
    assert set(WHERE_IT_CANNOT_BE_PLAYED) | ALWAYS == {each.name for each in trainers()}
    position = WHERE_IT_CANNOT_BE_PLAYED.get(card.name, {"mine": ["A1-001"]})
    game = arrange(hands=[[card.id], []], **position)
    assert (play(game, card.id) in legal(game)) == (card.name in ALWAYS)


@exercises("R4.7", "R2.8")
@pytest.mark.parametrize("id", FOSSILS)
def test_fossils(id: str) -> None:
    game = played(id, ["A1-001", None, "A1-001"])
    assert game.new[0] == [False, True, False, False]
    assert not playing.can_retreat(arrange([spot(id, "fire 3"), "A1-001"]))
    assert hit("A1-106", "Thunder Spear", theirs=[id]).pending == TARGET
    game = arrange(["A1-001"], [spot(id, damage=30), "A1-001"], poisoned=[False, True])
    whole(game, 0)
    assert game.points == [1, 0]
    assert [card.stage for card in every_card() if card.evolves_from == BY_ID[id].name] != []


@exercises("R4.8", "R8.7")
@pytest.mark.parametrize("id", FOSSILS)
def test_discarding_a_fossil(id: str) -> None:
    game = arrange([spot(id, "fire"), "A1-001"])
    whole(game, DISCARD)
    assert (game.points, game.pending, game.actor) == ([0, 0], PROMOTE, 0)
    assert ids_in(game, IN_DISCARD) == [id]
    whole(game, OWN + 1)
    assert (game.pending, game.player, game.energy[0]) == (MAIN, 0, [[0] * 8] * 4)
    assert DISCARD not in legal(arrange([id]))
    evolution = next(card.id for card in every_card() if card.evolves_from == BY_ID[id].name)
    assert DISCARD not in legal(arrange([evolution, "A1-001"]))


@exercises("R9.1")
def test_erika() -> None:
    mine = [spot("A1-001", damage=60), "A1-001", spot("A1-053", damage=10), spot("A1-002", damage=30)]
    game = played("A1-219", mine)
    assert (game.pending, legal(game)) == (TRAINER, [OWN, OWN + 3])
    alone(game, OWN)
    assert game.damage[0] == [10, 0, 10, 30]
    assert played("A1-219", mine, OWN + 3).damage[0] == [60, 0, 10, 0]


@exercises("R9.2", "R12.1")
def test_misty() -> None:
    mine = ["A1-053", "A1-001", "A1-053"]
    for coins, heads in (("T", 0), ("HHT", 2), ("H" * 32, 32)):
        game = played("A1-220", mine, OWN + 2, dice={"coins": flips(coins)})
        assert game.energy[0] == [units(""), units(""), units(f"water {heads}"), units("")]
    assert legal(played("A1-220", mine)) == [OWN, OWN + 2]


@exercises("R6.5")
def test_blaine_and_giovanni() -> None:
    for id, attack, blaine in (("A1-044", "Magma Punch", 30), ("A1-042", "Flare", 0)):
        plain = BY_ID[id].attacks[0].damage
        for supporter, more in (("A1-221", blaine), ("A1-223", 10)):
            cost = BY_ID[id].attacks[0].cost[:8]
            game = played(supporter, [spot(id, cost)])
            alone(game, USE_ATTACK)
            assert game.damage[1][0] == plain + more, attack


@exercises("R4.10", "R9.3", "R8.7")
@pytest.mark.parametrize(("id", "ids"), [("A1-222", ("A1-177", "A1-175", "A1a-050")), ("A1a-066", ("A1a-032",))])
def test_returning_to_the_hand(id: str, ids: tuple[str, ...]) -> None:
    for active in ids:
        game = arrange([spot(active, "fire", 10), "A1-001"], hands=[[id, *["A1-053"] * 10], []], poisoned=[True, False])
        whole(game, play(game, id))
        stack = 2 if BY_ID[active].stage else 1
        assert len(ids_in(game, IN_HAND)) == 10 + stack
        assert (game.pending, game.actor, game.poisoned[0], game.points) == (PROMOTE, 0, False, [0, 0])
        whole(game, OWN + 1)
        assert (game.pending, game.energy[0]) == (MAIN, [[0] * 8] * 4)


@exercises("R5.14")
def test_brock() -> None:
    mine = ["A1-001", "A1-149", "A1a-045", "A1-150"]  # both printings of Golem, and Onix
    game = played("A1-224", mine)
    assert legal(game) == [OWN + 1, OWN + 2, OWN + 3]
    alone(game, OWN + 2)
    assert game.energy[0][2] == units("fighting")


@exercises("R9.4", "R11.2")
def test_sabrina() -> None:
    game = arrange(["A1-001"], [spot(WALL, damage=10), "A1-002"], hands=[["A1-225"], []], no_retreat_left=[0, 1])
    whole(game, play(game, "A1-225"))
    assert (game.pending, game.actor, game.supporter_used) == (SWITCH, 1, True)
    whole(game, OWN + 1)
    assert (game.damage[1], game.pending, game.actor, game.no_retreat_left) == ([0, 10, 0, 0], MAIN, 0, [0, 0])


@exercises("R9.5")
def test_lt_surge() -> None:
    for active in ("A1-095", "A1-100", "A1-101", "A1a-026"):
        mine = [spot(active, "lightning"), spot("A1-001", "lightning 2 fire"), None, spot("A1-094", "lightning")]
        game = played("A1-226", mine)
        assert game.energy[0] == [units("lightning 4"), units("fire"), units(""), units("")]


@exercises("R9.6", "R11.4", "R2.8")
def test_pokemon_flute() -> None:
    theirs, pile = [WALL, None, "A1-001"], ["A1-002", "A1-053", "A1-001", "A1-216", "A1-053"]
    game = played("A1a-064", theirs=theirs, discards=[["A1-007"], pile])
    assert legal(game) == [PLAY, PLAY + 1, PLAY + 2]  # Bulbasaur, two Squirtles
    alone(game, PLAY + 1)
    assert game.cards[1][game.stack[1][1][0] - 1] == BY_ID["A1-053"].number
    assert game.new[1][1]
    assert sorted(ids_in(game, IN_DISCARD, 1)) == ["A1-001", "A1-002", "A1-053", "A1-216"]
    game = arrange(["A1-001"], ["A1-001"] * 4, hands=[["A1a-064"], []], discards=[[], ["A1-001"]])
    assert play(game, "A1a-064") not in legal(game)  # no place


@exercises("R9.7", "R11.7")
def test_mythical_slab() -> None:
    game = played("A1a-065", decks=[["A1-001", "A1-053", "A1-128"], []], seen_top=[2, 0])
    assert (ids_in(game, IN_HAND), deck_ids(game), game.seen_top[0]) == (["A1-128"], ["A1-001", "A1-053"], 1)
    game = played("A1a-065", decks=[["A1-128", "A1-001", "A1-053"], []], seen_top=[2, 0])
    assert (ids_in(game, IN_HAND), deck_ids(game), game.seen_top[0]) == ([], ["A1-053", "A1-128", "A1-001"], 1)
    game = played("A1a-065", decks=[["A1-001", "A1-128"], []], hand=["A1-001"] * 10)
    assert (deck_ids(game), game.seen_top[0]) == (["A1-001", "A1-128"], 1)


@exercises("R9.12", "R6.6")
def test_blue() -> None:
    game = played("A1a-067")
    assert (game.guard, game.guard_left) == ([10, 0], [2, 0])
    for less in (0, 10):
        game = hit("A1a-026", "Gigashock", theirs=[WALL, "A1-001"], guard=[0, less], guard_left=[0, 1])
        assert game.damage[1] == [60 - less, 20 - less, 0, 0]


@exercises("R9.11", "R4.12")
def test_leaf_and_x_speed() -> None:
    game = played("A1a-068", [spot("A1-003", "fire")])
    assert (game.retreat_change, playing.retreat_cost(game)) == (-2, 1)
    game = played("P-A-002", [spot("A1-003", "fire")], retreat_change=-2)
    assert (game.retreat_change, playing.retreat_cost(game)) == (-3, 0)
    assert playing.retreat_cost(played("P-A-002", [spot("A1-003")], retreat_change=-3)) == 0


@exercises("R9.1")
def test_potion() -> None:
    mine = [spot("A1-001", damage=10), "A1-001", spot("A1-053", damage=30)]
    assert legal(played("P-A-001", mine)) == [OWN, OWN + 2]
    assert played("P-A-001", mine, OWN + 2).damage[0] == [10, 0, 10, 0]
    assert played("P-A-001", mine, OWN).damage[0] == [0, 0, 30, 0]


@exercises("R9.9", "R11.6")
def test_hand_scope() -> None:
    game = played("P-A-003", their_hand=["A1-001", "A1-053"])
    assert [k for k in range(20) if game.known[1][k]] == [k for k in range(20) if game.where[1][k] == IN_HAND]
    assert game.points == [0, 0]


@exercises("R9.8", "R11.7")
def test_pokedex() -> None:
    for size, seen in ((5, 3), (2, 2)):
        game = played("P-A-004", decks=[["A1-001"] * size, []])
        assert (game.seen_top, deck_ids(game)) == ([seen, 0], ["A1-001"] * size)


@exercises("R5.17", "R11.7")
def test_poke_ball() -> None:
    deck = ["A1-001", "A1-002", "A1-216", "A1-053"]  # only two Basic Pokemon: a fossil is none
    for index, found in enumerate(("A1-001", "A1-053")):
        game = played("P-A-005", decks=[deck, []], dice={"pick": one_of(index, 2)}, seen_top=[3, 0])
        assert (ids_in(game, IN_HAND), game.seen_top) == ([found], [0, 0])
    game = played("P-A-005", decks=[["A1-216"], []])
    assert (ids_in(game, IN_HAND), deck_ids(game)) == ([], ["A1-216"])


@exercises("R9.10", "R4.9", "R11.6")
def test_red_card() -> None:
    keys = [5, 4, 3, 2, 1, *range(15)]
    hands, deck = [["P-A-006"], ["A1-001", "A1-053"]], ["A1-007", "A1-010"]
    game = arrange(["A1-001"], hands=hands, decks=[[], deck], dice={"keys": keys})
    game.known[1] = [where == IN_HAND for where in game.where[1]]
    alone(game, play(game, "P-A-006"))
    assert deck_ids(game, 1) == ["A1-053"]
    assert ids_in(game, IN_HAND, 1) == ["A1-001", "A1-007", "A1-010"]
    assert not any(game.known[1])


@exercises("R4.9")
def test_professors_research() -> None:
    game = played("P-A-007", decks=[["A1-001", "A1-002", "A1-003"], []])
    assert (ids_in(game, IN_HAND), deck_ids(game)) == (["A1-002", "A1-003"], ["A1-001"])
    assert ids_in(game, IN_DISCARD) == ["P-A-007"]
    assert len(ids_in(played("P-A-007", decks=[["A1-001"], []]), IN_HAND)) == 1
    assert len(ids_in(played("P-A-007", decks=[["A1-001"] * 3, []], hand=["A1-053"] * 9), IN_HAND)) == 10


@exercises("R3.4", "R4.6")
def test_one_supporter_a_turn_and_any_number_of_items() -> None:
    game = arrange([spot("A1-001", damage=60)], hands=[["A1-223", "A1a-067", "P-A-002", "P-A-002"], []])
    whole(game, play(game, "A1-223"))
    assert play(game, "A1a-067") not in legal(game)
    whole(game, play(game, "P-A-002"))
    whole(game, play(game, "P-A-002"))
    assert game.retreat_change == -2
