"""Lists that have several names, or are changed while they are gone through."""

import pytest
from before_and_after import Cases, Refused, function
from list_examples import L, T, X, Y

CHANGED = {
    "removed while gone through": """
        m, n = l[:], 0
        for v in m:
            n = n * 7 % 10007 + v
            if v > 2:
                m.remove(v)
        return n * 10 + len(m) + sum(m) * 100""",
    "removed while gone through backwards": """
        m, n = l[:], 0
        for v in reversed(m):
            n = n * 7 % 10007 + v
            if v % 2:
                m.remove(v)
        return n * 10 + len(m)""",
    "popped while gone through": """
        m, n = l[:], 0
        for i, v in enumerate(m, 1):
            if v == x or v == 2:
                m.pop(0)
                continue
            n = n * 7 % 10007 + v * i
        return n * 10 + len(m)""",
    "the last one deleted while gone through backwards": """
        m, n = l[:], 0
        for v in reversed(m):
            n = n * 7 % 10007 + v
            if v == x and len(m) < 9:
                del m[-1]
        return n * 10 + len(m)""",
    "removed, then left": """
        m, n = l[:], 0
        for v in m:
            if v >= x:
                m.remove(v)
                n += v
                break
        else:
            n = 50
        return n * 10 + len(m)""",
    "numbers changed while gone through": """
        m = [x, y, 1, 2, 3, 4, 5]
        for i, v in enumerate(m):
            m[(i + 1) % 7] = (v * 2 + 1) % 5
        return m""",
    "few numbers changed while gone through": """
        m = [x, y, 1]
        for i, v in enumerate(m):
            m[(i + 1) % 3] = v + 1
        return m""",
    "rows removed and changed": """
        t, u, n = [r[:] for r in t], [r[:] for r in u], 0
        for r in reversed(t):
            r[0] += 1
            if r[0] > 2:
                t.remove(r)
            else:
                r[1] = r[1] * 2 + 1
            n = n * 3 % 1009 + r[0] + r[1]
        return n * 1000 + sum(i * a + b for i, (a, b) in enumerate(t))""",
    "a row that is removed stays what it is": """
        t, n = [r[:] for r in t], 0
        for r in t:
            if r[1] == 1:
                t.remove(r)
            r[0] += 5
            n = n * 3 % 1009 + r[0]
        return n * 1000 + sum(i * a + b for i, (a, b) in enumerate(t, 1))""",
    "rows of two lists": """
        t, u, n = [r[:] for r in t], [r[:] for r in u], 0
        for r in reversed(t):
            for s in u:
                if r[:1] == s[:1]:
                    u.remove(s)
                    t.remove(r)
                    n += r[1] * 10 + s[1]
                    break
            else:
                r[1] += 1
        return n * 100 + sum(a + b for a, b in t) + len(u) * 10""",
    "a row with a name": """
        t = [r[:] for r in t]
        r = t[0]
        t.pop(0)
        r[0] = 5
        return r[0] * 100 + r[1] * 10 + len(t) + sum(a for a, b in t)""",
    "the last row": """
        t = [r[:] for r in t]
        r = t[-1]
        r[0] = 7
        t.insert(0, [8, 9])
        r[1] = 6
        return t[-1][0] * 10 + t[-1][1] + t[0][1] * 100""",
    "a row that moves": """
        t = [r[:] for r in t]
        r = t[len(t) - 1]
        if x > 2:
            t.insert(0, [7, 7])
        r[1] = 9
        return sum((i + 1) * (a + 10 * b) for i, (a, b) in enumerate(t))""",
    "a row of a list that is cleared": """
        t = [r[:] for r in t]
        r = t[0]
        t.clear()
        r[0] += 3
        t.append([x, y])
        return r[0] * 10 + t[0][0]""",
    "a row with a name that is taken out": "a = [[x, 1], [y, 2]]; r = a[0]; a.pop(0); r[0] = 9; return r + a[0]",
    "a row with a name, replaced": "a = [[x, 1], [y, 2]]; r = a[0]; a[0] = [7, 7]; r[0] += 1; return r + a[0]",
    "a row with a name, replaced by place": "t = t[:]; r = t[0]; t[x % len(t)] = [7, 7]; return r[0] * 100 + t[0][0]",
    "rows that are swapped": "a = [[x, 1], [y, 2]]; r = a[0]; a[0], a[1] = a[1], a[0]; r[0] += 9; return a[0] + a[1]",
    "a list put into another": "a = [[x, 1], [y, 2]]; m = [5, x]; a[1] = m; m[0] = 7; a[1][1] += 2; return a[1] + m",
    "one of two lists, a row of which has a name": """
        t, u = [r[:] for r in t], [r[:] for r in u]
        r, m = t[0], t if x > 2 else u
        del m[0]
        return r[0] * 100 + len(t) * 10 + sum(a for a, b in t)""",
    "places that are taken out": """
        m = l[:]
        gone = [i for i, v in enumerate(m) if v == x]
        for i in reversed(gone):
            del m[i]
        return len(m) * 1000 + sum(i * v for i, v in enumerate(m))""",
    "a list that may be None": """
        a, r = [x, 1], None
        if y > 0:
            r = a
        a[0] += 9
        if r is not None:
            r[1] = 5
        return (r[0] if r is not None else -1) * 10 + a[1]""",
    "a list put into another in a branch": """
        a, m = [x, 1], [[1, 2], [3, 4]]
        if y > 0:
            m[0] = a
        a[0] = 9
        m[0][1] += 5
        return a[0] * 100 + a[1] * 10 + m[0][0]""",
    "lists with names are gone through": """
        a = [x, 1]
        m = [a, [y, 2], [3, 4], [5, 6], [7, 8], [1, 1]]
        for r in m:
            r[0] += 1
        for r in m[:2]:
            r[1] += 3
        return a[0] * 100 + a[1] * 10 + m[0][0] + m[1][1]""",
    "rows of a copy are the rows themselves": """
        t, n = [r[:] for r in t], 0
        for r in t[:]:
            r[0] += 1
        for i, r in enumerate(list(t)):
            r[1] += i + n
            n = n * 3 % 101 + r[0]
        for r in t[1:]:
            r[0] += n
        for r in t[::-1]:
            n = n * 3 % 101 + r[0]
            r[1] += n
        return n * 1000 + sum(i * (a + 5 * b) % 97 for i, (a, b) in enumerate(t, 1))""",
    "rows of a copy, while rows are exchanged": """
        t, n = [r[:] for r in t], 0
        for r in t[:]:
            n = n * 3 % 101 + r[0]
            t[0], t[-1] = [n, 5], [n, 6]
        return n * 1000 + sum(i * (a + 5 * b) for i, (a, b) in enumerate(t, 1))""",
    "rows that are held by other lists": """
        t, m = [r[:] for r in t], [[3, x], [y, 4]]
        g, h, p = [t[0], m[0]], m[:], (m[1], 3)
        t.pop(0)
        m.reverse()
        m[0] = [8, 9]
        g[0][0] += 3
        p[0][1] += 2
        h[0][0] += 5
        return g[0][0] * 1000 + g[1][0] * 100 + h[1][1] * 10 + m[1][0] + len(t) + p[0][0]""",
    "a row that is taken out is the one with a name": """
        t = [r[:] for r in t]
        r = t[0]
        q = t.pop(0)
        q[0] += 5
        return r[0] * 10 + len(t)""",
    "a row that left a list that then grows": """
        t = [r[:] for r in t]
        r = t[0]
        t.clear()
        for _ in range(14):
            t.append([1, x])
        r[0] = 50
        return sum(a for a, b in t) * 100 + r[0]""",
    "lists in a dict": """
        a, g = [x, 1], {"a": [1, 2], "b": [5, x]}
        r = g["a"]
        g["a"], g["b"] = g["b"], g["a"]
        r[0] += 3
        g["a"] = a
        a[1] += 4
        g["b"][1] += 6
        return g["a"][1] * 1000 + g["b"][0] * 100 + r[1] * 10 + g["a"][0]""",
    "a dict by a text of the game": """
        g = {"a": [1, x], "b": [3, 4]}
        r = g["a"]
        g["a" if x > 1 else "b"] = [7, 8]
        return r[0] * 100 + g["a"][0] * 10 + g["b"][1]""",
    "lists with names in an inner list": """
        a, b, g = [x, 3], [y, 2], [[[1, 2], [3, x]], [[3, 4], [5, 6]]]
        g[0] = [a, b]
        a[0] += 1
        g[0][1][1] += 3
        return g[0][0][0] * 100 + b[1] * 10 + g[0][1][1]""",
    "a list that holds a row twice, after a branch": """
        u = [[0, y], [1, 1]]
        if x > 1:
            u[1] = u[0]
        for s in u:
            s[0] += 1
        return u[0][0] * 10 + u[1][0]""",
    "one of two lists, of which one holds a row twice": """
        a, u = [x, 1], [[0, 0], [1, 1]]
        if x > 1:
            u = [a, a]
        u[0][0] += 3
        return u[0][0] * 10 + u[1][0]""",
    "one of a tuple of lists": "a = [x, 1]; q = either((a, 3), y); a[0] = 9; return q[0]",
    "rows of a copy that go": """
        t, n = [r[:] for r in t], 0
        for r in t[:]:
            r[0] += 1
            if r[0] > 2:
                t.remove(r)
            n = n * 3 + len(t) + r[1]
        return n * 100 + sum((i + 1) * r[0] for i, r in enumerate(t))""",
    "others than the row of the turn go, and are seen later": """
        t, n = [r[:] for r in t], 0
        for i, r in enumerate(list(t)):
            n = n * 5 % 1009 + r[0] * 3 + r[1] + i
            r[1] += 2
            if r[0] == x % 3 and len(t) > 1:
                t.pop(1)
            t[-1][1] += 1
        return n * 100 + sum((i + 1) * r[1] for i, r in enumerate(t))""",
    "a copy backwards, whose rows go": """
        t, n = [r[:] for r in t], 0
        for r in t[::-1]:
            if r[0] != 1:
                t.remove(r)
            elif r[1]:
                break
            n = n * 3 + len(t)
        return n * 100 + sum((i + 1) * r[1] for i, r in enumerate(t))""",
    "copies within copies, whose rows go": """
        t, n = [r[:] for r in t], 0
        for a in t[:]:
            for b in t[:]:
                if a[0] < b[0] and a[1] != b[1]:
                    t.remove(b)
                    n = n * 3 + b[1]
                    a[1] += 1
        return n % 1009 * 100 + sum((i + 1) * r[1] for i, r in enumerate(t))""",
    "a copy whose list gets more": """
        n = 0
        t = [[x, 1], *[r[:] for r in t]]
        for r in t[1:]:
            if r[0] == 1:
                t.insert(0, [y, 2])
            r[1] += len(t)
            n = n * 3 + t[0][1]
        return n % 1009 * 100 + sum(r[1] for r in t)""",
}
EITHER = """
def either(pair, y):
    found = [7, 7]
    if y > 0:
        found = pair[0]
    return found
"""
CHANGED_CASES = Cases(CHANGED, top=EITHER, l=L, t=T, u=T[7:] + T[:7], x=X, y=Y)


@pytest.mark.parametrize("name", CHANGED_CASES.parameters({}, {}))
def test_lists_that_are_changed_while_they_are_gone_through(name: str) -> None:
    CHANGED_CASES.assert_same(name)


APART = [
    "a = [x, 1]; t.append(a); a[0] = 9; return t[-1][0]",
    "a = [x, 1]; t.insert(0, a); t[0][0] = 9; return a[0]",
    "a = [x, 1]; t[0] = a; a[0] = 9; return t[0][0]",
    "a = [x, 1]; m = t + [a]; a[0] = 9; return m[-1][0]",
    "m = t[:]; m[0][0] = 9; return t[0][0]",
    "m = t[1:]; t[-1][0] = 9; return len(m) + sum(a for a, b in m)",
    "m = [*t, [5, 5]]; t[0][0] = 9; return m[0][0]",
    "m = [r for r in t if r[0] < 2]; t[0][0] = 1; return sum(a for a, b in m)",
    "m = sorted(t); m[0][0] = 9; return sum(a for a, b in t)",
    "m = list(reversed(t)); t[0][0] = 9; return m[-1][0]",
    "best = min(t, key=lambda r: r[0]); best[0] = 9; return sum(a for a, b in t)",
    "r = t.pop(0); t.insert(0, r); r[0] = 9; return t[0][0]",
    "best = t[0]\nfor r in t:\n    best = r if r[0] > best[0] else best\nt[0][0] = 9\nreturn best[0]",
    "m = [[3, x], [x, 4]]; m[0] = t[0]; t[0][0] += 1; return m[0][0]",
    "m = [[3, x], [x, 4]]; m[0] = t[0]; bump(t); return m[0][0]",
    "m = [[3, x], [x, 4]]; m[0], m[1] = t[0], t[1]; m[0][0] += 1; return t[0][0]",
    "r = t[0]; m = [[3, x], [x, 4]]; m[0], t[0] = t[0], m[0]; m[0][0] += 1; return r[0]",
    "m = [[3, x], [x, 4]]; t.append(m[1]); m[0], m[1] = m[1], m[0]; m[0][1] += 5; return t[-1][1]",
    "t.insert(0, t[-1]); t[0][1] += 3; return t[-1][1]",
    "a = [x, 1]; m = [[3, x], [x, 4]]; m[:1] = [a]; m[0][0] += 1; return a[0]",
    "a = [x, 1]; g = [[[1, 2], [3, x]], [[3, 4], [5, 6]]]; g[0][0] = a; a[0] += 1; return g[0][0][0]",
    "a = [x, 1]; g = [[[1, 2], [3, x]], [[3, 4], [5, 6]]]; g[x % 2] = [a, a]; a[0] += 1; return g[-1][0][0]",
    "g = [[[1, 2], [3, x]], [[3, 4], [5, 6]]]; r = g[0][0]; g[x % 2][0] = [8, 8]; return r[0] + x",
    "g = {'a': [x, 1]}; g['a'] = t[0]; t[0][0] += 1; return g['a'][0]",
    "u = t[:]; r = t.pop(); r[0] = 55; return u[-1][0]",
    "a = [x, 1]; t.append(a); r = t.pop(); r[0] = 9; return a[0]",
    "a = [x, 1]; t.append(a); a[0] = 9; t[0][0] = 8; return a[0]",
    "u = [[0, 0], [1, 1]]\nif x > 0:\n    u = t[:]\nu[0][0] += 2\nreturn t[0][0]",
    "n = 0\nfor r in t[:]:\n    r[0] += 1\n    t.sort()\nreturn len(t)",
    "n = 0\nfor r in t[:]:\n    r[0] += 1\n    if r[0] > 2:\n        t.clear()\nreturn len(t)",
    "n = 0\nfor r in t[:]:\n    if r[0] > x:\n        t[0] = [r[1], 5]\n    r[1] += 1\nreturn t[0][1]",
    "a = [x, 1]; c = None\nfor v in l:\n    if v == 2:\n        c = a\na[0] = 9\nreturn 0 if c is None else c[0]",
    "a = [x, 1]; m = [[3, 3], a]\nfor v in l:\n    if v == 2:\n        m[0] = [v, v]\na[0] = 9\nreturn m[1][0]",
]

LONG = [[[1, 2], *rows] for rows in T]


@pytest.mark.parametrize("text", APART)
def test_lists_that_are_one_and_kept_apart_are_not_read_after_a_change(text: str) -> None:
    with pytest.raises(Refused, match="with two aliases"):
        function(f"t = [r[:] for r in t]; {text}", top="def bump(t):\n    t[0][0] += 1", l=L, t=LONG, x=X)


@pytest.mark.parametrize(
    "change", ["m.pop(0)", "m[0], m[1] = m[1], m[0]", "m[0] = [5, 5]", "m.sort()", "m.reverse()", "m.insert(0, [7, 7])"]
)
@pytest.mark.parametrize("rows", ["[[x, 1], [4, 2]]", "[r[:] for r in t]"])
def test_rows_that_move_under_a_caller(rows: str, change: str) -> None:
    with pytest.raises(Refused, match="its caller holds a row of it"):
        function(
            f"m = {rows}; r = m[0]; change(m); return r[0]",
            top=f"def change(m):\n    {change}",
            t=[[[1, 2], [0, 1]]] * 2,
            x=X[:2],
        )
