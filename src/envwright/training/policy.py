"""A policy: a network between an observation space and an action space."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core.record import Record
from envwright.core.spaces import Space, size_of
from envwright.core.spec import load_object
from envwright.training import networks
from envwright.training.actions import Actions, actions_of
from envwright.training.config import Network

MOST_DEVIATION = 10.0  # normalised observations are clipped here, so that one outlier does not drown the rest


class ObservationStatistics(Record):
    """Mean and variance of every number observed so far, by which observations are normalised."""

    mean: jax.Array
    variance: jax.Array
    count: jax.Array  # () float32


@dataclass(frozen=True)
class Policy:
    """What a network is between; its weights are elsewhere."""

    network: Network
    observations: Space
    action_space: Space
    normalised: bool = False

    @property
    def actions(self) -> Actions:
        return actions_of(self.action_space)

    def make(self, key: jax.Array) -> networks.Params:
        """A new network's weights."""
        actions = self.actions
        return networks.make(self.network, self.inputs, actions.outputs, actions.spread, key)

    @property
    def inputs(self) -> int:
        """How many numbers the network sees."""
        size = size_of(self.observations)
        if not self.network.features:
            return size
        return jax.eval_shape(self.featured, jax.ShapeDtypeStruct((size,), jnp.float32)).shape[-1]

    def featured(self, seen: Any) -> Any:
        """What the network's features make of what the environment shows, in NumPy or in JAX."""
        if not self.network.features:
            return seen
        return load_object(self.network.features, "The features of the network should be")(seen)

    def shown(self, statistics: ObservationStatistics, seen: jax.Array) -> jax.Array:
        """What the network sees of it."""
        return self.normalise(statistics, self.featured(seen))

    def no_statistics(self) -> ObservationStatistics:
        size = self.inputs
        return ObservationStatistics(jnp.zeros(size, jnp.float32), jnp.ones(size, jnp.float32), jnp.float32(1e-4))

    def normalise(self, statistics: ObservationStatistics, seen: jax.Array) -> jax.Array:
        if not self.normalised:
            return seen
        shape = (1,) * (seen.ndim - 1) + statistics.mean.shape
        mean, scale = statistics.mean.reshape(shape), jax.lax.rsqrt(statistics.variance + 1e-8).reshape(shape)
        return jnp.clip((seen - mean) * scale, -MOST_DEVIATION, MOST_DEVIATION)


def merged(old: ObservationStatistics, mean: jax.Array, variance: jax.Array, count: jax.Array) -> ObservationStatistics:
    """The moments of what was seen before and of what is new, together."""
    total = old.count + count
    delta = mean - old.mean
    second = old.variance * old.count + variance * count + delta * delta * (old.count * count / total)
    return ObservationStatistics(old.mean + delta * (count / total), second / total, total)
