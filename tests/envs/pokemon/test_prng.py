"""Showdown's generator on words of 32 bits."""

import jax.numpy as jnp
import pytest

from envwright.envs.pokemon import prng

SEED = (jnp.uint32(1 << 16 | 2), jnp.uint32(3 << 16 | 4))  # Showdown's "1,2,3,4"


def test_draws_are_showdowns() -> None:
    """`random(256)` five times, then `random(217, 256)` and `random(256)`, as Showdown gives them for that seed."""
    seed, drawn = SEED, []
    for number in (256, 256, 256, 256, 256, 39, 256):
        word, seed = prng.draw(seed, jnp.bool_(True))
        drawn.append(int(prng.below(word, number)))
    assert drawn[:5] == [121, 226, 169, 34, 215]
    assert drawn[5] + 217 == 239
    assert drawn[6] >= 63
    assert [int(word) for word in seed] == [62891 << 16 | 40560, 22227 << 16 | 62965]


def test_a_draw_that_does_not_take_place_leaves_the_seed() -> None:
    _, seed = prng.draw(SEED, jnp.bool_(False))
    assert [int(word) for word in seed] == [int(word) for word in SEED]


@pytest.mark.parametrize("draws", [2, 4])
def test_several_draws_at_once(draws: int) -> None:
    one_by_one = SEED
    for _ in range(draws):
        one_by_one = prng.step(one_by_one)
    assert [int(word) for word in prng.step(SEED, draws)] == [int(word) for word in one_by_one]


def test_against_whole_numbers() -> None:
    """With carries between the words."""
    for start in (0, 1, 2**64 - 1, 0xFFFFFFFF, 0xFFFFFFFF00000000, 0x123456789ABCDEF0):
        high, low = prng.step((jnp.uint32(start >> 32), jnp.uint32(start % 2**32)))
        assert int(high) << 32 | int(low) == (start * prng.MULTIPLIER + prng.INCREMENT) % 2**64
        for number in (2, 7, 39, 256):
            assert int(prng.below(high, number)) == int(high) * number >> 32
