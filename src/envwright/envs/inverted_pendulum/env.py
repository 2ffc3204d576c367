"""InvertedPendulum as a reinforcement-learning environment: what is seen, what is rewarded, what is left to chance."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Env, Record, Space, Step, scalar
from envwright.physics import Motion, advance, load_model, phases, picture
from envwright.physics.starts import Noise, begin, draw_uniform

MODEL = load_model(Path(__file__).with_name("model.json"))
MOST = 3.0  # of an action


class Params(Record):
    """What ends an episode, and how starts differ; defaults are Gymnasium's."""

    farthest: jax.Array = scalar(0.2)  # the angle of the pole, in radians, up to which it counts as upright
    reset_noise_scale: jax.Array = scalar(0.01)


@dataclass(frozen=True)
class InvertedPendulum(Env[Motion, Params]):
    """Gymnasium's InvertedPendulum-v5: a cart with a motor is to keep a pole upright."""

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box(-jnp.inf, jnp.inf, (2 * MODEL.dofs,))

    def action_space(self, params: Params) -> Space:
        del params
        return Box(-MOST, MOST, (len(MODEL.motors),))

    def draw_start(self, key: jax.Array, params: Params) -> Noise:
        positions, velocities = jax.random.split(key)
        scale = params.reset_noise_scale
        return Noise(draw_uniform(MODEL, positions, scale), draw_uniform(MODEL, velocities, scale))

    def start(self, chance: Noise, params: Params) -> tuple[jax.Array, Motion]:
        del params
        state = begin(MODEL, chance.qpos, chance.qvel)
        return observe(state), state

    def draw(self, key: jax.Array, state: Motion, action: jax.Array, params: Params) -> None:
        """Nothing: a step has no random draws."""
        del key, state, action, params

    def apply(self, state: Motion, action: jax.Array, chance: None, params: Params) -> Step:
        del chance
        after = advance(MODEL, state, action).motion
        finite = jnp.isfinite(after.qpos).all() & jnp.isfinite(after.qvel).all()
        terminated = ~finite | (jnp.abs(after.qpos[1]) > params.farthest)
        reward = (~terminated).astype(jnp.float32)
        return Step(
            obs=observe(after),
            state=after,
            reward=reward,
            terminated=terminated,
            truncated=jnp.bool_(False),
            info={"reward_survive": reward},
        )

    def phases(self, state: Motion, action: jax.Array, chance: None, params: Params) -> dict[str, dict[str, jax.Array]]:
        del chance, params
        return phases(MODEL, state, action)

    def render(self, state: Motion, params: Params) -> Any:
        del params
        return picture(MODEL, state.qpos, follow=False, below=0.5, view=2.2)


def observe(state: Motion) -> jax.Array:
    """Positions and velocities."""
    return jnp.concatenate([state.qpos, state.qvel]).astype(jnp.float32)
