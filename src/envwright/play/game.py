"""One game at a time, with everything compiled beforehand."""

import functools
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from envwright.core import Env, EnvwrightError, key


class Game:
    """An environment in play. Raw steps: an ended game stays as it ended until it is restarted."""

    def __init__(self, env: Env[Any, Any], seed: int) -> None:
        self.env, self.params = env, env.default_params
        self._luck, self._calls = key(seed), 0
        self.restart()
        self.step(0)  # compiles, so that the first key does not have to wait for it
        try:
            self.picture()
        except NotImplementedError as error:
            raise EnvwrightError(f"{error} There is nothing to play with.") from None
        self.restart()

    def restart(self) -> None:
        """A new game."""
        _, self.state = _init(self.env, self._luck, self._call(), self.params)
        self.steps, self.total, self.over = 0, 0.0, False

    def step(self, action: int) -> None:
        """One step; the last one of a game sets `over`."""
        step = _transition(self.env, self._luck, self._call(), self.state, np.int32(action), self.params)
        self.state = step.state
        self.steps += 1
        self.total += float(step.reward)
        self.over = bool(step.done)

    def picture(self) -> NDArray[np.uint8]:
        """The game as it stands."""
        return self.env.render(jax.device_get(self.state), self.params)

    def _call(self) -> np.uint32:
        self._calls += 1
        return np.uint32(self._calls)


@functools.partial(jax.jit, static_argnums=0)
def _init(env: Env[Any, Any], luck: jax.Array, call: jax.Array, params: Any) -> Any:
    return env.init(jax.random.fold_in(luck, call), params)


@functools.partial(jax.jit, static_argnums=0)
def _transition(
    env: Env[Any, Any], luck: jax.Array, call: jax.Array, state: Any, action: jax.Array, params: Any
) -> Any:
    return env.transition(jax.random.fold_in(luck, call), state, action, params)
