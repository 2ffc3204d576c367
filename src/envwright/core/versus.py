"""Games for two against an opponent: as an environment for one, or in a batch of games stepped from Python."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import chance
from envwright.core.chance import fork
from envwright.core.env import Chance, Env, Obs, Step
from envwright.core.errors import EnvwrightError
from envwright.core.native import check_jax
from envwright.core.record import Record
from envwright.core.spaces import Space
from envwright.core.spec import Spec, load_object

RANDOM = "random"  # the opponent that every game for two has

# What it sees and what it may do (None: anything), with a key, to an action.
Opponent = Callable[[jax.Array, Any, Any], jax.Array]


class VersusState(Record):
    """The game, and what each player saw last: the opponent acts on that."""

    inner: Any
    obs: Any


class VersusChance(Record):
    """What the opponent does, and the random draws of the game."""

    opponent: jax.Array
    inner: Any


@dataclass(frozen=True)
class Versus(Env[VersusState, Any]):
    """`env` for the player in `seat`, against `opponent`, a function: the same function, one compilation."""

    env: Env[Any, Any]
    opponent: Opponent
    seat: int = 0

    def __post_init__(self) -> None:
        check_jax(self.env, "A view of one seat")
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
        theirs, game = fork(key, 2)
        other = 1 - self.seat
        legal = self.env.legal_actions(state.inner, params)
        seen = jax.tree.map(lambda leaf: leaf[other], state.obs)
        chosen = self.opponent(theirs, seen, None if legal is None else legal[other])
        return VersusChance(chosen, self.env.draw(game, state.inner, self._joint(action, chosen), params))

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


def check_one_player(players: int, library: str) -> None:
    """Refuse a game for several, which the interface of this library cannot express."""
    if players > 1:
        raise EnvwrightError(
            f"{library}'s environments have one player, and this one has {players}; give the other seat to an "
            "opponent: envwright.core.versus.vs(env, opponent)."
        )


def random_opponent(space: Space) -> Opponent:
    """Plays any legal action."""

    def choose(key: jax.Array, obs: Any, legal: jax.Array | None) -> jax.Array:
        del obs
        if legal is None:
            return space.sample(key)
        return jax.random.categorical(key, jnp.where(legal, 0.0, -jnp.inf)).astype(jnp.int32)

    return choose


def opponents_of(spec: Spec, space: Space, names: Sequence[str] | None = None) -> dict[str, Opponent]:
    """Those opponents of an environment that are named, or all there are: the random one, and its own."""
    known = (RANDOM, *(name for name in spec.opponents if name != RANDOM))
    found: dict[str, Opponent] = {}
    for name in known if names is None else names:
        if name not in known:
            raise EnvwrightError(f"{spec.id} has no opponent '{name}'; there are {', '.join(known)}.")
        where = spec.opponents.get(name)
        what = f"The opponent '{name}' of {spec.id} should be"
        found[name] = random_opponent(space) if where is None else load_object(where, what)
    return found


def in_many_games(opponent: Opponent, seed: int) -> Callable[[Any, Any], np.ndarray]:
    """`opponent` for a batch stepped from Python: observations and legal actions to actions, a leading axis on each."""
    key, calls = chance.key(jnp.uint32(seed)), itertools.count()

    @jax.jit
    def act(call: jax.Array, obs: Any, legal: Any) -> jax.Array:
        keys = jax.random.split(jax.random.fold_in(key, call), len(jax.tree.leaves(obs)[0]))
        return jax.vmap(opponent)(keys, obs, legal)

    return lambda obs, legal: np.asarray(act(np.uint32(next(calls)), obs, legal))
