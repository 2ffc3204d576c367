"""A trained policy that plays anywhere: in a reference, in another process, one game or many, with NumPy alone.

It computes in float64, so that a game played alone and the same game played among others get the same actions: the
order of a sum changes the sixteenth digit, and next to no choice hangs on that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.training.actions import ILLEGAL, Categorical
from envwright.training.policy import MOST_DEVIATION, Policy

Array = NDArray[Any]


@dataclass
class Player:
    """A policy with its weights. `act` sees a batch of observations; `memory` is handed back in at the next look."""

    policy: Policy
    weights: Mapping[str, Any]  # as networks.make has them, in NumPy
    mean: Array
    variance: Array
    name: str = "trained"

    def no_memory(self, many: int) -> Array:
        network = self.policy.network
        return np.zeros((many, network.hidden[-1] if network.kind == "gru" else 0))

    def noise(self, rng: np.random.Generator, many: int) -> Array:
        """The random draws of `many` choices, for `act`."""
        actions = self.policy.actions
        return rng.random(many) if isinstance(actions, Categorical) else rng.standard_normal((many, actions.outputs))

    def act(self, obs: Any, memory: Array, noise: Array | None, legal: Array | None = None) -> tuple[Array, Array]:
        """Actions as the environment takes them, and the new memory. Without noise, the likeliest actions."""
        x = self._encode(np.asarray(obs))
        if self.policy.normalised:
            x = np.clip((x - self.mean) / np.sqrt(self.variance + 1e-8), -MOST_DEVIATION, MOST_DEVIATION)
        if self.policy.network.kind == "gru":
            x = memory = self._remember(memory, x)
        head = self._scores(x) if self.policy.network.kind == "scorer" else self._run(self.weights["actor"], x)
        actions = self.policy.actions
        if isinstance(actions, Categorical):
            head = head if legal is None else np.where(legal, head, ILLEGAL)
            return _choose(head, noise), memory
        raw = head if noise is None else head + np.exp(np.asarray(self.weights["spread"], np.float64)) * noise
        low, high = np.asarray(actions.low), np.asarray(actions.high)
        scaled = low + (np.clip(raw, -1, 1) + 1) * 0.5 * (high - low)
        return scaled.reshape(len(x), *actions.shape).astype(np.float32), memory

    def _encode(self, obs: Array) -> Array:
        space = self.policy.observations
        n = getattr(space, "n", None)
        seen = np.eye(n)[obs.astype(int)] if n is not None else obs.reshape(len(obs), -1).astype(np.float64)
        return self.policy.featured(seen)

    def _scores(self, x: Array) -> Array:
        """A score for each action, of a network of that kind."""
        network, apart = self.policy.network, np.asarray(self.weights["apart"], np.float64)
        many = len(apart) * network.per_action
        own = x[:, :many].reshape(len(x), network.per_action, len(apart)).swapaxes(1, 2)
        hidden = self._run(self.weights["own"], own) + self._run(self.weights["trunk"], x[:, many:])[:, None] + apart
        begun = np.asarray(self.weights["prior"], np.float64) * own[..., 0]
        return begun + self._run(self.weights["score"], _ACTIVATIONS[network.activation](hidden))[..., 0]

    def _run(self, layers: Any, x: Array, last: bool = False) -> Array:
        for i, layer in enumerate(layers):
            x = x @ np.asarray(layer["weights"], np.float64).T + np.asarray(layer["bias"], np.float64)
            if last or i + 1 < len(layers):
                x = _ACTIVATIONS[self.policy.network.activation](x)
        return x

    def _remember(self, memory: Array, x: Array) -> Array:
        seen = self._run(self.weights["encoder"], x, last=True)
        new_reset, new_keep, new = np.split(self._run([self.weights["from_seen"]], seen), 3, axis=-1)
        old_reset, old_keep, old = np.split(self._run([self.weights["from_memory"]], memory), 3, axis=-1)
        reset, keep = _sigmoid(new_reset + old_reset), _sigmoid(new_keep + old_keep)
        return keep * memory + (1 - keep) * np.tanh(new + reset * old)


def _choose(head: Array, noise: Array | None) -> Array:
    if noise is None:
        return head.argmax(axis=-1).astype(np.int32)
    below = np.cumsum(np.exp(head - head.max(axis=-1, keepdims=True)), axis=-1)
    return (below[:, :-1] <= noise[:, None] * below[:, -1:]).sum(axis=-1, dtype=np.int32)


def _sigmoid(x: Array) -> Array:
    return 0.5 * (1 + np.tanh(0.5 * x))


_ACTIVATIONS = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x * _sigmoid(x)}
