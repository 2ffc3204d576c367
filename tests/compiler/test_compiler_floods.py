"""Sets and stacks that are filled in a loop, and functions that call themselves: flood fills, paths, chains."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from before_and_after import Cases, Refused, loosely
from small_games import assert_plays_the_same, game

RNG = np.random.default_rng(5)
ROWS = 40
X = RNG.integers(0, 7, ROWS)
G = RNG.integers(0, 2, (ROWS, 5, 5))
L = [RNG.integers(-3, 6, RNG.integers(1, 8)).tolist() for _ in range(ROWS)]

FILLED = {
    "a set of numbers": """
        seen, again = set(), 0
        for v in l:
            if v in seen:
                again = again * 3 + v
            seen.add(v)
        return again * 100 + len(seen)""",
    "a set of pairs": """
        seen = set()
        for r in range(5):
            for c in range(5):
                if g[r, c] and (r, c - 1) not in seen:
                    seen.add((r, c))
        return len(seen) * 100 + sum(r * 5 + c for r, c in seen) + int((x, 2) in seen)""",
    "a set that begins with something": """
        seen, n = {x}, 0
        for v in l:
            if v not in seen:
                n += v
            seen.add(v)
            seen.add(v + 1)
        return n * 100 + len(seen)""",
    "a set that loses members": """
        seen = set()
        for v in l:
            if v + 1 in seen:
                seen.discard(v + 1)
            elif v == x:
                seen.clear()
            else:
                seen.update((v, v + 2))
        return len(seen) * 100 + sum(seen)""",
    "a set in each turn": """
        n = 0
        for r in range(5):
            row = set()
            for c in range(5):
                row.add(g[r, c] * c % 3)
            n = n * 4 + len(row)
        return n""",
    "a set until it is full": """
        seen, k = set(), x
        while len(seen) < 4:
            seen.add(k)
            k = (k * 3 + 1) % 31
        return sum(seen) * 100 + k""",
    "a stack that is higher in a turn than after it": """
        stack, n = [x], 0
        for i in range(70):
            stack.append(i)
            stack.append(i * x)
            n = (n * 3 + stack.pop()) % 1009
        return n * 1000 + len(stack)""",
}

CASES = Cases(FILLED, x=X, g=G, l=L)


@pytest.mark.parametrize("name", FILLED)
def test_sets_that_are_filled_in_a_loop(name: str) -> None:
    CASES.assert_same(name)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("s = set()\nfor v in l:\n    s.add(v / 2)\nreturn len(s)", "sets of anything but integers"),
        ("s = set()\nfor v in l:\n    s.add((v, x) if v else (v, v))\nreturn [a for a, b in s][0]", "may matter"),
        (
            "s, k = set(), x\nwhile k not in s:\n    s.add(k)\n    k = k * 5 % 97\nreturn len(s)",
            "may exceed a capacity",
        ),
    ],
)
def test_sets_that_are_refused(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        Cases({"it": text}, x=X, l=L).assert_same("it")


BOARD: Any = {"board": "self.np_random.integers(0, 2, size=(5, 5))", "n": "0"}


def test_a_region_by_a_stack_and_a_set() -> None:
    pair = game(
        """
        stack, seen = [(action, action)], set()
        while stack:
            r, c = stack.pop()
            if (r, c) in seen:
                continue
            seen.add((r, c))
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                if 0 <= r + dr < 5 and 0 <= c + dc < 5 and self.board[r + dr, c + dc] == self.board[action, action]:
                    stack.append((r + dr, c + dc))
        color = 1 - self.board[action, action]
        for r, c in seen:
            self.board[r, c] = color
        self.n = len(seen)
        """,
        **BOARD,
    )
    assert_plays_the_same(pair)


def test_a_region_by_a_queue_and_marks() -> None:
    pair = game(
        """
        queue = deque([(action, 2)])
        wet = np.zeros((5, 5), bool)
        wet[action, 2] = True
        self.n = 0
        while queue:
            r, c = queue.popleft()
            self.n = (self.n * 7 + r * 5 + c) % 10007  # in this order
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if not (0 <= r + dr < 5 and 0 <= c + dc < 5) or wet[r + dr, c + dc] or self.board[r + dr, c + dc]:
                        continue
                    wet[r + dr, c + dc] = True
                    queue.append((r + dr, c + dc))
        self.board[action] = 1 - self.board[action]
        """,
        top="from collections import deque", **BOARD,
    )  # fmt: skip
    assert_plays_the_same(pair)


@pytest.mark.parametrize("grows", ["found.append(k)", "found.add(k)"])
def test_a_loop_that_outgrows_a_guess_ends_the_episode(grows: str) -> None:
    kind = "[]" if "append" in grows else "set()"
    pair = game(
        f"""
        found, k = {kind}, self.n
        while k < 100:
            {grows}
            k += 1
        self.n = (self.n + len(found) + action) % 60 + 50
        """,
        n="90",
    )
    assert_plays_the_same(pair)
    with loosely():
        cut = [pair.rules.apply(pair.records.State(n=jnp.int32(n)), jnp.int32(0), None).truncated for n in (35, 36)]
    assert [bool(c) for c in cut] == [True, False]  # there is room for 64


def test_an_episode_that_cannot_be_cut_off_may_not_guess() -> None:
    with pytest.raises(Refused, match="no bound on the number of iterations is known"):
        game(
            "self.n = action",
            start="k, found = self.n, []\nwhile k < 100:\n    found.append(k)\n    k += 1\nself.n = len(found)",
            n="self.np_random.integers(0, 9)",
        )


MARK = """
    self.board[r, c] = 1
    self.n = (self.n * 7 + r * 5 + c) % 10007"""  # which shows the order
CALLS = {
    "first asked in the call": f"""
def fill(self, r, c):
    if r < 0 or r > 4 or c < 0 or c > 4 or self.board[r, c]:
        return
    {MARK}
    if self.n % 5:
        self.fill(r + 1, c)
        self.fill(r, c + 1)
        for dc in (-1, 0):
            if dc:
                self.fill(r, c + dc)
    self.fill(r - 1, c)""",
    "asked before the call": f"""
def fill(self, r, c):
    {MARK}
    for nr, nc in self.around(r, c):
        if not self.board[nr, nc]:
            self.fill(nr, nc)

def around(self, r, c):
    return [(r + i, c + j) for i, j in ((0, 1), (-1, 0), (1, 0), (0, -1)) if 0 <= r + i < 5 and 0 <= c + j < 5]""",
    "asked with other words": f"""
def fill(self, c, r):
    {MARK}
    if c < 4 and not self.board[r, c + 1]:
        self.fill(c + 1, r)
    if r < 4 and not self.board[r + 1, c]:
        self.fill(c, r + 1)""",
    "an inner function": f"""
def fill(self, r, c):
    def flow(r, c, turns):
        if 0 <= r < 5 and 0 <= c < 5 and not self.board[r, c]:
            {MARK.replace("    ", " " * 12)}
            flow(r, c + turns, turns)
            flow(r + 1, c, turns)

    flow(r, c, 1)""",
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_that_call_themselves_and_give_nothing_back(name: str) -> None:
    pair = game(
        "self.fill(action, self.n % 4)\nif self.board.sum() > 20:\n    self.board[:] = 0", methods=CALLS[name], **BOARD
    )
    assert_plays_the_same(pair)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("if r < 5:\n    self.fill(r + 1, c)\n    self.n += r", "a recursive call may depend"),
        (
            "self.n += 1\nif r < 5:\n    self.fill(r + 1, c)\n    self.fill(r + 1 + self.n, c)",
            "a recursive call may depend",
        ),
        (
            "if r < 5:\n    self.n += 1\n    self.fill(r + 1, c)\n    if self.n > c:\n        self.fill(r + 2, 1)",
            "may depend",
        ),
        ("self.n -= 1\nfor i in range(self.n):\n    self.fill(r + i, c)", "a recursive call may depend"),
        ("self.n += 1\nreturn self.fill(r + 1, c) if r < 5 else 0", "returns a value"),
        ("while r < 5:\n    r += 1\n    self.fill(r, c)", "a recursive call inside another statement"),
    ],
)
def test_functions_that_call_themselves_and_are_refused(body: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        game(
            "self.fill(action, self.n % 4)",
            methods="def fill(self, r, c):\n    " + body.replace("\n", "\n    "),
            **BOARD,
        )
