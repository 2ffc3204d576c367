"""Keys that are cheap enough for environments that step in a few nanoseconds.

`envwright.key(seed)` makes an ordinary typed JAX key: `jax.random.split`, `fold_in`, `uniform` and the rest take it.
Only the generator differs. JAX's default, threefry, costs more than a whole step of Pong. Here a key is a 64-bit block
(two words), deriving a child is one round of a Feistel network keyed by the child's index, and drawing hashes a counter
with both words. Rounds are bijections, so children of one key are all different. tests/core/test_chance.py tries it
with uniformity, serial, collision, avalanche and correlation tests over the ways keys are derived here. It is for
simulation, not for secrets; every environment takes threefry keys as well.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.random import define_prng_impl

from envwright.core import kernels
from envwright.core.arrays import SMALL, put

MOST_EXCHANGED = 128  # numbers that are exchanged by looking at all of them
_ROUNDS = 4  # of a shuffle, two half-rounds each
_GOLDEN = 0x9E3779B9  # 2**32 / golden ratio: consecutive counters land far apart


def _half_mix(x: jax.Array) -> jax.Array:
    """A bijection of words, one multiplication deep."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x21F0AAAD)
    return x ^ (x >> 15)


def _mix(x: jax.Array) -> jax.Array:
    """A bijection in which every input bit flips every output bit about half the time."""
    x = _half_mix(x) * jnp.uint32(0xD35A2D97)
    return x ^ (x >> 15)


def _child(key: jax.Array, index: jax.Array) -> jax.Array:
    """The key of child `index`: a Feistel round. Children count down and draws up from 0, so that they never meet."""
    # Not jnp.stack: under vmap it adds a transpose, which XLA cannot see through.
    return jnp.array([key[1] ^ _half_mix(key[0] + ~index * jnp.uint32(_GOLDEN)), key[0]])


def _words(key: jax.Array, size: int) -> jax.Array:
    """Words to draw from. Adding key[0] keeps siblings' streams apart; adding `mixed` lets words repeat by chance."""
    mixed = _half_mix(key[0] + jnp.arange(size, dtype=jnp.uint32) * jnp.uint32(_GOLDEN))
    return _mix((key[1] ^ mixed) + key[0]) + mixed


def _seed(seed: jax.Array) -> jax.Array:
    seed = jnp.asarray(seed)
    high = (seed >> 32).astype(jnp.uint32) if seed.dtype.itemsize > 4 else jnp.zeros_like(seed, jnp.uint32)
    return _from_words(seed.astype(jnp.uint32), high)


def _from_words(low: jax.Array, high: jax.Array) -> jax.Array:
    key = jnp.array([_mix(low), _mix(high)])
    return _child(_child(key, jnp.uint32(0)), jnp.uint32(1))


def _split(key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    indices = jnp.arange(math.prod(shape), dtype=jnp.uint32)
    return jax.vmap(_child, in_axes=(None, 0))(key, indices).reshape(*shape, 2)


def _random_bits(key: jax.Array, bit_width: int, shape: tuple[int, ...]) -> jax.Array:
    size = math.prod(shape)
    if bit_width == 64:
        low, high = _words(key, 2 * size).astype(jnp.uint64).reshape(2, size)
        return (low | (high << jnp.uint64(32))).reshape(shape)
    dtype = {8: jnp.uint8, 16: jnp.uint16, 32: jnp.uint32}[bit_width]
    return (_words(key, size) >> jnp.uint32(32 - bit_width)).astype(dtype).reshape(shape)


FAST_PRNG = define_prng_impl(
    key_shape=(2,),
    seed=_seed,
    split=_split,
    random_bits=_random_bits,
    fold_in=lambda key, data: _child(key, jnp.asarray(data).astype(jnp.uint32)),
    name="envwright_feistel",
    tag="ewf",
)


@jax.jit
def _key(low: jax.Array, high: jax.Array) -> jax.Array:
    return jax.random.wrap_key_data(_from_words(low, high), impl=FAST_PRNG)


def key(seed: int | jax.Array) -> jax.Array:
    """A typed JAX key with the fast generator, from a seed of up to 64 bits."""
    if isinstance(seed, int):  # compiled: op by op, as JAX would, takes more than a millisecond
        return _key(np.uint32(seed % 2**32), np.uint32(max(seed, 0) // 2**32 % 2**32))
    return jax.random.key(seed, impl=FAST_PRNG)


def typed(key: jax.Array) -> jax.Array:
    """The key as a typed one; two words of uint32, as older code passes them, become a key of JAX's default kind."""
    return key if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else jax.random.wrap_key_data(key)


def restart_key(key: jax.Array) -> jax.Array:
    """The key of the episode that may follow a step, apart from whatever the step draws from `key` itself.

    No draw gets as far as this index, neither with these keys nor with threefry's.
    """
    return jax.random.fold_in(key, 2**31 - 1)


def fork(key: jax.Array, n: int) -> tuple[jax.Array, ...]:
    """`n` independent keys. Like `jax.random.split`, but under `vmap` no array of keys is built and cut up again."""
    return tuple(jax.random.fold_in(key, i) for i in range(n))


def normal(key: jax.Array, shape: tuple[int, ...] = ()) -> jax.Array:
    """Standard normal numbers, by Box and Muller: a third of the time that `jax.random.normal` takes on CPU, which
    inverts the error function for each."""
    size = math.prod(shape)
    uniform = jax.random.uniform(key, (2, -(-size // 2)))
    radius = jnp.sqrt(-2.0 * jnp.log(1.0 - uniform[0]))  # never the logarithm of 0: uniform numbers are below 1
    angle = uniform[1] * jnp.float32(2 * math.pi)
    # Not jnp.concatenate: XLA would compute both halves for each number.
    both = jnp.where(jnp.arange(2)[:, None] == 0, radius * jnp.cos(angle), radius * jnp.sin(angle))
    return both.reshape(-1)[:size].reshape(shape)


def random_order(key: jax.Array, n: int) -> jax.Array:
    """The numbers 0 .. n-1 in random order, (n,) int32, every order as likely as any: a hand of cards, a deck.

    In a fifth of the time of `jax.random.permutation`, which sorts: numbers are exchanged one after the other, in a
    kernel and up to 128 of them without scatter, which keeps a rollout from being one.
    """
    words = jax.random.bits(key, (n,), jnp.uint32)
    places = jnp.arange(n, dtype=jnp.int32)

    def exchange(turn: jax.Array, order: jax.Array) -> jax.Array:
        here = n - 1 - turn
        there = (words[here] % (here + 1).astype(jnp.uint32)).astype(jnp.int32)
        if kernels.is_traced() and n > SMALL:
            return put(put(order, here, order[there]), there, order[here])
        if n > MOST_EXCHANGED:
            return order.at[here].set(order[there]).at[there].set(order[here])
        return jnp.where(places == here, order[there], jnp.where(places == there, order[here], order))

    return jax.lax.fori_loop(0, n - 1, exchange, places)


def shuffled(key: jax.Array, n: int) -> jax.Array:
    """The numbers 0 .. n-1 in random order, (n,) int32, for orders of thousands: each number is found by itself.

    A Feistel network with random round keys permutes the numbers of as many bits as n - 1 has; a number that lands on n
    or beyond is sent on until it does not, as a walk along its cycle must. Not every one of the n! orders can come out.
    """
    bits = max(2, (n - 1).bit_length())
    low_bits = bits // 2
    low_mask, high_mask = jnp.uint32(2**low_bits - 1), jnp.uint32(2 ** (bits - low_bits) - 1)
    round_keys = jax.random.bits(key, (_ROUNDS, 2), jnp.uint32)

    def permute(x: jax.Array) -> jax.Array:
        low, high = x & low_mask, x >> low_bits
        for low_key, high_key in round_keys:
            low = low ^ (_mix(high + low_key) & low_mask)
            high = high ^ (_mix(low + high_key) & high_mask)
        return low | (high << low_bits)

    x = permute(jnp.arange(n, dtype=jnp.uint32))
    if n < 2**bits:
        x = jax.lax.while_loop(lambda x: (x >= n).any(), lambda x: jnp.where(x >= n, permute(x), x), x)
    return x.astype(jnp.int32)
