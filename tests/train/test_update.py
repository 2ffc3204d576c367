"""One update of PPO, against its formulas written down once more, plainly and in another way."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny import tiny

import envwright
from envwright.core import Box, Discrete
from envwright.training.config import Config, Network
from envwright.training.experience import Experience
from envwright.training.learn import _normalise, learn, new_learner
from envwright.training.policy import Policy

STEPS, SEATS, INPUTS, ACTIONS = 6, 5, 3, 4
POLICY = Policy(Network(hidden=(8, 8)), Box(-1.0, 1.0, (INPUTS,)), Discrete(ACTIONS))
CONFIG = tiny(
    num_envs=SEATS, steps=STEPS, total_steps=STEPS * SEATS * 4, gamma=0.9, gae_lambda=0.8, reward_scale=0.5,
    max_grad_norm=0.3, entropy=0.05, value_weight=0.7, clip_value=0.1,
)  # fmt: skip


def lived(seed: int) -> Experience:
    """Nothing that could have happened, so that every term of the loss has something to say."""
    rng = np.random.default_rng(seed)
    seen = rng.normal(size=(STEPS, SEATS, INPUTS)).astype(np.float32)
    final = np.concatenate([seen[1:], rng.normal(size=(1, SEATS, INPUTS))]).astype(np.float32)
    terminated, truncated = rng.random((2, STEPS, SEATS)) < 0.25
    final[terminated | truncated] = rng.normal(size=INPUTS)
    legal = rng.random((STEPS, SEATS, ACTIONS)) < 0.6
    raw = rng.integers(0, ACTIONS, (STEPS, SEATS)).astype(np.int32)
    np.put_along_axis(legal, raw[..., None], True, axis=-1)
    return Experience(
        seen=jnp.asarray(seen),
        memory=jnp.zeros((STEPS, SEATS, 0)),
        fresh=jnp.zeros((STEPS, SEATS), bool),
        legal=jnp.asarray(legal),
        raw=jnp.asarray(raw),
        log_prob=jnp.asarray(rng.normal(-1.2, 0.4, (STEPS, SEATS)), jnp.float32),
        reward=jnp.asarray(rng.normal(size=(STEPS, SEATS)), jnp.float32),
        terminated=jnp.asarray(terminated),
        truncated=jnp.asarray(truncated),
        final=jnp.asarray(final),
    )


def stack(layers: Any, x: jax.Array) -> jax.Array:
    for i, layer in enumerate(layers):
        x = jnp.einsum("...i,oi->...o", x, layer["weights"]) + layer["bias"][None, None]
        x = jnp.tanh(x) if i + 1 < len(layers) else x
    return x


def value_of(weights: Any, seen: jax.Array) -> jax.Array:
    return stack(weights["critic"], seen)[..., 0]


def targets(weights: Any, life: Experience) -> tuple[np.ndarray, np.ndarray]:
    """Values and advantages, step by step backwards, in NumPy."""
    value, final = (np.asarray(value_of(weights, seen), np.float64) for seen in (life.seen, life.final))
    reward, terminated, truncated = (np.asarray(x) for x in (life.reward, life.terminated, life.truncated))
    gain = np.zeros((STEPS, SEATS))
    later = np.zeros(SEATS)
    for t in reversed(range(STEPS)):
        following = final[t] if t + 1 == STEPS else np.where(truncated[t], final[t], value[t + 1])
        delta = 0.5 * reward[t] + 0.9 * np.where(terminated[t], 0, following) - value[t]
        later = gain[t] = delta + 0.9 * 0.8 * np.where(terminated[t] | truncated[t], 0, later)
    return value, gain


def loss(weights: Any, life: Experience, old_value: Any, gain: Any) -> jax.Array:
    """The paper's, sample by sample, with the probabilities themselves."""
    assert life.legal is not None
    logits = jnp.where(life.legal, stack(weights["actor"], life.seen), -jnp.inf)
    chances = jax.nn.softmax(logits)
    chosen = jnp.take_along_axis(chances, life.raw[..., None], axis=-1)[..., 0]
    ratio = chosen / jnp.exp(life.log_prob)
    better = (gain - gain.mean()) / gain.std()
    objective = jnp.minimum(ratio * better, jnp.clip(ratio, 0.8, 1.2) * better).mean()
    value = value_of(weights, life.seen)
    held = jnp.clip(value, old_value - 0.1, old_value + 0.1)
    error = jnp.maximum((value - (gain + old_value)) ** 2, (held - (gain + old_value)) ** 2).mean() / 2
    surprise = jnp.where(chances > 0, -jnp.log(jnp.where(chances > 0, chances, 1)), 0)
    return -objective + 0.7 * error - 0.05 * (chances * surprise).sum(axis=-1).mean()


def adam(weights: Any, gradients: list[Any], rates: list[float]) -> Any:
    """Adam's paper, from all gradients so far, each cut to a length of 0.3."""
    leaves, structure = jax.tree.flatten(weights)
    found = [np.asarray(leaf, np.float64) for leaf in leaves]
    first, second = [np.zeros_like(leaf) for leaf in found], [np.zeros_like(leaf) for leaf in found]
    for count, (gradient, rate) in enumerate(zip(gradients, rates, strict=True), start=1):
        parts = [np.asarray(leaf, np.float64) for leaf in jax.tree.leaves(gradient)]
        length = np.sqrt(sum((part**2).sum() for part in parts))
        assert length > 0.3, "the bound has to bind"
        for i, part in enumerate(parts):
            cut = part * 0.3 / length
            first[i] = 0.9 * first[i] + 0.1 * cut
            second[i] = 0.999 * second[i] + 0.001 * cut**2
            steps = first[i] / (1 - 0.9**count), second[i] / (1 - 0.999**count)
            found[i] = found[i] - rate * steps[0] / (np.sqrt(steps[1]) + 1e-5)
    return jax.tree.unflatten(structure, found)


def update(config: Config) -> Any:
    """A compiled update by us."""
    run = jax.jit(lambda learner, life, key: learn(POLICY, config, learner, life, jnp.zeros((SEATS, 0)), key, None))
    return lambda learner, life: run(learner, life, envwright.key(1))


def test_two_updates_are_the_papers() -> None:
    start = jax.jit(lambda key: new_learner(POLICY, key))(envwright.key(0))
    ours, slope = update(CONFIG), jax.jit(jax.grad(loss))
    learner, gradients = start, []
    for number in range(2):
        life = lived(number)
        value, gain = targets(learner.weights, life)
        gradients.append(slope(learner.weights, life, jnp.asarray(value, jnp.float32), jnp.asarray(gain, jnp.float32)))
        learner, metrics = ours(learner, life)
        # Four updates in all: the rate falls by a quarter with each.
        expected = adam(start.weights, gradients, [0.01, 0.0075][: number + 1])
        for found, wanted in zip(jax.tree.leaves(learner.weights), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(found, wanted, atol=2e-5)
        length = np.sqrt(sum(float((leaf**2).sum()) for leaf in jax.tree.leaves(gradients[-1])))
        assert float(metrics["gradient"]) == pytest.approx(length, rel=1e-4)
    assert int(learner.updates) == 2


def test_advantages_that_differ_little_are_told_apart_on_any_number_of_devices() -> None:
    """All of them near 1000: a variance got from a difference of squares would be lost in float32."""
    parts = (1000 + np.random.default_rng(0).normal(0, 0.02, (2, 3, 50))).astype(np.float32)  # two devices
    of_one = parts.astype(np.float64)
    of_one = (of_one - of_one.mean(axis=2, keepdims=True)) / of_one.std(axis=2, keepdims=True)
    np.testing.assert_allclose(jax.jit(lambda x: _normalise(x, None))(parts[0]), of_one[0], atol=0.01)
    of_both = parts.astype(np.float64)
    of_both = (of_both - of_both.mean(axis=(0, 2), keepdims=True)) / of_both.std(axis=(0, 2), keepdims=True)
    both = jax.vmap(lambda x: _normalise(x, "devices"), axis_name="devices")(parts)
    np.testing.assert_allclose(both, of_both, atol=0.01)


@pytest.mark.slow
def test_every_sample_is_learned_from_once_an_epoch() -> None:
    """The mean over equal parts is the mean over all, while steps of no length leave the weights where they are."""
    config = dataclasses.replace(CONFIG, learning_rate=1e-30, anneal=False, minibatches=5, epochs=2)
    start, life = jax.jit(lambda key: new_learner(POLICY, key))(envwright.key(0)), lived(0)
    _, gain = targets(start.weights, life)
    assert float(update(config)(start, life)[1]["value"]) == pytest.approx(0.5 * (gain**2).mean(), rel=1e-4)
