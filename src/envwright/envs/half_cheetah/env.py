"""HalfCheetah as a reinforcement-learning environment: what is seen, what is rewarded, what is left to chance."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Env, Record, Space, Step, scalar
from envwright.physics import Motion, advance, control_cost, forward_velocity, load_model, phases, picture
from envwright.physics.starts import Noise, begin, draw_normal, draw_uniform

MODEL = load_model(Path(__file__).with_name("model.json"))


class Params(Record):
    """What is rewarded, and how starts differ; defaults are Gymnasium's."""

    forward_reward_weight: jax.Array = scalar(1.0)
    ctrl_cost_weight: jax.Array = scalar(0.1)
    reset_noise_scale: jax.Array = scalar(0.1)


@dataclass(frozen=True)
class HalfCheetah(Env[Motion, Params]):
    """Gymnasium's HalfCheetah-v5: a cheetah in the plane, with six motors, is to run forward."""

    exclude_current_positions_from_observation: bool = True  # leave x out

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box(-jnp.inf, jnp.inf, (2 * MODEL.dofs - self.exclude_current_positions_from_observation,))

    def action_space(self, params: Params) -> Space:
        del params
        return Box(-1.0, 1.0, (len(MODEL.motors),))

    def draw_start(self, key: jax.Array, params: Params) -> Noise:
        positions, velocities = jax.random.split(key)
        scale = params.reset_noise_scale
        return Noise(draw_uniform(MODEL, positions, scale), draw_normal(MODEL, velocities, scale))

    def start(self, chance: Noise, params: Params) -> tuple[jax.Array, Motion]:
        state = begin(MODEL, chance.qpos, params.reset_noise_scale * chance.qvel)
        return self._observe(state), state

    def draw(self, key: jax.Array, state: Motion, action: jax.Array, params: Params) -> None:
        """Nothing: a step has no random draws."""
        del key, state, action, params

    def apply(self, state: Motion, action: jax.Array, chance: None, params: Params) -> Step:
        del chance
        step = advance(MODEL, state, action)
        after, velocity = step.motion, forward_velocity(MODEL, state, step)
        forward = params.forward_reward_weight * velocity
        cost = control_cost(action, params.ctrl_cost_weight).astype(velocity.dtype)
        return Step(
            obs=self._observe(after),
            state=after,
            reward=(forward - cost).astype(jnp.float32),
            terminated=jnp.bool_(False),
            truncated=jnp.bool_(False),
            info={"x_position": after.qpos[0], "x_velocity": velocity, "reward_forward": forward, "reward_ctrl": -cost},
        )

    def phases(self, state: Motion, action: jax.Array, chance: None, params: Params) -> dict[str, dict[str, jax.Array]]:
        del chance, params
        return phases(MODEL, state, action)

    def render(self, state: Motion, params: Params) -> Any:
        del params
        return picture(MODEL, state.qpos)

    def _observe(self, state: Motion) -> jax.Array:
        """Positions and velocities."""
        first = 1 if self.exclude_current_positions_from_observation else 0
        return jnp.concatenate([state.qpos[first:], state.qvel]).astype(jnp.float32)
