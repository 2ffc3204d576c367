"""Branches and calls: whichever way the original goes, the translation goes the same way."""

import numpy as np
import pytest
from before_and_after import Cases

RNG = np.random.default_rng(4)
ROWS = 48
X = RNG.integers(0, 7, ROWS)
Y = RNG.integers(-4, 7, ROWS)
A = RNG.integers(-3, 6, (ROWS, 6))
G = RNG.integers(0, 3, (ROWS, 4, 4))

BRANCHES = {
    "elif": """
        if x == 0:
            n = 5
        elif x < 3:
            n = y
        elif y > 2:
            n = x * y
        else:
            n = -1
        return n""",
    "nested": """
        n = 1
        if x > 2:
            if y > 2:
                n = 2
            else:
                n += y
            n *= 3
        return n""",
    "early return": """
        if x > 4:
            return 1
        n = y
        if y > 2:
            n += 10
            if x > 2:
                return n
        elif y < 0:
            return -n
        n += 1
        return n""",
    "a name of one side only": """
        if x > 2:
            n = y
            k = 3
        else:
            n = x
        if x > 2:
            n += k
        return n""",
    "conditions that use what they change": """
        n = x
        if n > 3:
            n = 0
        if n == 0:
            n = y
        if n == y and n > 2:
            n = -n
        return n""",
    "the same condition again": """
        n = 0
        if x == 1:
            n = 1
        elif x == 2:
            n = 2
        if x == 1:
            n += 10
        elif x == 3:
            n += 30
        return n""",
    "an excluded case that changes": """
        k = x
        n = 0
        if k == 1:
            k = 2
            n = 5
        elif k == 2:
            k = 1
            n = 6
        if k == 1:
            n += 100
        return n * 10 + k""",
    "swap in a branch": """
        p, q = x, y
        if p > q:
            p, q = q, p
        return p * 10 + q""",
    "whole or real": """
        if x > 3:
            r = 1
        elif x > 1:
            r = 0.5
        else:
            r = -y
        return r""",
    "division by zero on the other side": """
        if y != 0:
            n = x // y
        else:
            n = 0
        return n""",
    "real division by zero on the other side": "x / y if y != 0 else 0.0",
    "outside on the other side": "a[y] if 0 <= y < 6 else -9",
    "a short circuit": "y != 0 and x % y == 0",
    "raise": """
        if x > 100:
            raise ValueError("no")
        assert x < 50, "too much"
        return x + 1""",
    "pass and print": """
        if x > 3:
            print("large")
        else:
            pass
        return x + y""",
    "try": """
        try:
            n = x + 1
        except ValueError:
            n = 0
        finally:
            n += 1
        return n""",
    "walrus": """
        if (n := x * 2) > 5:
            return n
        return -n""",
    "delete a name": """
        n = x
        del n
        n = y
        return n""",
    "a tuple by a condition": """
        r, c = (x, y) if x > 3 else (y, 0)
        return r * 10 + c""",
    "a tuple or None": """
        at = (x, y) if x > 3 else None
        if at is None:
            return -1
        return at[0] * 10 + at[1]""",
    "a function by a condition": """
        f = abs if x > 3 else (lambda v: v + 1)
        return f(y)""",
    "a function of a table": """
        def up(v): return v + 1
        def down(v): return v - x
        return {0: abs, 1: round, 2: int}[x % 3](y) * 10 + [up, down, up, abs, int][x % 5](y) + (up, down)[y % 2](3)""",
    "a function that changes something": """
        n = [0, 0]
        def first(): n[0] += y
        def second(): n[1] -= 2
        run = first if x > 2 else second
        run()
        return n[0] * 10 + n[1]""",
    "a chain of conditions": "5 if x == 0 else 6 if x == 1 else 7 if x == 2 else y",
    "an operation by a condition": """
        n = 0
        if x % 2: n += y
        if x % 3: n -= y * 2
        if not x % 2 and y > 0: n *= -1
        return n""",
}


BRANCHES_GAPS: dict[str, str] = {}
BRANCHES_CASES = Cases(BRANCHES, x=X, y=Y, a=A)


@pytest.mark.parametrize("name", BRANCHES_CASES.parameters({}, BRANCHES_GAPS))
def test_branches(name: str) -> None:
    BRANCHES_CASES.assert_same(name)


CALLS = {
    "with a default": "scaled(x) + scaled(x, 3) + scaled(y, by=4)",
    "early returns": "kind_of(x) * 10 + kind_of(y)",
    "several results": "q, r = both(x, 3)\nreturn q * 10 + r",
    "a call in a loop": "n = 0\nfor i in range(x):\n    n += kind_of(i + y)\nreturn n",
    "a loop in a call": "climb(x) * 100 + climb(y + 5)",
    "a while in a call in a branch": "return climb(x) if y > 2 else -1",
    "calls of calls": "outer(x, y)",
    "an inner function": "def inner(v):\n    return v * x\nreturn inner(y) + inner(2)",
    "any number of arguments": "total(x, y, 3) + total(x)",
    "a call changes an array": "b = a.copy()\nn = bump(b, x % 6)\nreturn b * 10 + n",
    "a call changes an array in a loop": "b = a.copy()\nfor i in range(x):\n    bump(b, i % 6)\nreturn b",
    "a call changes an array in a branch": "b = a.copy()\nif x > 3:\n    bump(b, 2)\nreturn b",
    "a constant argument": "scaled(2) + x + scaled(y, 0)",
    "None or a number": "found = first_above(a, x)\nreturn -1 if found is None else found",
    "a pair or None": "found = place_of(g, 2)\nreturn -1 if found is None else found[0] * 10 + found[1]",
    "a table made by a function": "make_table()[x] * 2",
    "keyword only": "only(x, k=y)",
    "the same name": "n = 5\nm = shadow(x)\nreturn n * 10 + m",
    "recursion of known depth": "power(x, 3)",
    "recursion over a known list": "nested((1, (5, 2), (3, (7, 4))), x)",
    "a method of a text": "1 if 'abc'.startswith('ab') and x > 2 else 0",
}
CALLS_TOP = """
def scaled(v, by=2):
    return v * by
def kind_of(v):
    if v < 0:
        return 0
    if v % 2 == 0:
        return 1
    return 2
def both(p, q):
    return p // q, p % q
def climb(v):
    steps = 0
    while v < 50:
        v = v * 2 + 5
        steps += 1
    return steps
def outer(p, q):
    r = kind_of(p) + scaled(q)
    if r > 3:
        return climb(r)
    return both(r, 2)[0]
def total(*values):
    return sum(values) + len(values)
def bump(values, i):
    values[i] += 1
    return values[i]
def first_above(values, limit):
    for i in range(len(values)):
        if values[i] > limit:
            return i
    return None
def place_of(board, what):
    for i in range(4):
        for j in range(4):
            if board[i, j] == what:
                return i, j
    return None
def make_table():
    return [i * i for i in range(10)]
def only(p, *, k=1):
    return p - k
def shadow(n):
    n = n + 1
    return n
def nested(v, by):
    if isinstance(v, tuple):
        return sum(nested(part, by) for part in v)
    return v * by
def power(v, n):
    return 1 if n == 0 else v * power(v, n - 1)
"""


CALLS_WRONG: dict[str, str] = {}
CALLS_GAPS: dict[str, str] = {}
CALLS_CASES = Cases(CALLS, top=CALLS_TOP, x=X, y=Y, a=A, g=G)


@pytest.mark.parametrize("name", CALLS_CASES.parameters(CALLS_WRONG, CALLS_GAPS))
def test_calls(name: str) -> None:
    CALLS_CASES.assert_same(name)
