"""The rules of spec.md one by one, as far as the tests of single cards do not exercise them."""

from math import comb
from typing import Any

import numpy as np
import pytest
from arranging import (
    WALL,
    alone,
    arrange,
    attacker,
    deck_ids,
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

from envwright.core.errors import EnvwrightError
from envwright.envs.tcg_pocket import decks
from envwright.envs.tcg_pocket.decks import Deck, DeckError
from envwright.envs.tcg_pocket.layout import (
    ACTIONS,
    ASLEEP,
    COPY_OF,
    ENERGIZE,
    ENERGY,
    FIRST_WINS,
    IN_DECK,
    IN_HAND,
    MAIN,
    OPP,
    OVER,
    OWN,
    PARALYZED,
    PASS,
    PLAY,
    PROMOTE,
    RETREAT,
    RETREAT_TO,
    SECOND_WINS,
    SETUP_ACTIVE,
    SETUP_BENCH,
    SWITCH,
    TIE,
    TRAINER,
    USE_ABILITY,
    USE_ATTACK,
    PocketFlags,
)
from envwright.envs.tcg_pocket.reference import ending, turns
from envwright.envs.tcg_pocket.reference.dice import Dice, choose, heads_of, heads_until_tails, shuffled
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.tables import BY_ID, card

VINE_WHIP = ("A1-001", "Vine Whip")  # 40 for grass and colorless


def started(**options: Any) -> PocketGame:
    game = PocketGame(**options)
    game.reset(seed=0)
    return game


# ---- 2. deck and setup ----


@exercises("R2.1")
@pytest.mark.parametrize(
    ("cards", "energy", "says"),
    [
        ({"A1-001": 2, "A1-053": 2}, ["grass"], "4"),
        ({"A1-001": 3, **{f"A1-0{n}": 1 for n in range(33, 50)}}, ["grass"], "Bulbasaur"),
        ({"A1-101": 2, "A1a-027": 1, **{f"A1-0{n}": 1 for n in range(33, 50)}}, ["grass"], "Electabuzz"),
        (
            {f"A1-{n}": 2 for n in ("002", "003", "006", "007", "009", "010", "012", "013", "216", "217")},
            ["fire"],
            "Basic",
        ),
        ({f"A1-0{n}": 1 for n in range(33, 53)}, [], "1 to 3"),
        ({f"A1-0{n}": 1 for n in range(33, 53)}, ["fire", "fire"], "different"),
        ({f"A1-0{n}": 1 for n in range(33, 53)}, ["fire", "water", "grass", "metal"], "1 to 3"),
        ({f"A1-0{n}": 1 for n in range(33, 53)}, ["colorless"], "colorless"),
        ({"B9-001": 20}, ["fire"], "B9-001"),
    ],
)
def test_illegal_decks(cards: dict[str, int], energy: list[str], says: str) -> None:
    with pytest.raises(DeckError, match=says):
        Deck.of(cards, energy)


@exercises("R2.1", "R2.2")
def test_legal_decks() -> None:
    assert len(decks.published()) == 69
    pool = decks.random_pool()
    assert {number for deck in pool for number in deck.cards} == set(range(1, 303))
    for deck in (*decks.published(), *pool):
        deck.check()
        assert list(deck.cards) == sorted(deck.cards)
    assert decks.random_pool.__wrapped__(5) == pool[:5]
    with pytest.raises(DeckError, match="meta"):
        decks.pool("meta")


@exercises("R2.3", "R2.4", "R2.6", "R12.4", "R12.2", "R12.3")
def test_a_start_follows_from_its_words() -> None:
    pool = decks.published()

    class Words(Dice):
        def decks(self) -> Any:
            return [one_of(3, 69), one_of(40, 69)]

        def first(self) -> Any:
            return 2  # its lowest bit: tails

        def opening(self) -> Any:
            return [one_of(1, len(pool[3].basics)), 0]

        def shuffles(self) -> Any:
            return [list(range(20)), list(range(20, 0, -1))]

        def zones(self) -> Any:
            return [0, one_of(len(pool[40].types) - 1, len(pool[40].types))]

    game = PocketGame(pool)
    game.dice = Words(0)
    turns.begin(game, game.pool)
    assert [tuple(cards) for cards in game.cards] == [pool[3].cards, pool[40].cards]
    assert (game.first, game.player, game.actor, game.pending, game.turn) == (1, 1, 1, SETUP_ACTIVE, 0)
    for player, deck, basic in ((0, pool[3], pool[3].basics[1]), (1, pool[40], pool[40].basics[0])):
        rest = [k for k in range(20) if k != basic]
        rest = rest if player == 0 else rest[::-1]
        assert [k - 1 for k in game.deck[player] if k] == rest[:15]
        assert {k for k in range(20) if game.where[player][k] == IN_HAND} == {basic, *rest[15:]}
        assert game.types[player] == sum(1 << type for type in deck.types)
    assert game.zone_next == [pool[3].types[0] + 1, pool[40].types[-1] + 1]
    assert game.zone_now == [0, 0]


@exercises("R2.3")
def test_either_player_may_be_first() -> None:
    game = PocketGame()
    firsts = set()
    for seed in range(20):
        game.reset(seed=seed)
        firsts.add(game.first)
    assert firsts == {0, 1}


@exercises("R2.5")
def test_opening_hands_by_reshuffling_are_all_those_with_a_basic() -> None:
    deck = decks.published()[0]
    game = PocketGame([deck], opening_hand="reshuffle")
    number = comb(20, 5) - comb(20 - len(deck.basics), 5)
    first, last = (turns.opening_hand(game, deck, one_of(at, number)) for at in (0, number - 1))
    order = deck.basics + [k for k in range(20) if k not in deck.basics]
    assert first == order[:5]
    assert sum(k in deck.basics for k in last) == 1
    assert last == [deck.basics[-1], *order[-4:]]
    game.reset(seed=1)
    assert all(sum(where == IN_HAND for where in game.where[player]) == 5 for player in (0, 1))


@exercises("R2.7", "R11.1", "R13.2")
def test_setup() -> None:
    game = started()
    first = game.first
    assert game.pending == SETUP_ACTIVE
    hand = [k for k in range(20) if game.where[first][k] == IN_HAND]
    assert {action - PLAY for action in legal(game)} <= set(hand)
    assert all(card(game.cards[first][action - PLAY]).basic for action in legal(game))
    seen_before = game.observations()[1 - first].tolist()
    while game.actor == first:
        whole(game, max(legal(game)))
    at = 3  # i_choose
    after = game.observations()[1 - first].tolist()
    changed = [index for index, (a, b) in enumerate(zip(seen_before, after, strict=True)) if a != b]
    assert changed == [at]  # only that it is asked now
    assert game.pending == SETUP_ACTIVE
    whole(game, min(legal(game)))
    while game.pending == SETUP_BENCH:
        whole(game, PASS)
    assert (game.turn, game.player, game.pending) == (1, first, MAIN)
    assert game.new == [[False] * 4] * 2


@exercises("R2.7")
def test_fossils_are_not_put_down_in_setup() -> None:
    game = arrange([], [], hands=[["A1-216", "A1-001"], ["A1-053"]], pending=SETUP_ACTIVE, turn=0)
    assert legal(game) == [play(game, "A1-001")]
    whole(game, play(game, "A1-001"))
    assert (game.actor, game.pending) == (1, SETUP_ACTIVE)  # nothing left for the Bench
    whole(game, play(game, "A1-053"))
    assert (game.turn, game.pending, game.actor) == (1, MAIN, 0)


# ---- 3. a turn ----


@exercises("R3.1", "R3.2", "R3.3")
def test_the_first_turns() -> None:
    for draws in (True, False):
        game = started(first_turn_draw=draws)
        first = game.first
        following = list(game.zone_next)
        while game.turn == 0:
            whole(game, min(legal(game)))
        placed = sum(any(stack) for stack in game.stack[first])
        assert sum(where == IN_HAND for where in game.where[first]) == 5 - placed + draws
        assert (game.zone_now, game.zone_next) == ([0, 0], following)
        whole(game, PASS)
        assert (game.turn, game.player) == (2, 1 - first)
        assert game.zone_now[1 - first] == following[1 - first]
        whole(game, PASS)
        assert (game.turn, game.player) == (3, first)
        assert game.zone_now[first] == following[first]  # the one that was previewed on turn 1


@exercises("R3.3", "R3.6", "R12.5")
@pytest.mark.parametrize(("unused", "kept"), [("lost", False), ("kept", True)])
def test_unused_energy(unused: str, kept: bool) -> None:
    fields: Any = {"zone_now": [2, 0], "zone_next": [3, 3], "types": [1, 1]}
    game = arrange(["A1-001"], flags={"unused_energy": unused}, **fields)
    whole(game, PASS)
    assert game.zone_now == [2 if kept else 0, 3]
    whole(game, PASS)
    assert game.zone_now == [2 if kept else 3, 3 if kept else 0]
    assert game.zone_next[0] == (3 if kept else 1)


@exercises("R3.4", "R6.1")
def test_energy_is_attached_once_a_turn_to_any_pokemon() -> None:
    game = arrange(["A1-001", None, "A1-053"], zone_now=[2, 0])
    assert [ENERGIZE + place in legal(game) for place in range(4)] == [True, False, True, False]
    whole(game, ENERGIZE + 2)
    assert (game.energy[0][2], game.zone_now) == (units("fire"), [0, 0])
    assert ENERGIZE not in legal(game)


@exercises("R3.5")
def test_the_turn_ends_after_an_attack_also_if_it_failed() -> None:
    for coin in "HT":
        action, user = attacker("A1-031", "Surprise Attack")
        game = arrange([user], dice={"coins": flips(coin)})
        whole(game, action)
        assert (game.turn, game.player, game.pending) == (6, 1, MAIN)


LASTING = ("no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left", "lock_left")
LASTING += ("dealt_less_left", "taken_less_left", "guard_left")


@exercises("R3.6", "R5.16")
def test_the_end_of_a_turn() -> None:
    fields: Any = {name: [2, 1] for name in LASTING}
    fields |= {"dealt_less": [20, 20], "taken_less": [20, 20], "guard": [10, 10], "avenged": [True, True]}
    game = arrange(
        [spot("A1-001", new=True, used=True)],
        **fields,
        boost=10,
        boost_by=5,
        retreat_change=-2,
        supporter_used=True,
        retreat_used=True,
    )
    whole(game, PASS)
    assert all(getattr(game, name) == [1, 0] for name in LASTING)
    assert (game.dealt_less, game.taken_less, game.guard) == ([20, 0], [20, 0], [10, 0])
    assert (game.boost, game.boost_by, game.retreat_change) == (0, 0, 0)
    assert (game.supporter_used, game.retreat_used, game.avenged) == (False, False, [False, True])
    assert not any(map(any, game.new + game.used))


@exercises("R3.7")
def test_the_turn_limit() -> None:
    game = arrange(["A1-001"], turn=29)
    whole(game, PASS)
    assert (game.turn, game.pending) == (30, MAIN)
    whole(game, PASS)
    assert (game.turn, game.pending, game.winner) == (30, OVER, TIE)
    game = arrange([spot("A1-001", damage=60), "A1-001"], poisoned=[True, False], turn=30, points=[0, 2])
    whole(game, PASS)
    assert game.winner == SECOND_WINS  # who has won by then has won
    game = arrange([spot("A1-001", damage=60), "A1-001"], poisoned=[True, False], turn=7, flags={"turn_limit": 7})
    whole(game, PASS)
    assert (game.winner, game.points) == (TIE, [0, 1])  # and nobody promotes


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


# ---- 11. to 13. ----


@exercises("R11.2")
def test_a_trainer_with_a_choice_is_in_the_discard_pile_while_it_asks() -> None:
    game = arrange(["A1-053"], hands=[["A1-220"], []], dice={"coins": 0})
    k = play(game, "A1-220") - PLAY
    whole(game, PLAY + k)
    assert (game.pending, game.source, game.supporter_used) == (TRAINER, k, True)
    assert "A1-220" not in ids_in(game, IN_HAND)
    whole(game, OWN)
    assert (game.pending, game.source) == (MAIN, 0)


@exercises("R11.5")
def test_no_knock_out_while_a_choice_is_open() -> None:
    action, user = attacker("A1-163", "Knock Back", damage=150)
    game = arrange([user, "A1-001"], ["A1-061", "A1-001"])
    whole(game, action)
    assert (game.pending, game.actor, game.points) == (SWITCH, 1, [0, 0])
    whole(game, OWN + 1)
    assert (game.points, game.pending, game.actor) == ([0, 1], PROMOTE, 0)


@exercises("R11.6")
def test_known_cards_are_forgotten_when_a_copy_is_played() -> None:
    game = arrange(["A1-053"], hands=[["A1-001", "A1-001", "A1-115"], []])
    copies = [k for k in range(20) if game.where[0][k] == IN_HAND]
    game.known[0] = [k in copies for k in range(20)]
    whole(game, play(game, "A1-001"))
    assert [game.known[0][k] for k in copies] == [False, False, True]


@exercises("R11.8")
def test_illegal_actions_are_refused_and_change_nothing() -> None:
    game = started()
    before = game.fields()
    for action in (-1, PASS, COPY_OF, ACTIONS):
        actions = [PASS, PASS]
        actions[game.actor] = action
        with pytest.raises(
            EnvwrightError, match=rf"Action {action} is not legal for player {game.actor}, who is asked"
        ):
            game.step(actions)
    assert game.fields() == before
    game.step([legal(game)[0]] * 2)  # what the one who waits says is not looked at


@exercises("R12.1", "R12.2", "R12.3")
def test_words() -> None:
    assert [heads_of(0b1011, n) for n in range(6)] == [0, 1, 2, 2, 3, 3]
    assert [heads_until_tails(word) for word in (0, 1, 0b1011, 2**32 - 1)] == [0, 1, 2, 32]
    assert [choose(word, 3) for word in (0, 2**32 // 3, 2**32 // 3 + 1, 2**32 - 1)] == [0, 0, 1, 2]
    assert shuffled([7, 8, 9], [5, 5, 1, 0]) == [9, 7, 8]
    assert choose(np.uint32(2**32 - 1), 15504) == 15503  # type: ignore[arg-type]


def test_flags_that_are_none() -> None:
    with pytest.raises(ValueError, match="opening_hand must be one of"):
        PocketFlags(opening_hand="mulligan")
    with pytest.raises(ValueError, match="turn_limit"):
        PocketFlags(turn_limit=0)


def test_a_state_can_be_taken_out_and_put_back() -> None:
    game = started()
    fields = game.fields()
    whole(game, legal(game)[0])
    assert game.fields() != fields
    game.put(fields)
    assert game.fields() == fields
    assert deck_ids(game)
    with pytest.raises(KeyError, match="mana"):
        game.put({"mana": 3})
