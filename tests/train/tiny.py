"""Environments so small that what must be learned in them is known."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Discrete, Env, Record, Space, Step
from envwright.core.record import scalar
from envwright.core.registry import register, registered
from envwright.training.config import Config, Network

ILLEGAL_PAYS = 100.0  # what an illegal action would pay: a mean return above 1 gives it away


class BanditParams(Record):
    pays: jax.Array = scalar(1.0)  # the right action


class Told(Record):
    context: jax.Array  # () int32, which action is right
    step: jax.Array  # () int32


@dataclass(frozen=True)
class Bandit(Env[Told, BanditParams]):
    """Shows which of three actions pays. A fourth, and the one next to the right one, may not be taken."""

    length: int = 1  # steps of an episode, each with a context of its own
    shown_once: bool = False  # only the first look tells, and the context stays: it must be remembered
    explodes: int = 2**30  # the step at which every action pays more than can be reckoned with

    @property
    def default_params(self) -> BanditParams:
        return BanditParams()

    def observation_space(self, params: BanditParams) -> Space:
        return Box(0.0, 1.0, (3,))

    def action_space(self, params: BanditParams) -> Space:
        return Discrete(4)

    def legal_actions(self, state: Told, params: BanditParams) -> jax.Array:
        actions = jnp.arange(4)
        return (actions != 3) & (actions != (state.context + 1) % 3)

    def draw_start(self, key: jax.Array, params: BanditParams) -> jax.Array:
        return jax.random.randint(key, (), 0, 3)

    def start(self, chance: jax.Array, params: BanditParams) -> tuple[jax.Array, Told]:
        state = Told(chance, jnp.int32(0))
        return self.observe(state), state

    def draw(self, key: jax.Array, state: Told, action: jax.Array, params: BanditParams) -> jax.Array:
        return jax.random.randint(key, (), 0, 3)

    def apply(self, state: Told, action: jax.Array, chance: jax.Array, params: BanditParams) -> Step:
        legal = self.legal_actions(state, params)[action]
        reward = jnp.where(legal, jnp.where(action == state.context, params.pays, 0), jnp.float32(ILLEGAL_PAYS))
        reward = jnp.where(state.step >= self.explodes, jnp.inf, reward)
        after = Told(state.context if self.shown_once else chance, state.step + 1)
        return Step(self.observe(after), after, reward, after.step >= self.length, jnp.bool_(False), {})

    def observe(self, state: Told) -> jax.Array:
        told = jax.nn.one_hot(state.context, 3, dtype=jnp.float32)
        return told * (state.step == 0).astype(jnp.float32) if self.shown_once else told


class At(Record):
    place: jax.Array  # () float32


@dataclass(frozen=True)
class Aim(Env[At, BanditParams]):
    """Shows a place between -1 and 1 and pays the more, the nearer to twice the place an action between -2 and 2 is."""

    @property
    def default_params(self) -> BanditParams:
        return BanditParams()

    def observation_space(self, params: BanditParams) -> Space:
        return Box(-1.0, 1.0, (1,))

    def action_space(self, params: BanditParams) -> Space:
        return Box(-2.0, 2.0, (1,))

    def draw_start(self, key: jax.Array, params: BanditParams) -> jax.Array:
        return jax.random.uniform(key, (), jnp.float32, -1, 1)

    def start(self, chance: jax.Array, params: BanditParams) -> tuple[jax.Array, At]:
        return chance[None], At(chance)

    def draw(self, key: jax.Array, state: At, action: jax.Array, params: BanditParams) -> None:
        return None

    def apply(self, state: At, action: jax.Array, chance: None, params: BanditParams) -> Step:
        missed = action[0] - 2 * state.place
        return Step(state.place[None], state, -missed * missed, jnp.bool_(True), jnp.bool_(False), {})


class NoParams(Record):
    pass


class Age(Record):
    step: jax.Array  # () int32
    mortal: jax.Array  # () bool


@dataclass(frozen=True)
class Forever(Env[Age, NoParams]):
    """Pays 1 a step, whatever is done. Half of the episodes truly end after ten steps; all it shows is which."""

    @property
    def default_params(self) -> NoParams:
        return NoParams()

    def observation_space(self, params: NoParams) -> Space:
        return Discrete(2)

    def action_space(self, params: NoParams) -> Space:
        return Discrete(2)

    def draw_start(self, key: jax.Array, params: NoParams) -> jax.Array:
        return jax.random.bernoulli(key)

    def start(self, chance: jax.Array, params: NoParams) -> tuple[jax.Array, Age]:
        return chance.astype(jnp.int32), Age(jnp.int32(0), chance)

    def draw(self, key: jax.Array, state: Age, action: jax.Array, params: NoParams) -> None:
        return None

    def apply(self, state: Age, action: jax.Array, chance: None, params: NoParams) -> Step:
        after = Age(state.step + 1, state.mortal)
        ended = state.mortal & (after.step >= 10)
        return Step(state.mortal.astype(jnp.int32), after, jnp.float32(1), ended, jnp.bool_(False), {})


def tiny(**changes: Any) -> Config:
    """A config that trains in milliseconds."""
    settings: dict[str, Any] = {
        "total_steps": 320,
        "num_envs": 8,
        "steps": 4,
        "epochs": 1,
        "minibatches": 1,
        "learning_rate": 0.01,
        "network": Network(hidden=(8,)),
    }
    return Config(**settings | changes)


def register_tiny() -> None:
    """Name the bandit, once a process, so that runs and commands find it."""
    if "TinyBandit-v0" not in {spec.id for spec in registered()}:
        register("TinyBandit-v0", "tiny:Bandit")
