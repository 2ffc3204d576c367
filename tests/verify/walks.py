"""The walk of games.py, translated, and what can go wrong with candidates."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Discrete, Env, Record, Space, Step

END = 6


class Params(Record):
    """Nothing."""


class State(Record):
    """Where the walker is."""

    at: jax.Array  # () int32


class Luck(Record):
    """The place to begin at, or the wind."""

    value: jax.Array  # () int32


@dataclass(frozen=True)
class Walk(Env[State, Params]):
    """Sound, unless told otherwise."""

    fault: str = ""

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        return Box(-9, 9, (1,))

    def action_space(self, params: Params) -> Space:
        return Discrete(2)

    def draw_start(self, key: jax.Array, params: Params) -> Luck:
        return Luck(Discrete(3).sample(jax.random.key(0) if self.fault == "seed" else key))

    def start(self, chance: Luck, params: Params) -> tuple[jax.Array, State]:
        state = State(jnp.int32(1) if self.fault == "start" else chance.value)
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Luck:
        return Luck(Discrete(2).sample(key))

    def apply(self, state: State, action: jax.Array, chance: Luck, params: Params) -> Step:
        if self.fault == "raises":
            raise TypeError("this cannot be traced")
        at = state.at + jnp.where(action == 1, 1, -1) + chance.value
        if self.fault == "step":
            at = jnp.where((state.at == 4) & (action == 1), state.at, at)
        if self.fault == "far":
            at = jnp.where(state.at >= 50, 0, at)
        reward = -jnp.abs(at).astype(jnp.float32)
        if self.fault == "nan":
            reward = jnp.where(at == 3, jnp.nan, reward)
        return Step(observe(State(at)), State(at), reward, jnp.abs(at) >= END, jnp.bool_(False), {})


def observe(state: State) -> Any:
    return state.at.astype(jnp.float32)[None]


class Shaken(Record):
    """A number, and how many steps it has been shaken."""

    x: jax.Array  # () float32
    t: jax.Array  # () int32


def stir(x: jax.Array, more: float = 0.0) -> jax.Array:
    return jnp.sin((100 + more) * x.astype(jnp.float32))


def stir_a_little_more(x: jax.Array) -> jax.Array:
    return stir(x, 0.01)


@dataclass(frozen=True)
class Shake(Env[Shaken, Params]):
    """The Shake of games.py, a little stronger if told so."""

    stronger: float = 0.0

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        return Box(-2, 2, (1,))

    def action_space(self, params: Params) -> Space:
        return Discrete(2)

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        return jax.random.uniform(key)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, Shaken]:
        return chance[None], Shaken(chance, jnp.int32(0))

    def draw(self, key: jax.Array, state: Shaken, action: jax.Array, params: Params) -> None: ...

    def apply(self, state: Shaken, action: jax.Array, chance: None, params: Params) -> Step:
        x, t = stir(state.x, self.stronger) + 0.5 * action, state.t + 1
        return Step(x[None], Shaken(x, t), jnp.float32(0), t >= 20, jnp.bool_(False), {})


@dataclass(frozen=True)
class ShakenFromTheStart(Shake):
    """The one of games.py; `stronger` is its start."""

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, Shaken]:
        x = stir(10 * chance, self.stronger)
        return x[None], Shaken(x, jnp.int32(0))

    def apply(self, state: Shaken, action: jax.Array, chance: None, params: Params) -> Step:
        return Shake().apply(state, action, chance, params)
