"""Choosing and judging actions, against the formulas of the textbook."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import envwright
from envwright.core import Box, Discrete
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import encode, size_of
from envwright.training.actions import Categorical, Gaussian, actions_of, with_legal
from envwright.training.player import _choose

KEY = envwright.key(3)
NONE = jnp.zeros(0, jnp.float32)  # a categorical distribution has no spread of its own
LARGEST = 1 - 2**-23  # the largest noise there is
N = 7  # actions in most tests: one compilation


def masked(seed: int, many: int) -> tuple[jax.Array, np.ndarray]:
    """Logits with illegal actions out of reach, and which are legal."""
    rng = np.random.default_rng(seed)
    legal = rng.random((many, N)) < 0.6
    legal[np.arange(many), rng.integers(0, N, many)] = True
    return with_legal(jnp.asarray(rng.normal(0, 3, (many, N)), jnp.float32), jnp.asarray(legal)), legal


def probabilities(head: Any, legal: np.ndarray) -> np.ndarray:
    return special.softmax(np.where(legal, np.asarray(head, np.float64), -np.inf), axis=-1)


sample = jax.jit(lambda head, noise: Categorical(N).sample(head, NONE, noise))


def test_actions_are_drawn_as_often_as_softmax_says() -> None:
    many = 1 << 17
    head, legal = masked(0, 1)
    noise = Categorical(N).noise(KEY, (many,))
    drawn = np.bincount(sample(jnp.tile(head, (many, 1)), noise), minlength=N)
    expected = probabilities(head, legal)[0]
    assert not drawn[~legal[0]].any()
    assert stats.chisquare(drawn[legal[0]], expected[legal[0]] * many).pvalue > 1e-6


@given(
    logits=st.lists(st.floats(-1e4, 1e4, width=32), min_size=N, max_size=N),
    legal=st.lists(st.booleans(), min_size=N, max_size=N).filter(any),
    noise=st.one_of(st.sampled_from([0.0, LARGEST]), st.integers(0, 2**23 - 1).map(lambda i: i * 2**-23)),
)
def test_no_noise_reaches_an_illegal_action(logits: list[float], legal: list[bool], noise: float) -> None:
    head = np.where(legal, np.asarray([logits], np.float32), np.float32(-1e9))
    assert legal[int(sample(head, np.asarray([noise], np.float32))[0])]
    assert legal[int(_choose(head.astype(np.float64), np.asarray([noise]))[0])]


@pytest.mark.parametrize("n", [8, 18, 70])
def test_rounding_reaches_no_illegal_action_among_many(n: int) -> None:
    """Sums in another order than left to right would give an action of no weight a share of one rounding."""
    rng = np.random.default_rng(n)
    legal = rng.random((20_000, n)) < 0.5
    legal[:, 1] = True
    head = with_legal(jnp.asarray(rng.normal(0, 2, legal.shape), jnp.float32), jnp.asarray(legal))
    weights = np.exp(head - head.max(axis=1, keepdims=True))
    # Noise as near as can be to the border between two actions, where a rounding decides.
    border = np.cumsum(weights, axis=1)[np.arange(len(legal)), rng.integers(0, n, len(legal))]
    noise = np.clip(border / weights.sum(axis=1), 0, LARGEST).astype(np.float32)
    draw = jax.jit(lambda head, noise: Categorical(n).sample(head, NONE, noise))
    for near in (noise, np.nextafter(noise, np.float32(0)), np.full_like(noise, LARGEST), np.zeros_like(noise)):
        assert legal[np.arange(len(legal)), np.asarray(draw(head, near))].all()


def test_log_prob_and_entropy_are_those_of_the_legal_actions() -> None:
    head, legal = masked(1, 500)
    raw = np.array([np.flatnonzero(row)[-1] for row in legal], np.int32)
    p = probabilities(head, legal)
    logs = np.asarray(Categorical(N).log_prob(head, NONE, jnp.asarray(raw)))
    np.testing.assert_allclose(logs, np.log(p[np.arange(500), raw]), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(Categorical(N).entropy(head, NONE), stats.entropy(p, axis=1), rtol=1e-5, atol=1e-6)


def test_gradients_are_finite_and_leave_illegal_actions_alone() -> None:
    head, legal = masked(2, 100)
    raw = jnp.asarray([np.flatnonzero(row)[0] for row in legal], jnp.int32)

    def total(logits: jax.Array) -> jax.Array:
        head = with_legal(logits, jnp.asarray(legal))
        return (Categorical(N).log_prob(head, NONE, raw) + Categorical(N).entropy(head, NONE)).sum()

    gradient = np.asarray(jax.jit(jax.grad(total))(jnp.where(head < -1e8, 50.0, head)))
    assert np.isfinite(gradient).all()
    assert not gradient[~legal].any()
    p = probabilities(head, legal)
    logs = np.log(p, where=p > 0, out=np.zeros_like(p))
    of_log_prob = np.eye(N)[np.asarray(raw)] - p
    of_entropy = -p * (logs + np.asarray(stats.entropy(p, axis=1))[:, None])
    np.testing.assert_allclose(gradient, of_log_prob + of_entropy, atol=1e-5)


def test_a_gaussian_is_the_textbooks() -> None:
    rng = np.random.default_rng(4)
    mean, raw = rng.normal(size=(2, 50, 3)).astype(np.float32)
    spread = np.array([-1.0, 0.0, 0.7], np.float32)
    actions = Gaussian((-1.0,) * 3, (1.0,) * 3, (3,))
    normal: Any = stats.norm(mean, np.exp(spread))
    logs = actions.log_prob(*map(jnp.asarray, (mean, spread, raw)))
    np.testing.assert_allclose(logs, normal.logpdf(raw).sum(axis=1), rtol=1e-4, atol=1e-5)
    entropy = actions.entropy(jnp.asarray(mean), jnp.asarray(spread))
    np.testing.assert_allclose(entropy, normal.entropy().sum(axis=1), rtol=1e-5)
    noise = actions.noise(KEY, (20_000,))
    drawn = actions.sample(jnp.zeros((20_000, 3)), jnp.asarray(spread), noise)
    for i in range(3):
        assert stats.kstest(np.asarray(drawn[:, i]), stats.norm(0, np.exp(spread[i])).cdf).pvalue > 1e-6


def test_what_lies_beyond_the_bounds_is_cut_off_and_the_rest_scaled() -> None:
    actions = actions_of(Box((-2.0, 0.0), (2.0, 10.0), (2,)))
    raw = jnp.asarray([[-7.0, 7.0], [0.0, 0.0], [0.5, -1.0]])
    assert actions.to_env(raw).tolist() == [[-2.0, 10.0], [0.0, 5.0], [1.0, 0.0]]


@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_actions_of_any_shape_come_out_in_it(shape: tuple[int, ...]) -> None:
    actions = actions_of(Box(-1.0, 1.0, shape))
    raw = actions.sample(jnp.zeros((5, actions.outputs)), jnp.zeros(actions.outputs), actions.noise(KEY, (5,)))
    assert actions.to_env(raw).shape == (5, *shape)


def test_observations_become_vectors() -> None:
    assert encode(Discrete(3), jnp.asarray([[2, 0]])).tolist() == [[[0, 0, 1], [1, 0, 0]]]
    pixels = Box(0, 255, (2, 2), np.dtype(np.uint8))
    seen = encode(pixels, jnp.arange(8, dtype=jnp.uint8).reshape(2, 2, 2))
    assert (seen.dtype, seen.tolist()) == (jnp.float32, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert [size_of(space) for space in (Discrete(3), pixels, Box(0.0, 1.0, ()))] == [3, 4, 1]


@pytest.mark.parametrize("space", [Box(-np.inf, np.inf, (2,)), Box(0.0, np.inf, (1,)), Box(0, 3, (1,), np.dtype(int))])
def test_a_box_without_bounds_or_of_integers_is_refused(space: Box) -> None:
    with pytest.raises(EnvwrightError, match=r"Discrete action space or a Box of floats with finite bounds, not Box\("):
        actions_of(space)
