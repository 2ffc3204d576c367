"""CartPole as a reinforcement-learning environment: what is seen, what is rewarded, what is left to chance."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Box, Discrete, Env, Space, Step
from envwright.envs.cartpole.render import draw_cart
from envwright.envs.cartpole.rules import Params, State, accelerations, has_failed, push

LEFT, RIGHT = 0, 1

# Each feature once: the observation and the table in card.md follow this list.
FEATURES = {
    "x": "the cart, in metres from the middle of the track",
    "x_dot": "its speed, in metres a second",
    "theta": "the pole, in radians from upright, positive to the right",
    "theta_dot": "its speed, in radians a second",
}

BOUNDS = (4.8, np.inf, 2 * np.radians(12), np.inf)  # Gymnasium's: twice the limits, so the failing step is inside


@dataclass(frozen=True)
class CartPole(Env[State, Params]):
    """Gymnasium 1.3's CartPole: push a cart left or right so that the pole on it stays up."""

    sutton_barto_reward: bool = False  # 0 a step and -1 for failing, instead of 1 a step
    semi_implicit: bool = False  # Gymnasium's other integrator

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box(tuple(-bound for bound in BOUNDS), BOUNDS, (len(FEATURES),))

    def action_space(self, params: Params) -> Space:
        del params
        return Discrete(2)

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        """(4,): where x, x_dot, theta and theta_dot begin."""
        dtype = jnp.result_type(params.start_low)
        return jax.random.uniform(key, (4,), dtype, params.start_low, params.start_high)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        del params
        state = State(*chance)
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> None:
        """Nothing: a step has no random draws."""
        del key, state, action, params

    def apply(self, state: State, action: jax.Array, chance: None, params: Params) -> Step:
        del chance
        state = push(state, force_of(action, params), params, self.semi_implicit)
        failed = has_failed(state, params)
        return Step(
            obs=observe(state),
            state=state,
            reward=-failed.astype(jnp.float32) if self.sutton_barto_reward else jnp.float32(1),
            terminated=failed,
            truncated=jnp.bool_(False),
            info={},
        )

    def phases(self, state: State, action: jax.Array, chance: None, params: Params) -> dict[str, dict[str, jax.Array]]:
        del chance
        force = force_of(action, params)
        x_acc, theta_acc = accelerations(state, force, params)
        pushed = push(state, force, params, self.semi_implicit)
        return {
            "accelerations": {"x_acc": x_acc, "theta_acc": theta_acc},
            "push": {name: getattr(pushed, name) for name in FEATURES},
            "failing": {"failed": has_failed(pushed, params)},
        }

    def render(self, state: State, params: Params) -> Any:
        return draw_cart(state, params)


def force_of(action: jax.Array, params: Params) -> jax.Array:
    """The push of an action, in newtons, positive to the right."""
    return jnp.where(action == RIGHT, params.force, -params.force)


def observe(state: State) -> jax.Array:
    """The four features."""
    return jnp.array([getattr(state, name) for name in FEATURES]).astype(jnp.float32)
