"""A stroll along a quay in the wind: a slow original, its translation as agents would leave it, and a run about it."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from envwright.agents.protocol import DOLLAR
from envwright.core.spaces import Box, Discrete
from envwright.recipe.briefing import Briefing, ModuleBrief
from envwright.recipe.events import Began, Event, Judged, Kept, Measured, Reserved, Settled
from envwright.recipe.project import Project
from envwright.recipe.targets import find_target
from envwright.recipe.versions import digest
from envwright.verifier.interface import Field, Interface, Signature

LAST = 8  # place; beyond both ends is the water
LIMIT = 25


class Stroll(gym.Env):
    """A step to the left or to the right; now and then the wind adds one to the right."""

    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(-1, LAST + 2, (1,), np.float64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = 3 + int(self.np_random.integers(3))
        return np.array([float(self.at)]), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at = blown(self.at + (1 if action else -1), int(self.np_random.integers(2)))
        wet = not 0 <= self.at <= LAST
        return np.array([float(self.at)]), -1.0 if wet else 0.1, wet, False, {}


def blown(at: int, wind: int) -> int:
    return at + wind


# ---- the translation ----

WIND = '''"""The wind."""

import jax


def blown(at: jax.Array, wind: jax.Array) -> jax.Array:
    """Where the wind puts you."""
    return at + wind
'''

RULES = '''"""The rules of a stroll."""

import jax
import jax.numpy as jnp

from envwright.core import Discrete, Step
from fast_stroll.state import StartChance, State, StepChance
from fast_stroll.wind import blown

LAST = 8


def draw_start(key: jax.Array) -> StartChance:
    """One of three places in the middle."""
    return StartChance(place=Discrete(3).sample(key))


def start(chance: StartChance) -> tuple[jax.Array, State]:
    """A new stroll."""
    state = State(at=3 + chance.place)
    return observe(state), state


def draw(key: jax.Array, state: State, action: jax.Array) -> StepChance:
    """Whether the wind blows."""
    del state, action
    return StepChance(wind=Discrete(2).sample(key))


def apply(state: State, action: jax.Array, chance: StepChance) -> Step:
    """A step, and then the wind."""
    after = State(at=blown(state.at + jnp.where(action == 1, 1, -1), chance.wind))
    wet = (after.at < 0) | (after.at > LAST)
    reward = jnp.where(wet, jnp.float32(-1), jnp.float32(0.1))
    return Step(observe(after), after, reward, wet, jnp.bool_(False), {})


def observe(state: State) -> jax.Array:
    """The place, as a number."""
    return state.at.astype(jnp.float32)[None]
'''

TESTS = '''"""Tests of the wind, as an agent leaves them."""

import jax.numpy as jnp

from fast_stroll.wind import blown


def test_calm_air_moves_nobody() -> None:
    assert blown(jnp.int32(4), jnp.int32(0)) == 4
'''

CONTRACT = """\
version = 1
reference = "stroll.py:Stroll"
candidate = "fast_stroll.env:Stroll"

[candidate_options]
max_episode_steps = 25

[state]
at = "at"

[ignored]
"reference.hat" = "only worn | for the picture"

[[tolerance]]
columns = ["observation"]
reason = "float64 there, float32 here"
"""

INTERFACE = Interface(
    package="fast_stroll",
    title="Stroll",
    state=(Field("at", (), "int64", "at"), Field("time", (), "int64", "elapsed_steps")),
    start_luck=(Field("place", (), "int64", "draws('reset', 0)"),),
    step_luck=(Field("wind", (), "int64", "draws('step', 0)"),),
    observation=Field("observation", (1,), "float64", "obs"),
    info=(),
    action_space=Discrete(2),
    observation_space=Box(-1, LAST + 2, (1,)),
    functions=(
        Signature(
            "wind", "wind.blown", "blown", (Field("at", (), "int64"), Field("wind", (), "int64")),
            Field("result", (), "int64"),
        ),
    ),
    max_episode_steps=LIMIT,
)  # fmt: skip

BRIEF = Briefing(
    "stroll.py:Stroll", INTERFACE, find_target("jax"), [ModuleBrief("wind", "", 2), ModuleBrief("rules", "", 20)]
)


def project(folder: Path) -> Project:
    return Project(folder=folder, name="stroll", title="Stroll", reference="stroll.py:Stroll")


def files() -> dict[str, str]:
    """The translation as the loop hands it over."""
    given = find_target("jax").scaffold(INTERFACE, ["wind", "rules"])
    own = {"fast_stroll/wind.py": WIND, "fast_stroll/rules.py": RULES, "tests/test_wind.py": TESTS}
    return {**given, **own}


def events(judged: dict[str, str] | None = None) -> list[Event]:
    """A short run that ended well, with these files."""
    version = digest(files() if judged is None else judged)
    checks = (
        {"level": "L0", "name": "spaces", "status": "pass", "detail": "", "count": 2, "divergences": []},
        {"level": "L1", "name": "single steps", "status": "pass", "detail": "3,000 | steps", "count": 3000},
        {"level": "L2", "name": "phases", "status": "skip", "detail": "the contract names none", "count": 0},
        {"level": "L3", "name": "episodes", "status": "pass", "detail": "", "count": 812, "divergences": []},
    )
    calls = []
    for module, text, amount in (("wind", WIND, 120_000), ("rules", RULES, 340_000)):
        name, task = f"translate-{module}.claude.1", f"translate-{module}"
        calls += [
            Reserved(name, task, "claude", DOLLAR),
            Settled(
                name, task, amount, "reported", "done", {f"fast_stroll/{module}.py": text},
                usage=(9000, 1000, 0, 700, 3), model="opus", seconds=20.5,
            ),
            Kept(task, module),
        ]  # fmt: skip
    return [
        Began(
            "stroll", "stroll.py:Stroll", "jax", ("claude",), 10 * DOLLAR, {"source": "ab" * 32}, 0, 123456789,
            {"envwright": "0.1.0", "jax": "0.10.2"},
        ),
        *calls,
        Judged(version, "whole", True, checks, seconds=4.5),
        Judged(version, "hidden 1", True, checks, seconds=5.5),
        Measured(91_000.0, 250e6, (2747.0, 2600.0, 2900.0), {"num_envs": 4096, "layout": "sharded"}),
    ]  # fmt: skip
