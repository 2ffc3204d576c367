"""A pole hinged on a cart. The rules know nothing of observations, rewards, keys or batches.

They compute in the dtype they are given: float32 in play, float64 when they are compared with the reference.
"""

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Record, scalar

# Gymnasium ends beyond 2.4 m and 12 degrees in float64. A float32 is beyond those exactly when it is beyond the last
# float32 below them; the nearest float32 happens to lie above both, and would end some episodes a step late.
X_LIMIT = np.nextafter(np.float32(2.4), np.float32(0))
THETA_LIMIT = np.nextafter(np.float32(np.radians(12)), np.float32(0))


class Params(Record):
    """The machine, in SI units; defaults are Gymnasium's."""

    gravity: jax.Array = scalar(9.8)
    mass_cart: jax.Array = scalar(1.0)
    mass_pole: jax.Array = scalar(0.1)
    half_length: jax.Array = scalar(0.5)  # from the hinge to the middle of the pole
    force: jax.Array = scalar(10.0)
    tau: jax.Array = scalar(0.02)  # seconds a step
    x_limit: jax.Array = scalar(X_LIMIT)
    theta_limit: jax.Array = scalar(THETA_LIMIT)
    start_low: jax.Array = scalar(-0.05)
    start_high: jax.Array = scalar(0.05)


class State(Record):
    """Where the cart and the pole are, and how fast they move."""

    x: jax.Array  # () float32, metres, 0 in the middle of the track
    x_dot: jax.Array  # () float32, metres a second
    theta: jax.Array  # () float32, radians, 0 upright, positive to the right
    theta_dot: jax.Array  # () float32, radians a second


def push(state: State, force: jax.Array, params: Params, semi_implicit: bool = False) -> State:
    """The state `tau` seconds later, with `force` newtons on the cart."""
    s, tau = state, params.tau
    x_acc, theta_acc = accelerations(state, force, params)
    x_dot, theta_dot = s.x_dot + tau * x_acc, s.theta_dot + tau * theta_acc
    # Euler's method moves with the old speeds, the semi-implicit one with the new.
    moving, turning = (x_dot, theta_dot) if semi_implicit else (s.x_dot, s.theta_dot)
    return State(x=s.x + tau * moving, x_dot=x_dot, theta=s.theta + tau * turning, theta_dot=theta_dot)


def accelerations(state: State, force: jax.Array, params: Params) -> tuple[jax.Array, jax.Array]:
    """How fast the cart (m/s²) and the pole (rad/s²) speed up; no friction."""
    p = params
    sin, cos = jnp.sin(state.theta), jnp.cos(state.theta)
    mass = p.mass_cart + p.mass_pole
    moment = p.mass_pole * p.half_length
    pushed = (force + moment * state.theta_dot**2 * sin) / mass
    theta_acc = (p.gravity * sin - cos * pushed) / (p.half_length * (4 / 3 - p.mass_pole * cos**2 / mass))
    x_acc = pushed - moment * theta_acc * cos / mass
    return x_acc, theta_acc


def has_failed(state: State, params: Params) -> jax.Array:
    """Whether the cart is off the track or the pole has tipped; on the very limit they are still safe."""
    return (jnp.abs(state.x) > params.x_limit) | (jnp.abs(state.theta) > params.theta_limit)
