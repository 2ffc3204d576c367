"""Knock-outs, points, the end of the game, promotion (spec.md, section 8)."""

from envwright.envs.tcg_pocket.layout import (
    CONDITIONS,
    FIRST_WINS,
    IN_DISCARD,
    IN_ENDING,
    NOBODY_YET,
    OTHER_FIRST,
    PLAYERS,
    POINTS_TO_WIN,
    SECOND_WINS,
    TIE,
)
from envwright.envs.tcg_pocket.reference import board, cards
from envwright.envs.tcg_pocket.reference.state import PocketState


def knock_out(s: PocketState) -> None:
    """R8.1, R8.2: everybody at once."""
    for player, place in board.everybody(s):
        if not board.at_zero_hp(s, player, place):
            continue
        s.points[1 - player] += 2 if board.pokemon(s, player, place).ex else 1
        if s.stage == IN_ENDING and player != s.player:
            s.avenged[player] = True
        cards.remove(s, player, place, IN_DISCARD)


def winner(s: PocketState) -> int:
    """R8.3 to R8.5."""
    enough = [s.points[player] >= POINTS_TO_WIN for player in range(PLAYERS)]
    there = [bool(board.occupied(s, player)) for player in range(PLAYERS)]
    alone = [there[player] and not there[1 - player] for player in range(PLAYERS)]
    if not any(enough) and all(there):
        return NOBODY_YET
    if s.flags.simultaneous == CONDITIONS:
        return _higher(enough[0] + alone[0], enough[1] + alone[1])
    return _higher(enough[0], enough[1]) if any(enough) else _higher(alone[0], alone[1])


def _higher(first: int, second: int) -> int:
    return TIE if first == second else FIRST_WINS if first > second else SECOND_WINS


def who_promotes(s: PocketState) -> int | None:
    """R8.7: the player who is to promote next."""
    order = (1 - s.player, s.player) if s.flags.promotion == OTHER_FIRST else (s.player, 1 - s.player)
    return next((player for player in order if board.top(s, player, 0) is None), None)
