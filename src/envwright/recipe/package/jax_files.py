"""What a JAX translation needs besides itself to be a package: names, a smoke test. Given, not written by agents."""

from envwright.recipe.targets.jax.scaffold import space_text
from envwright.verifier.interface import Interface


def envwright_id(interface: Interface) -> str:
    return f"Fast{interface.title}-v0"


def gymnasium_id(interface: Interface) -> str:
    return f"fast/{interface.title}-v0"


def entry_points(interface: Interface) -> str:
    """So that `envwright.make` finds it, once it is installed."""
    return f"[envwright.envs]\n{envwright_id(interface)} = {interface.package}.registration:SPEC\n"


def given(interface: Interface) -> dict[str, str]:
    """The files, by their path in the package."""
    package = interface.package
    return {
        f"{package}/__init__.py": _init(interface),
        f"{package}/registration.py": _registration(interface),
        f"{package}/py.typed": "",
        f"{package}/tests/__init__.py": "",
        f"{package}/tests/test_smoke.py": _smoke(interface),
    }


def _init(interface: Interface) -> str:
    return f'''"""{interface.title}, translated to JAX and verified against its original; see card.md."""

import contextlib

from envwright.core.errors import MissingExtraError

from {interface.package}.env import {interface.title} as {interface.title}
from {interface.package}.registration import register

with contextlib.suppress(MissingExtraError):  # which is to say, if Gymnasium is installed
    register()
'''


def _registration(interface: Interface) -> str:
    title = interface.title
    return f'''"""How {title} is made by name.

`envwright.make("{envwright_id(interface)}")`; or, once this package is imported,
`gymnasium.make("{gymnasium_id(interface)}")` and `gymnasium.make_vec("{gymnasium_id(interface)}", 1024)`.
"""

from typing import Any

from envwright.core import Env, JaxBatch, Spec, TimeLimit
from envwright.core.errors import missing_extra

from {interface.package}.env import {title}

GYMNASIUM_ID = "{gymnasium_id(interface)}"
MAX_EPISODE_STEPS: int | None = {interface.max_episode_steps}  # the time limit around the original
SPEC = Spec(
    "{envwright_id(interface)}",
    "{interface.package}.registration:make",
    summary="{title}, translated to JAX and verified against its original",
)


def make() -> Env[Any, Any]:
    """{title}, with the time limit of its original."""
    return limited(MAX_EPISODE_STEPS)


def limited(steps: int | None) -> Env[Any, Any]:
    """{title} with another time limit; None or a negative number: with none."""
    return {title}() if steps is None or steps < 0 else TimeLimit({title}(), steps)


def register() -> None:
    """Tell Gymnasium of it, unless it knows."""
    try:
        import gymnasium
    except ModuleNotFoundError:
        raise missing_extra("gymnasium", "gymnasium") from None
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point=f"{{__name__}}:make_env",
            vector_entry_point=f"{{__name__}}:make_vector_env",
            max_episode_steps=MAX_EPISODE_STEPS,
        )


def make_env(*, render_mode: str | None = None) -> Any:
    """What `gymnasium.make` calls. Without a time limit, because `gymnasium.make` puts its own around the result."""
    from envwright.adapters.gymnasium_env import GymnasiumEnv

    return GymnasiumEnv({title}(), render_mode=render_mode)


def make_vector_env(num_envs: int, *, max_episode_steps: int | None = None, **options: Any) -> Any:
    """What `gymnasium.make_vec` calls; options are those of envwright's `GymnasiumVectorEnv`."""
    from envwright.adapters.gymnasium_vec import GymnasiumVectorEnv

    limit = MAX_EPISODE_STEPS if max_episode_steps is None else max_episode_steps
    return GymnasiumVectorEnv(JaxBatch(limited(limit), num_envs), **options)
'''


def _smoke(interface: Interface) -> str:
    actions, observations = space_text(interface.action_space), space_text(interface.observation_space)
    spaces = sorted({type(s).__name__ for s in (interface.action_space, interface.observation_space)})
    return f'''"""That the package works where it is installed: made by name, it plays, and gives what its spaces say.

Whether observations stay within bounds is not asked, for an original may leave its own.
"""

import envwright
import jax
import numpy as np
import pytest
from envwright import {", ".join(spaces)}

ACTIONS, OBSERVATIONS = {actions}, {observations}
STEPS = 100


def test_envwright_makes_it_by_name() -> None:
    env = envwright.make("{envwright_id(interface)}")
    params = env.default_params
    assert env.action_space(params) == ACTIONS
    assert env.observation_space(params) == OBSERVATIONS
    obs, state = env.reset(envwright.key(0))
    step = env.step(envwright.key(1), state, ACTIONS.sample(envwright.key(2)))
    for seen in (obs, step.obs):
        assert (seen.shape, seen.dtype) == (OBSERVATIONS.shape, OBSERVATIONS.dtype)
    assert jax.tree.structure(step.state) == jax.tree.structure(state)


def test_gymnasium_plays_it() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("{interface.package}:{gymnasium_id(interface)}", disable_env_checker=True)
    obs, _ = env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(STEPS):
        assert (obs.shape, obs.dtype) == (env.observation_space.shape, env.observation_space.dtype)
        obs, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        assert np.isfinite(reward)
        if terminated or truncated:
            obs, _ = env.reset()
    env.close()


def test_a_seed_means_the_same_games() -> None:
    runs = [envwright.batch("{envwright_id(interface)}", 8).reset(seeds=range(8)) for _ in range(2)]
    np.testing.assert_array_equal(*runs)
'''
