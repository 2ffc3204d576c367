"""Arithmetic that keeps IEEE 754's word where XLA would not.

Guaranteed, and tested on random bit patterns: every result is the correctly rounded float32, for normal numbers, zeros
of both signs and infinities, and a NaN is a NaN (which one is not promised). Not guaranteed: subnormal numbers. XLA on
CPU runs with denormals flushed, so an operand or a result below 2**-126 counts as zero of its sign.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.core import execute
from envwright.core.numerics import clamp, divide, multiply, round_down, round_up

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]
WAYS: dict[str, Wrap] = {"jit": jax.jit, "one_kernel": lambda f: jax.jit(execute.one_kernel(f))}
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
SPECIAL = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2**-126, -(2**-126), 3.4028235e38, -3.4028235e38], np.float32
)
TINY = np.float32(2**-126)
N = 20_000


def flush(x: np.ndarray) -> np.ndarray:
    """Subnormal numbers as zeros of their sign."""
    return np.where(np.abs(x) < TINY, np.copysign(np.float32(0), x), x)


def patterns(seed: int, n: int = N) -> np.ndarray:
    """Floats of random bits, and every pair of special values when two of these are zipped."""
    bits = np.random.default_rng(seed).integers(0, 2**32, n, dtype=np.uint32).view(np.float32)
    special = np.repeat(SPECIAL, len(SPECIAL)) if seed % 2 else np.tile(SPECIAL, len(SPECIAL))
    return np.concatenate([bits, special])


def differ(one: Any, other: Any) -> np.ndarray:
    """Where two arrays have other bits; all NaNs are alike."""
    one, other = np.asarray(one), np.asarray(other)
    assert one.dtype == other.dtype == np.float32
    return (one.view(np.uint32) != other.view(np.uint32)) & ~(np.isnan(one) & np.isnan(other))


@ways
@pytest.mark.parametrize(("ours", "theirs"), [(divide, np.divide), (multiply, np.multiply)])
def test_random_bit_patterns_give_what_ieee_gives_but_for_subnormals(way: Wrap, ours: Any, theirs: Any) -> None:
    x, y = patterns(0), patterns(1)
    with np.errstate(all="ignore"):
        exact = theirs(flush(x), flush(y))
    result = np.asarray(way(ours)(x, y))
    near = np.abs(exact) <= TINY  # a product that rounds up to the smallest normal number may be flushed before it does
    assert not differ(result, exact)[~near].any()
    assert not differ(flush(result), flush(exact))[np.abs(exact) < TINY].any()
    assert (~near).sum() > 0.8 * N


@ways
@pytest.mark.parametrize("c", [3.0, 5.0, 7.0, 26.0, 570.0, 640.0, 0.1, 1e-30, 1e30])
def test_division_by_a_constant_is_rounded_once(way: Wrap, c: float) -> None:
    x = np.random.default_rng(2).normal(size=N).astype(np.float32)
    exact = x / np.float32(c)
    assert not differ(way(lambda x: divide(x, c))(x), exact).any()
    assert not differ(way(divide)(x, np.float32(c)), exact).any()


@ways
def test_a_product_is_rounded_before_it_is_added_to(way: Wrap) -> None:
    x, y, z = np.random.default_rng(3).normal(size=(3, N)).astype(np.float32)
    assert not differ(way(lambda x, y, z: multiply(x, y) + z)(x, y, z), x * y + z).any()
    assert not differ(way(lambda x, y, z: z - multiply(x, y))(x, y, z), z - x * y).any()
    c = np.float32(3.1)
    assert not differ(way(lambda x, z: multiply(x, jnp.asarray(c)) + z)(x, z), x * c + z).any()
    assert not differ(way(lambda x, z: multiply(jnp.asarray(c), x) - z)(x, z), c * x - z).any()


@ways
def test_the_guards_hold_inside_a_loop(way: Wrap) -> None:
    """A carry that is divided, multiplied and added 50 times over."""
    x, y = np.abs(np.random.default_rng(4).normal(size=(2, 1000))).astype(np.float32)
    exact = x
    for _ in range(50):
        exact = exact / np.float32(1.7) + y * exact * np.float32(0.3)

    def body(_: int, a: jax.Array) -> jax.Array:
        return divide(a, 1.7) + multiply(y * a, jnp.float32(0.3))

    assert not differ(way(lambda x: jax.lax.fori_loop(0, 50, body, x))(x), exact).any()


@ways
def test_folded_constants_are_rounded_like_computed_ones(way: Wrap) -> None:
    for a, b in np.random.default_rng(5).normal(size=(20, 2)).astype(np.float32):
        folded = way(
            lambda a=a, b=b: (divide(jnp.float32(a), float(b)), multiply(jnp.float32(a), jnp.float32(b)) + b)
        )()
        assert folded == (a / b, a * b + b)


@ways
def test_clamp_is_fminf_of_fmaxf(way: Wrap) -> None:
    x = patterns(0)
    low, high = np.float32(-1.5), np.float32(2.5)
    exact = np.fmin(np.fmax(x, low), high)  # of a number and a NaN, the number: so a NaN becomes `low`, as in C
    for result in (way(lambda x: clamp(x, -1.5, 2.5))(x), way(clamp)(x, low, high)):
        assert not differ(flush(np.asarray(result)), flush(exact)).any()
    assert float(way(lambda x: clamp(x, -1.5, 2.5))(np.float32(np.nan))) == -1.5


def test_clamp_gives_the_bound_when_equal_so_the_sign_of_zero_is_the_bounds() -> None:
    """C leaves the sign of fmaxf(-0.0, 0.0) open; here it is the bound's."""
    assert not np.signbit(clamp(jnp.float32(-0.0), 0.0, 1.0))
    assert np.signbit(clamp(jnp.float32(0.0), -0.0, 1.0))


@settings(deadline=None, max_examples=100)
@given(
    x=st.floats(width=32, allow_subnormal=False, allow_nan=False),
    y=st.floats(width=32, allow_subnormal=False, allow_nan=False),
)
def test_any_two_floats_divide_and_multiply_as_in_numpy(x: float, y: float) -> None:
    a, b = np.array([x], np.float32), np.array([y], np.float32)
    with np.errstate(all="ignore"):
        quotient, product = a / b, a * b
    for ours, exact in ((DIVIDE(a, b), quotient), (MULTIPLY(a, b), product)):
        if not 0 < np.abs(exact[0]) <= TINY:
            assert not differ(ours, exact).any()


DIVIDE, MULTIPLY = jax.jit(divide), jax.jit(multiply)


def test_dtypes_are_kept_and_nothing_is_promoted() -> None:
    x = jnp.float32(1)
    assert divide(x, 3).dtype == multiply(x, x).dtype == clamp(x, 0, 1).dtype == jnp.float32
    half = jnp.float16(1)
    assert divide(half, 3).dtype == jnp.float16
    with jax.enable_x64(True):
        assert divide(x, 3.0).dtype == clamp(x, 0.0, 1.0).dtype == jnp.float32


def test_why_plain_arithmetic_will_not_do() -> None:
    """What the module is for: under jit, a quotient by a constant and a sum of a product are not what C computes."""
    x, y, z = np.random.default_rng(6).normal(size=(3, N)).astype(np.float32)
    seventh = np.float32(7)
    quotients = differ(jax.jit(lambda x: x / seventh)(x), x / seventh).mean()
    sums = differ(jax.jit(lambda x, y, z: x * y + z)(x, y, z), x * y + z).mean()
    if not quotients and not sums:
        pytest.skip(f"XLA keeps IEEE's word on this backend ({jax.default_backend()}), so the guards are idle here.")
    assert quotients > 0.1
    assert sums > 0.1


def test_subnormals_are_flushed_which_is_not_promised_either_way() -> None:
    tiny = np.array([1e-40, -1e-40], np.float32)
    result = np.asarray(MULTIPLY(tiny, np.array([1, 1], np.float32)))
    if not differ(result, tiny).any():
        pytest.skip("This backend keeps subnormal numbers.")
    assert not differ(result, np.array([0.0, -0.0], np.float32)).any()


@pytest.mark.parametrize("limit", [12 * 2 * np.pi / 360, 2.4, -0.1, 0.5])
def test_limits_are_rounded_for_float32_and_left_alone_in_double_precision(limit):
    """In double precision a value may be the limit itself: asked with a rounded one, it would be on the wrong side."""
    below, above = round_down(limit), round_up(limit)
    assert float(np.float32(below)) == below <= limit <= above == float(np.float32(above))
    assert above <= np.nextafter(np.float32(below), np.float32(np.inf))
    with jax.enable_x64(True):
        assert round_down(limit) == limit == round_up(limit)
