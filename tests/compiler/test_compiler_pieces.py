"""Pieces, words and hands: known things of different shapes and lengths of which the game picks one, and counts of
what there is of each."""

import numpy as np
import pytest
from before_and_after import Cases, Refused
from small_games import assert_plays_the_same, game

RNG = np.random.default_rng(8)
ROWS = 40
X = RNG.integers(0, 4, ROWS)
Y = RNG.integers(0, 4, ROWS)
D = RNG.integers(1, 7, (ROWS, 5))
L = [RNG.integers(-1, 5, RNG.integers(1, 8)).tolist() for _ in range(ROWS)]

TOP = """
SHAPES = [np.array([[1, 1, 1, 1]]), np.array([[1, 1], [1, 1]]), np.array([[0, 1, 0], [1, 1, 1]]), np.array([[1], [2]])]
CELLS = [[(0, 0), (0, 1), (0, 2), (0, 3)], [(0, 0), (0, 1), (1, 0)], [(0, 1), (1, 0)], [(1, 1), (0, 1), (0, 2)]]
ROWS = [[[1, 1, 1, 1]], [[1, 1], [1, 1]], [[0, 1, 0], [1, 1, 1]], [[1, 1, 0], [0, 1, 1]]]
WORDS, LETTERS = ["apple", "lemon", "fig", "mango"], "aeigop"
FRUIT = ["mango", "lemon", "apple", "melon"]
"""
PICKED = {
    "cells of a piece": """
        n = 0
        for r, c in CELLS[x]:
            n = n * 3 + r + c * y
        return n""",
    "rows of a piece, and their cells": """
        n = 0
        for i, row in enumerate(ROWS[x]):
            for j, cell in enumerate(row):
                if cell:
                    n = n * 3 + i + j
        return n""",
    "a piece that is turned once": """
        p = np.rot90(SHAPES[x])
        return p.shape[0] * 100 + p.shape[1] * 10 + p[0, 0] + p.sum() * 1000""",
    "a piece that is turned as often as the game says": """
        p, n = np.rot90(SHAPES[x], -y - 1), 0
        for i in range(p.shape[0]):
            for j in range(p.shape[1]):
                n = n * 3 + p[i, j]
        return n * 10 + p.shape[0]""",
    "a piece on a board": """
        p = np.array(ROWS[x])
        board = np.zeros((6, 6), int)
        height, width = p.shape
        for i in range(height):
            for j in range(width):
                if p[i][j]:
                    board[i + y, j] += x + 1
        return (board * np.arange(36).reshape(6, 6)).sum()""",
    "letters of a word": """
        word, guess, n = WORDS[x], LETTERS[y], 0
        for i, letter in enumerate(word):
            if letter == guess:
                n = n * 6 + i + 1
        return n * 100 + word.count(guess) * 10 + len(word) + int(guess in word) * 5""",
    "where a letter is, if it is": "w = WORDS[x]; return w.index('e') + 9 * int(w.startswith('l')) if 'e' in w else -1",
    "texts by a list of numbers": """
        deck = [FRUIT[i] for i in d % 4]
        same = int(deck[x] == deck[y]) + 2 * int(deck[-x - 1] == 'apple') + 4 * int('mango' in deck)
        n = deck.count('lemon') * 100 + FRUIT.index(deck[y]) * 10 + sum(1 for w in deck if w == deck[0])
        return same * 1000 + n""",
    "texts of which some are known": """
        t = [WORDS[x], 'fig', LETTERS[y]]
        return len(t[y % 3]) + 10 * int(t[x % 3] == 'fig')""",
    "letters that are shown": """
        word, shown = FRUIT[x], ["_"] * 5
        for i in range(5):
            if word[i] == LETTERS[y]:
                shown[i] = word[i]
        return shown.count("a") * 100 + shown.count("_") * 10 + int("_" in shown) + 2 * int(shown[y] == word[y])""",
    "places of two lists are exchanged": """
        a, b = [x, 5, 6, 7], [r + 10 for r in l]
        i = y % len(b)
        a[y], b[i] = b[i], a[y]
        return sum((k + 1) * v for k, v in enumerate(a)) * 100 + b[i] + sum(b)""",
}
PICKED_CASES = Cases(PICKED, top=TOP, x=X, y=Y, d=D, l=L)


@pytest.mark.parametrize("name", PICKED)
def test_known_things_of_different_shapes(name: str) -> None:
    PICKED_CASES.assert_same(name)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("p = np.rot90(SHAPES[x]); p[0, 0] = 5; return p[0, 0]", "a part of a temporary value is assigned"),
        (
            "n = 0\nfor k in [{0: 5, 2: 7}, {1: 3}, {}, {}][x]:\n    n += k\nreturn n",
            "over something other than numbers",
        ),
        ("t = [FRUIT[i % 4] for i in l]; return len(t)", "one of several constants is not a number"),
        ("return int(''.join(['a', LETTERS[y]]) == 'ae')", "the method join of '' is not supported"),
        ("p = SHAPES[x]; p[0] += 1; return p[0, 0]", "one of several constants is not a number"),
    ],
)
def test_known_things_that_are_refused(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        Cases({"it": text}, top=TOP, x=X, y=Y, l=L).assert_same("it")


COUNTED = {
    "a counter": "c = Counter(l); return c[x] * 10 + c[-1] + c.get(y, 0) * 100 + len(c) * 1000 + int(3 in c) * 10000",
    "of a list of fixed length": """
        often = sorted(Counter(d.tolist()).values(), reverse=True)
        return int(often[0] == 3) + 2 * int(often == [3, 2]) + 4 * int(often == [2, 2, 1]) + 8 * len(often)""",
    "in the order in which they came": """
        n = 0
        for key, often in Counter(l).items():
            n = n * 7 + key * often
        for key in Counter(d.tolist()):
            n = n * 5 % 100003 + key
        return n""",
    "the most common, and of several the first": """
        key, often = Counter(l).most_common(1)[0]
        all_of_them = Counter(d.tolist()).most_common()
        return key * 10 + often + len(all_of_them) * 1000 + all_of_them[0][0] * 100 + all_of_them[-1][0] * 10000""",
    "of nothing": "c = Counter([v for v in l if v > x + 2]); return (1 if c else 2) + sum(c.values()) * 10",
    "in a loop, with get": """
        c = {}
        for v in l:
            c[v % 3] = c.get(v % 3, 0) + 1
        return max(c.values()) * 100 + len(c) * 10 + c.get(x, 0) + list(c)[0] * 1000""",
    "in a loop, with an if": """
        c = {}
        for i, v in enumerate(l):
            if v not in c:
                c[v] = 1
            else:
                c[v] += 1
        return sum(k * n * n for k, n in c.items())""",
    "of what is known": """
        c = {}
        for letter in "mango tango":
            c[letter] = c.get(letter, 0) + 1
        return c["a"] * 10 + len(c) + x""",
    "in a loop, by a counter": """
        c = Counter()
        for v in d:
            c[v] += 1
        return c[x] * 10 + max(c.values())""",
}
COUNTED_CASES = Cases(COUNTED, top="from collections import Counter, defaultdict", x=X, y=Y, d=D, l=L)


@pytest.mark.parametrize("name", COUNTED)
def test_what_there_is_of_each(name: str) -> None:
    COUNTED_CASES.assert_same(name)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("c = Counter([v / 2 for v in l]); return len(c)", "a counter of anything but integers is not supported"),
        ("c = Counter(l); c[x] += 1; return len(c)", "a part of a temporary value is assigned"),
        ("c = Counter(l); return len(c.most_common(x + 1))", "most_common of a counter is not supported"),
        ("c = {}\nfor v in l:\n    c[v] = c.get(v, 0) + 1\nreturn v", "the loop variable of a counting loop"),
        ("c = {2: 1}\nfor v in l:\n    c[v] = c.get(v, 0) + 1\nreturn len(c)", "changes its type"),
        ("c = defaultdict(int)\nfor v in l:\n    c[v] += 1\nreturn c[7] + len(c)", "a dict is indexed by"),
    ],
)
def test_counts_that_are_refused(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        Cases({"it": text}, top="from collections import Counter, defaultdict", x=X, l=L).assert_same("it")


def test_a_falling_piece() -> None:
    pair = game(
        """
        if action == 3:
            self.way = (self.way + 1) % 4
        piece = np.rot90(SHAPES[self.kind], self.way)
        height, width = piece.shape
        self.row = min(self.row, 8 - height)
        self.col = min(max(self.col + action - 1, 0), 6 - width)
        hit = self.row + height >= 8
        if not hit:
            for i in range(height):
                for j in range(width):
                    if piece[i, j] and self.board[self.row + 1 + i, self.col + j]:
                        hit = True
        if not hit:
            self.row += 1
        else:
            for i in range(height):
                for j in range(width):
                    if piece[i, j]:
                        self.board[self.row + i, self.col + j] = self.kind + 1
            self.row, self.kind, self.way = 0, int(self.np_random.integers(4)), 0
            if self.board[:3].any():
                self.board[:] = 0
        """,
        top=TOP, board="np.zeros((8, 6), int)", row="0", col="2", way="0", kind="int(self.np_random.integers(4))",
    )  # fmt: skip
    assert_plays_the_same(pair)
