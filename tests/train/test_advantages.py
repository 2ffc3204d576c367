"""What a step was worth: against a slow loop, and in environments whose value is known."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import Forever, tiny

from envwright.core import TimeLimit
from envwright.training import networks
from envwright.training.experience import advantages
from envwright.training.ppo import Trainer

STEPS, SEATS = 9, 3  # one compilation


@jax.jit
def ours(values, after, reward, terminated, truncated):
    return advantages(values, after, reward, terminated, truncated, 0.9, 0.8)


def slowly(values, after, reward, terminated, truncated):
    """The definition, by its sum: discounted errors from each step to the end of its episode."""
    found = np.zeros((STEPS, SEATS))
    for seat in range(SEATS):
        for first in range(STEPS):
            weight = 1.0
            for t in range(first, STEPS):
                future = 0.0 if terminated[t, seat] else 0.9 * after[t, seat]
                found[first, seat] += weight * (reward[t, seat] + future - values[t, seat])
                if terminated[t, seat] or truncated[t, seat]:
                    break
                weight *= 0.9 * 0.8
    return found


flags = st.lists(st.booleans(), min_size=STEPS * SEATS, max_size=STEPS * SEATS)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), terminated=flags, truncated=flags)
def test_they_are_the_sums_of_the_definition(seed: int, terminated: list[bool], truncated: list[bool]) -> None:
    values, after, reward = np.random.default_rng(seed).normal(size=(3, STEPS, SEATS)).astype(np.float32)
    ends = [np.asarray(flag).reshape(STEPS, SEATS) for flag in (terminated, truncated)]
    np.testing.assert_allclose(ours(values, after, reward, *ends), slowly(values, after, reward, *ends), atol=1e-5)


def test_a_time_limit_is_not_a_death() -> None:
    """1 a step, discounted by 0.9: worth 10 if it goes on for ever, less where an episode truly ends.

    All episodes are cut off after ten steps. Half of them end just then, and an end counts before a limit. Every look
    of an episode is the same, so that the value of one that ends is the mean over its steps. Rollouts of 7 steps are
    cut off at any of them; what follows is then an episode of either kind, and not to be taken for what was cut off.
    """
    config = tiny(num_envs=16, steps=7, epochs=4, learning_rate=0.03, gamma=0.9, gae_lambda=1.0, total_steps=112 * 150)
    trainer = Trainer(TimeLimit(Forever(), 10), config, devices=1)
    state, metrics = trainer.run(trainer.start(), config.updates)
    values = networks.value(config.network, dict(trainer.player(state).weights), jnp.eye(2))
    mortal = float(np.mean([(1 - 0.9**left) / 0.1 for left in range(1, 11)]))
    np.testing.assert_allclose(values, [10.0, mortal], atol=0.3)
    assert metrics["length"][-1, 0] == 10
