"""A game as a picture, for films: who is in play, with HP and energy, hands as backs of cards, points."""

import numpy as np
from numpy.typing import NDArray

from envwright.envs.font import draw_text, text_width
from envwright.envs.tcg_pocket.layout import POINTS_TO_WIN
from envwright.envs.tcg_pocket.shown.board import Standing, as_numpy, deck_size, hand, in_play, type_of, zone
from envwright.envs.tcg_pocket.state import State
from envwright.envs.tcg_pocket.tables import ENERGIES

HEIGHT, WIDTH = 300, 480
FELT, PAPER, EDGE, INK, SOFT = (232, 238, 240), (255, 255, 255), (196, 204, 214), (27, 32, 39), (104, 114, 126)
GOOD, MIDDLING, BAD, EMPTY = (47, 158, 91), (217, 154, 27), (213, 71, 60), (228, 232, 238)
SIDES = ((47, 111, 179), (194, 87, 26))  # the first player's colour and the second's
TYPE_COLOURS = {
    "grass": (79, 157, 74), "fire": (221, 106, 50), "water": (63, 134, 214), "lightning": (217, 171, 30),
    "psychic": (164, 91, 181), "fighting": (180, 84, 47), "darkness": (70, 88, 106), "metal": (126, 141, 153),
    "dragon": (165, 138, 44), "colorless": (168, 164, 155),
}  # fmt: skip
CARD_WIDTH, CARD_HEIGHT, GAP = 108, 50, 8
ENDS = ("", "FIRST PLAYER WINS", "SECOND PLAYER WINS", "TIE")
Frame = NDArray[np.uint8]
Colour = tuple[int, int, int]


def draw_table(state: State) -> Frame:
    """(300, 480, 3) uint8: the first player below, the second above; the Active Pokemon face each other."""
    state = as_numpy(state)
    frame = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    frame[:] = FELT
    _box(frame, 0, HEIGHT // 2, WIDTH, 1, EDGE)
    for player, (active, bench, line) in enumerate(((156, 212, 274), (94, 38, 12))):
        _line(frame, state, player, line)
        for place, mon in enumerate(in_play(state, player)):
            x = (WIDTH - CARD_WIDTH) // 2 if place == 0 else 70 + (place - 1) * (CARD_WIDTH + GAP)
            _card(frame, mon, x, active if place == 0 else bench)
    turn = f"TURN {int(state.turn)}" if int(state.turn) else "SETUP"
    draw_text(frame, turn, WIDTH - 10 - text_width(turn), HEIGHT // 2 - 12, SOFT)
    if int(state.winner):
        text = ENDS[int(state.winner)]
        width = text_width(text, 2) + 40
        _box(frame, (WIDTH - width) // 2, 131, width, 38, INK)
        draw_text(frame, text, (WIDTH - width) // 2 + 20, 143, PAPER, 2)
    return frame


def _line(frame: Frame, state: State, player: int, y: int) -> None:
    """Points, deck, hand and energy zone."""
    asked = int(state.actor) == player and not int(state.winner)
    _box(frame, 0, y - 4, 5, 16, SIDES[player] if asked else EMPTY)
    for i in range(POINTS_TO_WIN):
        _box(frame, 14 + 14 * i, y - 2, 10, 10, SIDES[player] if i < int(state.points[player]) else EMPTY)
    draw_text(frame, f"DECK {deck_size(state, player)}", 70, y, SOFT)
    draw_text(frame, "ENERGY", 132, y, SOFT)
    if now := zone(state.zone_now[player]):
        _box(frame, 174, y - 2, 10, 10, TYPE_COLOURS[now])
    for i in range(len(hand(state, player))):
        _box(frame, 210 + 16 * i, y - 5, 12, 16, SIDES[player])
        _box(frame, 212 + 16 * i, y - 3, 8, 12, PAPER)


def _card(frame: Frame, mon: Standing | None, x: int, y: int) -> None:
    _box(frame, x, y, CARD_WIDTH, CARD_HEIGHT, EDGE)
    if mon is None:
        _box(frame, x + 1, y + 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, FELT)
        return
    _box(frame, x + 1, y + 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, PAPER)
    _box(frame, x + 1, y + 1, 4, CARD_HEIGHT - 2, TYPE_COLOURS.get(type_of(mon.card), SOFT))
    draw_text(frame, mon.card.name.upper().replace("É", "E")[:16], x + 9, y + 5, INK)
    share, width = mon.hp / max(1, mon.card.hp), CARD_WIDTH - 16
    _box(frame, x + 9, y + 16, width, 6, EMPTY)
    colour = GOOD if share > 0.5 else MIDDLING if share > 0.2 else BAD
    _box(frame, x + 9, y + 16, max(int(mon.hp > 0), round(width * share)), 6, colour)
    draw_text(frame, f"{mon.hp}/{mon.card.hp}", x + 9, y + 26, SOFT)
    if mon.conditions:
        draw_text(frame, mon.conditions[0][:8].upper(), x + 52, y + 26, BAD)
    units = [type for type, n in zip(ENERGIES, mon.energy, strict=True) for _ in range(n)]
    for i, type in enumerate(units[:9]):
        _box(frame, x + 9 + 10 * i, y + 38, 8, 8, TYPE_COLOURS[type])


def _box(frame: Frame, x: int, y: int, width: int, height: int, colour: Colour) -> None:
    frame[y : y + height, x : x + width] = colour
