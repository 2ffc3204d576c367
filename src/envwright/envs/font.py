"""Letters of five by seven dots, for pictures that have no fonts."""

import numpy as np
from numpy.typing import NDArray

ADVANCE, ROWS, COLUMNS = 6, 7, 5
# A letter is seven rows of five dots, a hexadecimal number of two digits a row, from the top.
GLYPHS = {
    "A": "0e11111f111111", "B": "1e11111e11111e", "C": "0e11101010110e", "D": "1e11111111111e", "E": "1f10101e10101f",
    "F": "1f10101e101010", "G": "0e11101713110f", "H": "1111111f111111", "I": "0e04040404040e", "J": "0702020202120c",
    "K": "11121418141211", "L": "1010101010101f", "M": "111b1515111111", "N": "11191513111111", "O": "0e11111111110e",
    "P": "1e11111e101010", "Q": "0e11111115120d", "R": "1e11111e141211", "S": "0f10100e01011e", "T": "1f040404040404",
    "U": "1111111111110e", "V": "11111111110a04", "W": "1111111515150a", "X": "11110a040a1111", "Y": "11110a04040404",
    "Z": "1f01020408101f", "0": "0e11131519110e", "1": "040c040404040e", "2": "0e11010204081f", "3": "1f02040201110e",
    "4": "02060a121f0202", "5": "1f101e0101110e", "6": "0608101e11110e", "7": "1f010204080808", "8": "0e11110e11110e",
    "9": "0e11110f01020c", "/": "01010204081010", "-": "0000001f000000", ".": "00000000000c0c", "'": "04040800000000",
    "%": "18190204081303", ":": "000c0c000c0c00", "!": "04040404040004", "+": "0004041f040400", "♀": "0e110e041f0404",
    "♂": "0703050e11110e",
}  # fmt: skip


def text_width(text: str, scale: int = 1) -> int:
    return (ADVANCE * len(text) - 1) * scale


def draw_text(
    frame: NDArray[np.uint8], text: str, x: int, y: int, colour: tuple[int, int, int], scale: int = 1
) -> None:
    """Write into a picture, the upper left corner at (x, y); letters that there are not are left blank."""
    for i, letter in enumerate(text):
        rows = bytes.fromhex(GLYPHS.get(letter, "00" * ROWS))
        dots = np.array([[row >> bit & 1 for bit in reversed(range(COLUMNS))] for row in rows], bool)
        dots = dots.repeat(scale, axis=0).repeat(scale, axis=1)
        left = x + ADVANCE * scale * i
        frame[y : y + dots.shape[0], left : left + dots.shape[1]][dots] = colour
