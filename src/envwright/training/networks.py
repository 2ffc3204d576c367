"""Networks as plain functions of a dict of arrays: layers of neurons, with or without a memory.

    features, memory = remember(network, params, memory, seen)     what is known after one more look
    head(network, params, features)                                what to do
    value(network, params, features)                               how good that will be

A network without memory knows what it sees and no more: its features are what is seen.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core.chance import fork
from envwright.training.config import Network

Params = dict[str, Any]
Layer = dict[str, jax.Array]  # weights (outputs, inputs) and bias (outputs,)


def make(network: Network, inputs: int, outputs: int, spread: int, key: jax.Array) -> Params:
    """A new network. Weights are orthogonal; the last layer that acts is near 0, so that all actions begin equal."""
    keys = fork(key, 4)
    gain = 2**0.5
    last = network.hidden[-1]
    if network.kind == "mlp":
        params: Params = {
            "actor": [*_stack(keys[0], inputs, network.hidden, gain), _layer(keys[1], last, outputs, 0.01)],
            "critic": [*_stack(keys[2], inputs, network.hidden, gain), _layer(keys[3], last, 1, 1.0)],
        }
    elif network.kind == "scorer":
        rest, more = inputs - outputs * network.per_action, fork(keys[3], 3)
        params = {
            "trunk": [*_stack(keys[0], rest, network.hidden, gain), _layer(keys[1], last, network.score, gain)],
            "own": [_layer(more[0], network.per_action, network.score, gain)],
            "apart": jnp.zeros((outputs, network.score), jnp.float32),  # what is added for each action
            "score": [_layer(more[1], network.score, 1, 0.1)],
            "prior": jnp.float32(network.prior),
            "critic": [*_stack(keys[2], rest, network.hidden, gain), _layer(more[2], last, 1, 1.0)],
        }
    else:
        gates = fork(keys[1], 2)
        params = {
            "encoder": _stack(keys[0], inputs, network.hidden, gain),
            "from_seen": _layer(gates[0], last, 3 * last, 1.0),
            "from_memory": _layer(gates[1], last, 3 * last, 1.0),
            "actor": [_layer(keys[2], last, outputs, 0.01)],
            "critic": [_layer(keys[3], last, 1, 1.0)],
        }
    return params | {"spread": jnp.full(spread, network.log_std, jnp.float32)}


def no_memory(network: Network, many: int) -> jax.Array:
    """What `many` players remember when a game begins."""
    return jnp.zeros((many, network.hidden[-1] if network.kind == "gru" else 0), jnp.float32)


def remember(network: Network, params: Params, memory: jax.Array, seen: jax.Array) -> tuple[jax.Array, jax.Array]:
    if network.kind != "gru":
        return seen, memory
    seen = _run(params["encoder"], seen, network.activation, last=True)
    new_reset, new_keep, new = jnp.split(_run([params["from_seen"]], seen, ""), 3, axis=-1)
    old_reset, old_keep, old = jnp.split(_run([params["from_memory"]], memory, ""), 3, axis=-1)
    reset, keep = jax.nn.sigmoid(new_reset + old_reset), jax.nn.sigmoid(new_keep + old_keep)
    memory = keep * memory + (1 - keep) * jnp.tanh(new + reset * old)
    return memory, memory


def head(network: Network, params: Params, features: jax.Array) -> jax.Array:
    if network.kind == "scorer":
        return _scores(network, params, features)
    return _run(params["actor"], features, network.activation)


def value(network: Network, params: Params, features: jax.Array) -> jax.Array:
    if network.kind == "scorer":
        features = features[..., network.per_action * len(params["apart"]) :]
    return _run(params["critic"], features, network.activation)[..., 0]


def _scores(network: Network, params: Params, seen: jax.Array) -> jax.Array:
    """A score for each action; all actions of all samples go through one product of matrices."""
    many, width = params["apart"].shape
    lead, x = seen.shape[:-1], seen.reshape(-1, seen.shape[-1]).T
    own, rest = x[: many * network.per_action], x[many * network.per_action :]
    begun = params["prior"] * own[:many]
    said = _layers(params["trunk"], rest, network.activation)
    (first,), (second,) = params["own"], params["score"]
    own = (first["weights"] @ own.reshape(network.per_action, -1)).reshape(width, many, -1)
    hidden = _ACTIVATIONS[network.activation](
        own + (said + first["bias"][:, None])[:, None] + params["apart"].T[:, :, None]
    )
    scores = second["weights"] @ hidden.reshape(width, -1) + second["bias"][:, None]
    return (begun + scores.reshape(many, -1)).T.reshape(*lead, many)


def count(params: Params) -> int:
    """How many parameters there are."""
    return sum(leaf.size for leaf in jax.tree.leaves(params))


def _run(layers: Sequence[Layer], x: jax.Array, activation: str, last: bool = False) -> jax.Array:
    """Layer after layer, with an activation between them, and behind the last one if told.

    Samples run along the last axis inside: XLA's gradients of that layout are a sixth faster on CPU (docs/train.md).
    """
    lead = x.shape[:-1]
    return _layers(layers, x.reshape(-1, x.shape[-1]).T, activation, last).T.reshape(*lead, -1)


def _layers(layers: Sequence[Layer], x: jax.Array, activation: str, last: bool = False) -> jax.Array:
    """The same with samples along the last axis."""
    for i, layer in enumerate(layers):
        x = layer["weights"] @ x + layer["bias"][:, None]
        if last or i + 1 < len(layers):
            x = _ACTIVATIONS[activation](x)
    return x


_ACTIVATIONS = {"tanh": jnp.tanh, "relu": jax.nn.relu, "silu": jax.nn.silu}


def _stack(key: jax.Array, inputs: int, widths: Sequence[int], gain: float) -> list[Layer]:
    sizes = (inputs, *widths)
    return [_layer(k, a, b, gain) for k, a, b in zip(fork(key, len(widths)), sizes[:-1], sizes[1:], strict=True)]


def _layer(key: jax.Array, inputs: int, outputs: int, gain: float) -> Layer:
    # An orthogonal matrix takes cubic time; beyond some millions of weights, normal ones of the same size do as well.
    if inputs * outputs <= 2**22:
        weights = jax.nn.initializers.orthogonal(gain)(key, (outputs, inputs), jnp.float32)
    else:
        weights = jax.random.normal(key, (outputs, inputs)) * jnp.float32(gain / max(inputs, outputs) ** 0.5)
    return {"weights": weights, "bias": jnp.zeros(outputs, jnp.float32)}
