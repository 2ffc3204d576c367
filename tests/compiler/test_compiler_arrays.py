"""NumPy in the original: reads, writes in place, views, masks and functions of arrays."""

import numpy as np
import pytest
from before_and_after import Cases

RNG = np.random.default_rng(1)
ROWS = 48
A = RNG.integers(-4, 5, (ROWS, 5))
B = RNG.integers(-4, 5, (ROWS, 5))
G = RNG.integers(0, 3, (ROWS, 3, 4))
H = RNG.integers(0, 3, (ROWS, 4, 4))
R = RNG.normal(0, 2, (ROWS, 5))
M = RNG.random((ROWS, 5)) < 0.5
I = RNG.integers(0, 3, ROWS)  # noqa: E741
J = RNG.integers(0, 4, ROWS)
K = RNG.integers(-5, 5, ROWS)

READS = {
    "an element": "a[i] + g[i, j] + g[i][j]",
    "a negative element": "a[-1] + a[k] + g[-1, j] + g[-i - 1, -j - 1]",
    "a row and a column": "g[i].sum() * 100 + g[:, j].sum()",
    "a slice": "a[1:4].sum() + a[:2].sum() * 3 + a[-2:].sum() * 7 + a[::2].sum() + a[::-1][0]",
    "a slice by numbers of the game": "int(a[i:].sum()) + 3 * int(a[:j].sum()) + 7 * int(a[i:j].sum())",
    "slices with a name": "s = slice(j // 2, j // 2 + 3); t = slice(2); return a[s].sum() + 9 * b[s][0] + a[t].sum()",
    "methods of a known number": "a[i] + np.array([1.5, 2.5])[1].astype(int) + np.arange(4)[3].item()",
    "functions of lists of arrays": "np.max([a[:2], b[1:3], [i, j]]) * 100 + np.sum([a, b], axis=0)[j]",
    "a slice around something": "int(g[max(0, i - 1) : i + 2, max(0, j - 1) : j + 2].sum())",
    "a mask": "a[m].sum() + a[a > 0].sum() + len(a[a > 1])",
    "rows by a list": "a[[0, 2, 2]].sum() + g[[0, 1], [2, 3]].sum()",
    "an index that is an array": "a[np.array([i, j, 0])].sum() * 3 + a[i]",
    "a shape": "a.shape[0] + g.shape[1] * i + len(g) + g.size + g.ndim",
    "flat": "g.flat[j] + g.ravel()[i + j] + g.flatten()[-1]",
    "reshape and transpose": "g.T[j, i] + g.reshape(4, 3)[j, i] * 3 + g.transpose(1, 0)[j, i]",
    "an axis": "g.sum(axis=0)[j] + g.max(axis=1)[i] * 10 + g.min(1)[i]",
    "item and tolist": "a.item(2) + a.tolist()[i] + int(a[i])",
    "new axis": "(a[:, None] * b[None, :])[i, j]",
    "where of one argument": "len(np.where(a > 0)[0])",
    "any and all": "int((a > 2).any()) + 2 * int((a > -4).all()) + 4 * int(np.any(g == i)) + 8 * int(not a.any())",
    "comparison of arrays": "int(np.array_equal(a, b)) + int((a == a).all()) * 2 + int((a[:2] == b[:2]).all())",
    "dots": "g[..., j].sum() + g[..., 0][i] * 10 + g[i, ...].sum() * 100 + g[...][i, j]",
    "dots and a new axis": "(g[..., None] * g[None, ..., :][0][..., None])[i, j, 0] + a[..., None][i, 0]",
    "two slices that move": "g[i // 2 : i // 2 + 2, j // 2 : j // 2 + 2] * 2",
    "a number and a slice that moves": "g[i, j // 2 : j // 2 + 2] * 10 + g[i // 2 : i // 2 + 2, j]",
    "a number and a mask": "int(g[i, g[i] > 0].sum()) + len(g[g[:, j] > 1, j]) * 10",
    "a mask and a slice": "int(g[g[:, j] > 0, 1:3].sum()) + int(g[:, 1:3][g[:, 0] > 0].sum())",
    "places among the picked": "int(np.argmax(a[a < 2])) + 10 * int(np.argmin(b[b > -4])) if (a < 2).any() else 0",
    "sums along an axis": "np.append(g[g[:, 0] > 0].sum(axis=0), 0)[j] + sum(g)[j] * 10",
    "masks of the same": "int((a[m] * 2 + np.abs(b)[m]).sum())",
    "a negative number and a slice": "int(g[-1, j:].sum())",
    "a mask that is known": "a[np.arange(5) % 2 == 0].sum() * 9 + int(g[i, [True, False, True, True]].sum())",
    "membership": "int(3 in a) + 2 * int(i in g) + 4 * int(k in a)",
}


READS_GAPS: dict[str, str] = {}
READS_CASES = Cases(READS, a=A, b=B, g=G, m=M, i=I, j=J, k=K)


@pytest.mark.parametrize("name", READS_CASES.parameters({}, READS_GAPS))
def test_reads(name: str) -> None:
    READS_CASES.assert_same(name)


WRITES = {
    "an element": "a = a.copy(); a[i] = 9; a[k] += 2; return a",
    "an element of a row": "g = g.copy(); g[i, j] = 7; g[i][j - 1] = 8; g[-1, 0] -= 5; return g",
    "a view": "g = g.copy(); row = g[i]; row[j] = 5; row[0] += 1; return g",
    "a view of a view": "g = g.copy(); part = g[1:]; row = part[0]; row[j] = 5; return g",
    "a view is read later": "g = g.copy(); row = g[i]; g[i, j] = 9; return row.sum() + row[j]",
    "a copy is not a view": "g = g.copy(); row = g[i].copy(); row[j] = 5; return g * 2 + row[j]",
    "a view that is turned": "g = g.copy(); turned = g.T; turned[j, i] = 9; return g",
    "a view that is flat": "g = g.copy(); line = g.reshape(-1); line[i] = 9; return g",
    "a slice added to": "a = a.copy(); part = a[1:3]; part += 5; return a",
    "rows added to in a loop": "g = g.copy()\nfor row in g:\n    row += 1\nreturn g",
    "a view added to": "g = g.copy(); row = g[i]; row += 1; return g",
    "a view of a column": "g = g.copy(); c = g[:, j]; c[i] = 5; c += 1; return g",
    "a slice": "a = a.copy(); a[1:3] = 0; a[-1:] = 4; a[:1] += 1; return a",
    "a slice by numbers": "a = a.copy(); a[i:] = 0; return a",
    "a slice of a row by numbers": "g = g.copy(); g[i, : j + 1] = a[: j + 1]; g[:i, j] = 8; return g",
    "a list to a slice as long": "g = g.copy(); x = [v for v in a if v > 9] + [i, j]; g[i, :2] = x; return g",
    "a list to the part of a row": "g = g.copy(); x = [v for v in g[i] if v]; g[i] = 0; g[i, : len(x)] = x; return g",
    "a list to a row": "g = g.copy(); x = [v for v in g[i] if v]; g[i] = x + [0] * (4 - len(x)); return g",
    "a slice between numbers": "a = a.copy(); a[i : i + 2] = b[i : i + 2]; return a",
    "a row": "g = g.copy(); g[i] = 2; g[:, j] = 3; return g",
    "a row of numbers": "g = g.copy(); g[i] = [1, 2, 3, 4]; g[0] = g[2]; return g",
    "a mask": "a = a.copy(); a[a > 1] = 1; a[m] -= 2; return a",
    "a mask of another array": "a = a.copy(); a[b > 0] = b[b > 0]; return a",
    "rows and a mask": "g = g.copy(); g[g[:, 0] > 0, 1] = 7; g[1:, g[0] > 0] += 3; return g",
    "a mask and several values": "a = a.copy(); a[a > 0] = a[a > 0] * 2; a[m] = np.arange(5)[: m.sum()]; return a",
    "as many by another mask": "a = a.copy(); a[m] = b[::-1][m[::-1]]; return a",
    "a slice by numbers, in place": "a = a.copy(); a[i:] += 5; a[:j] *= 2; a[i:] = b[i:]; return a",
    "a slice by numbers, negative": "g = g.copy(); g[-1, j:] = 7; g[i, -2:] = 8; return g",
    "a part by numbers of the game": "a = a.copy(); part = a[i : i + 2]; part[0] = 9; part += 1; return a",
    "a square": "h = h.copy(); h[i : i + 2, i : i + 2] = 9; h[i, i : i + 2] += 1; return h",
    "a square of numbers": "h = h.copy(); h[i : i + 2, i : i + 2] += np.array([[1, 2], [3, 4]]); return h",
    "with a new axis": "a = a.copy(); column = a[:, None]; column[i, 0] = 9; a[None, :] = b[None] + a[None]; return a",
    "a mask and a number": "g = g.copy(); g[i, g[i] == 1] = 7; return g",
    "in place": "a = a.copy(); c = a; a += 1; a *= 2; return c",
    "not in place": "a = a.copy(); c = a; a = a + 1; return c * 10 + a",
    "in place, whole numbers": "a = a.copy(); a //= 2; a %= 3; a -= b; return a",
    "swap": "a = a.copy(); a[i], a[j] = a[j], a[i]; return a",
    "swap of rows": "g = g.copy(); g[[0, 1]] = g[[1, 0]]; return g",
    "swap of rows that are views": "g = g.copy(); x, y = g[0].copy(), g[1].copy(); g[0], g[1] = y, x; return g",
    "swap of views goes wrong in NumPy": "g = g.copy(); g[0], g[1] = g[1], g[0]; return g",
    "fill": "a = a.copy(); a.fill(i); a[0] = 1; return a",
    "everything": "a = a.copy(); c = a; a[:] = b; return c",
    "a whole number into whole numbers": "a = a.copy(); a[i] = 2.7; return a",
    "flat": "g = g.copy(); g.flat[j] = 9; g.ravel()[0] = 8; return g",
    "a view of what is known": "h = np.zeros((2, 3), int); h.ravel()[i] = 5; h.T[0, 1] += 1; return h",
    "a known array, by its flat places": "h = np.zeros((2, 3), int); h.flat[j] = 4; h.T[i] += 1; return h",
    "turned as often as the game says": "h = np.arange(9).reshape(3, 3); return np.rot90(h, i) - np.rot90(h + j, -j)",
    "a known array, reshaped": "h = np.zeros((2, 3), int); h.reshape(3, 2)[2] = j; return h",
    "sorted in place": "a = a.copy(); a.sort(); return a",
    "by pairs of indices": "g = g.copy(); g[[0, 1], [2, 3]] = 9; return g",
    "a row by places that are known": "g = g.copy(); g[i, np.array([1, 2])] += a[:2]; g[[0, 2]] += b[:4]; return g",
    "real numbers by places that are known": "a = a.copy(); a[np.array([0, -1])] = b[1:3] * 1.5; return a",
    "where it is known": "c = np.array([0, 2, 1, 0, 3]); c[np.where(c > 0)] += a[1:4]; return c * 10 + i",
    "a mask that is known": "c = np.array([0, 2, 1, 0, 3]); c[c > 0] += a[1:4]; c[c > 9] = 1; return c * 10 + i",
    "by a tuple": "g = g.copy(); at = (i, j); g[at] = 9; return g[at] + g",
    "a plane by a tuple": "h = np.zeros((3, 3, 4), int); at = (i, j); h[1][at] = 9; h[i][(0, j)] += 1; return h",
    "made here": "c = np.zeros(5, int); c[i] = 1; c[j] += 2; return c",
    "made here, of real numbers": "c = np.zeros(5); c[i] = 0.5; c[j] += i; return c",
    "made like another": "c = np.zeros_like(a); c[i] = a[i]; d = np.full_like(a, 3); d[j] = 0; return c + d",
    "aliases of a local": "c = np.zeros(5, int); d = c; d[i] = 1; c[j] = 2; return c * 10 + d",
    "two names in a list": "c = np.zeros(3, int); rows = [c, c]; rows[0][i] = 1; return rows[1] + c",
    "a list of arrays": "rows = [a.copy(), b.copy()]; rows[1][i] = 9; rows[0][0] += 1; return rows[0] * 10 + rows[1]",
    "in a branch": "a = a.copy()\nif i > j:\n    a[i] = 7\nelse:\n    a[j] = 8\nreturn a",
    "a view in a branch": "g = g.copy()\nrow = g[0] if i > j else g[1]\nc = row.sum()\nrow[j] = 5\nreturn g * 10 + c",
    "a view chosen by if": "g = g.copy()\nif i > 1:\n    row = g[0]\nelse:\n    row = g[1]\nrow[j] = 5\nreturn g",
    "a column of a part of rows": "g = g.copy(); part = g[1:, ::2]; c = part[:, 0]; c += 5; c[i - 1] = 9; return g",
    "a view turned twice": "h = h.copy(); turned = np.rot90(h.T)[1:]; turned[i, j] = 9; turned[0] += 1; return h",
    "a copy that is no view": "h = h.copy(); line = h.T.reshape(-1); line[i] = 9; return h * 10 + line[i]",
    "flatten is a copy": "h = h.copy(); line = h.flatten(); line[i] = 9; return h",
    "one of two arrays": "a, b = a.copy(), b.copy(); c = a if i > j else b; c[k] = 9; a[0] += 1; return a * 9 + b",
    "one of two arrays by if": """
        a, b = a.copy(), b.copy()
        c = a
        if i > j:
            c = b
        c += 5
        return a * 100 + b""",
    "one of several arrays": "a, b = a.copy(), b.copy(); c = [a, b][i % 2]; c[k] = 9; return a * 100 + b",
    "one of several, at once": "a, b = a.copy(), b.copy(); [b, a][j % 2][0] = 7; return a * 100 + b",
    "one of two arrays of a dict": "a, b = a.copy(), b.copy(); c = {1: a, 0: b}[i % 2]; c[k] = 9; return a * 100 + b",
    "an array or another one": "a = a.copy(); c = a if i > j else a + 1; c[k] = 9; return a",
    "the same array": "a = a.copy(); c = np.asarray(a); c[k] = 9; return a",
    "rows unpacked": "g = g.copy(); x, y, z = g; y[j] = 9; z += 1; return g",
    "rows of a part": "g = g.copy()\nfor row in g[1:]:\n    row[j] += 5\nreturn g",
    "columns": "g = g.copy()\nfor column in g.T:\n    column[i] += 5\nreturn g",
    "one of two, by a function": "a, b = a.copy(), b.copy(); c = first(i > j, a, b); c[k] = 9; return a * 100 + b",
    "a new one in a function": "a = a.copy(); c = grown(a, i); return a * 100 + c",
    "backwards": "a = a.copy(); a[::-1] = b; a[::-1][0] += 100; return a",
    "by a function": "g = g.copy(); paint(g, i, j); return g",
    "a new array, by a function": "c = np.zeros((3, 4), int); paint(c, i, j); return c",
    "by a function, a row": "g = g.copy(); mark(g[i], j); return g",
    "by a function that gives it back": "g = g.copy(); h = same(g); h[i, j] = 9; return g",
}
TOP = """
def paint(board, row, column):
    board[row, column] = 5
    board[0] += 1
def mark(line, place):
    line[place] = 6
def same(board):
    return board
def first(which, one, other):
    if which:
        return one
    return other
def grown(values, more):
    if more > 1:
        values = values + 1
    values[0] = 50
    return values
"""


WRITES_WRONG = {}
WRITES_CASES = Cases(WRITES, together=1, top=TOP, a=A, b=B, g=G, h=H, m=M, i=I, j=J, k=K)


WRITES_GAPS: dict[str, str] = {}


@pytest.mark.parametrize("name", WRITES_CASES.parameters(WRITES_WRONG, WRITES_GAPS))
def test_writes(name: str) -> None:
    WRITES_CASES.assert_same(name)


FUNCTIONS = {
    "where": "np.where(a > b, a, 0)",
    "where of arrays": "np.where(m, a, b) + np.where(a == 1, 5, b)",
    "argwhere": "len(np.argwhere(a > 0)) + (np.argwhere(a > 0)[0][0] if (a > 0).any() else 9)",
    "argwhere of a board": "len(np.argwhere(g == 1)) * 10 + (np.argwhere(g == 1)[0][1] if (g == 1).any() else 9)",
    "nonzero": "len(np.nonzero(a)[0]) + len(np.flatnonzero(a > 1)) * 10",
    "roll": "np.roll(a, 1) + 10 * np.roll(a, -2)",
    "roll by a number of the game": "np.roll(a, k)",
    "roll along an axis": "np.roll(g, 1, axis=0) + 10 * np.roll(g, -1, axis=1)",
    "clip": "np.clip(a, -1, 2) + a.clip(0, 3)",
    "argmax": "np.argmax(a) + 10 * a.argmin() + 100 * np.argmax(g)",
    "argmax along an axis": "g.argmax(axis=1)[i] + np.argmin(g, axis=0)[j]",
    "cumsum": "np.cumsum(a) + 10 * a.cumsum()[::-1]",
    "cumprod, diff": "np.cumprod(a % 3 + 1)[:4] + np.diff(a)",
    "count_nonzero": "np.count_nonzero(a) + 10 * np.count_nonzero(g == 1) + 100 * np.count_nonzero(g, axis=0)[j]",
    "concatenate": "np.concatenate([a, b[:2], [i, j]])",
    "stack": "np.stack([a, b])[:, i] * 3 + np.vstack([a, b])[1, j] + np.hstack([a, b])[7]",
    "pad": "np.pad(a, 1) + np.pad(a, (1, 1), constant_values=3)",
    "pad a board": "np.pad(g, ((1, 0), (0, 2)), constant_values=7)",
    "unravel_index": "np.unravel_index(i + j, (3, 4))[0] * 10 + np.unravel_index(np.argmax(g), g.shape)[1]",
    "ravel_multi_index": "np.ravel_multi_index((i, j), (3, 4))",
    "sum, prod, mean": "np.sum(a) + np.prod(a % 3 + 1) + np.mean(b)",
    "max, min": "np.max(a) * 10 + np.min(b) + g.max() - a.min()",
    "maximum of arrays": "np.maximum(a, b) * 10 + np.minimum(a, 2)",
    "abs, sign": "np.abs(a) * 10 + np.sign(b) + abs(a - b)",
    "dot": "np.dot(a, b) + a @ b + np.inner(a, b)",
    "matrix product": "h @ h + np.matmul(h, h.T)",
    "outer": "np.outer(a, b)[i, j]",
    "rot90": "np.rot90(h) + 10 * np.rot90(h, 2) + 100 * np.rot90(h, -1)",
    "flip": "np.flip(a) + 10 * np.fliplr(h)[0, i] + 100 * np.flipud(h)[j, 0] + np.flip(h, 1)[i, j]",
    "eye, diag": "np.eye(4, dtype=int) * i + np.diag(h) + np.trace(h)",
    "arange": "np.arange(5) * i + np.arange(2, 12, 2)",
    "linspace": "np.linspace(0, 1, 5) * i",
    "ones, full": "np.ones(3) * i + np.full(3, j) + np.full((3,), 0.5)",
    "sort, argsort": "np.sort(a) * 10 + np.argsort(b * 5 + np.arange(5))",
    "unique of known length": "len(np.unique(a))",
    "unique": "u = np.unique(g); return len(u) * 1000 + u[0] * 100 + u[-1] * 10 + int((u > 0).sum())",
    "how often each": "u, n = np.unique(a, return_counts=True); return u[np.argmax(n)] * 10 + n.max() + len(n) * 100",
    "delete at a number": "np.delete(a, i) * 10 + np.delete(g, i, axis=0)[0]",
    "delete at a negative number": "np.delete(a, k)",
    "isin": "int(np.isin(a, [1, 2]).sum())",
    "tile, repeat": "np.tile(a, 2)[i + 4] + np.repeat(a, 2)[j]",
    "any along an axis": "g.any(axis=0).sum() * 10 + (g > 1).all(axis=1).sum()",
    "logic": "np.logical_and(a > 0, b > 0) | np.logical_or(a > 3, m) & ~m",
    "astype": "(a / 2).astype(int) + (a > 0).astype(int) * 10",
    "astype of small kinds": "(a * 60).astype(np.uint8).astype(int)",
    "items of small kinds": "2 ** (a % 4 + 7).astype(np.uint8)[i].item() + (a % 4 + 7).astype(np.uint8).item(j) * 100",
    "lists of small kinds": "sum(200 * n for n in (a % 4 + 7).astype(np.uint8).tolist())",
    "float32": "(r.astype(np.float32) * 2).astype(np.float64)",
    "norm": "np.linalg.norm(r) + np.linalg.norm(a[:2] - b[:2])",
    "real functions": "np.sqrt(np.abs(r)) + np.sin(r) * np.floor(r) + np.exp(-r * r)",
    "round of arrays": "np.round(r) + np.rint(r) * 10 + np.ceil(r)",
    "mean, std, var": "r.mean() + r.std() * 10 + np.var(r)",
    "division": "a // 3 * 10 + a % 3",
    "division of reals": "r // 1.5 + r % 1.5",
    "meshgrid": "np.meshgrid(np.arange(3), np.arange(4))[0][j, i]",
    "squeeze, expand": "np.expand_dims(a, 0)[0, i] + np.squeeze(a[None])[j]",
    "bincount": "np.bincount(g.ravel(), minlength=5)",
    "searchsorted": "np.searchsorted(np.array([-2, 0, 2]), k)",
    "convolution by slices": "h[:-1, :-1] + h[1:, 1:] + h[1:, :-1] + h[:-1, 1:]",
    "power": "a ** 2 + 2 ** (a % 4)",
    "a row of a stack": "np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])[j] + np.array([i, i])",
    "array of numbers": "np.array([i, j, i + j]) * np.array([1, 2, 3])",
    "array of reals": "np.array([i, 0.5, j / 2])",
    "delete": "np.delete(a, 1)",
    "take, choose": "np.take(a, i) + a.take(j)",
    "array_split": "np.split(a[:4], 2)[1]",
    "dtype of a sum of flags": "(a > 0).sum() * 3 + (a > 0).sum() / 2",
    "difference of flags": "(a > 0).astype(np.int8) - (b > 0).astype(np.int8)",
}


FUNCTIONS_GAPS: dict[str, str] = {}
FUNCTIONS_CASES = Cases(FUNCTIONS, together=1, a=A, b=B, g=G, h=H, r=R, m=M, i=I, j=J, k=K)


@pytest.mark.parametrize("name", FUNCTIONS_CASES.parameters({}, FUNCTIONS_GAPS))
def test_functions(name: str) -> None:
    FUNCTIONS_CASES.assert_same(name)
