"""Loops, branches and calls: whichever way the original goes, the translation ends where it ends."""

import numpy as np
import pytest
from before_and_after import assert_same

RNG = np.random.default_rng(3)
ROWS = 48
X = RNG.integers(0, 7, ROWS)
Y = RNG.integers(-4, 7, ROWS)
A = RNG.integers(-3, 6, (ROWS, 6))
G = RNG.integers(0, 3, (ROWS, 4, 4))
L = [RNG.integers(0, 6, RNG.integers(1, 7)).tolist() for _ in range(ROWS)]

LOOPS = {
    "over a known range": """
        n = 0
        for i in range(4):
            n = n * 2 + i * x
        return n""",
    "over a range of the game": """
        n = 1
        for i in range(x):
            n += i * y
        return n""",
    "from, to, step": """
        n = 0
        for i in range(y, 7):
            n = n * 3 % 1000 + i
        for i in range(10, x, -3):
            n = n * 3 % 1000 + i
        return n""",
    "backwards": """
        n = 0
        for i in reversed(range(x)):
            n = n * 3 + i
        for i in range(5, -1, -1):
            n = n * 3 % 1001 + a[i]
        return n""",
    "the variable afterwards": """
        n = 0
        for i in range(1, 4):
            n += i
        return n * 10 + i""",
    "the variable after a break": """
        for i in range(6):
            if a[i] == x:
                break
        return i""",
    "break": """
        n = 0
        for i in range(6):
            if a[i] > x:
                break
            n += a[i]
        return n""",
    "break in a range of the game": """
        n = 0
        for i in range(x):
            if i == y:
                break
            n += 1
        return n""",
    "break before and after": """
        n = 0
        for i in range(6):
            n += 1
            if a[i] == 0:
                n += 100
                break
            n += 10
        return n""",
    "else of a loop": """
        n = 0
        for i in range(6):
            if a[i] == x:
                n = i
                break
        else:
            n = -1
        return n""",
    "continue": """
        n = 0
        for i in range(6):
            if a[i] < 0:
                continue
            n = n * 2 + a[i]
        return n""",
    "continue and break": """
        n = 0
        for i in range(6):
            if a[i] < 0:
                continue
            if a[i] == x:
                break
            n += a[i]
        return n""",
    "return": """
        for i in range(6):
            if a[i] == x:
                return i
        return -1""",
    "return in a range of the game": """
        for i in range(x):
            if a[i % 6] > 2:
                return i * 10 + a[i % 6]
        return -1""",
    "return out of two loops": """
        for i in range(4):
            for j in range(4):
                if g[i, j] == 2:
                    return i * 10 + j
        return -1""",
    "return out of two loops of the game": """
        for i in range(x):
            for j in range(i):
                if i * j == y:
                    return i * 10 + j
        return -1""",
    "nested": """
        n = 0
        for i in range(4):
            for j in range(i, 4):
                if g[i][j] == 0:
                    continue
                n += i * g[i, j] - j
        return n""",
    "nested break": """
        n = 0
        for i in range(x):
            for j in range(x):
                if j > i:
                    break
                n += j
            if n > 9:
                break
        return n""",
    "while": """
        n = x
        while n < 40:
            n = n * 2 + 1
        return n""",
    "while with a break": """
        n, k = x, 0
        while True:
            n += 3
            k += 1
            if n > 20 or k == y:
                break
        return n * 100 + k""",
    "while with continue": """
        n, s = 0, 0
        while n < x:
            n += 1
            if n % 2:
                continue
            s += n
        return s""",
    "while with two ends": """
        r, c = 0, 0
        while 0 <= r < 4 and g[r, c] != 2:
            r += 1
            c = (c + 1) % 4
        return r * 10 + c""",
    "while, else": """
        n = x
        while n < 6:
            n += 2
            if n == 5:
                break
        else:
            n = 100
        return n""",
    "while and return": """
        n = x
        while True:
            n = n * 3 + 1
            if n > 50:
                return n
            if n % 4 == 0:
                return -n""",
    "while inside of an if": """
        n = x
        if y > 0:
            while n < 30:
                n += y
        return n""",
    "while in a for": """
        s = 0
        for v in (x, 3, y):
            n = v
            while n > 0:
                s += n
                n -= 2
        return s""",
    "slide": """
        n = 0
        for i in range(4):
            k = 0
            while k < 4 and g[i, k] == 0:
                k += 1
            n = n * 5 + k
        return n""",
    "arrays in a loop": """
        c = np.zeros(6, int)
        for i in range(x):
            c[i % 6] += a[i % 6]
            c[0] = c[0] + 1
        return c""",
    "a board in a loop": """
        h = g.copy()
        for i in range(1, 4):
            for j in range(1, 4):
                h[i, j] = h[i - 1, j] + h[i, j - 1] - h[i, j] % 2
        return h""",
    "swaps in a loop": """
        p, q = 0, 1
        for _ in range(x):
            p, q = q, p + q
        return p""",
    "bubbles": """
        b = a.copy()
        for i in range(6):
            for j in range(5 - i):
                if b[j] > b[j + 1]:
                    b[j], b[j + 1] = b[j + 1], b[j]
        return b""",
    "over an array": """
        n = 0
        for v in a:
            if v > 2:
                n += v
        return n""",
    "over rows": """
        n = 0
        for line in g:
            n = n * 3 % 1000 + line.max() + line[x % 4]
        return n""",
    "rows changed while looped over": """
        h = g.copy()
        for line in h:
            line[x % 4] = 9
        return h""",
    "over a list": """
        n = 0
        for v in l:
            n = n * 3 + v
        return n""",
    "over a list, with break": """
        n = 0
        for i, v in enumerate(l):
            if v == x:
                break
            n += v * i
        return n""",
    "over two lists": """
        n = 0
        for u, v in zip(l, a):
            n = n * 2 + u * v
        return n""",
    "over known pairs": """
        n = 0
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            r, c = x % 4 + dr, y % 4 + dc
            if 0 <= r < 4 and 0 <= c < 4 and g[r, c]:
                n += 1
        return n""",
    "over a dict": """
        n = 0
        for k, v in {1: 5, 2: 7}.items():
            if k <= x:
                n += v
        return n""",
    "the best so far": """
        best, at = -99, -1
        for i in range(6):
            if a[i] > best:
                best, at = a[i], i
        return best * 10 + at""",
    "None until found": """
        found = None
        for i in range(6):
            if a[i] == x:
                found = i
        return -5 if found is None else found * 2""",
    "a flag": """
        done = False
        n = 0
        while not done:
            n += 1
            done = n * n > x * 3
        return n""",
    "a number becomes real": """
        n = 0
        for i in range(x):
            n += 0.5
        return n""",
    "a number becomes real in a branch": """
        n = 0
        for i in range(4):
            if a[i] > 0:
                n = n + 0.25
        return n + x""",
    "list made in a loop": """
        out = []
        for i in range(6):
            out.append(a[i] * x)
        return out""",
    "list of those that fit": """
        out = []
        for i in range(6):
            if a[i] > 1:
                out.append(i)
        return len(out) * 10 + (out[0] if out else 7)""",
    "the last of those that fit": """
        out = []
        for i in range(4):
            for j in range(4):
                if g[i, j] == 0:
                    out.append((i, j))
        return len(out) * 100 + (out[-1][0] * 10 + out[-1][1] if out else 77)""",
    "a loop that turns at most once": """
        n = 0
        for i in range(min(x, 1)):
            n += 5
        return n""",
    "sums of comprehensions": """
        return sum(1 for i in range(4) for j in range(4) if g[i, j] == 1) * 10 + sum(v for v in a if v > 0)""",
    "comprehension of arrays": """
        return [sum(g[i, j] for j in range(4)) for i in range(4)]""",
    "lines of a board": """
        lines = [[g[i, j] for j in range(4)] for i in range(4)] + [[g[i, i] for i in range(4)]]
        return sum(1 for line in lines if all(v == line[0] for v in line) and line[0] != 0)""",
}


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_loops(text: str) -> None:
    assert_same(text, x=X, y=Y, a=A, g=G, l=L)


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
    "a chain of conditions": "5 if x == 0 else 6 if x == 1 else 7 if x == 2 else y",
    "an operation by a condition": """
        n = 0
        if x % 2: n += y
        if x % 3: n -= y * 2
        if not x % 2 and y > 0: n *= -1
        return n""",
}


@pytest.mark.parametrize("text", BRANCHES.values(), ids=BRANCHES)
def test_branches(text: str) -> None:
    assert_same(text, x=X, y=Y, a=A)


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
def power(v, n):
    return 1 if n == 0 else v * power(v, n - 1)
"""


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_calls(text: str) -> None:
    assert_same(text, top=CALLS_TOP, x=X, y=Y, a=A, g=G)
