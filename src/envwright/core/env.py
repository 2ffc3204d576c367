"""The native interface: what an environment writes, and what every environment gets from it.

An environment writes four functions. Two see a key and draw chance; two are deterministic and hold all the rules:

    chance = env.draw_start(key, params)                 obs, state = env.start(chance, params)
    chance = env.draw(key, state, action, params)        step = env.apply(state, action, chance, params)

It gets two levels from them. `init` and `transition` are raw and never reset: verifiers, planners and adapters build
on these. `reset` and `step` add auto-reset; `step` is a valid gymnax 1.0 step.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from envwright.core.chance import restart_key
from envwright.core.pieces import in_pieces
from envwright.core.record import Record
from envwright.core.spaces import Space, check_action

State = TypeVar("State", bound=Record)
Params = TypeVar("Params", bound=Record)
Chance = Any  # a pytree of arrays, or None where nothing is random
Obs = Any  # a pytree of arrays


class Step(NamedTuple):
    """One step of an environment; unpacks as gymnax 1.0's six values."""

    obs: Obs
    state: Any
    reward: jax.Array  # () float32, of a game for several players one each
    terminated: jax.Array  # () bool, the rules ended the episode
    truncated: jax.Array  # () bool, the time limit did; both flags may be true
    info: dict[str, Any]  # the same tree at every step

    @property
    def done(self) -> jax.Array:
        return self.terminated | self.truncated


@dataclass(frozen=True)
class Env(ABC, Generic[State, Params]):
    """An environment. Its fields are static structure: equal fields, equal hash, one compilation."""

    @property
    @abstractmethod
    def default_params(self) -> Params:
        """The run-time values of the rules; anything that changes a shape is a field of the env instead."""

    @abstractmethod
    def observation_space(self, params: Params) -> Space: ...

    @abstractmethod
    def action_space(self, params: Params) -> Space: ...

    @abstractmethod
    def draw_start(self, key: jax.Array, params: Params) -> Chance:
        """The random draws of a new episode."""

    @abstractmethod
    def start(self, chance: Chance, params: Params) -> tuple[Obs, State]:
        """A new episode, given its random draws."""

    @abstractmethod
    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Chance:
        """The random draws of one step."""

    @abstractmethod
    def apply(self, state: State, action: jax.Array, chance: Chance, params: Params) -> Step:
        """One step, given its random draws. Never resets."""

    @property
    def players(self) -> int:
        """How many act at once. With two or more, observations, actions, rewards and legal actions have a leading axis
        of players; whose turn it is not has one legal action, to wait."""
        return 1

    def legal_actions(self, state: State, params: Params) -> jax.Array | None:
        """Which actions of a `Discrete` space may be taken, as booleans; None: all. Never all false."""
        del state, params
        return None

    def acting(self, state: State, params: Params) -> jax.Array | None:
        """Which players choose an action now, as booleans; None: all of them, at every step."""
        del state, params
        return None

    def summary(self, final: State, params: Params) -> dict[str, jax.Array]:
        """What the reference adds to its log when an episode ends, from the last state; nothing unless written."""
        del final, params
        return {}

    def inherit(self, old: State, new: State) -> State:
        """What an auto-reset carries over from the ended episode. Nothing, unless the reference leaks state."""
        del old
        return new

    def phases(
        self, state: State, action: jax.Array, chance: Chance, params: Params
    ) -> dict[str, dict[str, jax.Array]]:
        """What is known after each phase of a step, in order, for the verifier to look at; nothing unless written."""
        del state, action, chance, params
        return {}

    def draws(
        self, state: State, action: jax.Array, chance: Chance, params: Params
    ) -> dict[str, tuple[jax.Array, jax.Array]]:
        """Where a step makes random numbers of its chance, by the place in its code and in order: whether it does, and
        the number. The verifier shows them beside the reference's; nothing unless written."""
        del state, action, chance, params
        return {}

    def render(self, state: State, params: Params) -> Any:
        """The state as a uint8 picture of shape (height, width, 3)."""
        raise NotImplementedError(f"{type(self).__name__} does not draw itself.")

    # ---- what every environment gets ----

    def init(self, key: jax.Array, params: Params) -> tuple[Obs, State]:
        """A new episode."""
        return self.start(self.draw_start(key, params), params)

    def transition(self, key: jax.Array, state: State, action: Any, params: Params) -> Step:
        """One step, raw: never resets."""
        action = check_action(self.action_space(params), action, self.players)
        return self.apply(state, action, self.draw(key, state, action, params), params)

    def reset(self, key: jax.Array, params: Params | None = None) -> tuple[Obs, State]:
        """A new episode, with default params unless given."""
        return in_pieces(self.init)(key, self.default_params if params is None else params)

    def step(self, key: jax.Array, state: State, action: Any, params: Params | None = None) -> Step:
        """One step, then a fresh episode where one ended; `info["final_observation"]` keeps what was seen last."""
        params = self.default_params if params is None else params
        return in_pieces(self._step)(key, state, action, params)

    def _step(self, key: jax.Array, state: State, action: Any, params: Params) -> Step:
        step = self.transition(key, state, action, params)
        return restart(self, step, self.init(restart_key(key), params))


def restart(env: Env[State, Params], step: Step, fresh: tuple[Obs, State]) -> Step:
    """Where `step` ended its episode, go on from `fresh`."""
    obs, state = fresh
    return go_on(step, (obs, env.inherit(step.state, state)))


def go_on(step: Step, fresh: tuple[Obs, Any]) -> Step:
    """`step`, with `fresh` in place of an ended episode, whose last observation stays in `info`."""
    obs, state = choose(step.done, fresh, (step.obs, step.state))
    return step._replace(obs=obs, state=state, info={**step.info, "final_observation": step.obs})


def choose(condition: jax.Array, yes: Any, no: Any) -> Any:
    """`yes` or `no`, leaf by leaf; a condition of many environments runs along the last axis of every leaf."""

    def one(a: Any, b: Any) -> jax.Array:
        missing = jnp.ndim(a) - condition.ndim if condition.ndim else 0
        return jnp.where(condition.reshape((1,) * missing + condition.shape), a, b)

    return jax.tree.map(one, yes, no)
