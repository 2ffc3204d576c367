"""What a player sees (spec.md, section 13)."""

from collections.abc import Iterator

from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    CARDS,
    EVOLVE,
    HEIGHT,
    IN_DISCARD,
    OPENING,
    OVER,
    PLACES,
    TRAINER,
)
from envwright.envs.tcg_pocket.reference import board
from envwright.envs.tcg_pocket.reference.state import PocketState

OF_BOTH = ("condition", "poisoned", "no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left")
OF_BOTH += ("dealt_less", "taken_less", "guard", "lock_left", "avenged")


def observe(s: PocketState, me: int) -> dict[str, list[int]]:
    """R13.1: the parts by name, in order."""
    them, setup = 1 - me, s.turn == 0
    both = (me, them)
    seen: dict[str, list[int]] = {
        "turn": [s.turn],
        "my_turn": [s.player == me],
        "i_am_first": [s.first == me],
        "i_choose": [s.actor == me and s.pending != OVER],
        "pending": [s.pending],
        "stage": [s.stage],
        "points": [s.points[p] for p in both],
        "deck_size": [len(board.deck(s, p)) for p in both],
        "hand_size": [len(board.hand(s, me)), OPENING if setup else len(board.hand(s, them))],  # R13.2
        "zone_now": [s.zone_now[p] for p in both],
        "zone_next": [s.zone_next[me]],
        "types": [s.types[me]],
    }
    for name in ("supporter_used", "retreat_used", "boost", "boost_by", "retreat_change"):
        seen[name] = [getattr(s, name)]
    for name in OF_BOTH:
        seen[name] = [getattr(s, name)[p] for p in both]
    seen["about"] = [about(s) if s.actor == me else 0]
    seen["attack"], seen["units"] = [s.attack], [s.units]
    shown = [[True] * PLACES, [not setup] * PLACES]  # R13.2
    rows = [(p, place, shown[p != me][place]) for p in both for place in range(PLACES)]
    seen["pokemon"] = [number_on_top(s, p, place) if show else 0 for p, place, show in rows]
    seen["below"] = [n for p, place, show in rows for n in numbers_below(s, p, place, show)]
    seen["damage"] = [s.damage[p][place] for p, place, _ in rows]
    seen["energy"] = [units for p, place, _ in rows for units in s.energy[p][place]]
    seen["new"] = [s.new[p][place] for p, place, _ in rows]
    seen["used"] = [s.used[p][place] for p, place, _ in rows]
    seen["my_cards"], seen["my_where"] = list(s.cards[me]), list(s.where[me])
    seen["their_discard"] = padded(s.cards[them][k] for k in range(CARDS) if s.where[them][k] == IN_DISCARD)
    seen["their_known"] = padded(s.cards[them][k] for k in range(CARDS) if s.known[them][k])
    top = [s.cards[me][k] for k in reversed(board.deck(s, me))][: s.seen_top[me]]
    seen["my_top"] = top + [0] * (3 - len(top))
    return seen


def about(s: PocketState) -> int:
    """The card that a choice is about."""
    if s.pending in (EVOLVE, TRAINER):
        return s.cards[s.player][s.source]
    return number_on_top(s, s.player, s.source) if s.pending == ABILITY else 0


def number_on_top(s: PocketState, player: int, place: int) -> int:
    card = board.top(s, player, place)
    return card.number if card else 0


def numbers_below(s: PocketState, player: int, place: int, show: bool) -> list[int]:
    """The cards under the top one, Basic first."""
    cards = [s.cards[player][k - 1] for k in s.stack[player][place] if k][:-1] if show else []
    return cards + [0] * (HEIGHT - 1 - len(cards))


def padded(numbers: Iterator[int]) -> list[int]:
    """Ascending, then 0."""
    found = sorted(numbers)
    return found + [0] * (CARDS - len(found))
