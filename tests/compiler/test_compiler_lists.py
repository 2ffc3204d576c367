"""Lists of changing length, tuples and pairs."""

import pytest
from before_and_after import Cases
from list_examples import E, L, T, X, Y

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
    "insert before the last": "l = l[:]; l.insert(-1, 6); return digits(l)",
    "insert far outside": "l = l[:]; l.insert(9, 6); l.insert(-9, 5); return digits(l)",
    "insert again and again": """
        m = e[:]
        for i in range(7):
            m.insert(i % 2, i % 6)
        return digits(m[:6]) + len(m)""",
    "up to an end that may be negative": "len(l[:y]) * 100 + digits(l[:y])",
    "filled up, but longer": "m = [0] * (8 - len(l)); m.append(3); return sum(l + m) * 100 + len(l + m)",
    "a slice that moves is a copy": "m = [x, y, 1, 2, 3, 4, 5]; k = m[x:x + 2]; k[0] = 9; return sum(m) * 10 + k[0]",
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
    "sorted by a key, downwards": "digits(sorted(l, key=lambda v: v % 3, reverse=True))",
    "sorted by two keys": "digits(sorted(l, key=lambda v: (v % 2, -v)))",
    "sorted tuples": "a, b, c = sorted([(x, 1), (2, y), (x, y)]); return a[0] * 100 + b[1] * 10 + c[0]",
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
    "next or None": "next((v for v in l if v > x), None) is None",
    "next with an index": "next((i for i, v in enumerate(l) if v == x), -1)",
    "enumerate": "sum(i * v for i, v in enumerate(l, 1))",
    "zip": "sum(a * b for a, b in zip(l, [1, 2, 3, 4, 5, 6, 7]))",
    "zip of two of changing length": "sum(a * b for a, b in zip(l, e))",
    "slices": "sum(l[1:]) * 100 + sum(l[:-1]) * 10 + sum(l[:2])",
    "the last two": "sum(l[-2:]) + len(l[-2:]) * 100",
    "slice from a number": "sum(l[x:]) * 10 + len(l[:x])",
    "slice backwards": "digits(l[::-1])",
    "slice in the middle": "digits(l[-3:-1]) * 100 + len(l[1:3])",
    "slice with a step": "digits(l[::2]) + digits(l[1::2]) * 100 + digits(l[::-2])",
    "slice backwards, in the middle": "digits(l[4:1:-1]) * 100 + digits(l[-2:0:-1])",
    "slice from one number to another": "digits(l[y:x]) * 100 + len(l[y:])",
    "slice that is always as long, but for the end": "digits(l[x:x + 2]) * 10 + len(l[x:x + 2])",
    "set an element": "l = l[:]; l[0] = 9; l[-1] = 8; return digits(l)",
    "delete an element": "l = l[:]; del l[0]; return len(l) * 100 + sum(l)",
    "membership": "int(x in l) + 2 * int(y not in l) + 4 * int(3 in l)",
    "aliases": "l = l[:]; m = l; m.append(x); return len(l) * 10 + m[-1]",
    "copies": "m = l.copy(); m.append(x); return len(l) * 100 + len(m)",
    "comparison": "int(l == [x]) + 2 * int(l == e) + 4 * int(l != e)",
    "an average": "sum(l) / len(l)",
    "set of a list": "len(set(l)) * 10 + int(x in set(l)) + sum(set(l)) * 100",
    "set of a list, in order": "digits(sorted(set(l)))",
    "numbers in a set": "max({x, y}) * 100 + sum({x, y, 3}) * 10 + sorted({x, y, 4})[0] + any(v > 3 for v in {x, y})",
    "a set in a comprehension": "sum(v * 10 + i for i in range(2) for v in set(l)) + sum([v for v in set(l) if v > x])",
    "sets are combined": """
        a, b, whole = set(l), {x, y, 2}, {0, 1, 2, 3, 4, 5}
        return len(whole - a) + 10 * len(a | b) + 100 * len(a & b) + 1000 * len(a ^ b) + 10000 * sum(whole - b)""",
    "sets are compared": """
        a, b = set(l), {x, y, 2}
        flags = (a <= b, a == b, b < a, a != {1, 2}, a >= {2}, b - a == set(), a == set(reversed(l)))
        return sum(int(flag) << i for i, flag in enumerate(flags))""",
    "sets of pairs": """
        box = {(i, j) for i in range(3) for j in range(3)}
        a = {(v % 3, x % 3) for v in l}
        n = sum(i * 3 + j for i, j in box - a)
        return len(box - a) * 10 + int((0, 1) in box - a) + 100 * int(a <= box) + 1000 * n""",
    "a set of a step is changed": """
        a = set(l)
        b = a
        a.add(y)
        a.discard(2)
        a |= {x, 7}
        if x > 2:
            b.add(8)
        a.update([9, x])
        return len(b) * 10 + int(y in b) + 100 * int(b == a) + 1000 * sum(b)""",
    "methods of sets": """
        a = {0, 1, 2, 3, 4, 5}.difference(l)
        b = set(l).union({x}).intersection([1, 2, 3])
        return len(a) * 10 + len(b) + 100 * b.issubset({1, 2}) + 1000 * a.issuperset({x})""",
    "a set is counted": "n = 0\nfor v in set(l):\n    n += 1\nreturn n * 10 + len(set(set(l)))",
    "set of numbers": "len({x, y, 3}) * 10 + len({v % 3 for v in l}) + len(set([x, y])) * 100",
    "a list by a function": "l = l[:]; put_on(l, x); return len(l) * 10 + l[-1]",
    "a list given back": "m = without(l, x); return len(m) * 100 + sum(m)",
    "array of a list": "np.array(l).sum() * 10 + np.array(l)[0]",
    "numpy of a list": "np.mean(l) + np.max(l)",
    "how far a list is spread": "np.std(l) + 10 * np.var(l[-3:]) + 100 * np.average(l) + np.array(l).std()",
    "differences of a list": "np.sum(np.diff(l)) * 10 + len(np.diff(e)) + np.sum(np.diff(l) * np.array(l)[:-1])",
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
    "the smaller of two pairs": "a, b = min((x, y), (y, x), (2, 9)); return a * 10 + b",
    "the largest by a key": "max(l, key=lambda v: v % 4) * 10 + min(x, y, 3, key=lambda v: abs(v - 2))",
    "the largest by two keys": "max(l, key=lambda v: (v % 3, -v)) * 10 + min(e, key=lambda v: -v, default=7)",
    "tuples compared": "int((x, y) < (y, x)) + 2 * int((x, 1) <= (x, y)) + 4 * int([x] < [x, y]) + 8 * ((x, 2) > (2,))",
    "plus real numbers": "sum(l + [0.5]) + 10 * sum([0.25] + l) + sum(l[:2] + [0.5, x])",
    "rows that are the same": "m = [[0] * 3] * 2; m[x % 2][y % 3] = 1; return m",
    "nested index": "[[1, 2], [3, 4], [5, 6]][x % 3][y % 2]",
    "star in a call": "largest(*[x, y, 3])",
    "star in a list": "[*[x, y], 3, *(1, 2)]",
    "star in a list of changing length": "digits([*l[:3], x, *e])",
    "unpacking": "a, (b, c) = x, (y, 3); a, b = b, a; return a * 100 + b * 10 + c",
    "unpacking with a star": "a, *b = [x, y, 3]; return a * 100 + sum(b) + len(b)",
    "map": "sum(map(abs, [x, y])) + sum(list(map(lambda v: v * 2, l)))",
    "filter without a function": "digits(filter(None, l))",
    "pairs of a zip": "best = max(zip(l, e), default=(7, 7)); return best[0] * 10 + best[1]",
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


LISTS_CASES = Cases(LISTS, top=TOP, l=L, e=E, x=X, y=Y)


@pytest.mark.parametrize("name", LISTS_CASES.parameters({}, {}))
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
    "insert a pair somewhere": """
        t = t[:]
        t.insert(x % 3, (7, 8))
        return sum(i * (a + 3 * b) for i, (a, b) in enumerate(t))""",
    "counted by the first": "n = [0] * 3\nfor a, b in t:\n    n[a] += b\nreturn n",
    "counted under another name": "n = m = [0, 0, 0]\nfor a, b in t:\n    m[a] += b\nn[x % 3] += 1\nreturn n + m",
    "whole numbers and then real ones": "n = [0, 1, 2]\nfor a, b in t:\n    n[a] += b * 0.5\nreturn n",
    "one of them a real number": "n = [0, 1, 2]; n[x % 3] = 0.5; n[y % 3] += 1; return n",
    "seen before": """
        seen, n = [False] * 3, 0
        for a, b in t:
            if not seen[a]:
                seen[a] = True
                n += b + 1
        return n * 10 + sum(seen)""",
    "the last of each": "w = [(0, 0)] * 3\nfor a, b in t:\n    w[a] = (b, a)\nreturn w[0][0] + w[2][1]",
    "a real number into a row": "g = [np.zeros(3, int), np.ones(3, int)]; g[x % 2][y % 3] = 2.5; return g[0] + g[1]",
    "sorted pairs": "sum(i * (a * 3 + b) for i, (a, b) in enumerate(sorted(t, reverse=True), 1))",
    "sorted by distance": "sorted(t, key=lambda p: (abs(p[0] - x), -p[1]))[0][1] + 10 * max(t)[1]",
    "how many are different": "len(set(t)) * 10 + int((x % 3, y % 3) in set(t))",
}


PAIRS_CASES = Cases(PAIRS, t=[[tuple(pair) for pair in rows] for rows in T], x=X, y=Y)


PAIRS_GAPS = {"a real number into a row": "a row of a list may be a list, which keeps it, or an array, which rounds it"}


@pytest.mark.parametrize("name", PAIRS_CASES.parameters({}, PAIRS_GAPS))
def test_lists_of_pairs(name: str) -> None:
    PAIRS_CASES.assert_same(name)
