"""Showdown's Gen5 generator: x -> x * 0x5D588B656C078965 + 0x269EC3 modulo 2**64, of which a draw is the upper half.

JAX has no 64-bit numbers here, so a seed is two words, high and low, and their product is made of 16-bit halves. A draw
that takes place in some games only moves on the seeds of those.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import jax
import jax.numpy as jnp

MULTIPLIER, INCREMENT = 0x5D588B656C078965, 0x269EC3
Seed = tuple[jax.Array, jax.Array]  # () uint32 each: high and low word
Heard = list[tuple[str, jax.Array, jax.Array]]  # the line that draws, whether it does, and the word
_listener: ContextVar[Heard | None] = ContextVar("_listener", default=None)


@contextmanager
def listening() -> Iterator[Heard]:
    """What is drawn while an update is traced, in order; without it nothing of this is computed."""
    heard: Heard = []
    token = _listener.set(heard)
    try:
        yield heard
    finally:
        _listener.reset(token)


def _tell(when: jax.Array, *words: jax.Array) -> None:
    heard = _listener.get()
    if heard is not None:
        code = sys._getframe(2)  # of whoever draws or skips
        place = f"{Path(code.f_code.co_filename).name}:{code.f_lineno} {code.f_code.co_name}"
        heard.extend((place, when, word) for word in words)


def _ahead(draws: int) -> tuple[int, int]:
    """The multiplier and the increment of so many draws at once."""
    multiplier, increment = 1, 0
    for _ in range(draws):
        multiplier, increment = multiplier * MULTIPLIER, increment * MULTIPLIER + INCREMENT
    return multiplier % 2**64, increment % 2**64


def step(seed: Seed, draws: int = 1) -> Seed:
    """The seed after one draw, or several."""
    multiplier, increment = _ahead(draws)
    high, low = seed
    m_high, m_low = jnp.uint32(multiplier >> 32), jnp.uint32(multiplier % 2**32)
    m1, m0 = jnp.uint32(multiplier % 2**32 >> 16), jnp.uint32(multiplier % 2**16)
    half = jnp.uint32(0xFFFF)
    a1, a0 = low >> 16, low & half
    middle = a1 * m0 + (a0 * m0 >> 16)  # at most 2**32 - 2**16
    rest = a0 * m1 + (middle & half)
    carried = a1 * m1 + (middle >> 16) + (rest >> 16)  # the upper half of low * m_low
    product = low * m_low
    new_low = product + jnp.uint32(increment % 2**32)
    carry = (new_low < product).astype(jnp.uint32)
    return carried + low * m_high + high * m_low + jnp.uint32(increment >> 32) + carry, new_low


def skip(seed: Seed, when: jax.Array, draws: int = 1) -> Seed:
    """The seed after draws that nobody looks at, where they take place."""
    high, low = step(seed, draws)
    if _listener.get() is not None:
        _tell(when, *(step(seed, many)[0] for many in range(1, draws + 1)))
    return jnp.where(when, high, seed[0]), jnp.where(when, low, seed[1])


def draw(seed: Seed, when: jax.Array) -> tuple[jax.Array, Seed]:
    """A random word, and the seed after it where it was drawn."""
    high, low = step(seed)
    _tell(when, high)
    return high, (jnp.where(when, high, seed[0]), jnp.where(when, low, seed[1]))


def below(word: jax.Array, number: int | jax.Array) -> jax.Array:
    """Showdown's `random(number)`: an integer from 0 up to `number`, which is at most 2**16."""
    number = jnp.uint32(number) if isinstance(number, int) else number.astype(jnp.uint32)
    upper = (word >> 16) * number + ((word & jnp.uint32(0xFFFF)) * number >> 16)
    return (upper >> 16).astype(jnp.int32)


def byte(word: jax.Array) -> jax.Array:
    """`random(256)`."""
    return (word >> 24).astype(jnp.int32)
