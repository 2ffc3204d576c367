"""Pendulum in JAX, phase by phase: what the C library of docs/verify.md is compared with."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Env, Record, Space, Step, scalar


class State(Record):
    theta: jax.Array  # () radians from upright
    theta_dot: jax.Array  # () radians a second


class Params(Record):
    max_torque: jax.Array = scalar(2.0)
    max_speed: jax.Array = scalar(8.0)
    dt: jax.Array = scalar(0.05)


@dataclass(frozen=True)
class JaxPendulum(Env[State, Params]):
    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box(-jnp.inf, jnp.inf, (3,))

    def action_space(self, params: Params) -> Space:
        del params
        return Box(-2.0, 2.0, (1,))

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        del params
        return jax.random.uniform(key, (2,), jnp.result_type(float), -1.0, 1.0) * jnp.array([jnp.pi, 1.0])

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        del params
        state = State(theta=chance[0], theta_dot=chance[1])
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> None:
        del key, state, action, params

    def apply(self, state: State, action: jax.Array, chance: None, params: Params) -> Step:
        del chance
        torque = clipped(action, params)
        after = integrate(state, acceleration(state, torque), params)
        return Step(observe(after), after, -cost(state, torque), jnp.bool_(False), jnp.bool_(False), {})

    def phases(self, state: State, action: jax.Array, chance: None, params: Params) -> Any:
        del chance
        torque = clipped(action, params)
        turning = acceleration(state, torque)
        after = integrate(state, turning, params)
        return {
            "torque": {"torque": torque},
            "acceleration": {"acceleration": turning},
            "integration": {"theta": after.theta, "theta_dot": after.theta_dot},
            "reward": {"reward": -cost(state, torque)},
        }


def clipped(action: jax.Array, params: Params) -> jax.Array:
    return jnp.clip(action[0], -params.max_torque, params.max_torque)


def acceleration(state: State, torque: jax.Array) -> jax.Array:
    return 15 * jnp.sin(state.theta) + 3 * torque


def integrate(state: State, turning: jax.Array, params: Params) -> State:
    theta_dot = jnp.clip(state.theta_dot + turning * params.dt, -params.max_speed, params.max_speed)
    return State(theta=state.theta + theta_dot * params.dt, theta_dot=theta_dot)


def cost(state: State, torque: jax.Array) -> jax.Array:
    angle = (state.theta + jnp.pi) % (2 * jnp.pi) - jnp.pi
    return angle**2 + 0.1 * state.theta_dot**2 + 0.001 * torque**2


def observe(state: State) -> jax.Array:
    return jnp.array([jnp.cos(state.theta), jnp.sin(state.theta), state.theta_dot]).astype(jnp.float32)
