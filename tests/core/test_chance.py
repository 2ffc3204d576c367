"""The fast keys: ordinary JAX keys on the outside, and random enough on the inside.

Seeds are fixed, so every run is the same. A statistical check fails below P; were the generator perfect, one of the
hundred or so checks would fail for about one choice of seeds in 10,000.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import envwright
from envwright.core import fork
from envwright.core.chance import FAST_PRNG, _mix, normal

P = 1e-6
N = 1 << 19
FEWER = 1 << 16  # words where each bit is looked at
KEY = envwright.key(20)

first = jax.vmap(lambda key: jax.random.bits(key, (), jnp.uint32))


def rollout_words(which: int) -> jax.Array:
    """(1024 steps, 512 environments): the luck of a rollout's actions (0), steps (1) or restarts (2)."""

    def one(t: jax.Array) -> jax.Array:
        act, step = jax.vmap(lambda key: fork(key, 2))(jax.random.split(jax.random.fold_in(KEY, t), 512))
        forked = jax.vmap(lambda key: fork(key, 2))(step)
        return first((act, *forked)[which])

    return jax.vmap(one)(jnp.arange(1024, dtype=jnp.uint32))


SOURCES: dict[str, Callable[[], jax.Array]] = {
    "one key": lambda: jax.random.bits(KEY, (N,), jnp.uint32),
    "siblings": lambda: first(jax.random.split(KEY, N)),
    "siblings, two words each": lambda: jax.vmap(lambda key: jax.random.bits(key, (2,), jnp.uint32))(
        jax.random.split(KEY, N // 2)
    ),
    "children of siblings": lambda: first(jax.vmap(lambda key: fork(key, 2)[0])(jax.random.split(KEY, N))),
    "seeds": lambda: first(jax.vmap(envwright.key)(jnp.arange(N, dtype=jnp.uint32))),
    "actions, step by step": lambda: rollout_words(0).T,
    "steps, environment by environment": lambda: rollout_words(1),
    "restarts, step by step": lambda: rollout_words(2).T,
}


@pytest.fixture(scope="module", params=SOURCES)
def words(request: pytest.FixtureRequest) -> np.ndarray:
    return np.ascontiguousarray(jax.jit(SOURCES[request.param])()).reshape(-1)


def uniform_p(values: np.ndarray, n: int) -> float:
    """Chi-square: how likely are counts this uneven if each of `n` values is as likely as any?"""
    return float(stats.chisquare(np.bincount(values, minlength=n)).pvalue)


def largest_p(scores: np.ndarray) -> float:
    """How likely is the largest of so many standard normal scores to be this large?"""
    return float(-np.expm1(scores.size * np.log1p(-2 * stats.norm.sf(np.abs(scores).max()))))


def signs(words: np.ndarray) -> np.ndarray:
    """(n, 32), each bit as 1 or -1."""
    return ((words[:, None] >> np.arange(32, dtype=np.uint32)) & 1).astype(np.float32) * 2 - 1


def test_bytes_are_uniform(words: np.ndarray) -> None:
    for byte in range(4):
        assert uniform_p((words >> np.uint32(8 * byte)) & 255, 256) > P


def test_neighbouring_bytes_are_independent(words: np.ndarray) -> None:
    for byte in (0, 3):
        value = ((words >> np.uint32(8 * byte)) & 255).astype(np.int64)
        for lag in (1, 2):
            assert uniform_p(value[:-lag] * 256 + value[lag:], 65536) > P


def test_bits_are_balanced_and_uncorrelated_within_and_between_neighbours(words: np.ndarray) -> None:
    bits = signs(words[:FEWER])
    scale = np.sqrt(FEWER)
    assert largest_p(bits.sum(0) / scale) > P
    assert largest_p((bits.T @ bits / scale)[np.triu_indices(32, 1)]) > P
    assert largest_p(bits[:-1].T @ bits[1:] / scale) > P


def test_birthday_spacings_repeat_as_often_as_they_should(words: np.ndarray) -> None:
    """Marsaglia's test: 4096 birthdays in a year of 2**32 days repeat 4 spacings on average."""
    born = np.sort(words.reshape(-1, 4096).astype(np.int64), axis=1)
    repeats = (np.diff(np.sort(np.diff(born, axis=1), axis=1), axis=1) == 0).sum()
    expected = len(born) * 4096**3 / 4 / 2**32
    assert min(stats.poisson.cdf(repeats, expected), stats.poisson.sf(repeats - 1, expected)) > P / 2


def test_gaps_between_small_words_are_geometric(words: np.ndarray) -> None:
    gaps = np.minimum(np.diff(np.flatnonzero(words < 2**27)), 150)
    chances = 1 / 32 * (31 / 32) ** np.arange(150)
    chances[-1] = (31 / 32) ** 149
    counts = np.bincount(gaps - 1, minlength=150)
    assert stats.chisquare(counts, chances * counts.sum()).pvalue > P


def collisions_p(words: np.ndarray) -> float:
    """How likely are so few or so many equal pairs among random words? About 32 are expected among 2**19."""
    repeats, expected = len(words) - len(np.unique(words)), len(words) ** 2 / 2 / 2**32
    return float(2 * min(stats.poisson.cdf(repeats, expected), stats.poisson.sf(repeats - 1, expected)))


@pytest.mark.parametrize("source", [name for name in SOURCES if "step by step" not in name and "two words" not in name])
def test_words_repeat_as_often_as_random_words_do(source: str) -> None:
    assert collisions_p(np.asarray(jax.jit(SOURCES[source])()).ravel()) > P


def test_no_two_siblings_share_a_piece_of_their_streams() -> None:
    """16384 siblings, 128 words each: two words in a row (64 bits) that two siblings both draw are no accident."""
    draw = jax.vmap(lambda key: jax.random.bits(key, (128,), jnp.uint32))
    drawn = np.asarray(jax.jit(draw)(jax.random.split(KEY, 16384))).astype(np.uint64)
    pairs = ((drawn[:, :-1] << np.uint64(32)) | drawn[:, 1:]).ravel()
    assert len(np.unique(pairs)) == len(pairs)


def flips(vary: Callable[[jax.Array], jax.Array], bits: int) -> np.ndarray:
    """Shares of 8,000 draws in which output bit j flips when input bit i does, as standard normal scores (i, j)."""
    n = 8_000
    inputs = jax.random.bits(jax.random.key(1), (n, bits // 32), jnp.uint32)
    run = jax.jit(jax.vmap(vary))
    before = run(inputs)
    scores = []
    for i in range(bits):
        flip = np.zeros(bits // 32, np.uint32)
        flip[i // 32] = 1 << (i % 32)
        changed = np.asarray(before ^ run(inputs ^ flip[None]))
        scores.append(signs(changed).sum(0) / np.sqrt(n))
    return np.array(scores)


def wrap(raw: jax.Array) -> jax.Array:
    return jax.random.wrap_key_data(raw, impl=FAST_PRNG)


AVALANCHES: dict[str, tuple[Callable[[jax.Array], jax.Array], int]] = {
    "a key's two words": (lambda raw: jax.random.bits(wrap(raw), (), jnp.uint32), 64),
    "a child's index": (lambda i: jax.random.bits(jax.random.fold_in(KEY, i[0]), (), jnp.uint32), 32),
    "a seed": (lambda seed: jax.random.bits(envwright.key(seed[0]), (), jnp.uint32), 32),
    "a step's number, seen by an action": (
        lambda t: jax.random.bits(fork(jax.random.fold_in(jax.random.fold_in(KEY, t[0]), 5), 2)[0], (), jnp.uint32),
        32,
    ),
}


@pytest.mark.parametrize("what", AVALANCHES)
def test_flipping_one_bit_flips_every_output_bit_about_half_the_time(what: str) -> None:
    assert largest_p(flips(*AVALANCHES[what])) > P


def test_the_counter_of_a_stream_avalanches() -> None:
    """Words whose numbers differ in one bit."""
    drawn = np.asarray(jax.random.bits(KEY, (1 << 18,), jnp.uint32))
    number = np.arange(1 << 18)
    for bit in range(18):
        low = number[(number >> bit) & 1 == 0]
        assert largest_p(signs(drawn[low] ^ drawn[low | (1 << bit)]).sum(0) / np.sqrt(len(low))) > P


def test_parents_and_children_draw_unrelated_words() -> None:
    keys = jax.random.split(KEY, FEWER)
    parents = signs(np.asarray(first(keys)))
    for child in range(2):
        children = signs(np.asarray(first(jax.vmap(lambda key, child=child: fork(key, 2)[child])(keys))))
        assert largest_p(parents.T @ children / np.sqrt(FEWER)) > P


def test_the_luck_of_action_step_and_restart_is_unrelated() -> None:
    drawn = [signs(np.asarray(jax.jit(rollout_words, static_argnums=0)(which)).ravel()[:FEWER]) for which in range(3)]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert largest_p(drawn[a].T @ drawn[b] / np.sqrt(FEWER)) > P


def test_uniform_and_normal_have_their_distributions() -> None:
    assert stats.kstest(np.asarray(jax.random.uniform(KEY, (N,))), stats.uniform.cdf).pvalue > P
    assert stats.kstest(np.asarray(jax.random.normal(KEY, (N,))), stats.norm.cdf).pvalue > P


def test_a_million_children_are_all_different() -> None:
    data = np.asarray(jax.random.key_data(jax.random.split(KEY, 1_000_000)))
    assert len(np.unique(data.view(np.uint64))) == 1_000_000


def test_a_million_grandchildren_are_all_different() -> None:
    data = np.asarray(
        jax.random.key_data(jax.vmap(lambda key: jax.random.split(key, 1000))(jax.random.split(KEY, 1000)))
    )
    assert len(np.unique(data.reshape(-1, 2).view(np.uint64))) == 1_000_000


def test_children_are_made_of_none_of_the_words_that_are_drawn() -> None:
    """A child's first word, mixed as draws are, would otherwise be the draw of the same number."""
    children = jax.random.key_data(jax.random.split(KEY, 1000))[:, 0]
    assert not set(_mix(children).tolist()) & set(jax.random.bits(KEY, (1000,), jnp.uint32).tolist())


def raw(key: jax.Array) -> list[int]:
    return jax.random.key_data(key).tolist()


def test_folding_in_is_ordered() -> None:
    fold = jax.random.fold_in
    for a, b in ((0, 1), (1, 2), (0, 2**32 - 1), (7, 1000)):
        assert raw(fold(fold(KEY, a), b)) != raw(fold(fold(KEY, b), a))
        assert raw(fold(KEY, a)) != raw(fold(KEY, b))
        assert raw(fold(fold(KEY, a), a)) != raw(KEY)


def test_split_fold_in_and_fork_name_the_same_children_as_they_do_in_jax() -> None:
    for key in (KEY, jax.random.key(0)):
        split = [raw(child) for child in jax.random.split(key, 3)]
        assert split == [raw(jax.random.fold_in(key, i)) for i in range(3)] == [raw(child) for child in fork(key, 3)]


def test_the_same_seed_is_the_same_stream_and_another_is_not() -> None:
    assert raw(envwright.key(5)) == raw(envwright.key(jnp.uint32(5))) == raw(jax.jit(envwright.key)(5))
    keys = jax.random.key_data(jax.vmap(envwright.key)(jnp.arange(100_000, dtype=jnp.uint32)))
    assert len(np.unique(np.asarray(keys).view(np.uint64))) == 100_000


def test_a_longer_draw_begins_like_a_shorter_one() -> None:
    assert jax.random.bits(KEY, (100,)).tolist()[:10] == jax.random.bits(KEY, (10,)).tolist()


@pytest.mark.parametrize("dtype", [jnp.uint8, jnp.uint16, jnp.uint32])
def test_bits_of_every_width(dtype: jnp.dtype) -> None:
    bits = jax.random.bits(KEY, (50, 1000), dtype)
    assert (bits.shape, bits.dtype) == ((50, 1000), dtype)
    assert uniform_p((np.asarray(bits).ravel() & 255).astype(np.int64), 256) > P


def test_64_bit_draws_and_seeds() -> None:
    with jax.enable_x64(True):
        bits = np.asarray(jax.random.bits(KEY, (100_000,), jnp.uint64))
        assert bits.dtype == np.uint64
        assert len(np.unique(bits)) == 100_000
        halves = signs((bits >> np.uint64(32)).astype(np.uint32)).T @ signs(bits.astype(np.uint32))
        assert largest_p(halves / np.sqrt(100_000)) > P
        assert jax.random.uniform(KEY, (3,), jnp.float64).dtype == jnp.float64
        assert raw(envwright.key(2**40)) != raw(envwright.key(0))
        wide = raw(envwright.key(5))
    assert wide == raw(envwright.key(5))


def test_the_rest_of_jax_random_takes_these_keys() -> None:
    assert sorted(jax.random.permutation(KEY, 100).tolist()) == list(range(100))
    assert jax.random.permutation(KEY, 100).tolist() != list(range(100))
    assert jax.random.randint(KEY, (1000,), 0, 6).max() == 5
    assert jax.random.split(KEY, (2, 3)).shape == (2, 3)
    assert jax.random.bits(KEY, (0,)).shape == (0,)
    assert jax.random.categorical(KEY, jnp.zeros(4)).shape == ()
    assert str(jax.random.key_impl(KEY)) != str(jax.random.key_impl(jax.random.key(0)))


def test_draws_are_the_same_under_jit_and_vmap() -> None:
    keys = jax.random.split(KEY, 8)
    draw = lambda key: jax.random.normal(jax.random.fold_in(fork(key, 2)[1], 3), (5,))  # noqa: E731
    plain = np.stack([draw(key) for key in keys])
    assert np.array_equal(plain, jax.vmap(draw)(keys))
    assert np.array_equal(jax.jit(draw)(keys[0]), jax.jit(jax.vmap(draw))(keys)[0])


@pytest.mark.parametrize("shape", [(), (1,), (4,), (5,), (2, 3)])
def test_normal_numbers_are_normal_and_independent(shape: tuple[int, ...]) -> None:
    drawn = np.asarray(jax.jit(jax.vmap(lambda key: normal(key, shape)))(jax.random.split(KEY, FEWER)))
    assert drawn.shape == (FEWER, *shape)
    assert drawn.dtype == np.float32
    columns = drawn.reshape(FEWER, -1).astype(np.float64).T
    for i, column in enumerate(columns):
        assert stats.kstest(column, "norm").pvalue > P
        assert np.isfinite(column).all()
        for other in columns[:i]:
            assert abs(np.corrcoef(column, other)[0, 1]) < 5 / FEWER**0.5
            assert abs(np.corrcoef(column**2, other**2)[0, 1]) < 5 / FEWER**0.5
