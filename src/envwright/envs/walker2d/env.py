"""Walker2d as a reinforcement-learning environment: what is seen, what is rewarded, what is left to chance."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Env, Record, Space, Step, scalar
from envwright.physics import Motion, advance, control_cost, forward_velocity, load_model, phases, picture
from envwright.physics.starts import Noise, begin, draw_uniform

MODEL = load_model(Path(__file__).with_name("model.json"))
FASTEST = 10.0  # velocities are observed up to this


class Params(Record):
    """What is rewarded, what ends an episode, and how starts differ; defaults are Gymnasium's."""

    forward_reward_weight: jax.Array = scalar(1.0)
    ctrl_cost_weight: jax.Array = scalar(1e-3)
    healthy_reward: jax.Array = scalar(1.0)
    lowest: jax.Array = scalar(0.8)  # the height of the torso, in metres; healthy is strictly between
    highest: jax.Array = scalar(2.0)
    leaning_back: jax.Array = scalar(-1.0)  # the angle of the torso, in radians
    leaning_forward: jax.Array = scalar(1.0)
    reset_noise_scale: jax.Array = scalar(5e-3)


@dataclass(frozen=True)
class Walker2d(Env[Motion, Params]):
    """Gymnasium's Walker2d-v5: two legs in the plane, with six motors, are to walk forward and not to fall."""

    terminate_when_unhealthy: bool = True
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
        return Noise(draw_uniform(MODEL, positions, scale), draw_uniform(MODEL, velocities, scale))

    def start(self, chance: Noise, params: Params) -> tuple[jax.Array, Motion]:
        del params
        state = begin(MODEL, chance.qpos, chance.qvel)
        return self._observe(state), state

    def draw(self, key: jax.Array, state: Motion, action: jax.Array, params: Params) -> None:
        """Nothing: a step has no random draws."""
        del key, state, action, params

    def apply(self, state: Motion, action: jax.Array, chance: None, params: Params) -> Step:
        del chance
        step = advance(MODEL, state, action)
        after, velocity = step.motion, forward_velocity(MODEL, state, step)
        healthy = is_healthy(after, params)
        forward = params.forward_reward_weight * velocity
        cost = control_cost(action, params.ctrl_cost_weight).astype(velocity.dtype)
        alive = jnp.where(healthy, params.healthy_reward, 0)
        rest = jnp.asarray(MODEL.joints[1].rest, after.qpos.dtype)
        return Step(
            obs=self._observe(after),
            state=after,
            reward=(forward + alive - cost).astype(jnp.float32),
            terminated=~healthy if self.terminate_when_unhealthy else jnp.bool_(False),
            truncated=jnp.bool_(False),
            info={
                "x_position": after.qpos[0],
                "z_distance_from_origin": after.qpos[1] - rest,
                "x_velocity": velocity,
                "reward_forward": forward,
                "reward_ctrl": -cost,
                "reward_survive": alive,
            },
        )

    def phases(self, state: Motion, action: jax.Array, chance: None, params: Params) -> dict[str, dict[str, jax.Array]]:
        del chance, params
        return phases(MODEL, state, action)

    def render(self, state: Motion, params: Params) -> Any:
        del params
        return picture(MODEL, state.qpos, view=2.6)

    def _observe(self, state: Motion) -> jax.Array:
        """Positions, and velocities up to `FASTEST`."""
        first = 1 if self.exclude_current_positions_from_observation else 0
        return jnp.concatenate([state.qpos[first:], jnp.clip(state.qvel, -FASTEST, FASTEST)]).astype(jnp.float32)


def is_healthy(state: Motion, params: Params) -> jax.Array:
    """Whether it stands: the torso neither too low nor too high, nor leaning too far."""
    height, angle = state.qpos[1], state.qpos[2]
    upright = (params.leaning_back < angle) & (angle < params.leaning_forward)
    return (params.lowest < height) & (height < params.highest) & upright
