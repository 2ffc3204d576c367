"""Expressions of numbers mean in the translation what they mean in Python: each is computed by both, on many inputs."""

import numpy as np
import pytest
from before_and_after import Cases

RNG = np.random.default_rng(0)
X = np.concatenate([np.arange(-9, 10), RNG.integers(-50, 50, 45)])
Y = RNG.permutation(np.concatenate([np.arange(-9, 10), RNG.integers(-50, 50, 45)]))
N = np.where(Y == 0, 3, Y)  # not zero
F = np.concatenate([np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.0, -1.0, 3.0]), RNG.normal(0, 3, 55)])
G = np.concatenate([np.array([0.25, -0.25, 2.0, -2.0, 0.5]), RNG.normal(0, 3, 59)])
P = RNG.random(64) < 0.5
Q = RNG.random(64) < 0.5

WHOLE = [
    "x // n", "x % n", "-x // n", "(x * n) // 7", "x // -4", "x % -4", "divmod(x, n)[0] * 100 + divmod(x, n)[1]",
    "abs(x)", "x ** 2", "x & 6", "x | 5", "x ^ y", "~x", "x << 2", "x >> 1", "-x", "+x", "x - y + 1", "2 * x - 3 * y",
    "int(x / n)", "int(x / 4)", "int(-x / 4)", "round(x / 4)", "round(x / 2)", "math.floor(x / 4)",
    "math.ceil(x / 4)", "min(x, y)", "max(x, y)", "min(x, y, 3)", "max(0, min(x, 7))", "max([x, y, 0])",
    "min((x, y))", "pow(x, 2)", "sum([x, y, 1])", "sum((x, y), 10)", "int(x > y)", "(x > y) - (x < y)",
    "(x > 0) + (y > 0)", "x * (y > 0)", "(x > 3) * 5", "-(x > 3)", "int(not x)", "int(bool(x))", "x if x > y else y",
    "1 if x else 2", "x and y", "x or y", "x and y and 7", "x or y or 7", "x or (y and 3)", "(x > 0) and y",
    "not x or y > 2", "[10, 20, 30][x % 3]", "[10, 20, 30][x % 3 - 3]", "(5, 6, 7, 8)[x % 4]",
    "[10, 20, 30][-(x % 3) - 1]", "(x % 5) % 3 - (x // 2) % 2", "int(str(7)) + x", "int(abs(x - y) <= 1)",
    "int(np.sign(x))", "int(np.abs(x))", "int(np.clip(x, -3, 5))", "int(np.minimum(x, y))", "int(np.mod(x, n))",
    "int(np.floor_divide(x, n))", "int(np.where(x > y, x, 3))", "int(np.int64(x) // 2)", "np.int64(x) % 5",
    "hash_like(x)", "twice(x)(y)", "(lambda a, b=2: a * b)(x)",
]  # fmt: skip
TOP = """
LIMIT = 12
def hash_like(a, times=3):
    return (a * 31 + times) % LIMIT
def twice(a):
    return lambda b: 2 * a + b
"""


WHOLE_CASES = Cases(WHOLE, top=TOP, x=X, y=Y, n=N)


@pytest.mark.parametrize("name", WHOLE_CASES.parameters({}, {}))
def test_whole_numbers(name: str) -> None:
    WHOLE_CASES.assert_same(name)


CONDITIONS = [
    "0 < x < 5", "x < y < 9", "0 <= x <= y <= 20", "1 < x > y", "x == y == 3", "x != y", "not x", "not (x > 2)",
    "x in (1, 2, 3)", "x not in (1, 2, 3)", "x in [y, 0]", "x in range(3, 8)", "x in {1, 5, 7}", "(x, y) == (0, 0)",
    "(x % 3, y % 3) in [(0, 1), (2, 2)]", "(x % 3, y % 3) in {(0, 1), (2, 2)}", "(x % 3, y % 3) not in ((0, 1),)",
    "(x, 2) < (y, 1)", "(x % 3, y) < (1, 3)",
    "(x % 3, y % 3, 1) >= (1, 2, x)", "(x, y) <= (x, y, 1)", "[x, 1] > [1]",
    "[x, y] != [y, x]", "p and q", "p or q", "not p", "p ^ q", "p & q",
    "p | q", "p == q", "p != q", "p < q", "p and not q or x > 0", "bool(x) and bool(y)", "any([x > 0, y > 0, p])",
    "all([x > 0, y > 0, p])", "any(v > 3 for v in (x, y))", "all(v > 3 for v in (x, y))", "True if x > 3 else p",
    "x > 0 or y > 0 and p", "p is True", "(x == 3) is not p", "abs(x) > 3 and x % 2 == 0", "np.logical_and(p, q)",
    "np.logical_not(p)", "bool(np.isclose(x, y))", "x % 2", "bool(x % 2)", "math.isclose(x, y)",
]  # fmt: skip


CONDITION_CASES = Cases(CONDITIONS, x=X, y=Y, p=P, q=Q)


@pytest.mark.parametrize("name", CONDITION_CASES.parameters({}, {}))
def test_conditions(name: str) -> None:
    CONDITION_CASES.assert_same(name)


REAL = [
    "f + g", "f * g - 2", "f / 4", "x / n", "f // 1.0", "f % 1.0", "f % 2.5", "-f % 2.5", "f // g", "f % g", "int(f)",
    "round(f)", "round(f, 1)", "round(f * 2) / 2", "math.floor(f)", "math.ceil(f)", "math.trunc(f)", "abs(f)",
    "f ** 2", "abs(f) ** 0.5", "math.sqrt(abs(f))", "math.sin(f)", "math.cos(f) * math.pi", "math.atan2(f, g)",
    "math.hypot(f, g)", "math.exp(f / 4)", "math.log(abs(f) + 1)", "math.copysign(1.0, f)", "math.fabs(f)",
    "math.degrees(f)", "math.radians(f)", "min(f, g)", "max(f, 1)", "min(1, f)", "max(0.0, min(1.0, f))", "x * 0.5",
    "x * f", "float(x)", "float(x) / 3", "float(f > g)", "1.0 if f > g else x", "1 if f > 0 else -0.5",
    "f if f > 0 else 0", "np.clip(f, -1, 1)", "np.sign(f)", "np.floor(f)", "np.round(f)", "np.hypot(f, g)",
    "np.tanh(f)", "float(np.float32(f))", "(f > 0) * g", "(f > 0) * 1.5 + (g > 0)", "f and g", "f or g",
    "np.deg2rad(f)", "np.sqrt(f * f + g * g)", "int(f * 2) // 3", "int(f) % 3", "f > g > 0", "-1 < f < 1",
    "int(round(f))", "x - f % 3", "math.fmod(f, 2.5)", "math.pow(f, 2)", "math.inf if f > 0 else g",
    "2 ** x if x < 5 else 0.0", "f ** 3", "np.power(f, 2)", "np.square(f)", "np.exp(-abs(f))",
    "math.log2(abs(f) + 1)", "math.dist((f, g), (0, 0))", "2 ** -x if x > 0 else 1.0", "math.gcd(x, 6)",
    "np.argmax(np.cumsum([0.05] * 20) > f)", "np.argmax(f < np.linspace(-1, 1, 12))",
]  # fmt: skip


REAL_CASES = Cases(REAL, x=np.clip(X, -12, 12), n=N, f=F, g=G)


@pytest.mark.parametrize(
    "name",
    REAL_CASES.parameters(
        {"2 ** x if x < 5 else 0.0": "a whole number to a negative power is real in Python, and 0 in JAX"},
        {},
    ),
)
def test_real_numbers(name: str) -> None:
    REAL_CASES.assert_same(name)
