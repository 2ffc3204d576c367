"""What XLA cannot compile as one kernel is compiled the usual way, and the results are the same."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from noughts import NoParams, State

from envwright.core import Box, Discrete, Env, Step, make
from envwright.training.config import Config, Network
from envwright.training.ppo import Trainer


@dataclass(frozen=True)
class ManyArms(Env[State, NoParams]):
    """A bandit with more arms than running sums are unrolled for."""

    arms: int = 200

    @property
    def default_params(self):
        return NoParams()

    def observation_space(self, params):
        return Box(0.0, 1.0, (1,))

    def action_space(self, params):
        return Discrete(self.arms)

    def draw_start(self, key, params):
        return None

    def start(self, chance, params):
        return jnp.ones(1), State(jnp.zeros(9, jnp.int32), jnp.int32(0))

    def draw(self, key, state, action, params):
        return None

    def apply(self, state, action, chance, params):
        return Step(jnp.ones(1), state, (action == 7).astype(jnp.float32), jnp.bool_(True), jnp.bool_(False), {})


def test_an_environment_that_cannot_be_one_kernel_trains_all_the_same():
    config = Config(num_envs=512, steps=8, total_steps=512 * 8 * 2, network=Network(hidden=(16,)))
    trainer = Trainer(ManyArms(), config, devices=1)
    _, metrics = trainer.run(trainer.start(), 2)
    assert np.isfinite(np.asarray(metrics["policy"])).all()
    assert not trainer.fused


def test_one_kernel_or_many_play_the_same_games():
    config = Config(num_envs=32, steps=16, total_steps=32 * 16 * 4, network=Network(hidden=(16,)))
    curves = []
    for fused in (True, False):
        trainer = Trainer(make("pong", frameskip=8), Config(**{**vars(config), "fused": fused}), devices=1)
        _, metrics = trainer.run(trainer.start(), 1)
        assert trainer.fused == fused
        curves.append({name: np.asarray(metrics[name]) for name in ("episodes", "length", "return")})
    np.testing.assert_equal(curves[0], curves[1])
