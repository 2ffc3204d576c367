"""Gymnasium's own CartPole. The only place that touches it; nothing imports this at run time."""

import functools

import numpy as np

from envwright.core import scalar
from envwright.core.errors import missing_extra
from envwright.envs.cartpole.rules import Params, State

try:
    from gymnasium.envs.classic_control.cartpole import CartPoleEnv
except ImportError:
    raise missing_extra("gymnasium", "reference") from None


def make_reference(sutton_barto_reward: bool = False, semi_implicit: bool = False) -> CartPoleEnv:
    """The reference, without the wrappers of `gymnasium.make`."""
    env = CartPoleEnv(sutton_barto_reward=sutton_barto_reward)
    env.kinematics_integrator = "semi-implicit euler" if semi_implicit else "euler"
    return env


def reference_params(env: CartPoleEnv) -> Params:
    """The reference's numbers, in its own float64; the candidate computes in float64 with them."""
    exact = functools.partial(scalar, dtype=np.float64)
    return Params(
        gravity=exact(env.gravity),
        mass_cart=exact(env.masscart),
        mass_pole=exact(env.masspole),
        half_length=exact(env.length),
        force=exact(env.force_mag),
        tau=exact(env.tau),
        x_limit=exact(env.x_threshold),
        theta_limit=exact(env.theta_threshold_radians),
        start_low=exact(-0.05),
        start_high=exact(0.05),
    )


def snapshot(env: CartPoleEnv) -> State:
    """The reference's state, in float64. Right after its reset these are also the chance of the start."""
    return State(*np.asarray(env.state, np.float64))  # pyright: ignore[reportArgumentType]


def restore(env: CartPoleEnv, state: State) -> None:
    """Put the reference into `state`, its episode not yet ended."""
    env.state = np.array([state.x, state.x_dot, state.theta, state.theta_dot], np.float64)
    env.steps_beyond_terminated = None
