"""Boards of texts: lists and arrays of them in the state, as numbers of an alphabet."""

import numpy as np
import pytest
from small_games import Refused, assert_plays_the_same, game


def test_a_list_of_lists_of_texts() -> None:
    pair = game(
        """
        r, c = action // 3, action % 3
        if self.board[r][c] == " ":
            self.board[r][c] = self.mark
            self.mark = "O" if self.mark == "X" else "X"
        b = self.board
        for i in range(3):
            if b[i][0] == b[i][1] == b[i][2] != " ":
                self.winner = b[i][0]
        if b[0] == b[2] or b[1] == ["X", "X", "O"]:
            self.n += 1
        full = all(c != " " for row in self.board for c in row)
        self.n += sum(row.count("X") for row in self.board) + 10 * full
        self.n += sum({" ": 0, "X": 1, "O": -1}[c] for row in b for c in row)
        if full or self.winner is not None and self.n % 3 == 0:
            self.board = [[" "] * 3 for _ in range(3)]
            self.winner = None
        """,
        actions=9, board='[[" "] * 3 for _ in range(3)]', mark='"X"', winner="None", n="0",
    )  # fmt: skip
    assert pair.contract.state["board"].text == "letters(board, [' ', 'O', 'X'])"
    columns = assert_plays_the_same(pair)
    assert {0, 1, 2} == set(columns["state.board"].ravel().tolist())


def test_a_flat_board_with_none_in_it_and_lines_through_it() -> None:
    pair = game(
        """
        if self.cells[action] is None:
            self.cells[action] = self.mark
        won = any(self.cells[a] == self.cells[b] == self.cells[c] is not None for a, b, c in LINES)
        free = [i for i, c in enumerate(self.cells) if c is None]
        self.n += len(free) + ("O" in self.cells) + 2 * (None not in self.cells) - self.cells.count("X")
        taken = [c for c in self.cells if c is not None]
        self.n += 3 * len(taken) + taken.count("O") + ("X" in taken) + (len(set(self.cells[:2])) == 1)
        self.mark = "XO"[(self.n + action) % 2]
        if won or not free:
            self.cells = [None] * 9
        """,
        top="LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 4, 8)]",
        actions=9, cells="[None] * 9", mark='"X"', n="0",
    )  # fmt: skip
    assert pair.contract.state["cells"].text == "letters(cells, [None, 'O', 'X'])"
    assert_plays_the_same(pair)


def test_an_array_of_texts() -> None:
    pair = game(
        """
        row, col = action // 4, action % 4
        old = self.grid[row, col]
        self.grid[row, col] = "#" if old == "." else "@" if old == "#" else "."
        self.n += int((self.grid == "#").sum()) + int(np.any(self.grid == "Q"))
        line = self.grid.T[0]
        self.n += int((line == self.grid[0, 1]).sum()) + (np.array_equal(self.grid[0], self.grid[1]))
        self.n += int(np.count_nonzero(np.array(self.rows) == "."))
        turned = np.flip(self.grid, axis=1)
        self.rows[1] = [turned[0, 0], turned[1, 3]]
        if (self.grid != ".").all():
            self.grid[:] = "."
        if self.n % 7 == 0:
            self.grid.fill("#")
        """,
        actions=8, grid='np.full((2, 4), ".", dtype="<U1")', rows='[["."] * 2, ["@", "#"]]', n="0",
    )  # fmt: skip
    columns = assert_plays_the_same(pair)
    assert columns["state.grid"].shape[1:] == (2, 4)
    assert {0, 1, 2} == set(np.unique(columns["state.grid"]))


HANGMAN = """
letter = LETTERS[action]
if letter in self.word and letter not in self.shown:
    for i, c in enumerate(self.word):
        if c == letter:
            self.shown[i] = letter
self.n += sum(-1 if c == "_" else LETTERS.index(c) for c in self.shown)
if "_" not in self.shown:
    self.shown = ["_"] * 3
    self.word = WORDS[self.n % 2]
"""


def test_a_text_that_no_game_has_shown_on_the_board_ends_the_episode() -> None:
    pair = game(
        HANGMAN, top='WORDS = ["cat", "bee"]\nLETTERS = "abcetz"', actions=6, word="WORDS[0]", shown='["_"] * 3', n="0"
    )  # fmt: skip
    assert "'z'" not in pair.contract.state["shown"].text
    assert "outgrown" in pair.text
    assert_plays_the_same(pair)


def test_a_text_that_was_never_seen_and_is_always_put_there() -> None:
    with pytest.raises(Refused, match="'Q' never occurred here in the recorded episodes"):
        game(
            "self.cells[action] = 'X' if self.n < 900 else '.'\nif self.n > 900: self.cells[0] = 'Q'\nself.n += 1",
            cells='["."] * 4', n="0",
        )  # fmt: skip


def test_texts_that_are_used_as_numbers() -> None:
    with pytest.raises(Refused, match="count_nonzero of strings is not supported"):
        game(
            "self.cells[action] = 'X'; self.n += int(np.count_nonzero(self.cells))",
            cells='np.array(["", "", "", "X"])', n="0",
        )  # fmt: skip


def test_a_table_with_none_in_places() -> None:
    pair = game(
        """
        if TABLE[action] is None:
            self.n += 1
        elif TABLE[action] is not None and action != 3:
            self.n += 10
        if NEXT[(self.n % 2, action % 2)] is None:
            self.n += 100
        """,
        top='TABLE = ["a", None, "b", None]\nNEXT = {(0, 0): None, (0, 1): "x", (1, 0): "y", (1, 1): None}', n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_a_list_of_those_texts_that_are_allowed() -> None:
    pair = game(
        """
        names = [name for name in MOVES if 0 <= self.x + MOVES[name] < 5 and name != self.last]
        name = names[self.np_random.integers(len(names))]
        self.x += MOVES[name]
        self.last = names[0] if action == 0 else random.choice(names)
        self.count += len(names) + 10 * int("up" in names) + 100 * int(names[-1] == "stay")
        """,
        top='MOVES = {"up": 1, "down": -1, "stay": 0, "far": 2}',
        x="2", last='"up"', count="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
