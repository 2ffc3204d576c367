"""InvertedDoublePendulum as a reinforcement-learning environment: what is seen, what is rewarded, what is left to
chance."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Env, Record, Space, Step, scalar
from envwright.physics import Computed, Motion, advance, evaluate, load_model, phases, picture, site
from envwright.physics.starts import Noise, begin, draw_normal, draw_uniform

MODEL = load_model(Path(__file__).with_name("model.json"))
MOST = 10.0  # velocities and forces are observed up to this


class Params(Record):
    """What is rewarded, and how starts differ; defaults are Gymnasium's."""

    healthy_reward: jax.Array = scalar(10.0)
    reset_noise_scale: jax.Array = scalar(0.1)


@dataclass(frozen=True)
class InvertedDoublePendulum(Env[Motion, Params]):
    """Gymnasium's InvertedDoublePendulum-v5: a cart with a motor is to keep two poles upright, one on the other."""

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box(-jnp.inf, jnp.inf, (9,))

    def action_space(self, params: Params) -> Space:
        del params
        return Box(-1.0, 1.0, (len(MODEL.motors),))

    def draw_start(self, key: jax.Array, params: Params) -> Noise:
        positions, velocities = jax.random.split(key)
        scale = params.reset_noise_scale
        return Noise(draw_uniform(MODEL, positions, scale), draw_normal(MODEL, velocities, scale))

    def start(self, chance: Noise, params: Params) -> tuple[jax.Array, Motion]:
        state = begin(MODEL, chance.qpos, chance.qvel * params.reset_noise_scale)
        idle = jnp.zeros(len(MODEL.motors), state.qpos.dtype)
        return observe(state, evaluate(MODEL, state, idle)), state

    def draw(self, key: jax.Array, state: Motion, action: jax.Array, params: Params) -> None:
        """Nothing: a step has no random draws."""
        del key, state, action, params

    def apply(self, state: Motion, action: jax.Array, chance: None, params: Params) -> Step:
        del chance
        after, _, computed = advance(MODEL, state, action)
        x, y = site(MODEL, 0, computed.qpos)  # the tip, where MuJoCo last computed it: before the end of the step
        terminated = y <= 1
        distance = 0.01 * x**2 + (y - 2) ** 2
        velocity = 1e-3 * after.qvel[1] ** 2 + 5e-3 * after.qvel[2] ** 2
        alive = jnp.where(terminated, 0, params.healthy_reward)
        return Step(
            obs=observe(after, computed),
            state=after,
            reward=(alive - distance - velocity).astype(jnp.float32),
            terminated=terminated,
            truncated=jnp.bool_(False),
            info={"reward_survive": alive, "distance_penalty": -distance, "velocity_penalty": -velocity},
        )

    def phases(self, state: Motion, action: jax.Array, chance: None, params: Params) -> dict[str, dict[str, jax.Array]]:
        del chance, params
        return phases(MODEL, state, action)

    def render(self, state: Motion, params: Params) -> Any:
        del params
        return picture(MODEL, state.qpos, follow=False, below=0.6, view=3.2)


def observe(state: Motion, computed: Computed) -> jax.Array:
    """The cart, the angles of the poles as sines and cosines, all velocities, and the force at the end of the track."""
    x, angles = state.qpos[:1], state.qpos[1:]
    force = jnp.clip(computed.constraint[:1], -MOST, MOST)
    seen = x, jnp.sin(angles), jnp.cos(angles), jnp.clip(state.qvel, -MOST, MOST), force
    return jnp.concatenate(seen).astype(jnp.float32)
