"""Lists, tuples, dicts and sets of the original, of fixed and of changing length."""

import numpy as np
import pytest
from before_and_after import Cases

RNG = np.random.default_rng(2)
ROWS = 48
L = [RNG.integers(0, 6, RNG.integers(1, 7)).tolist() for _ in range(ROWS)]
E = [[], *([RNG.integers(0, 6, RNG.integers(0, 5)).tolist() for _ in range(ROWS - 2)]), []]  # some are empty
T = [RNG.integers(0, 3, (RNG.integers(1, 5), 2)).tolist() for _ in range(ROWS)]  # lists of pairs
X = RNG.integers(0, 6, ROWS)
Y = RNG.integers(-3, 6, ROWS)

LISTS = {
    "append": "l = l[:]; l.append(x); return len(l) * 100 + l[-1] * 10 + l[0]",
    "append twice": "l = list(l); l.append(x); l.append(y); return l[-2] * 10 + l[-1] + sum(l)",
    "append in a branch": "l = l[:]\nif x > 2:\n    l.append(x)\nreturn len(l) * 100 + sum(l)",
    "pop": "l = l[:]; last = l.pop(); return last * 100 + len(l) * 10 + sum(l)",
    "pop the first": "l = l[:]; first = l.pop(0); return first * 100 + len(l) * 10 + (l[0] if l else 9)",
    "pop somewhere": "l = l[:]; one = l.pop(x % len(l)); return one * 100 + len(l) * 10 + digits(l)",
    "pop from the end": "l = l[:]; one = l.pop(-1); return one * 100 + digits(l)",
    "remove": "l = l[:]\nif x in l:\n    l.remove(x)\nreturn digits(l)",
    "insert": "l = l[:]; l.insert(0, x); return l[0] * 100 + l[1] * 10 + len(l)",
    "insert somewhere": "l = l[:]; l.insert(1, x); return digits(l)",
    "insert at a number of the game": "l = l[:]; l.insert(x, 7); return digits(l)",
    "index": "l.index(x) if x in l else -1",
    "count": "l.count(x) * 10 + l.count(3)",
    "clear": "l = l[:]\nif x > 2:\n    l.clear()\nl.append(4)\nreturn len(l) * 100 + l[0]",
    "extend": "l = l[:]; l.extend([x, y]); return len(l) * 100 + l[-1] + l[-2] * 10",
    "extend by one of changing length": "l = e[:]; l.extend(e[:2]); return len(l) * 100 + sum(l)",
    "plus": "m = l + [x]; return len(m) * 100 + m[-1] + len(l)",
    "plus in place": "m = l[:]; n = m; n += [x]; return len(m) * 100 + m[-1]",
    "plus makes another": "m = l[:]; n = m; n = n + [x]; return len(m) * 100 + len(n)",
    "reverse": "l = l[:]; l.reverse(); return l[0] * 10 + l[-1]",
    "sort": "l = l[:]; l.sort(); return digits(l)",
    "sort downwards": "l = l[:]; l.sort(reverse=True); return digits(l)",
    "sorted": "digits(sorted(l))",
    "sorted of fixed length": "sorted([x, y, 2])",
    "sorted by a key": "sorted([x, y, 2], key=lambda v: -v)",
    "reversed": "digits(reversed(l))",
    "sum, min, max": "sum(l) * 100 + min(l) * 10 + max(l)",
    "any, all": "int(any(v > 3 for v in l)) + 2 * int(all(v > 3 for v in l)) + 4 * int(any(l)) + 8 * int(all(l))",
    "any of an empty list": "int(any(v > 3 for v in e)) + 2 * int(all(v > 3 for v in e)) + 4 * int(not e)",
    "length of an empty list": "len(e) if e else -1",
    "last of one that may be empty": "e[-1] if e else -1",
    "max with a default": "max(e, default=-1) * 10 + min(e, default=7)",
    "comprehension with a condition": "m = [v * 2 for v in l if v > 2]; return len(m) * 100 + sum(m)",
    "the first of a comprehension": "m = [v for v in l if v > x]; return m[0] * 10 + m[-1] if m else -1",
    "next with a default": "next((v for v in l if v > x), -1)",
    "next with an index": "next((i for i, v in enumerate(l) if v == x), -1)",
    "enumerate": "sum(i * v for i, v in enumerate(l, 1))",
    "zip": "sum(a * b for a, b in zip(l, [1, 2, 3, 4, 5, 6, 7]))",
    "zip of two of changing length": "sum(a * b for a, b in zip(l, e))",
    "slices": "sum(l[1:]) * 100 + sum(l[:-1]) * 10 + sum(l[:2])",
    "the last two": "sum(l[-2:]) + len(l[-2:]) * 100",
    "slice from a number": "sum(l[x:]) * 10 + len(l[:x])",
    "slice backwards": "digits(l[::-1])",
    "set an element": "l = l[:]; l[0] = 9; l[-1] = 8; return digits(l)",
    "delete an element": "l = l[:]; del l[0]; return len(l) * 100 + sum(l)",
    "membership": "int(x in l) + 2 * int(y not in l) + 4 * int(3 in l)",
    "aliases": "l = l[:]; m = l; m.append(x); return len(l) * 10 + m[-1]",
    "copies": "m = l.copy(); m.append(x); return len(l) * 100 + len(m)",
    "comparison": "int(l == [x]) + 2 * int(l == e) + 4 * int(l != e)",
    "an average": "sum(l) / len(l)",
    "set of a list": "len(set(l))",
    "a list by a function": "l = l[:]; put_on(l, x); return len(l) * 10 + l[-1]",
    "a list given back": "m = without(l, x); return len(m) * 100 + sum(m)",
    "array of a list": "np.array(l).sum() * 10 + np.array(l)[0]",
    "numpy of a list": "np.mean(l) + np.max(l)",
    "arithmetic of an array of a list": "(np.array(l) + 1).sum() * 100 + ((np.array(l) > 1) & (np.array(l) < 5)).sum()",
    "arrays of lists that are as long": "(np.array(l) * np.array(l[::1]) - 1).sum()",
    "some of an array of a list": "v = np.array(l); return int(v[v > 1].sum()) * 10 + len(v[v > x])",
    "functions of an array of a list": "np.abs(np.array(l) - x).max() + np.minimum(np.array(l), x).sum() * 10",
    "join of lists in a branch": "m = l if x > 2 else e; return len(m) * 100 + sum(m)",
    "multiplied": "m = [0] * 4; m[x % 4] = 5; m[y % 4 - 4] += 1; return m",
    "rows multiplied": "m = [[0] * 3 for _ in range(2)]; m[x % 2][y % 3] = 1; return m",
    "one of two lists": "p, q = [0, x], [1, y]; t = p if x > 2 else q; t[0] = 7; return q[0] * 10 + p[0] + x",
    "a list in one of two": "p = [0, x]; t = [p, [1, y]] if x > 2 else [[3, 4], p]; p[0] = 7; return t[0][0] * 10 + y",
    "one of two lists grows": "p, q = l[:], e[:]; t = p if x > 2 else q; t.append(7); return len(p) * 9 + len(q)",
    "a list of lists": "p, q = [0, x], [1, y]; m = [p, q]; n = m[:]; n[1][0] = 7; m[x % 2][1] = 9; return np.array(n)",
    "a copy of a list of lists": "m = [[0, x], [1, y]]; n = m.copy(); n[1][0] = 7; n[0] = [5, 5]; return np.array(m)",
    "a part of a list of lists": "m = [[0, x], [1, y]]; n = m[1:]; n[0][0] = 7; return np.array(m)",
    "filled up": "m = e + [7] * (9 - len(e)); return np.array(m) * (x + 1)",
    "filled up in front": "np.array([-1] * (9 - len(e)) + e) * (x + 1)",
    "cut or filled up": "np.array((l + [0] * 4)[:4]) * (x + 1)",
    "the larger of two pairs": "one = max((x, 1), (y, 0)); return one[0] * 10 + one[1]",
    "rows that are the same": "m = [[0] * 3] * 2; m[x % 2][y % 3] = 1; return m",
    "nested index": "[[1, 2], [3, 4], [5, 6]][x % 3][y % 2]",
    "star in a call": "largest(*[x, y, 3])",
    "star in a list": "[*[x, y], 3, *(1, 2)]",
    "unpacking": "a, (b, c) = x, (y, 3); a, b = b, a; return a * 100 + b * 10 + c",
    "unpacking with a star": "a, *b = [x, y, 3]; return a * 100 + sum(b) + len(b)",
    "map": "sum(map(abs, [x, y])) + sum(list(map(lambda v: v * 2, l)))",
    "filter": "len(list(filter(lambda v: v > 2, l)))",
    "an index out of a list": "l[x % len(l)] * 10 + l[-(x % len(l)) - 1]",
    "while there are some": "l = l[:]\nn = 0\nwhile l:\n    n = n * 3 + l.pop()\nreturn n",
    "append in a loop": "m = []\nfor v in l:\n    if v > 2:\n        m.append(v * 2)\nreturn len(m) * 100 + sum(m)",
    "remove in a loop over a copy": """
        m = l[:]
        for v in l[:]:
            if v > 2:
                m.remove(v)
        return len(m) * 100 + sum(m)""",
}
TOP = """
def digits(pile):
    number = 0
    for card in pile:
        number = number * 7 + card
    return number
def put_on(pile, card):
    pile.append(card)
def without(pile, card):
    return [c for c in pile if c != card]
def largest(a, b, c=0):
    return max(a, b, c)
"""


LISTS_WRONG = {
    "the larger of two pairs": "tuples are compared element by element, and not as words in a dictionary",
    "rows that are the same": "rows of a multiplied list are one list in Python",
    "star in a list": "what follows a starred list is lost",
}
LISTS_GAPS = {
    "insert somewhere": "lists of changing length: not covered",
    "insert at a number of the game": "lists of changing length: not covered",
    "reverse": "lists of changing length: not covered",
    "sort downwards": "lists of changing length: not covered",
    "reversed": "lists of changing length: not covered",
    "next with a default": "lists of changing length: not covered",
    "next with an index": "lists of changing length: not covered",
    "enumerate": "lists of changing length: not covered",
    "zip": "lists of changing length: not covered",
    "zip of two of changing length": "lists of changing length: not covered",
    "the last two": "lists of changing length: not covered",
    "slice from a number": "lists of changing length: not covered",
    "slice backwards": "lists of changing length: not covered",
    "set of a list": "lists of changing length: not covered",
    "map": "lists of changing length: not covered",
    "filter": "lists of changing length: not covered",
    "append in a loop": "lists of changing length: not covered",
}
LISTS_CASES = Cases(LISTS, top=TOP, l=L, e=E, x=X, y=Y)


@pytest.mark.parametrize("name", LISTS_CASES.parameters(LISTS_WRONG, LISTS_GAPS))
def test_lists(name: str) -> None:
    LISTS_CASES.assert_same(name)


PAIRS = {
    "membership": "(x % 3, y % 3) in t",
    "count of pairs": "t.count((x % 3, y % 3))",
    "sums": "sum(a * 3 + b for a, b in t)",
    "unpacked": "r, c = t[-1]; return r * 10 + c",
    "one of one": "t[0][0] * 10 + t[-1][1]",
    "append a pair": "t = t[:]; t.append((x, y)); return len(t) * 100 + t[-1][0] * 10 + t[-1][1]",
    "insert a pair": "t = t[:]; t.insert(0, (x, y)); t.pop(); return len(t) * 100 + t[0][0]",
    "pop a pair": "t = t[:]; r, c = t.pop(0); return r * 100 + c * 10 + len(t)",
    "the condition of one": "[a for a, b in t if b == 1] == []",
    "distance": "min(abs(a - x) + abs(b - y) for a, b in t)",
    "the nearest": "min(t, key=lambda p: abs(p[0] - x) * 5 + abs(p[1] - y))[0]",
    "an index": "t.index((0, 0)) if (0, 0) in t else -1",
    "removed": "t = t[:]\nif (1, 1) in t:\n    t.remove((1, 1))\nreturn len(t)",
    "any of them": "any(a == x and b == y for a, b in t)",
    "tail": "(x % 3, y % 3) in t[1:]",
}


PAIRS_WRONG = {
    "count of pairs": "pairs are compared with the whole array",
}
PAIRS_GAPS = {
    "the nearest": "min with a key is not covered",
}
PAIRS_CASES = Cases(PAIRS, t=[[tuple(pair) for pair in rows] for rows in T], x=X, y=Y)


@pytest.mark.parametrize("name", PAIRS_CASES.parameters(PAIRS_WRONG, PAIRS_GAPS))
def test_lists_of_pairs(name: str) -> None:
    PAIRS_CASES.assert_same(name)


TABLES = {
    "a dict by a number": "{0: 5, 1: 7, 2: -1, 3: 4, 4: 4, 5: 9}[x]",
    "a named dict": "MOVES[x % 4][0] * 10 + MOVES[x % 4][1]",
    "a dict with other numbers": "SPARSE[10 if x > 3 else -5]",
    "get": "SPARSE.get(y, 77)",
    "get without a default": "1 if SPARSE.get(y) is None else 2",
    "get of pairs": "WINS.get((x % 3, y % 3), 0)",
    "a pair": "WINS[0, 1] + WINS.get((y % 3, x % 3), 5)",
    "membership": "y in SPARSE",
    "membership of pairs": "(x % 3, y % 3) in WINS",
    "set of pairs": "(x % 3, y % 3) in WALLS",
    "values and items": "sum(v * x for v in MOVES_OF.values()) + sum(k for k, _ in SPARSE.items())",
    "texts": "PRICES['apple'] * x + PRICES[NAMES[x % 3]]",
    "nested": "NESTED[x % 2]['gain'] * 10 + NESTED[y % 2]['loss']",
    "a local dict": "d = {'a': x, 'b': y}; d['a'] += 1; d['c'] = 3; return d['a'] * 100 + d['b'] * 10 + d['c']",
    "a local dict by a number": "d = {0: x, 1: y}; return d[x % 2]",
    "an enum": "Side(x % 3).value * 10 + int(Side(x % 3) == Side.RIGHT)",
    "an enum by name": "int(Side.LEFT.value == x % 3) + Side['RIGHT'].value",
    "an int enum": "Level.HIGH + x * (x == Level.LOW)",
    "texts compared": "name = 'up' if x > 3 else 'down'; return 1 if name == 'up' else 2",
    "texts in a list": "name = NAMES[x % 3]; return 1 if name in ('apple', 'fig') else 2",
    "texts' length": "len(NAMES[x % 3])",
    "a text indexed": "int('31415'[x % 5])",
    "a match": """
        match x:
            case 0:
                r = 5
            case 1 | 2:
                r = 6
            case _:
                r = y
        return r""",
    "a match of pairs": """
        match (x % 3, y):
            case (0, 1) | (1, _) if y > 0:
                r = 5
            case (2, v):
                r = v * 2
            case other:
                r = other[0] + 7
        return r""",
    "get of one of several texts": "PRICES.get(NAMES[x % 3], 7) + PRICES.get('figs' if y > 2 else 'fig', x)",
    "two texts compared": "(NAMES[x % 3] == NAMES[y % 3]) + 2 * (NAMES[x % 3] != ('fig' if y > 2 else 'pear'))",
    "a text from the end": "1 if NAMES[y % 3 - 3] == 'pear' else 2",
    "None or a number": """
        best = None
        for v in (x, y, 2):
            if v > 3 and (best is None or v < best):
                best = v
        return -1 if best is None else best""",
    "None and truth": "a = x if x > 2 else None; return y if a is None else a + y",
}
TABLES_TOP = """
from enum import Enum, IntEnum
class Side(Enum):
    MIDDLE = 0
    LEFT = 1
    RIGHT = 2
class Level(IntEnum):
    LOW = 1
    HIGH = 5
MOVES = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}
MOVES_OF = {'up': 1, 'down': 3}
SPARSE = {10: 3, -5: 8, 2: 1, 0: 6}
WINS = {(0, 1): 4, (1, 2): -3, (2, 2): 9}
WALLS = {(0, 0), (1, 2)}
PRICES = {'apple': 3, 'pear': 4, 'fig': 9}
NAMES = ['apple', 'pear', 'fig']
NESTED = [{'gain': 1, 'loss': 2}, {'gain': 3, 'loss': 4}]
"""


TABLES_WRONG: dict[str, str] = {}
TABLES_GAPS: dict[str, str] = {}
TABLES_CASES = Cases(TABLES, top=TABLES_TOP, x=X, y=Y)


@pytest.mark.parametrize("name", TABLES_CASES.parameters(TABLES_WRONG, TABLES_GAPS))
def test_tables(name: str) -> None:
    TABLES_CASES.assert_same(name)
