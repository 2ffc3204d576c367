"""Loops: however the original leaves one, the translation has the same values then."""

import numpy as np
import pytest
from before_and_after import Cases

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
    "around a place": """
        n = sum(a[i % 6] * 2 ** (i - y) for i in range(y, y + 3))
        for i in range(x - 2, x + 3):
            n = n * 3 % 1001 + i
        seen = [a[j] for j in range(max(0, x - 1), min(6, x + 2))]
        for j in range(max(0, y), min(x, y + 4)):
            n = n * 3 % 1001 + a[min(j, 5)]
        return [n, len(seen), sum(seen), len([j for j in range(x, min(x + 3, 2))])]""",
    "in a window of a board": """
        near = [g[i, j] for i in range(max(0, x - 3), min(4, x - 1)) for j in range(max(0, y - 1), min(4, y + 2))]
        return [len(near), sum(near), near.count(2)]""",
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
            n += i * x
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


WAYS_OUT = {
    "continue, then return": """
        for i in range(TURNS):
            if x > i:
                continue
            if y > i:
                return 100 + i
        return 5""",
    "break, then return": """
        for i in range(TURNS):
            if x > i:
                break
            if y > i:
                return 100 + i
        return 5""",
    "continue, then break": """
        n = 0
        for i in range(TURNS):
            if x > i:
                continue
            n += 1
            if y > i:
                break
        return n""",
}
for turns, how in (("3", "written out"), ("9", "as a loop")):
    LOOPS |= {f"{name}, {how}": text.replace("TURNS", turns) for name, text in WAYS_OUT.items()}
LOOPS_CASES = Cases(LOOPS, x=X, y=Y, a=A, g=G, l=L)


@pytest.mark.parametrize("name", LOOPS_CASES.parameters({}, {}))
def test_loops(name: str) -> None:
    LOOPS_CASES.assert_same(name)


AFTERWARDS = {
    "the variable of a longer loop": """
        i, n = -5, 0
        for i in range(6):
            n += a[i]
        return n * 10 + i""",
    "the variable of a loop that may not turn": """
        i = -7
        for i in range(x):
            pass
        return i""",
    "a name that gets its value in a loop": """
        for i in range(6):
            v = a[i] * 2
            if v > x:
                break
        return v * 10 + i""",
    "else, written out": """
        n = x
        for i in range(3):
            if a[i] == 1:
                break
            if a[i] == 2:
                return 77
        else:
            n = 50
            if y > 2:
                return 99
        return n * 10 + i""",
    "else in a loop": """
        n = 0
        for i in range(4):
            for j in range(6):
                if a[j] == i:
                    n += j
                    break
            else:
                if i == x:
                    break
                n += 100
        else:
            n += 1000
        return n""",
    "else of a loop that turns as the game says": """
        for i in range(x):
            if i * i == y:
                break
        else:
            return -1
        return i""",
    "while with two conditions and else": """
        i = 0
        while i < 6 and a[i] != x:
            i += 1
            if a[i - 1] == 5:
                break
        else:
            i += 100
        return i""",
}
AFTERWARDS_CASES = Cases(AFTERWARDS, together=4, x=X, y=Y, a=A, g=G, l=L)


@pytest.mark.parametrize("name", AFTERWARDS_CASES.parameters({}, {}))
def test_what_loops_leave_behind(name: str) -> None:
    AFTERWARDS_CASES.assert_same(name)
