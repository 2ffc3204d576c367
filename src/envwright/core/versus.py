"""A game for two, seen by one: the other seat is taken by an opponent who belongs to the environment."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core.chance import fork
from envwright.core.env import Chance, Env, Obs, Step
from envwright.core.errors import EnvwrightError
from envwright.core.record import Record
from envwright.core.spaces import Space

# What it sees and what it may do (None: anything), with a key, to an action.
Opponent = Callable[[jax.Array, Any, jax.Array | None], jax.Array]


class VersusState(Record):
    """The game, and what each player saw last: the opponent acts on that."""

    inner: Any
    obs: Any


class VersusChance(Record):
    """What the opponent does, and the luck of the game."""

    opponent: jax.Array
    inner: Any


@dataclass(frozen=True)
class Versus(Env[VersusState, Any]):
    """`env` for the player in `seat`, against `opponent`, a function: the same function, one compilation."""

    env: Env[Any, Any]
    opponent: Opponent
    seat: int = 0

    def __post_init__(self) -> None:
        if self.env.players != 2:
            raise EnvwrightError(f"An opponent needs a game for two, but {self.env} has {self.env.players} player(s).")
        if self.seat not in (0, 1):
            raise EnvwrightError(f"The seats are 0 and 1, not {self.seat}.")

    @property
    def default_params(self) -> Any:
        return self.env.default_params

    def observation_space(self, params: Any) -> Space:
        return self.env.observation_space(params)

    def action_space(self, params: Any) -> Space:
        return self.env.action_space(params)

    def draw_start(self, key: jax.Array, params: Any) -> Chance:
        return self.env.draw_start(key, params)

    def start(self, chance: Chance, params: Any) -> tuple[Obs, VersusState]:
        obs, inner = self.env.start(chance, params)
        return self._mine(obs), VersusState(inner, obs)

    def draw(self, key: jax.Array, state: VersusState, action: jax.Array, params: Any) -> VersusChance:
        theirs, luck = fork(key, 2)
        other = 1 - self.seat
        legal = self.env.legal_actions(state.inner, params)
        seen = jax.tree.map(lambda leaf: leaf[other], state.obs)
        chosen = self.opponent(theirs, seen, None if legal is None else legal[other])
        return VersusChance(chosen, self.env.draw(luck, state.inner, self._joint(action, chosen), params))

    def apply(self, state: VersusState, action: jax.Array, chance: VersusChance, params: Any) -> Step:
        step = self.env.apply(state.inner, self._joint(action, chance.opponent), chance.inner, params)
        after = VersusState(step.state, step.obs)
        return step._replace(obs=self._mine(step.obs), state=after, reward=step.reward[self.seat])

    def legal_actions(self, state: VersusState, params: Any) -> jax.Array | None:
        legal = self.env.legal_actions(state.inner, params)
        return None if legal is None else legal[self.seat]

    def summary(self, final: VersusState, params: Any) -> dict[str, jax.Array]:
        return self.env.summary(final.inner, params)

    def inherit(self, old: VersusState, new: VersusState) -> VersusState:
        return new.replace(inner=self.env.inherit(old.inner, new.inner))

    def render(self, state: VersusState, params: Any) -> Any:
        return self.env.render(state.inner, params)

    def _mine(self, obs: Obs) -> Obs:
        return jax.tree.map(lambda leaf: leaf[self.seat], obs)

    def _joint(self, action: jax.Array, opponent: jax.Array) -> jax.Array:
        return jnp.stack([action, opponent] if self.seat == 0 else [opponent, action])


def vs(env: Env[Any, Any], opponent: Opponent, seat: int = 0) -> Versus:
    """A single-agent view of a game for two."""
    return Versus(env, opponent, seat)


def random_opponent(space: Space) -> Opponent:
    """Plays any legal action."""

    def choose(key: jax.Array, obs: Any, legal: jax.Array | None) -> jax.Array:
        del obs
        if legal is None:
            return space.sample(key)
        return jax.random.categorical(key, jnp.where(legal, 0.0, -jnp.inf)).astype(jnp.int32)

    return choose
