"""What spaces contain, what they sample, and what they refuse."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import envwright
from envwright import Box, Discrete
from envwright.core.errors import ActionError, EnvwrightError
from envwright.core.spaces import check_action, scale_bits

CORNERS = [0, 1, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFF0000, 0xFFFFFFFE, 0xFFFFFFFF]


def test_scale_bits_is_exact_for_every_n_up_to_65536() -> None:
    n = np.arange(1, 65537, dtype=np.uint32)
    rng = np.random.default_rng(0)
    scale = jax.jit(jax.vmap(scale_bits, in_axes=(None, 0)))
    for bits in [*CORNERS, *rng.integers(0, 2**32, 32).tolist()]:
        assert np.array_equal(scale(jnp.uint32(bits), n), (bits * n.astype(np.uint64)) >> np.uint64(32)), bits


@settings(deadline=None, max_examples=50)
@given(bits=st.integers(0, 2**32 - 1), n=st.integers(1, 65536))
def test_scale_bits_agrees_with_big_integers(bits: int, n: int) -> None:
    assert int(scale_bits(jnp.uint32(bits), n)) == (bits * n) >> 32


def test_scale_bits_reaches_both_ends_at_the_edge_of_its_bin() -> None:
    """The first word of every bin, and the word before it."""
    for n in (2, 3, 7, 1000, 65535, 65536):
        first = np.array([-(-(k << 32) // n) for k in range(1, n)][:2000], np.uint32)
        assert np.array_equal(scale_bits(jnp.asarray(first), n), np.arange(1, len(first) + 1))
        assert np.array_equal(scale_bits(jnp.asarray(first) - 1, n), np.arange(len(first)))


@pytest.mark.parametrize("n", [2, 3, 18, 1000])
def test_discrete_samples_are_uniform(n: int) -> None:
    draws = jax.jit(jax.vmap(Discrete(n).sample))(jax.random.split(envwright.key(n), 200_000))
    assert draws.dtype == jnp.int32
    counts = np.bincount(np.asarray(draws), minlength=n)
    assert len(counts) == n
    assert stats.chisquare(counts).pvalue > 1e-6  # would be a false alarm once in a million seeds


@pytest.mark.parametrize("n", [0, -3, 2**16 + 1])
def test_a_discrete_space_that_cannot_be_sampled_is_refused(n: int) -> None:
    with pytest.raises(EnvwrightError, match=f"1 to 65536 values, but n is {n}"):
        Discrete(n)


def test_the_largest_discrete_space_is_sampled_to_its_end() -> None:
    draws = jax.vmap(Discrete(2**16).sample)(jax.random.split(envwright.key(0), 10_000))
    assert int(draws.max()) > 65_400


def test_discrete_contains_whole_numbers_below_n_and_nothing_else() -> None:
    space = Discrete(3)
    assert all(space.contains(x) for x in (0, 2, np.int64(1), np.uint8(2), jnp.int32(0)))
    assert not any(space.contains(x) for x in (-1, 3, 1.0, True, [1], np.zeros(1, int), 2**70, "a", None))


def test_box_contains_its_bounds_and_no_nan_other_shape_or_dtype() -> None:
    space = Box(-1.0, 1.0, (2,))
    assert space.contains(np.array([-1, 1], np.float32))
    for x in (
        [-1.0, 1.0],
        np.array([0, 0], np.float64),
        np.array([0], np.float32),
        np.array([0, np.nan], np.float32),
        np.array([0, 1.001], np.float32),
    ):
        assert not space.contains(x)


def test_box_samples_are_uniform_between_its_bounds() -> None:
    space = Box(-3.0, 5.0, (4,))
    draws = jax.vmap(space.sample)(jax.random.split(envwright.key(1), 50_000))
    assert draws.shape == (50_000, 4)
    assert draws.dtype == space.dtype
    assert space.contains(np.asarray(draws[0]))
    assert stats.kstest(np.asarray(draws).ravel(), stats.uniform(-3, 8).cdf).pvalue > 1e-6


def test_equal_spaces_are_equal_and_hash_equal() -> None:
    assert Discrete(3) == Discrete(3)
    assert hash(Box(0.0, 1.0, (2,))) == hash(Box(0.0, 1.0, (2,)))
    assert Box(0.0, 1.0, (2,)) != Box(0.0, 1.0, (3,))


def test_a_box_given_a_scalar_type_hashes_like_the_dtype_it_equals() -> None:
    one, other = Box(0.0, 1.0, (2,)), Box(0.0, 1.0, (2,), np.float32)  # pyright: ignore[reportArgumentType]
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("action", [1, np.int64(1), np.uint8(1), jnp.int32(1), jnp.uint32(1)])
def test_any_integer_is_a_discrete_action(action: object) -> None:
    checked = check_action(Discrete(3), action)
    assert (checked.dtype, checked.shape, checked.weak_type, int(checked)) == (jnp.int32, (), False, 1)


@pytest.mark.parametrize("action", [1.0, True, np.zeros(4, np.int32), np.float32(0)])
def test_another_kind_or_shape_of_discrete_action_is_refused_in_one_sentence(action: object) -> None:
    with pytest.raises(ActionError, match=r"^This environment takes an integer action of shape \(\), but got .*\.$"):
        check_action(Discrete(3), action)


def test_a_box_action_must_be_floating_point_and_of_its_shape() -> None:
    space = Box(-1.0, 1.0, (1,))
    assert check_action(space, np.array([0.5], np.float32)).dtype == jnp.float32
    for action in (0.5, np.array([0], np.int32), np.array([[0.5]], np.float32)):
        with pytest.raises(ActionError, match=r"a floating-point action of shape \(1,\)"):
            check_action(space, action)


def test_actions_are_checked_while_tracing() -> None:
    with pytest.raises(ActionError, match=r"envwright\.batch or jax\.vmap"):
        jax.jit(lambda a: check_action(Discrete(3), a))(jnp.zeros(4, jnp.int32))


def test_nan_is_no_action() -> None:
    with pytest.raises(ActionError, match=r"has to be of numbers, but got NaN in \[0\.0, nan\]"):
        check_action(Box(-1.0, 1.0, (2,)), np.array([0.0, np.nan], np.float32))
    env = envwright.batch("HalfCheetah-v5", 2)
    env.reset(seeds=range(2))
    with pytest.raises(ActionError, match="NaN"):
        env.step(np.full((2, 6), np.nan, np.float32))
