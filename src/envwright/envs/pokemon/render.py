"""A battle as a picture, for films: both active Pokemon, their HP and status, and who is left of the teams."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.font import draw_text, text_width
from envwright.envs.pokemon import tables
from envwright.envs.pokemon.state import MAX_HP, MEMBERS, STATUSES, State

HEIGHT, WIDTH = 270, 480
SKY, GRASS, SHADE = (222, 236, 250), (229, 238, 212), (200, 212, 176)
PAPER, EDGE, INK, SOFT = (255, 255, 255), (196, 204, 214), (27, 32, 39), (104, 114, 126)
GOOD, MIDDLING, BAD, EMPTY = (47, 158, 91), (217, 154, 27), (213, 71, 60), (228, 232, 238)
SIDES = ((47, 111, 179), (194, 87, 26))  # the first player's colour and the second's
STATUS_COLOURS = {
    "slp": (123, 127, 140), "psn": (154, 79, 176), "brn": (217, 96, 59), "frz": (62, 156, 196), "par": (185, 138, 18),
}  # fmt: skip
TYPE_COLOURS = {
    "Normal": (163, 163, 138), "Fighting": (184, 67, 58), "Flying": (147, 167, 224), "Poison": (154, 79, 163),
    "Ground": (207, 174, 92), "Rock": (173, 154, 69), "Bug": (153, 169, 44), "Ghost": (109, 90, 148),
    "Fire": (232, 121, 58), "Water": (90, 142, 230), "Grass": (108, 184, 78), "Electric": (230, 191, 46),
    "Psychic": (234, 95, 136), "Ice": (127, 201, 204), "Dragon": (111, 73, 224),
}  # fmt: skip
Frame = NDArray[np.uint8]
Colour = tuple[int, int, int]


def draw_battle(state: State) -> Frame:
    """(270, 480, 3) uint8: the first player in front on the left, the second behind on the right."""
    frame = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    frame[:] = SKY
    frame[150:] = GRASS
    for side, (x, y, radius) in enumerate(((118, 178, 46), (362, 92, 36))):
        _disc(frame, x, y + radius - 4, radius + 26, SHADE, flat=4)
        _token(frame, state, side, x, y, radius)
    _plate(frame, state, 1, 14, 14)
    _plate(frame, state, 0, WIDTH - 14 - 196, HEIGHT - 14 - 64)
    turn = f"TURN {int(state.turn)}"
    draw_text(frame, turn, WIDTH - 14 - text_width(turn), 14, SOFT)
    if int(state.winner):
        _banner(frame, ("", "FIRST PLAYER WINS", "SECOND PLAYER WINS", "TIE")[int(state.winner)])
    return frame


def _plate(frame: Frame, state: State, side: int, x: int, y: int) -> None:
    """Name, level, HP, status and the team of a side."""
    width, height = 196, 64
    _box(frame, x, y, width, height, EDGE)
    _box(frame, x + 1, y + 1, width - 2, height - 2, PAPER)
    _box(frame, x + 1, y + 1, 4, height - 2, SIDES[side])
    member = int(state.order[side, 0])
    hp, most = int(state.hp[side, member]), max(1, int(state.stats[side, member, MAX_HP]))
    draw_text(frame, tables.SPECIES_NAMES[int(state.species[side, member])].upper(), x + 12, y + 8, INK)
    level = f"L{int(state.level[side, member])}"
    draw_text(frame, level, x + width - 8 - text_width(level), y + 8, SOFT)
    _box(frame, x + 12, y + 22, width - 20, 7, EMPTY)
    share = hp / most
    colour = GOOD if share > 0.5 else MIDDLING if share > 0.2 else BAD
    _box(frame, x + 12, y + 22, max(int(hp > 0), round((width - 20) * share)), 7, colour)
    draw_text(frame, f"{hp}/{most}", x + 12, y + 34, SOFT)
    status = STATUSES[int(state.status[side, member])]
    if status:
        _box(frame, x + 92, y + 32, 24, 11, STATUS_COLOURS[status])
        draw_text(frame, status.upper(), x + 96, y + 34, PAPER)
    for i, word in enumerate(_extras(state, side)):
        draw_text(frame, word, x + 122 + 24 * i, y + 34, SOFT)
    for i in range(MEMBERS):
        if not int(state.species[side, i]):
            continue
        alive = int(state.hp[side, i]) > 0
        colour = STATUS_COLOURS.get(STATUSES[int(state.status[side, i])], SIDES[side]) if alive else EMPTY
        _disc(frame, x + 18 + 15 * i, y + 53, 5, colour)
        if i == member:
            _box(frame, x + 13 + 15 * i, y + 60, 10, 2, INK)


def _extras(state: State, side: int) -> list[str]:
    """Short words for what else is known of the active Pokemon; three fit."""
    flags = {"SUB": state.substitute, "CNF": state.confusion, "REF": state.reflect}
    return [word for word, values in flags.items() if int(values[side])]


def _token(frame: Frame, state: State, side: int, x: int, y: int, radius: int) -> None:
    """The active Pokemon: a disc in the colours of its types, and two letters."""
    member = int(state.order[side, 0])
    if int(state.hp[side, member]) <= 0:
        return
    first, second = (int(t) for t in state.types[side])
    _disc(frame, x, y, radius + 2, INK)
    _disc(frame, x, y, radius, TYPE_COLOURS.get(tables.TYPES[first], SOFT))
    if second:
        _disc(frame, x, y, radius, TYPE_COLOURS[tables.TYPES[second]], half=True)
    _disc(frame, x, y, radius * 2 // 3, PAPER)
    letters = tables.SPECIES_NAMES[int(state.active_species[side])][:2].upper()
    scale = 3 if radius > 40 else 2
    draw_text(frame, letters, x - text_width(letters, scale) // 2, y - 7 * scale // 2, INK, scale)


def _banner(frame: Frame, text: str) -> None:
    width = text_width(text, 2) + 40
    _box(frame, (WIDTH - width) // 2, 116, width, 38, INK)
    draw_text(frame, text, (WIDTH - width) // 2 + 20, 128, PAPER, 2)


def _box(frame: Frame, x: int, y: int, width: int, height: int, colour: Colour) -> None:
    frame[y : y + height, x : x + width] = colour


def _disc(frame: Frame, x: int, y: int, radius: int, colour: Colour, *, flat: int = 1, half: bool = False) -> None:
    """A filled circle, `flat` times as wide as high; only its lower right half, if told."""
    rows: Any
    rows, columns = np.ogrid[:HEIGHT, :WIDTH]
    inside = (columns - x) ** 2 + ((rows - y) * flat) ** 2 <= radius**2
    if half:
        inside &= (columns - x) + (rows - y) > 0
    frame[inside] = colour
