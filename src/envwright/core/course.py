"""One game of an environment, step by step, with everything that was drawn: what replays are told from."""

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import chance
from envwright.core.env import Env, Step
from envwright.core.pieces import in_pieces


@dataclass(frozen=True)
class StepTaken:
    """A step that was taken. `env.apply(state, action, chance, params)` gives `step` again."""

    state: Any  # before the step
    action: Any
    chance: Any
    step: Step


@dataclass(frozen=True)
class ToldGame:
    """A game told for a page with a slider, in plain data. `play.page` has the slider, the chart and the log."""

    title: str
    about: str
    chart: str  # what the chart's two lines are
    result: dict[str, str] | None  # `text` and `colour`, one or two, of the end; None if there was none
    # Of each step: `label` and `heading` of the slider and the log, `log` of [text, 1 if it is minor], `chart` of two
    # shares, and what the board draws.
    frames: list[dict[str, Any]]
    board: str  # HTML with a script that has `draw(frame)`


class Course:
    """A game that is played from Python, the same one that a batch plays with this seed. Raw: it never resets."""

    def __init__(self, env: Env[Any, Any], seed: int) -> None:
        self.env, self.params = env, env.default_params
        self._key, self._calls = chance.key(jnp.uint32(seed)), 0
        self.restart()

    def restart(self) -> None:
        """A new game, from the random stream as far as it was used."""
        self.obs, self.state = _alone(_init(self.env, self._next_key(), self.params))
        self.start, self.moments = self.state, list[StepTaken]()
        self._look()

    def step(self, action: Any) -> StepTaken:
        """One step; the last one of a game sets `over`."""
        before = self.state
        drawn, step = _alone(_step(self.env, self._next_key(), _one(before), np.asarray(action)[None], self.params))
        self.moments.append(StepTaken(before, np.asarray(action), drawn, step))
        self.obs, self.state = step.obs, step.state
        self._look()
        return self.moments[-1]

    @property
    def over(self) -> bool:
        return bool(self.moments) and bool(self.moments[-1].step.done)

    def _look(self) -> None:
        legal = _legal(self.env, _one(self.state), self.params)
        self.legal = None if legal is None else np.asarray(legal[0])

    def _next_key(self) -> jax.Array:
        self._calls += 1
        return jax.random.fold_in(self._key, np.uint32(self._calls - 1))[None]


# As batches of one: XLA compiles long rules in seconds for a batch, and may take minutes for numbers that stand alone.
def _one(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[None], tree)


def _alone(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf[0]), tree)


@functools.partial(jax.jit, static_argnums=0)
def _init(env: Env[Any, Any], keys: jax.Array, params: Any) -> tuple[Any, Any]:
    return jax.vmap(env.init, in_axes=(0, None))(keys, params)


@functools.partial(jax.jit, static_argnums=0)
def _step(env: Env[Any, Any], keys: jax.Array, state: Any, action: jax.Array, params: Any) -> tuple[Any, Step]:
    def one(key: jax.Array, state: Any, action: jax.Array) -> tuple[Any, Step]:
        drawn = env.draw(key, state, action, params)
        return drawn, env.apply(state, action, drawn, params)

    return in_pieces(jax.vmap(one))(keys, state, action)


@functools.partial(jax.jit, static_argnums=0)
def _legal(env: Env[Any, Any], state: Any, params: Any) -> Any:
    return jax.vmap(env.legal_actions, in_axes=(0, None))(state, params)
