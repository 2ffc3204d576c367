"""One game at a time, with everything compiled beforehand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core import EnvwrightError
from envwright.core.native import AnyEnv, batch_of
from envwright.core.versus import Opponent, in_many_games


class Game:
    """An environment in play, in a game for two against `opponent`, who has the second seat.

    Raw steps: an ended game stays as it ended until it is restarted.
    """

    def __init__(self, env: AnyEnv, seed: int, opponent: Opponent | None = None) -> None:
        self._batch = batch_of(env, 1)
        self._answer = None if opponent is None else in_many_games(opponent, seed)
        self._begin(self._batch.reset([seed]))
        self.step(0 if self.legal is None else int(self.legal.argmax()))  # compiles before the first key
        try:
            self.picture()
        except NotImplementedError as error:
            raise EnvwrightError(f"{error} There is nothing to play with.") from None
        self.restart()

    def restart(self) -> None:
        """A new game."""
        self._begin(self._batch.reset(mask=np.ones(1, bool)))

    def step(self, action: int) -> None:
        """One step; the last one of a game sets `over`."""
        actions = [action]
        if self._answer is not None:
            theirs = self._answer(self.obs[1:], None if self._legal is None else self._legal[1:])
            actions = [[action, int(theirs[0])]]
        step = self._batch.step(np.array(actions, np.int32))
        self._look(step.obs)
        self.steps += 1
        self.total += float(np.ravel(step.reward)[0])
        self.over = bool(step.terminated[0] | step.truncated[0])

    @property
    def legal(self) -> NDArray[np.bool_] | None:
        """Which actions may be taken now; None: all."""
        return self._legal if self._legal is None or self._answer is None else self._legal[0]

    def picture(self) -> NDArray[np.uint8]:
        """The game as it stands."""
        return self._batch.render(0)

    def _begin(self, obs: Any) -> None:
        self._look(obs)
        self.steps, self.total, self.over = 0, 0.0, False

    def _look(self, obs: Any) -> None:
        """What is seen and may be done now, in a game for two by each."""
        legal = self._batch.legal_actions()
        self.obs, self._legal = np.asarray(obs)[0], None if legal is None else np.asarray(legal)[0]
