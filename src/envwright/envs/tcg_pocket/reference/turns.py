"""Setup, the start and the end of a turn, checkup (spec.md, sections 2, 3 and 7)."""

from itertools import combinations
from math import comb

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.decks import Deck
from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    BASIC_FIRST,
    CARDS,
    ENERGIES,
    IN_CHECKUP,
    IN_HAND,
    IN_MAIN,
    KEPT,
    LOST,
    NONE,
    OPENING,
    PARALYZED,
    PLACES,
    PLAYERS,
    SETUP_ACTIVE,
    SETUP_BENCH,
)
from envwright.envs.tcg_pocket.reference import board, cards, met
from envwright.envs.tcg_pocket.reference.dice import choose, coin, shuffled
from envwright.envs.tcg_pocket.reference.state import PocketState

POISON = 10


# ---- setup ----


def begin(s: PocketState, pool: tuple[Deck, ...]) -> None:
    """R2.3 to R2.6."""
    s.clear()
    decks = [pool[choose(word, len(pool))] for word in s.dice.decks()]
    s.first = s.player = s.actor = 0 if coin(s.dice.first(), 0) else 1
    opening, shuffles, zones = s.dice.opening(), s.dice.shuffles(), s.dice.zones()
    for player, deck in enumerate(decks):
        s.cards[player] = list(deck.cards)
        s.types[player] = sum(1 << type for type in deck.types)
        hand = opening_hand(s, deck, opening[player])
        rest = [k for k in range(CARDS) if k not in hand]
        cards.lay_deck(s, player, shuffled(rest, shuffles[player]))
        for k in hand:
            s.where[player][k] = IN_HAND
        cards.draw(s, player, OPENING - len(hand))
        next_energy(s, player, zones[player])
    s.pending = SETUP_ACTIVE


def opening_hand(s: PocketState, deck: Deck, word: int) -> list[int]:
    """R2.4: the Basic Pokemon that is certain; R2.5: all five cards."""
    basics = deck.basics
    if s.flags.opening_hand == BASIC_FIRST:
        return [basics[choose(word, len(basics))]]
    order = basics + [k for k in range(CARDS) if k not in basics]
    number = choose(word, comb(CARDS, OPENING) - comb(CARDS - len(basics), OPENING))
    for at, hand in enumerate(combinations(order, OPENING)):
        if at == number:
            return list(hand)
    raise AssertionError("There are as many sets as numbers.")


def placeable(s: PocketState, player: int) -> list[int]:
    """R2.7: the cards k that may be put down in setup."""
    return [k for k in board.hand(s, player) if tables.card(s.cards[player][k]).basic]


def put_down(s: PocketState, k: int) -> None:
    """R2.7: the Active first, then the Bench."""
    player = s.actor
    met.card(s.cards[player][k])
    cards.put_down(s, player, 0 if not board.occupied(s, player) else board.free_bench(s, player)[0], k)
    if placeable(s, player) and board.free_bench(s, player):
        s.pending = SETUP_BENCH
    else:
        enough(s)


def enough(s: PocketState) -> None:
    """The actor has finished setup."""
    if s.actor == s.first:
        s.actor, s.pending = 1 - s.first, SETUP_ACTIVE
    else:
        start_turn(s, s.first)


# ---- a turn ----


def start_turn(s: PocketState, player: int) -> None:
    """R3.1 to R3.3."""
    s.player, s.stage = player, IN_MAIN
    s.turn += 1
    if s.turn > 1 or s.flags.first_turn_draw:
        cards.draw(s, player, 1)
    if s.turn > 1 and not (s.flags.unused_energy == KEPT and s.zone_now[player]):
        s.zone_now[player] = s.zone_next[player]
        next_energy(s, player, s.dice.zone())


def next_energy(s: PocketState, player: int, word: int) -> None:
    types = [type for type in range(ENERGIES) if s.types[player] >> type & 1]
    s.zone_next[player] = types[choose(word, len(types))] + 1


LASTING = ("no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left", "lock_left")
WITH_AMOUNT = ("dealt_less", "taken_less", "guard")


def end_turn(s: PocketState) -> None:
    """R3.6."""
    for player in range(PLAYERS):
        for name in (*LASTING, *(f"{name}_left" for name in WITH_AMOUNT)):
            left = getattr(s, name)
            left[player] = max(0, left[player] - 1)
        for name in WITH_AMOUNT:
            if not getattr(s, f"{name}_left")[player]:
                getattr(s, name)[player] = 0
        s.new[player], s.used[player] = [False] * PLACES, [False] * PLACES
    s.boost = s.boost_by = s.retreat_change = 0
    s.supporter_used = s.retreat_used = False
    s.avenged[s.player] = False
    if s.flags.unused_energy == LOST:
        s.zone_now[s.player] = 0


def checkup(s: PocketState) -> None:
    """R7.1 to R7.3; knock-outs come after it."""
    s.stage = IN_CHECKUP
    for player in range(PLAYERS):
        if s.poisoned[player]:
            s.damage[player][0] += POISON
    if ASLEEP in s.condition:
        word = s.dice.wake()
        for number, player in enumerate((s.player, 1 - s.player)):
            if s.condition[player] == ASLEEP and coin(word, number):
                s.condition[player] = NONE
    if s.condition[s.player] == PARALYZED:
        s.condition[s.player] = NONE
