"""MinAtar's games as references.

Their state is in two objects: the game, and the wrapper around it, which makes actions stick. The wrapper's
`last_action` survives a reset, so the first action of an episode may be the last one of the episode before.
"""

from typing import Any

from envwright.core.errors import EnvwrightError, missing_extra
from envwright.core.spaces import Discrete
from envwright.references.python import Driver, PythonReference

GAMES = ("asterix", "breakout", "freeway", "seaquest", "space_invaders")
_ACTIONS = 6
_FIXED = ("channels", "action_map", "random", "ramping")  # attributes of a game that are none of its state


def minatar_reference(
    game: str, sticky_action_prob: float = 0.1, difficulty_ramping: bool = True, forgets: bool = False
) -> PythonReference:
    """The game as `minatar.Environment` plays it; the observation is its `state()`, height, width and channels.

    One that `forgets` begins every episode as a new `Environment` would, with no last action to repeat.
    """
    try:
        from minatar import Environment
    except ImportError:
        raise missing_extra("minatar", "reference") from None
    if game not in GAMES:
        raise EnvwrightError(f"MinAtar has no game '{game}'; it has {', '.join(GAMES)}.")

    def make() -> Any:
        return Environment(game, sticky_action_prob, difficulty_ramping)

    driver = Driver(
        make=make,
        reset=_reset_and_forget if forgets else _reset,
        step=_step,
        sample_action=lambda rng: int(rng.integers(_ACTIONS)),
        parts=lambda made: [made, made.env],
        moving=lambda made: ["last_action", *(name for name in vars(made.env) if name not in _FIXED)],
        action_space=Discrete(_ACTIONS),
        observation_shape=tuple(make().state_shape()),
    )
    return PythonReference(f"MinAtar/{game}", driver)


def _reset(made: Any, seed: int | None) -> tuple[Any, dict[str, Any]]:
    made.seed(seed)
    made.reset()
    return made.state(), {}


def _reset_and_forget(made: Any, seed: int | None) -> tuple[Any, dict[str, Any]]:
    made.last_action = 0
    return _reset(made, seed)


def _step(made: Any, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
    reward, terminal = made.act(action)
    return made.state(), reward, terminal, False, {}
