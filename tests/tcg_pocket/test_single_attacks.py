"""Attacks that are like no other, each in a position made for it."""

from arranging import (
    WALL,
    alone,
    arrange,
    attacker,
    deck_ids,
    exercises,
    hit,
    ids_in,
    one_of,
    spot,
    units,
)

from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    ATTACH,
    COPY,
    COPY_OF,
    IN_DISCARD,
    IN_HAND,
    MAIN,
    OPP,
    OWN,
    SWITCH,
    TARGET,
)
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.tables import BY_ID


@exercises("R5.17", "R12.3")
def test_find_a_friend() -> None:
    deck = ["A1-053", "A1-001", "P-A-002", "A1-002"]  # water, grass, Item, grass
    for index, found in enumerate(("A1-001", "A1-002")):
        dice = {"pick": one_of(index, 2), "keys": [3, 1, 2, *range(17)]}
        game = hit("A1-005", "Find a Friend", decks=[deck, []], dice=dice)
        assert ids_in(game, IN_HAND) == [found]
        left = [id for id in deck if id != found]
        assert deck_ids(game) == [left[1], left[2], left[0]]
    full = hit("A1-005", "Find a Friend", decks=[["A1-001"], []], hands=[["P-A-002"] * 10, []])
    assert deck_ids(full) == ["A1-001"]


@exercises("R5.14")
def test_leaf_supply() -> None:
    game = hit("A1-030", "Leaf Supply", bench=["A1-001", "A1-053", "A1-002"])
    assert (game.damage[1][0], game.pending, game.units) == (50, ATTACH, 1)
    assert legal(game) == [OWN + 1, OWN + 3]
    alone(game, OWN + 3)
    assert game.energy[0][3] == units("grass")
    assert game.pending == MAIN
    assert hit("A1-030", "Leaf Supply", bench=["A1-053"]).pending == MAIN


@exercises("R5.14")
def test_inferno_dance() -> None:
    game = hit("A1-047", "Inferno Dance", "HTH", bench=["A1-033", "A1-053", "A1-034"])
    assert (game.pending, game.units) == (ATTACH, 2)
    for place, left in ((1, 1), (3, 0)):
        assert legal(game) == [OWN + 1, OWN + 3]
        alone(game, OWN + place)
        assert game.units == left
    assert game.energy[0][1:] == [units("fire"), units(""), units("fire")]
    assert game.pending == MAIN
    assert hit("A1-047", "Inferno Dance", "TTT", bench=["A1-033"]).pending == MAIN
    assert hit("A1-047", "Inferno Dance", "HHH").pending == MAIN


@exercises("R6.7")
def test_raging_thunder() -> None:
    game = hit("A1-103", "Raging Thunder", bench=["A1-067", None, "A1-001"], guard=[10, 0], guard_left=[1, 0])
    assert legal(game) == [OWN + 1, OWN + 3]
    alone(game, OWN + 1)  # Shell Armor and Blue do not help against one's own attack
    assert game.damage == [[0, 30, 0, 0], [100, 0, 0, 0]]
    game = hit("A1-103", "Raging Thunder")
    assert game.damage == [[0] * 4, [100, 0, 0, 0]]
    game = hit("A1-103", "Raging Thunder", bench=["A1-001"], dealt_less=[20, 0], dealt_less_left=[1, 0])
    alone(game, OWN + 1)
    assert game.damage == [[0, 10, 0, 0], [80, 0, 0, 0]]


@exercises("R5.15")
def test_knock_back() -> None:
    game = hit("A1-163", "Knock Back", theirs=[WALL, "A1-001", None, "A1-002"])
    assert (game.pending, game.actor) == (SWITCH, 1)
    assert legal(game) == [OWN + 1, OWN + 3]
    alone(game, OWN + 1)
    assert game.damage[1] == [0, 70, 0, 0]
    assert hit("A1-163", "Knock Back").pending == MAIN
    assert hit("A1-163", "Knock Back", theirs=[spot(WALL, damage=90), "A1-001"]).pending == MAIN


@exercises("R6.7", "R12.2")
def test_draco_meteor() -> None:
    targets = [one_of(index, 3) for index in (0, 2, 2, 1)]
    game = hit("A1-185", "Draco Meteor", theirs=["A1-001", "A1-002", None, "A1-003"], dice={"targets": targets})
    assert game.damage[1] == [50, 50, 0, 100]
    dice = {"targets": [0] * 4}
    game = hit("A1-185", "Draco Meteor", dice=dice, guard=[0, 10], guard_left=[0, 1], boost=10)
    assert game.damage[1][0] == 200  # boost and reduction once


@exercises("R5.18", "R11.6")
def test_shadow_claw() -> None:
    hands = [[], ["A1-001", "A1-001", "A1-053"]]
    game = hit("A1-197", "Shadow Claw", "H", hands=hands, dice={"pick": one_of(2, 3)})
    assert (game.damage[1][0], ids_in(game, IN_DISCARD, 1)) == (40, ["A1-053"])
    assert ids_in(hit("A1-197", "Shadow Claw", "T", hands=hands), IN_DISCARD, 1) == []
    assert ids_in(hit("A1-197", "Shadow Claw", "H"), IN_DISCARD, 1) == []


@exercises("R5.3")
def test_copy_anything() -> None:
    theirs = ["A1-001", "A1-056", None, "A1-205"]  # Vine Whip, Surf and Hydro Bazooka, Copy Anything
    game = hit("A1-205", "Copy Anything", energy="grass", theirs=theirs)
    assert game.pending == COPY
    assert legal(game) == [COPY_OF]  # grass and colorless; not water; not its own like
    alone(game, COPY_OF)
    assert game.damage[1][0] == 40
    game = hit("A1-205", "Copy Anything", energy="water 4", theirs=theirs)
    assert legal(game) == [COPY_OF + 2, COPY_OF + 3]
    alone(game, COPY_OF + 3)
    assert game.damage[1][0] == 160  # its cost and two more are paid by the user's energy
    assert hit("A1-205", "Copy Anything", theirs=theirs).pending == MAIN  # pays for nothing


@exercises("R5.3", "R6.4")
def test_genome_hacking() -> None:
    game = hit("A1a-032", "Genome Hacking", theirs=["A1-036", "A1-001"])  # Slash and Crimson Storm
    assert legal(game) == [COPY_OF, COPY_OF + 1]
    alone(game, COPY_OF + 1)
    assert game.damage[1][0] == 200
    assert game.energy[0][0] == units("darkness 3")  # no fire to discard
    game = hit("A1a-032", "Genome Hacking", theirs=["A1-106"])  # an attack that asks for a target
    alone(game, COPY_OF)
    assert game.pending == TARGET
    alone(game, OPP)
    assert game.damage[1][0] == 30
    assert hit("A1a-032", "Genome Hacking", theirs=["A1-205"]).pending == MAIN
    game = hit("A1a-032", "Genome Hacking", theirs=["A1-146"])  # Machamp ex is weak to psychic, which the user is
    alone(game, COPY_OF)
    assert game.damage[1][0] == BY_ID["A1-146"].attacks[0].damage + 20


@exercises("R5.18")
def test_primal_wingbeat() -> None:
    theirs = [spot("A1-003", "grass 2", 50), "A1-001"]
    game = hit("A1-210", "Primal Wingbeat", "H", theirs=theirs, decks=[[], ["A1-053"]], condition=[0, ASLEEP])
    assert (game.stack[1][0], game.energy[1][0], game.damage[1][0]) == ([0] * 3, [0] * 8, 0)
    assert deck_ids(game, 1) == ["A1-053", "A1-001", "A1-002", "A1-003"]
    assert (game.condition[1], game.points) == (0, [0, 0])
    assert hit("A1-210", "Primal Wingbeat", "T", theirs=theirs).stack[1][0] != [0] * 3


@exercises("R9.9", "R11.6")
def test_psy_report() -> None:
    game = hit("A1-283", "Psy Report", hands=[["A1-002"], ["A1-001", "A1-053"]])
    assert game.damage[1][0] == 20
    assert [game.known[1][k] for k in range(20)] == [where == IN_HAND for where in game.where[1]]
    assert not any(game.known[0])


@exercises("R5.12", "R9.13")
def test_rampaging_whirlpool() -> None:
    theirs = [spot(WALL, "fire"), None, spot("A1-001", "grass")]
    own = units("water 3 darkness fire")
    for index, (whose, place, after) in enumerate(
        [(0, 0, "water 3 darkness")]
        + [(0, 0, "water 2 darkness fire")] * 3
        + [(0, 0, "water 3 fire"), (0, 1, ""), (1, 0, ""), (1, 2, "")]
    ):
        dice = {"pick": one_of(index, 8)}
        action, _ = attacker("A1a-018", "Rampaging Whirlpool")
        game = arrange([spot("A1a-018", own), spot("A1-001", "psychic")], theirs, dice=dice)
        alone(game, action)
        assert game.energy[whose][place] == units(after)
        assert sum(map(sum, game.energy[0])) + sum(map(sum, game.energy[1])) == 7
        assert game.damage[1][0] == 140


@exercises("R9.1")
def test_bloomshine() -> None:
    bench = [spot("A1-001", damage=10), spot("A1-003", damage=50)]
    game = hit("A1a-038", "Bloomshine", bench=bench, damage=30, theirs=[spot(WALL, damage=30)])
    assert game.damage == [[10, 0, 30, 0], [110, 0, 0, 0]]


@exercises("R9.10")
def test_mimic() -> None:
    hands = [["A1-001", "A1-002"], ["A1-001"] * 3]
    game = hit("A1a-062", "Mimic", hands=hands, decks=[["A1-053", "A1-054"], []], seen_top=[2, 0])
    assert ids_in(game, IN_HAND) == ["A1-001", "A1-002", "A1-054"]
    assert (deck_ids(game), game.seen_top) == (["A1-053"], [0, 0])
    assert game.damage[1][0] == 0
