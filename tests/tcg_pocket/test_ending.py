"""Checkup, knock-outs, the end: sections 7 and 8 of spec.md."""

from typing import Any

import pytest
from arranging import VINE_WHIP, WALL, arrange, attacker, exercises, ids_in, spot, whole

from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    FIRST_WINS,
    IN_DECK,
    MAIN,
    OPP,
    OVER,
    OWN,
    PARALYZED,
    PASS,
    PROMOTE,
    RETREAT_TO,
    SECOND_WINS,
    TIE,
    USE_ABILITY,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference import ending
from envwright.envs.tcg_pocket.reference.legality import legal

# ---- 7. checkup ----


@exercises("R7.1", "R7.2", "R12.5")
def test_poison_and_sleep() -> None:
    fields: Any = {"poisoned": [True, True], "condition": [ASLEEP, ASLEEP]}
    for word, awake in ((0, [False, False]), (1, [True, False]), (2, [False, True]), (3, [True, True])):
        game = arrange(["A1-001"], dice={"wake": word}, **fields)
        whole(game, PASS)
        assert game.damage == [[10, 0, 0, 0], [10, 0, 0, 0]]
        assert [condition == 0 for condition in game.condition] == awake
        game = arrange(["A1-001"], dice={"wake": word}, player=1, actor=1, first=1, **fields)
        whole(game, PASS)
        assert [condition == 0 for condition in game.condition] == awake[::-1]
    game = arrange(["A1-001"])
    whole(game, PASS)
    assert "wake" not in game.dice.drawn  # type: ignore[attr-defined]


@exercises("R7.3", "R5.1")
def test_paralysis_lasts_through_the_next_turn() -> None:
    action, user = attacker("A1-112", "Thunder Shock")
    game = arrange([user], [spot("A1-001", "grass 2"), "A1-001"], dice={"coins": 1})
    whole(game, action)
    assert (game.player, game.condition) == (1, [0, PARALYZED])
    assert not {USE_ATTACK, RETREAT_TO} & set(legal(game))
    whole(game, PASS)
    assert game.condition == [0, 0]


@exercises("R7.4", "R8.4", "R8.7")
def test_poison_knocks_out_both_at_once() -> None:
    both = [spot("A1-001", damage=60), "A1-001"]
    for order, asked in (("other_first", (1, 0)), ("turn_first", (0, 1))):
        game = arrange(both, both, poisoned=[True, True], flags={"promotion": order})
        whole(game, PASS)
        assert (game.points, game.pending, game.actor) == ([1, 1], PROMOTE, asked[0])
        whole(game, OWN + 1)
        assert (game.pending, game.actor) == (PROMOTE, asked[1])
        whole(game, OWN + 1)
        assert (game.pending, game.player, game.turn) == (MAIN, 1, 6)


# ---- 8. knock-outs and the end ----


@exercises("R8.1", "R8.2", "R8.7", "R11.5")
def test_an_attack_knocks_out() -> None:
    action, user = attacker(*VINE_WHIP)
    theirs = [spot("A1-047", "fire", 100), "A1-001", None, spot("A1-053", damage=20)]
    game = arrange([user], theirs, condition=[0, ASLEEP], poisoned=[False, True], no_attack_left=[0, 1])
    whole(game, action)
    assert (game.points, game.pending, game.actor, game.player, game.avenged) == ([2, 0], PROMOTE, 1, 0, [False, True])
    assert (game.condition, game.poisoned, game.no_attack_left) == ([0, 0], [False, False], [0, 0])
    assert legal(game) == [OWN + 1, OWN + 3]
    whole(game, OWN + 3)
    assert (game.damage[1], game.player, game.turn) == ([20, 0, 0, 0], 1, 6)
    whole(game, PASS)
    assert game.avenged == [False, False]


@exercises("R8.2")
@pytest.mark.parametrize("how", ["bench", "poison", "counter", "own", "ability"])
def test_who_is_avenged(how: str) -> None:
    if how == "bench":
        action, user = attacker("A1-084", "Blizzard")
        game = arrange([user], [WALL, spot("A1-001", damage=60)])
        whole(game, action)
        assert game.avenged == [False, True]
        return
    if how == "poison":
        game = arrange(["A1-001"], [spot("A1-001", damage=60), "A1-001"], poisoned=[False, True])
        whole(game, PASS)
    elif how == "counter":
        action, user = attacker(*VINE_WHIP, damage=60)
        game = arrange([user, "A1-001"], ["A1-061"])
        whole(game, action)
    elif how == "own":
        action, user = attacker("A1-103", "Raging Thunder")
        game = arrange([user, spot("A1-001", damage=50)])
        whole(game, action, OWN + 1)
    else:
        game = arrange(["A1-089"], [WALL, spot("A1-001", damage=50)])
        whole(game, USE_ABILITY, OPP + 1)
    assert sum(game.points) == 1
    assert game.avenged == [False, False]


@exercises("R8.3", "R13.3")
def test_three_points_win_at_once() -> None:
    action, user = attacker(*VINE_WHIP)
    game = arrange([user], [spot("A1-001", damage=40), "A1-001"], points=[2, 0])
    _, rewards, terminated, truncated, _ = game.step([action, PASS])
    assert (game.winner, game.pending, terminated, truncated) == (FIRST_WINS, OVER, True, False)
    assert rewards.tolist() == [1, -1]
    assert (game.actor, game.stage, game.source, game.attack, game.units) == (0, 0, 0, 0, 0)
    assert game.turn == 5  # nothing follows
    assert game.action_masks().sum() == 2
    assert not game.acting().any()


@exercises("R8.3", "R8.8")
def test_who_has_no_pokemon_left_loses() -> None:
    action, user = attacker(*VINE_WHIP)
    game = arrange([user], [spot("A1-001", damage=40)])
    whole(game, action)
    assert (game.winner, game.points) == (FIRST_WINS, [1, 0])
    action, user = attacker("A1-210", "Primal Wingbeat")
    game = arrange([user], dice={"coins": 1})
    whole(game, action)
    assert (game.winner, game.points, ids_in(game, IN_DECK, 1) != []) == (FIRST_WINS, [0, 0], True)


@exercises("R8.4", "R8.5", "R13.3")
@pytest.mark.parametrize(
    ("points", "there", "conditions", "by_points"),
    [
        ((3, 3), (True, True), TIE, TIE),
        ((3, 3), (True, False), FIRST_WINS, TIE),
        ((3, 3), (False, True), SECOND_WINS, TIE),
        ((3, 3), (False, False), TIE, TIE),
        ((3, 2), (True, True), FIRST_WINS, FIRST_WINS),
        ((3, 2), (False, True), TIE, FIRST_WINS),
        ((3, 2), (True, False), FIRST_WINS, FIRST_WINS),
        ((3, 2), (False, False), FIRST_WINS, FIRST_WINS),
        ((4, 5), (False, False), TIE, TIE),
        ((2, 4), (True, False), TIE, SECOND_WINS),
        ((1, 2), (False, False), TIE, TIE),
        ((1, 2), (True, False), FIRST_WINS, FIRST_WINS),
        ((1, 2), (False, True), SECOND_WINS, SECOND_WINS),
        ((2, 2), (True, True), 0, 0),
    ],
)
def test_both_would_win(points: tuple[int, int], there: tuple[bool, bool], conditions: int, by_points: int) -> None:
    for flag, expected in (("conditions", conditions), ("points", by_points)):
        sides = [[None, "A1-001"] if one else [] for one in there]
        game = arrange(sides[0], sides[1], points=list(points), flags={"simultaneous": flag})
        assert ending.winner(game) == expected
    tie = arrange([spot("A1-001", damage=60)], [spot("A1-001", damage=60)], poisoned=[True, True])
    _, rewards, terminated, _, _ = tie.step([PASS, PASS])
    assert (rewards.tolist(), terminated, tie.winner) == ([0, 0], True, TIE)
