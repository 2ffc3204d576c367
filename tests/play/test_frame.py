"""Pictures as text."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwright.play.frame import Pixels, changes, fit, resize, text_row


def noise(height: int, width: int, seed: int = 0) -> Pixels:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(np.uint8)


def show(text: str, height: int, width: int, screen: Pixels | None = None) -> Pixels:
    """What a terminal makes of the text: an emulator of the four escape codes in use."""
    screen = np.zeros((height, width, 3), np.uint8) if screen is None else screen.copy()
    row = column = 0
    colours: list[list[int]] = []
    for place, colour, cells in re.findall(r"\x1b\[([\d;]+)H|\x1b\[([\d;]+)m|(▀+)", text):
        if place:
            row, column = (int(n) - 1 for n in place.split(";"))
        elif colour and colour != "0":
            numbers = [int(n) for n in colour.split(";")]
            assert (numbers[:2], numbers[5:7]) == ([38, 2], [48, 2])
            colours = [numbers[2:5], numbers[7:10]]
        elif cells:
            screen[2 * row, column : column + len(cells)] = colours[0]
            screen[2 * row + 1, column : column + len(cells)] = colours[1]
            column += len(cells)
    return screen


@pytest.mark.parametrize("cells", [(100, 39), (20, 39), (300, 5), (1, 1), (500, 400)])
def test_a_picture_fits_and_keeps_its_shape(cells: tuple[int, int]) -> None:
    columns, rows = cells
    height, width = fit(640, 620, columns, rows)
    assert height % 2 == 0
    assert 2 <= height <= 2 * rows
    assert 1 <= width <= columns
    assert abs(height / 640 - width / 620) <= 2 / 620


def test_shrinking_averages_and_growing_repeats() -> None:
    picture = noise(12, 20)
    small = resize(picture, 4, 5)
    exact = picture.reshape(4, 3, 5, 4, 3).mean(axis=(1, 3))
    assert np.all(np.abs(small - exact) <= 2)  # two roundings down
    assert np.array_equal(resize(picture, 24, 40), picture.repeat(2, axis=0).repeat(2, axis=1))
    assert np.array_equal(resize(picture, 12, 20), picture)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 50), st.integers(1, 50))
def test_any_size_becomes_any_other_and_white_stays_white(h: int, w: int, height: int, width: int) -> None:
    white = np.full((h, w, 3), 255, np.uint8)
    assert np.array_equal(resize(white, height, width), np.full((height, width, 3), 255))


def test_a_very_long_run_does_not_overflow() -> None:
    assert np.all(resize(np.full((2000, 1, 3), 255, np.uint8), 2, 1) == 255)


def test_the_text_shows_the_picture() -> None:
    picture = noise(8, 11)
    assert np.array_equal(show(changes(None, picture), 8, 11), picture)


def test_a_colour_is_named_only_where_it_changes() -> None:
    row = np.zeros((10, 3), np.uint8)
    assert text_row(row, row) == "\x1b[38;2;0;0;0;48;2;0;0;0m" + "▀" * 10 + "\x1b[0m"


@pytest.mark.parametrize("row", [0, 1])
def test_a_change_in_either_half_of_a_cell_is_seen(row: int) -> None:
    picture = np.zeros((2, 6, 3), np.uint8)
    picture[row, 3:] = 9
    assert np.array_equal(show(changes(None, picture), 2, 6), picture)


def test_only_changed_rows_are_written_and_suffice() -> None:
    before, now = noise(8, 11), noise(8, 11)
    assert changes(before, now) == ""
    now[5, 3] ^= 1
    text = changes(before, now, row=1, column=1)
    assert text.count("H") == 1
    assert np.array_equal(show(text, 8, 11, before), now)


def test_the_corner_is_where_it_is_put() -> None:
    picture = noise(4, 5)
    assert np.array_equal(show(changes(None, picture, row=3, column=7), 20, 20)[4:8, 6:11], picture)
