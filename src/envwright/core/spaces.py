"""Spaces: what observations and actions look like. Plain values, usable under `jit`."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.typing import DTypeLike

from envwright.core.errors import ActionError, EnvwrightError

_FLOAT32 = np.dtype(np.float32)


@dataclass(frozen=True)
class Discrete:
    """The integers 0 .. n-1."""

    n: int

    def __post_init__(self) -> None:
        if not 1 <= self.n <= 2**16:
            raise EnvwrightError(f"A Discrete space has 1 to {2**16} values, but n is {self.n}.")

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int32)

    def sample(self, key: jax.Array) -> jax.Array:
        """A uniform draw. Fixed point instead of rejection: a bias below n / 2**32, and far cheaper."""
        bits = jax.random.bits(key, (), jnp.uint32)
        return scale_bits(bits, self.n).astype(jnp.int32)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        return x.shape == () and np.issubdtype(x.dtype, np.integer) and 0 <= int(x) < self.n


@dataclass(frozen=True)
class Box:
    """Arrays between `low` and `high`: one bound for all elements, or a tuple with one for each of a vector."""

    low: float | tuple[float, ...]
    high: float | tuple[float, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any] = _FLOAT32

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", np.dtype(self.dtype))  # np.float32 equals its dtype but hashes otherwise

    def sample(self, key: jax.Array) -> jax.Array:
        """A uniform draw between the bounds, which must be finite."""
        low, high = (jnp.broadcast_to(jnp.asarray(bound, self.dtype), self.shape) for bound in (self.low, self.high))
        if self.dtype.kind in "iu":
            return jax.random.randint(key, self.shape, low, high + 1, self.dtype)
        return jax.random.uniform(key, self.shape, self.dtype, low, high)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        low, high = np.asarray(self.low, self.dtype), np.asarray(self.high, self.dtype)
        return x.shape == self.shape and x.dtype == self.dtype and bool(np.all((x >= low) & (x <= high)))


Space = Discrete | Box


def scale_bits(bits: jax.Array, n: int) -> jax.Array:
    """Map 32 random bits onto 0 .. n-1 by multiplication, in 32-bit arithmetic, for n up to 65536."""
    high, low = bits >> 16, bits & jnp.uint32(0xFFFF)
    return (high * jnp.uint32(n) + ((low * jnp.uint32(n)) >> 16)) >> 16


def size_of(space: Space) -> int:
    """How many numbers a network sees of an observation."""
    return space.n if isinstance(space, Discrete) else int(np.prod(space.shape, dtype=int))


def encode(space: Space, obs: jax.Array, dtype: DTypeLike = jnp.float32) -> jax.Array:
    """Observations as vectors of floats: a Box laid flat, a Discrete value as one of n."""
    if isinstance(space, Discrete):
        return jax.nn.one_hot(obs, space.n, dtype=dtype)
    lead = obs.shape[: obs.ndim - len(space.shape)]
    return obs.reshape(*lead, size_of(space)).astype(dtype)


def check_action(space: Space, action: Any, players: int = 1) -> jax.Array:
    """The action, or one of each player, as an array of the space's dtype; `ActionError` on any other kind or shape.

    Shape and dtype are known while tracing, so the check costs nothing at run time.
    """
    action = jnp.asarray(action)
    check_kind(space, action, players)
    return action.astype(space.dtype)


def check_kind(space: Space, action: Any, players: int = 1) -> None:
    """Refuse an array, of JAX or NumPy, whose kind or shape is not that of an action, or of one of each player."""
    whole = space.dtype.kind in "iu"
    wanted, kind = ("an integer", jnp.integer) if whole else ("a floating-point", jnp.floating)
    shape = space.shape if players == 1 else (players, *space.shape)
    if action.shape != shape or not jnp.issubdtype(action.dtype, kind):
        raise ActionError(
            f"This environment takes {wanted} action of shape {shape}, but got {action.dtype} of shape "
            f"{action.shape}; for a batch of environments use envwright.batch or jax.vmap."
        )
    check_numbers(action)


def check_numbers(action: Any) -> None:
    """Refuse NaN, where an action is there to be looked at: not while it is traced."""
    if not isinstance(action, Tracer) and bool(np.isnan(np.asarray(action)).any()):
        raise ActionError(f"An action has to be of numbers, but got NaN in {np.asarray(action).tolist()}.")
