"""envwright's ids in Gymnasium's registry: `gym.make("envwright/Pong-v0")`, `gym.make_vec("envwright/Pong-v0", 4096)`.

Importing this module registers them, and `import envwright` imports it where Gymnasium is installed. Gymnasium gave up
loading plug-ins by itself; a program that imports no envwright says `gym.make("envwright:envwright/Pong-v0")`.
"""

from typing import TYPE_CHECKING, Any

from envwright.core import TimeLimit, registry
from envwright.core.errors import missing_extra

try:
    import gymnasium
except ModuleNotFoundError:
    raise missing_extra("gymnasium", "gymnasium") from None

if TYPE_CHECKING:  # what makes environments is imported when one is made
    from envwright.adapters.gymnasium_env import GymnasiumEnv
    from envwright.adapters.gymnasium_vec import GymnasiumVectorEnv

NAMESPACE = "envwright"
NO_LIMIT = -1  # Gymnasium's word for it


def register_envs() -> None:
    """Register every id of envwright's registry that Gymnasium does not know yet."""
    for spec in registry.registered():
        id = f"{NAMESPACE}/{spec.id}"
        if id not in gymnasium.registry:
            gymnasium.register(
                id,
                entry_point=f"{__name__}:make_env",
                vector_entry_point=f"{__name__}:make_vector_env",
                max_episode_steps=spec.max_episode_steps,
                kwargs={"env_id": spec.id},
            )


def make_env(
    env_id: str,
    *,
    params: Any = None,
    render_mode: str | None = None,
    opponent: str | None = None,
    seat: int = 0,
    **kwargs: Any,
) -> "GymnasiumEnv":
    """What `gym.make` calls. Without a limit that Gymnasium knows of, because it puts its own around the result.

    In a game for two, `opponent` names who has the other seat.
    """
    from envwright.adapters.gymnasium_env import GymnasiumEnv

    # The limit of an installed package's environment is known only now: registering it did not import it.
    limit = None if gymnasium.spec(f"{NAMESPACE}/{env_id}").max_episode_steps is None else NO_LIMIT
    env = _for_one(registry.make(env_id, max_episode_steps=limit, **kwargs), env_id, opponent, seat)
    return GymnasiumEnv(env, params=params, render_mode=render_mode)


# gym.make looks for it on whatever it calls, to offer "rgb_array_list" and "human".
make_env.metadata = {"render_modes": ["rgb_array"], "render_fps": 30}  # pyright: ignore[reportFunctionMemberAccess]


def make_vector_env(
    num_envs: int,
    env_id: str,
    *,
    params: Any = None,
    devices: int | None = 1,
    max_episode_steps: int | None = None,
    autoreset_mode: Any = "NextStep",
    render_mode: str | None = None,
    output: str = "numpy",
    legacy_info: bool = False,
    opponent: str | None = None,
    seat: int = 0,
    **kwargs: Any,
) -> "GymnasiumVectorEnv":
    """What `gym.make_vec` calls. Other keywords go to the environment, `params` are the environment's own.

    One device unless told: stepped from Python, batches of up to 65,536 Pongs were slower on two, whose arrays have to
    be put together after every step. One device also takes batches of any size. None takes all devices.
    """
    from envwright.adapters.gymnasium_vec import GymnasiumVectorEnv
    from envwright.core import batch_of

    env = _for_one(registry.make(env_id, max_episode_steps=max_episode_steps, **kwargs), env_id, opponent, seat)
    if params is not None and isinstance(env, TimeLimit):
        params = env.default_params.replace(inner=params)
    return GymnasiumVectorEnv(
        batch_of(env, num_envs, params=params, devices=devices),
        autoreset_mode=autoreset_mode,
        render_mode=render_mode,
        output=output,
        legacy_info=legacy_info,
    )


def _for_one(env: Any, env_id: str, opponent: str | None, seat: int) -> Any:
    """A game for two as a game for one, if somebody is named for the other seat."""
    if opponent is None:
        return env
    from envwright.core.native import spaces_of
    from envwright.core.versus import opponents_of, vs

    return vs(env, opponents_of(registry.spec(env_id), spaces_of(env)[1], [opponent])[opponent], seat)


register_envs()
