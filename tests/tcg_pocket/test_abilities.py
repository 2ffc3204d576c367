"""Every ability, in a position made for it."""

import pytest
from arranging import (
    WALL,
    ability,
    alone,
    arrange,
    attacker,
    every_card,
    exercises,
    flips,
    hit,
    play,
    spot,
    units,
    whole,
)

from envwright.envs.tcg_pocket.layout import ABILITY, ASLEEP, MAIN, OPP, OWN, PARALYZED, SWITCH, USE_ABILITY
from envwright.envs.tcg_pocket.reference import board, playing
from envwright.envs.tcg_pocket.reference.legality import legal

TESTED = {"Powder Heal", "Fragrance Trap", "Counterattack", "Shell Armor", "Water Shuriken", "Volt Charge"}
TESTED |= {"Shadowy Spellbind", "Sleep Pendulum", "Psy Shadow", "Gas Leak", "Hard Coat", "Drive Off", "Data Scan"}
TESTED |= {"Jungle Totem", "Wash Out", "Primeval Law", "Rough Skin"}


def test_every_ability_has_a_test() -> None:
    assert {card.ability.name for card in every_card() if card.ability} == TESTED


@exercises("R4.11", "R9.1")
def test_powder_heal() -> None:
    game = arrange([spot("A1-001", damage=30), spot("A1-007", damage=10)], [spot(WALL, damage=30)])
    ability(game, 1)
    assert game.damage == [[10, 0, 0, 0], [30, 0, 0, 0]]
    assert USE_ABILITY + 1 not in legal(game)


@exercises("R4.11")
def test_each_copy_has_its_own_use_also_asleep_and_new_ones() -> None:
    game = arrange([spot("A1-098"), spot("A1-098", new=True), "A1-001"], condition=[ASLEEP, 0])
    assert [USE_ABILITY + place in legal(game) for place in range(4)] == [True, True, False, False]
    ability(game, 0)
    assert [USE_ABILITY + place in legal(game) for place in range(4)] == [False, True, False, False]
    assert game.energy[0][0] == units("lightning")


@exercises("R9.4", "R11.3", "R4.13")
def test_fragrance_trap() -> None:
    theirs = [spot(WALL, "fire", 10), "A1-002", "A1-001", "A1-216"]  # a Stage 1, a Basic, a fossil
    game = arrange(["A1-020"], theirs, condition=[0, ASLEEP], poisoned=[False, True])
    ability(game)
    assert game.pending == ABILITY
    assert legal(game) == [OPP + 2, OPP + 3]
    alone(game, OPP + 2)
    assert game.damage[1] == [0, 0, 10, 0]
    assert game.energy[1][2] == units("fire")
    assert (game.condition[1], game.poisoned[1]) == (0, False)
    assert USE_ABILITY not in legal(arrange(["A1-020"], [WALL, "A1-002"]))
    assert USE_ABILITY + 1 not in legal(arrange(["A1-001", "A1-020"], [WALL, "A1-001"]))  # only from the Active Spot


@exercises("R6.9")
@pytest.mark.parametrize("id", ["A1-061", "A1a-056"])
def test_counter_damage(id: str) -> None:
    game = hit("A1-001", "Vine Whip", theirs=[spot(id, damage=200)], dealt_less=[10, 0], dealt_less_left=[1, 0])
    assert (game.damage[1][0], game.damage[0][0]) == (230, 20)  # also if it is knocked out
    assert hit("A1-151", "Growl", theirs=[id]).damage[0][0] == 0  # no damage
    assert hit("A1-001", "Vine Whip", theirs=[WALL, id]).damage[0][0] == 0  # on the Bench
    game = hit("A1-071", "Water Arrow", theirs=[WALL, id])
    alone(game, OPP + 1)
    assert game.damage[0][0] == 0
    game = arrange(["A1-089"], [id])
    ability(game)
    alone(game, OPP)
    assert game.damage[0][0] == 0  # R6.10: not by an ability


@exercises("R6.6")
@pytest.mark.parametrize(("id", "less"), [("A1-067", 10), ("A1-182", 20)])
def test_armour(id: str, less: int) -> None:
    assert hit("A1-005", "Find a Friend", theirs=[id]).damage[1][0] == 0
    assert hit("A1-028", "Rolling Tackle", theirs=[id]).damage[1][0] == 40 - less
    assert hit("A1-084", "Blizzard", theirs=[WALL, id]).damage[1][1] == 0
    assert hit("A1a-026", "Gigashock", theirs=[WALL, id]).damage[1][1] == 20 - less


@exercises("R6.10")
def test_water_shuriken() -> None:
    theirs = [spot("A1-067"), "A1-001"]
    game = arrange(["A1-001", "A1-089"], theirs, boost=10, prevent_left=[0, 1], guard=[0, 10], guard_left=[0, 1])
    ability(game, 1)
    assert legal(game) == [OPP, OPP + 1]
    alone(game, OPP)
    assert game.damage[1] == [20, 0, 0, 0]
    game = arrange(["A1-089"], ["A1-001", spot("A1-001", damage=50)])
    whole(game, USE_ABILITY, OPP + 1)
    assert (game.points, game.pending, game.avenged) == ([1, 0], MAIN, [False, False])


def test_volt_charge() -> None:
    game = arrange(["A1-001", "A1-098"])
    ability(game, 1)
    assert game.energy[0] == [units(""), units("lightning"), units(""), units("")]


@exercises("R4.6")
def test_shadowy_spellbind() -> None:
    game = arrange(["A1-001"], ["A1-123"], hands=[["A1-223"], []])
    assert play(game, "A1-223") not in legal(game)
    game = arrange(["A1-001"], [WALL, "A1-123"], hands=[["A1-223"], []])
    assert play(game, "A1-223") in legal(game)


@exercises("R5.11")
def test_sleep_pendulum() -> None:
    for coin, expected in (("H", ASLEEP), ("T", 0)):
        game = arrange(["A1-001", "A1-125"], dice={"coins": flips(coin)}, condition=[0, PARALYZED * (coin == "H")])
        ability(game, 1)
        assert game.condition[1] == expected


def test_psy_shadow() -> None:
    game = arrange(["A1-128", "A1-132"])
    ability(game, 1)
    assert game.energy[0][0] == units("psychic")
    assert USE_ABILITY + 1 not in legal(arrange(["A1-001", "A1-132"]))


def test_gas_leak() -> None:
    game = arrange(["A1-177"], prevent_left=[0, 1])
    ability(game)
    assert game.poisoned == [False, True]  # an ability is not an attack
    assert USE_ABILITY + 1 not in legal(arrange(["A1-001", "A1-177"]))


@exercises("R9.4")
def test_drive_off() -> None:
    game = arrange(["A1-001", "A1-188"], [spot(WALL, damage=10), None, "A1-002"], prevent_left=[0, 1])
    ability(game, 1)
    assert (game.pending, game.actor) == (SWITCH, 1)
    assert legal(game) == [OWN + 2]
    whole(game, OWN + 2)
    assert (game.damage[1], game.pending, game.actor) == ([0, 0, 10, 0], MAIN, 0)
    assert USE_ABILITY not in legal(arrange(["A1-188"]))


@exercises("R9.8", "R11.7")
def test_data_scan() -> None:
    game = arrange(["A1-209"], decks=[["A1-001", "A1-002"], []])
    ability(game)
    assert game.seen_top == [1, 0]
    game = arrange(["A1-209"])
    ability(game)
    assert game.seen_top == [0, 0]


@exercises("R6.2")
def test_jungle_totem() -> None:
    game = arrange([spot("A1-001", "grass fire"), "A1a-006", "A1a-006"])
    assert board.effective(game, 0, 0) == units("grass 2 fire")
    assert board.effective(arrange([spot("A1-053", "grass fire"), "A1a-006"]), 0, 0) == units("grass fire")  # water
    assert board.effective(arrange([spot("A1-001", "grass")], [WALL, "A1a-006"]), 0, 0) == units("grass")
    assert hit("A1a-003", "Powerful Bloom", "HHT", bench=["A1a-006"]).damage[1][0] == 100  # three: one is darkness
    assert hit("A1-117", "Psychic", theirs=[spot("A1-002", "grass 2"), "A1a-006"]).damage[1][0] == 60 + 120
    action, _ = attacker("A1a-009", "Energy Whip")
    game = arrange([spot("A1a-009", "grass 2"), "A1a-006"])
    alone(game, action)
    assert game.damage[1][0] == 90
    assert playing.can_retreat(arrange([spot("A1-024", "grass"), "A1a-006"]))  # a cost of two


@exercises("R9.5", "R11.3")
def test_wash_out() -> None:
    mine = ["A1-053", spot("A1a-019", "water 2 fire"), spot("A1-053", "fire"), spot("A1-001", "water")]
    game = arrange(mine)
    for left in (1, 0):
        ability(game, 1)
        assert legal(game) == [OWN + 1]
        alone(game, OWN + 1)
        assert game.energy[0][1] == units(f"water {left} fire")
    assert game.energy[0][0] == units("water 2")
    assert USE_ABILITY + 1 not in legal(game)  # no water left on Benched water Pokemon
    assert USE_ABILITY + 1 not in legal(arrange(["A1-001", spot("A1a-019", "water")]))


@exercises("R4.4")
def test_primeval_law() -> None:
    hands = [["A1-002"], []]
    game = arrange(["A1-001", "A1-001"], [WALL, "A1a-046"], hands=hands)
    alone(game, play(game, "A1-002"))
    assert legal(game) == [OWN + 1]
    game = arrange(["A1-001"], [WALL, "A1a-046"], hands=hands)
    assert play(game, "A1-002") not in legal(game)
    assert play(arrange(["A1-001", "A1a-046"], hands=hands), "A1-002") is not None
    game = arrange(["A1-001", "A1a-046"], hands=hands)
    assert play(game, "A1-002") in legal(game)  # one's own does not matter
