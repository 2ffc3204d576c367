"""From what a network says to an action, and back to how likely that action was.

head     what the network says: logits of a Discrete space, the mean of a Box
noise    the random draws of a choice, made apart, so that two players can be given the same
raw      the choice as the policy made it; `to_env` makes it what the environment takes
"""

import itertools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Discrete, Space

FEW_ACTIONS = 64
ILLEGAL = -1e9  # the logit of an action that may not be taken: its probability is exactly 0


@dataclass(frozen=True)
class Categorical:
    """One of n actions."""

    n: int

    @property
    def outputs(self) -> int:
        return self.n

    @property
    def spread(self) -> int:
        """How many parameters of its own the distribution has."""
        return 0

    def noise(self, key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
        return jax.random.uniform(key, shape)

    def sample(self, head: jax.Array, spread: jax.Array, noise: jax.Array) -> jax.Array:
        """The action whose share of [0, 1) holds the noise. An illegal action's share is empty."""
        del spread
        head = _actions_first(head)
        weights = jnp.exp(head - head.max(axis=0, keepdims=True))
        # Noise is at most 1 - 2**-23, so that noise times the total stays below the total, whatever the rounding, and
        # an illegal last action is never reached.
        below = _running_sums(weights)
        return (below[:-1] <= (noise * below[-1])[None]).sum(axis=0, dtype=jnp.int32)

    def log_prob(self, head: jax.Array, spread: jax.Array, raw: jax.Array) -> jax.Array:
        del spread
        head = _actions_first(head)
        # A masked sum, because XLA gathers and scatters single elements slowly.
        which = jnp.arange(self.n).reshape(-1, *(1,) * raw.ndim)
        return jnp.where(raw[None] == which, head, 0).sum(axis=0) - jax.nn.logsumexp(head, axis=0)

    def entropy(self, head: jax.Array, spread: jax.Array) -> jax.Array:
        del spread
        head = _actions_first(head)
        logs = head - jax.nn.logsumexp(head, axis=0, keepdims=True)
        return -(jnp.exp(logs) * jnp.maximum(logs, ILLEGAL / 2)).sum(axis=0)

    def to_env(self, raw: jax.Array) -> jax.Array:
        return raw


@dataclass(frozen=True)
class Gaussian:
    """A vector of numbers around a mean, with a spread that is learned but does not depend on what is seen.

    The policy works in units where the bounds are -1 and 1; what lies beyond is cut off on the way to the environment.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    shape: tuple[int, ...]

    @property
    def outputs(self) -> int:
        return len(self.low)

    @property
    def spread(self) -> int:
        return len(self.low)

    def noise(self, key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
        return jax.random.normal(key, (*shape, self.outputs))

    def sample(self, head: jax.Array, spread: jax.Array, noise: jax.Array) -> jax.Array:
        return head + _along(jnp.exp(spread), head) * noise

    def log_prob(self, head: jax.Array, spread: jax.Array, raw: jax.Array) -> jax.Array:
        head, raw = _actions_first(head), _actions_first(raw)
        spread = spread.reshape(-1, *(1,) * (head.ndim - 1))
        z = (raw - head) * jnp.exp(-spread)
        return (-0.5 * z * z - spread - jnp.float32(0.5 * np.log(2 * np.pi))).sum(axis=0)

    def entropy(self, head: jax.Array, spread: jax.Array) -> jax.Array:
        one = (spread + jnp.float32(0.5 * np.log(2 * np.pi * np.e))).sum()
        return jnp.full(head.shape[:-1], one)

    def to_env(self, raw: jax.Array) -> jax.Array:
        low, high = (_along(jnp.asarray(bound, jnp.float32), raw) for bound in (self.low, self.high))
        scaled = low + (jnp.clip(raw, -1, 1) + 1) * jnp.float32(0.5) * (high - low)
        return scaled.reshape(*raw.shape[:-1], *self.shape)


Actions = Categorical | Gaussian


def _actions_first(head: jax.Array) -> jax.Array:
    """Samples along the last axis, where a CPU's vector instructions run, as the network has them anyway."""
    return jnp.moveaxis(head, -1, 0)


def actions_of(space: Space) -> Actions:
    """The distribution of actions that fits a space."""
    if isinstance(space, Discrete):
        return Categorical(space.n)
    low, high = (np.broadcast_to(np.asarray(b, np.float32), space.shape).ravel() for b in (space.low, space.high))
    if not (np.isfinite(low).all() and np.isfinite(high).all() and np.issubdtype(space.dtype, np.floating)):
        raise EnvwrightError(f"PPO needs a Discrete action space or a Box of floats with finite bounds, not {space}.")
    return Gaussian(tuple(low.tolist()), tuple(high.tolist()), space.shape)


def _running_sums(rows: jax.Array) -> jax.Array:
    """Sums down the first axis. Row by row, as far as they are few: XLA's own way cannot be part of a larger kernel."""
    if len(rows) > FEW_ACTIONS:
        return jnp.cumsum(rows, axis=0)
    return jnp.stack(list(itertools.accumulate(rows)))


def _along(vector: jax.Array, batch: jax.Array) -> jax.Array:
    """A vector with as many axes as the batch of vectors it is used with."""
    return vector.reshape((1,) * (batch.ndim - 1) + vector.shape)


def with_legal(head: jax.Array, legal: jax.Array | None) -> jax.Array:
    """The head with illegal actions out of reach."""
    return head if legal is None else jnp.where(legal, head, jnp.float32(ILLEGAL))
