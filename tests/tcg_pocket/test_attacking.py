"""Attacks and damage: sections 5 and 6 of spec.md."""

from typing import Any

import pytest
from arranging import VINE_WHIP, WALL, alone, arrange, attacker, exercises, flips, hit, spot, units, whole

from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    COPY_OF,
    MAIN,
    OPP,
    PARALYZED,
    SECOND_WINS,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.tables import BY_ID

# ---- 5. attacks ----


@exercises("R5.1")
def test_who_may_not_attack() -> None:
    action, user = attacker(*VINE_WHIP)
    assert action in legal(arrange([user]))
    stops: list[Any] = [{"condition": [ASLEEP, 0]}, {"condition": [PARALYZED, 0]}, {"no_attack_left": [1, 0]}]
    for more in stops:
        assert action not in legal(arrange([user], **more))
    for allowed in (True, False):
        assert (action in legal(arrange([user], turn=1, flags={"first_turn_attack": allowed}))) == allowed
    assert action in legal(arrange([user], turn=2, flags={"first_turn_attack": False}))


@exercises("R5.2")
def test_smokescreen() -> None:
    action, user = attacker(*VINE_WHIP)
    for coin, damage in (("H", 40), ("T", 0)):
        game = arrange([user], dice={"smokescreen": flips(coin)}, needs_coin_left=[1, 0])
        whole(game, action)
        assert (game.damage[1][0], game.turn) == (damage, 6)
    action, user = attacker("A1a-032", "Genome Hacking")
    game = arrange([user], ["A1-001"], dice={"smokescreen": 0}, needs_coin_left=[1, 0])
    whole(game, action)
    assert (game.pending, game.turn) == (MAIN, 6)  # tails: it does not come to a choice
    game = arrange([user], ["A1-001"], dice={"smokescreen": 1}, needs_coin_left=[1, 0])
    whole(game, action, COPY_OF)
    assert game.dice.drawn.count("smokescreen") == 1  # type: ignore[attr-defined]


@exercises("R5.5", "R6.9", "R5.13")
def test_the_order_within_an_attack() -> None:
    """Condition before damage; counter-damage before healing; healing before knock-outs."""
    assert hit("A1-091", "Second Strike").damage[1][0] == 10
    action, user = attacker("A1-159", "Leech Life", damage=120)
    game = arrange([user], ["A1-061"])  # 140 HP, counter-damage 20, weak to lightning
    whole(game, action)
    assert game.points == [0, 0]
    assert game.damage[0][0] == 120 + 20 - 50
    action, user = attacker("A1-028", "Rolling Tackle", damage=70)
    game = arrange([user], ["A1-061"])
    whole(game, action)
    assert (game.winner, game.points) == (SECOND_WINS, [0, 1])


@exercises("R5.7")
def test_an_effect_flips_at_most_32_coins() -> None:
    game = hit("A1a-003", "Powerful Bloom", "H" * 32, energy="fire 40")
    assert game.damage[1][0] == 50 * 32


@exercises("R5.10", "R6.4")
@pytest.mark.parametrize(
    ("id", "name", "coins"),
    [
        ("A1-013", "Soothing Scent", None),
        ("A1-083", "Ice Beam", "H"),
        ("A1-017", "Poison Powder", None),
        ("A1-078", "Hyper Beam", None),
        ("A1-082", "Ancient Whirlpool", None),
        ("A1-151", "Growl", None),
        ("A1-163", "Knock Back", None),
        ("A1-165", "Corner", None),
        ("A1-210", "Primal Wingbeat", "H"),
        ("A1a-050", "Smokescreen", None),
    ],
)
def test_prevented_attacks(id: str, name: str, coins: str | None) -> None:
    theirs = [spot(WALL, "fire"), "A1-001"]
    before = arrange([attacker(id, name)[1]], theirs, prevent_left=[0, 1])
    game = hit(id, name, coins, theirs=theirs, prevent_left=[0, 1])
    same = ("damage", "energy", "stack", "condition", "poisoned", "dealt_less", "pending", "no_attack_left")
    same += ("no_retreat_left", "needs_coin_left")
    assert {field: getattr(game, field) for field in same} == {field: getattr(before, field) for field in same}


@exercises("R5.10", "R5.12")
def test_what_goes_on_beside_a_prevented_hit() -> None:
    game = hit("A1-084", "Blizzard", theirs=[WALL, "A1-001"], prevent_left=[0, 1])
    assert game.damage[1] == [0, 10, 0, 0]
    assert hit("A1-040", "Heat Tackle", prevent_left=[0, 1]).damage == [[20, 0, 0, 0], [0] * 4]
    game = hit(
        "A1a-018", "Rampaging Whirlpool", theirs=[spot(WALL, "fire")], prevent_left=[0, 1], dice={"pick": 2**32 - 1}
    )
    assert game.energy[1][0] == units("fire")  # it was drawn, and stays


@exercises("R5.11")
def test_conditions_replace_each_other() -> None:
    game = hit("A1-083", "Ice Beam", "H", condition=[0, ASLEEP], poisoned=[False, True])
    assert (game.condition[1], game.poisoned[1]) == (PARALYZED, True)
    game = hit("A1-093", "Powder Snow", condition=[0, PARALYZED])
    assert game.condition[1] == ASLEEP


@exercises("R5.12")
def test_discarding_more_energy_than_there_is() -> None:
    game = arrange([spot("A1a-032", "fire water 3")], ["A1a-012"])  # Fire Blast, copied: two fire
    whole(game, USE_ATTACK + 1, COPY_OF)
    assert game.energy[0][0] == units("water 3")


# ---- 6. damage ----


@exercises("R6.4")
def test_the_order_of_the_damage_formula() -> None:
    weak: Any = {"theirs": ["A1-056"]}  # Blastoise ex, weak to lightning
    volt = ("A1-094", BY_ID["A1-094"].attacks[0].name)
    base = BY_ID["A1-094"].attacks[0].damage
    assert hit(*volt, **weak).damage[1][0] == base + 20
    assert hit(*volt, **weak, dealt_less=[base, 0], dealt_less_left=[1, 0]).damage[1][0] == 0  # so no weakness
    assert hit(*volt, **weak, dealt_less=[base, 0], dealt_less_left=[1, 0], boost=10).damage[1][0] == 30
    assert hit(*volt, **weak, guard=[0, 10], guard_left=[0, 1]).damage[1][0] == base + 10
    assert hit(*volt, **weak, taken_less=[0, 200], taken_less_left=[0, 1]).damage[1][0] == 0
    assert hit("A1-096", "Circle Circuit", **weak, boost=10).damage[1][0] == 0  # 0 stays 0
    assert hit(*volt, **weak, prevent_left=[0, 1]).damage[1][0] == 0


@exercises("R6.6")
def test_reductions_add_up() -> None:
    more: Any = {"guard": [0, 10], "guard_left": [0, 1], "taken_less": [0, 20], "taken_less_left": [0, 1]}
    assert hit("A1-003", "Mega Drain", theirs=["A1-182"], **more).damage[1][0] == 80 - 20 - 10 - 20
    game = hit("A1a-026", "Gigashock", theirs=["A1-001", "A1-053"], **more)
    assert game.damage[1] == [60 - 30, 20 + 0 - 10, 0, 0]  # no weakness on the Bench, taken_less is the Active's


@exercises("R6.7")
def test_chosen_damage_on_the_active_has_the_whole_formula() -> None:
    game = hit("A1-106", "Thunder Spear", theirs=["A1-056", "A1-056"], boost=10)
    alone(game, OPP)
    assert game.damage[1] == [30 + 10 + 20, 0, 0, 0]
    game = hit(
        "A1-106", "Thunder Spear", theirs=["A1-056", "A1-056"], boost=10, dealt_less=[20, 0], dealt_less_left=[1, 0]
    )
    alone(game, OPP + 1)
    assert game.damage[1] == [0, 10, 0, 0]
