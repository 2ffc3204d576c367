"""Proximal policy optimisation: one update, from what was experienced to better weights.

Written for one device's share of the environments. `axis` names the devices, if there are several: what has to be the
same everywhere (the gradient, the moments by which advantages are normalised) is averaged over it.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

from envwright.core import execute
from envwright.core.chance import fork, shuffled
from envwright.core.record import Record
from envwright.training import adam, networks
from envwright.training.actions import with_legal
from envwright.training.config import Config
from envwright.training.experience import Experience, advantages
from envwright.training.policy import ObservationStatistics, Policy, merged

PIECE = 2048  # samples of 64 + 64 neurons and their gradients fit a second-level cache of 1 MiB
IN_A_ROW = 2**20  # weights; more are not worth copying


class Learner(Record):
    """What learning changes."""

    weights: networks.Params
    moments: adam.Moments
    statistics: ObservationStatistics
    updates: jax.Array  # () int32, made so far


class Sample(Record):
    """What the loss is a mean over, besides what was experienced."""

    seen: jax.Array  # normalised
    fresh: jax.Array
    legal: jax.Array | None
    raw: Any
    log_prob: jax.Array
    value: jax.Array
    advantage: jax.Array  # in a gradient step, normalised
    target: jax.Array


class Losses(Record):
    """Means over the samples of a gradient step."""

    policy: jax.Array
    value: jax.Array
    entropy: jax.Array
    kl: jax.Array  # from the policy that acted to the one there is now
    clipped: jax.Array  # the share of samples that no longer push
    gradient: jax.Array  # its length


def new_learner(policy: Policy, key: jax.Array) -> Learner:
    weights = policy.make(key)
    return Learner(weights, adam.no_moments(weights), policy.no_statistics(), jnp.int32(0))


def learn(
    policy: Policy,
    config: Config,
    learner: Learner,
    experience: Experience,
    memory: jax.Array,
    key: jax.Array,
    axis: str | None,
) -> tuple[Learner, dict[str, jax.Array]]:
    """One update. `memory` is what was remembered before the first look."""
    sample = judge(policy, config, learner, experience)
    step = _gradient_step(policy, config, axis)
    scan = _over_sequences if policy.network.kind == "gru" else _over_samples
    rate = _rate(config, learner.updates)

    def epoch(carry: Any, key: jax.Array) -> tuple[Any, Losses]:
        return scan(step, config.minibatches, carry, sample, memory, key, rate, axis)

    keys = jnp.stack(fork(key, config.epochs))
    (weights, moments), losses = jax.lax.scan(epoch, (learner.weights, learner.moments), keys)
    statistics = learner.statistics
    if policy.normalised:
        statistics = _look_back(statistics, policy.featured(experience.seen), axis)
    metrics = _mean({name: value.mean() for name, value in vars(losses).items()}, axis)
    metrics["explained"] = _explained(sample, axis)
    return Learner(weights, moments, statistics, learner.updates + 1), metrics


def judge(policy: Policy, config: Config, learner: Learner, experience: Experience) -> Sample:
    """What everything was worth."""
    weights, network = learner.weights, policy.network
    seen = policy.shown(learner.statistics, experience.seen)
    values = networks.value(network, weights, experience.memory if network.kind == "gru" else seen)

    def worth(memory: jax.Array, final: jax.Array) -> jax.Array:
        features, _ = networks.remember(network, weights, memory, policy.shown(learner.statistics, final))
        return networks.value(network, weights, features)

    cut_off = experience.truncated & ~experience.terminated
    at_the_end = jax.lax.cond(  # most rollouts hold no time limit, and then nothing is to be looked at again
        cut_off.any(), lambda: worth(experience.memory, experience.final), lambda: jnp.zeros_like(values)
    )
    after_last = worth(experience.memory[-1], experience.final[-1])
    next_values = jnp.where(cut_off, at_the_end, jnp.concatenate([values[1:], after_last[None]]))
    gained = advantages(
        values,
        next_values,
        experience.reward * config.reward_scale,
        experience.terminated,
        experience.truncated,
        config.gamma,
        config.gae_lambda,
    )
    return Sample(
        seen=seen,
        fresh=experience.fresh,
        legal=experience.legal,
        raw=experience.raw,
        log_prob=experience.log_prob,
        value=values,
        advantage=gained,
        target=gained + values,
    )


def _gradient_step(policy: Policy, config: Config, axis: str | None) -> Any:
    def loss(weights: networks.Params, sample: Sample, memory: jax.Array) -> tuple[jax.Array, Losses]:
        features = _features(policy, weights, sample, memory)
        head = with_legal(networks.head(policy.network, weights, features), sample.legal)
        value = networks.value(policy.network, weights, features)
        spread = weights["spread"]
        log_ratio = policy.actions.log_prob(head, spread, sample.raw) - sample.log_prob
        ratio = jnp.exp(log_ratio)
        limited = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
        policy_loss = -jnp.minimum(ratio * sample.advantage, limited * sample.advantage).mean()
        value_loss = 0.5 * _value_error(config, value, sample).mean()
        entropy = policy.actions.entropy(head, spread).mean()
        total = policy_loss + config.value_weight * value_loss - config.entropy * entropy
        return total, Losses(
            policy=policy_loss,
            value=value_loss,
            entropy=entropy,
            kl=(ratio - 1 - log_ratio).mean(),
            clipped=(jnp.abs(ratio - 1) > config.clip).mean(dtype=jnp.float32),
            gradient=jnp.float32(0),
        )

    def slope(weights: networks.Params, sample: Sample, memory: jax.Array) -> tuple[Any, Losses]:
        (_, losses), gradient = jax.value_and_grad(loss, has_aux=True)(weights, sample, memory)
        return gradient, losses

    def slopes(weights: networks.Params, sample: Sample, memory: jax.Array) -> tuple[Any, Losses]:
        """The same, of a large minibatch on CPU as the mean of pieces whose activations stay in the cache."""
        pieces = len(sample.advantage) // PIECE
        if policy.network.kind == "gru" or not execute.on_cpu() or len(sample.advantage) % PIECE or pieces < 2:
            return slope(weights, sample, memory)
        cut = jax.tree.map(lambda leaf: leaf.reshape(pieces, PIECE, *leaf.shape[1:]), sample)

        def add(total: Any, piece: Sample) -> tuple[Any, None]:
            return jax.tree.map(jnp.add, total, slope(weights, piece, memory)), None

        nothing = jax.tree.map(
            jnp.zeros_like, jax.eval_shape(slope, weights, jax.tree.map(lambda x: x[0], cut), memory)
        )
        total, _ = jax.lax.scan(add, nothing, cut)
        return jax.tree.map(lambda leaf: leaf / pieces, total)

    def step(carry: Any, sample: Sample, memory: jax.Array, rate: jax.Array) -> tuple[Any, Losses]:
        weights, moments = carry
        gradient, losses = slopes(weights, sample, memory)
        gradient = _mean_at_once(gradient, axis)
        weights, moments, length = adam.step(weights, gradient, moments, rate, config.max_grad_norm)
        return (weights, moments), losses.replace(gradient=length)

    return step


def _features(policy: Policy, weights: networks.Params, sample: Sample, memory: jax.Array) -> jax.Array:
    """What the network makes of what it sees; with a memory, step by step from the beginning of the rollout."""
    if policy.network.kind != "gru":
        return sample.seen

    def look(memory: jax.Array, now: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        seen, fresh = now
        features, memory = networks.remember(policy.network, weights, jnp.where(fresh[:, None], 0, memory), seen)
        return memory, features

    return jax.lax.scan(look, memory, (sample.seen, sample.fresh))[1]


def _over_samples(
    step: Any, parts: int, carry: Any, sample: Sample, memory: jax.Array, key: jax.Array, rate: Any, axis: str | None
) -> Any:
    """Gradient steps on samples in random order, each in one part."""
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), sample)
    order = shuffled(key, flat.advantage.shape[0]).reshape(parts, -1)

    def part(carry: Any, now: tuple[jax.Array, jax.Array]) -> tuple[Any, Losses]:
        chosen, advantage = now
        mine = jax.tree.map(lambda leaf: leaf[chosen], flat)
        return step(carry, mine.replace(advantage=advantage), memory, rate)

    return jax.lax.scan(part, carry, (order, _normalise(flat.advantage[order], axis)))


def _over_sequences(
    step: Any, parts: int, carry: Any, sample: Sample, memory: jax.Array, key: jax.Array, rate: Any, axis: str | None
) -> Any:
    """Gradient steps on whole rollouts of randomly chosen seats, because a memory needs what came before."""
    order = shuffled(key, memory.shape[0]).reshape(parts, -1)
    advantages = jnp.moveaxis(sample.advantage[:, order], 1, 0)  # (parts, steps, seats)

    def part(carry: Any, now: tuple[jax.Array, jax.Array]) -> tuple[Any, Losses]:
        chosen, advantage = now
        mine = jax.tree.map(lambda leaf: leaf[:, chosen], sample)
        return step(carry, mine.replace(advantage=advantage), memory[chosen], rate)

    return jax.lax.scan(part, carry, (order, _normalise(advantages, axis)))


def _value_error(config: Config, value: jax.Array, sample: Sample) -> jax.Array:
    error = (value - sample.target) ** 2
    if not config.clip_value:
        return error
    limited = sample.value + jnp.clip(value - sample.value, -config.clip_value, config.clip_value)
    return jnp.maximum(error, (limited - sample.target) ** 2)


def _rate(config: Config, updates: jax.Array) -> jax.Array:
    if not config.anneal:
        return jnp.float32(config.learning_rate)
    left = 1 - updates.astype(jnp.float32) / config.updates
    return config.learning_rate * jnp.maximum(left, 0)


def _normalise(parts: jax.Array, axis: str | None) -> jax.Array:
    """Every part with mean 0 and variance 1, over all devices; once an epoch, so that devices seldom wait."""
    within = tuple(range(1, parts.ndim))
    mean = parts.mean(axis=within, keepdims=True)
    variance = ((parts - mean) ** 2).mean(axis=within, keepdims=True)
    if axis is not None:  # not by a difference of squares, in which a variance far smaller than the mean is lost
        means, variances = jnp.moveaxis(jax.lax.all_gather(jnp.stack([mean, variance]), axis), 1, 0)
        mean = means.mean(axis=0)
        variance = (variances + (means - mean[None]) ** 2).mean(axis=0)
    return (parts - mean) / (jnp.sqrt(variance) + 1e-8)


def _look_back(statistics: ObservationStatistics, seen: jax.Array, axis: str | None) -> ObservationStatistics:
    mean = _mean(seen.mean(axis=(0, 1)), axis)
    variance = _mean(((seen - mean[None, None]) ** 2).mean(axis=(0, 1)), axis)
    size = jnp.float32(seen.shape[0] * seen.shape[1])
    return merged(statistics, mean, variance, size if axis is None else jax.lax.psum(size, axis))


def _explained(sample: Sample, axis: str | None) -> jax.Array:
    """Which share of the variance of the targets the values had foreseen."""
    error = _mean(((sample.target - sample.value) ** 2).mean(), axis)
    mean = _mean(sample.target.mean(), axis)
    variance = _mean(((sample.target - mean) ** 2).mean(), axis)
    return 1 - error / (variance + 1e-8)


def _mean_at_once(tree: Any, axis: str | None) -> Any:
    """The mean over devices in one exchange, for which a small tree is laid out in a row: each exchange is a wait."""
    if axis is None or sum(leaf.size for leaf in jax.tree.leaves(tree)) > IN_A_ROW:
        return _mean(tree, axis)
    row, back = ravel_pytree(tree)
    return back(jax.lax.pmean(row, axis))


def _mean(tree: Any, axis: str | None) -> Any:
    return tree if axis is None else jax.lax.pmean(tree, axis)
