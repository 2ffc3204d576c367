"""Playing cards and retreating: section 4 of spec.md."""

from typing import Any

from arranging import LASTING, arrange, exercises, ids_in, play, spot, units, whole

from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    ENERGY,
    IN_HAND,
    MAIN,
    OWN,
    PARALYZED,
    PASS,
    RETREAT,
    RETREAT_TO,
    USE_ABILITY,
)
from envwright.envs.tcg_pocket.reference.legality import legal

# ---- 4. playing cards ----


@exercises("R4.1")
def test_the_first_copy_is_played() -> None:
    game = arrange(["A1-053"], hands=[["A1-001", "A1-001"], []])
    k = play(game, "A1-001")
    assert k in legal(game)
    assert k + 1 not in legal(game)
    whole(game, k)
    assert k + 1 in legal(game)


@exercises("R4.3", "R7.5", "R8.6")
def test_evolution() -> None:
    hands = [["A1-002", "A1-003"], []]
    fields: Any = {name: [1, 1] for name in LASTING} | {"poisoned": [True, True], "condition": [ASLEEP, ASLEEP]}
    game = arrange([spot("A1-001", "grass", 20)], hands=hands, **fields)
    whole(game, play(game, "A1-002"), OWN)
    assert (game.condition, game.poisoned) == ([0, ASLEEP], [False, True])
    assert all(getattr(game, name) == [0, 1] for name in LASTING if name not in ("lock_left", "guard_left"))
    assert (game.lock_left, game.guard_left) == ([1, 1], [1, 1])
    assert play(game, "A1-003") not in legal(game)  # it evolved this turn
    game = arrange([spot("A1-001", new=True)], hands=hands)
    assert play(game, "A1-002") not in legal(game)
    game = arrange(["A1-001"], hands=hands)
    assert play(game, "A1-003") not in legal(game)  # no stage is left out
    for turn, may in ((1, False), (2, False), (3, True)):
        game = arrange(["A1-001"], hands=hands, turn=turn)
        assert (play(game, "A1-002") in legal(game)) == may
    game = arrange(["A1-053", "A1-001"], hands=hands, poisoned=[True, False])
    whole(game, play(game, "A1-002"), OWN + 1)
    assert game.poisoned == [True, False]  # the Active's


@exercises("R4.3", "R4.11")
def test_an_ability_may_be_used_again_after_evolution() -> None:
    game = arrange([spot("A1-097", used=True)], hands=[["A1-098"], []])
    whole(game, play(game, "A1-098"), OWN, USE_ABILITY)
    assert game.energy[0][0] == units("lightning")


@exercises("R4.6")
def test_locked_supporters() -> None:
    for left, may in ((0, True), (1, False)):
        game = arrange(["A1-001"], hands=[["A1-223", "P-A-002"], []], lock_left=[left, 0])
        assert (play(game, "A1-223") in legal(game)) == may
        assert play(game, "P-A-002") in legal(game)
    for allowed in (True, False):
        game = arrange(["A1-001"], hands=[["A1-223"], []], turn=1, flags={"first_turn_supporter": allowed})
        assert (play(game, "A1-223") in legal(game)) == allowed


@exercises("R4.9")
def test_drawing_stops_at_ten_cards_and_at_an_empty_deck() -> None:
    for size, hand, drawn in ((3, 9, 1), (3, 10, 0), (0, 2, 0), (3, 2, 1)):
        game = arrange(["A1-001"], hands=[[], ["A1-053"] * hand], decks=[[], ["A1-001"] * size])
        whole(game, PASS)
        assert len(ids_in(game, IN_HAND, 1)) == hand + drawn
        assert game.pending == MAIN


@exercises("R4.12", "R4.13", "R8.6")
def test_retreat() -> None:
    fields: Any = {name: [1, 1] for name in LASTING if name != "no_retreat_left"}
    mine = [spot("A1-003", "grass 3", 20, used=True), None, spot("A1-053", "water")]
    game = arrange(mine, poisoned=[True, False], **fields)
    assert [action for action in legal(game) if RETREAT_TO <= action < USE_ABILITY] == [RETREAT_TO + 1]
    whole(game, RETREAT_TO + 1)
    assert game.energy[0] == [units("water"), units(""), units(""), units("")]
    assert (game.damage[0], game.used[0]) == ([0, 0, 20, 0], [False, False, True, False])
    assert game.poisoned == [False, False]
    assert all(getattr(game, name) == [0, 1] for name in fields if name not in ("lock_left", "guard_left"))
    assert not any(RETREAT_TO <= action < USE_ABILITY for action in legal(game))
    stops: list[Any] = [{"condition": [ASLEEP, 0]}, {"condition": [PARALYZED, 0]}, {"no_retreat_left": [1, 0]}]
    for more in stops:
        assert RETREAT_TO + 1 not in legal(arrange(mine, **more))
    assert RETREAT_TO not in legal(arrange([spot("A1-001", "grass")]))


@exercises("R4.12", "R11.1", "R6.2")
def test_the_player_chooses_what_retreat_costs() -> None:
    game = arrange([spot("A1-003", "grass 2 fire 2"), "A1-053"])  # 3
    whole(game, RETREAT_TO)
    assert (game.pending, game.units, game.source) == (RETREAT, 3, 1)
    assert legal(game) == [ENERGY, ENERGY + 1]
    whole(game, ENERGY + 1)
    assert (game.pending, game.units) == (RETREAT, 2)
    whole(game, ENERGY + 1)  # only grass is left, so the rest is paid in it
    assert (game.pending, game.units, game.source) == (MAIN, 0, 0)
    assert game.energy[0][1] == units("grass")
    game = arrange([spot("A1-003", "grass 2 fire"), "A1-053", "A1a-006"])  # grass counts as two
    whole(game, RETREAT_TO, ENERGY, ENERGY)
    assert game.energy[0][1] == units("fire")
    game = arrange([spot("A1-115", "grass fire"), "A1-053"], retreat_change=-1)
    whole(game, RETREAT_TO)
    assert (game.pending, game.energy[0][1]) == (MAIN, units("grass fire"))  # free
