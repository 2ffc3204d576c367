"""Setup and turns: sections 2 and 3 of spec.md."""

from math import comb
from typing import Any

import pytest
from arranging import LASTING, arrange, attacker, exercises, flips, one_of, play, spot, started, units, whole

from envwright.envs.tcg_pocket import decks
from envwright.envs.tcg_pocket.decks import Deck, DeckError
from envwright.envs.tcg_pocket.layout import (
    ENERGIZE,
    IN_HAND,
    MAIN,
    OVER,
    PASS,
    PLAY,
    SECOND_WINS,
    SETUP_ACTIVE,
    SETUP_BENCH,
    TIE,
)
from envwright.envs.tcg_pocket.reference import turns
from envwright.envs.tcg_pocket.reference.dice import Dice
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.tables import card

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
