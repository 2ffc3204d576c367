"""Small games, translated and played beside their originals.

A test writes the reset of a game as expressions and its step as text. Its contract is drafted from play, and it goes
the way of every translation, but for the processes around it.
"""

import textwrap
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import jax
import numpy as np
from before_and_after import FAST, NAMES, Refused, body_of, loosely, module, narrow, plain, written

from envwright.compiler import translate
from envwright.recipe import shapes
from envwright.recipe.builtin import Asked
from envwright.recipe.drafting import watch
from envwright.recipe.drafting.contract_file import contract_text
from envwright.recipe.drafting.source_facts import SourceFacts
from envwright.recipe.drafting.tables import draft_tables
from envwright.recipe.targets import find_target
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.python import reference as trials
from envwright.verifier.contract import Contract, read
from envwright.verifier.host import Here
from envwright.verifier.interface import Interface
from envwright.verifier.record import EpisodePlan, record_episodes
from envwright.verifier.rows import part

EPISODES, STEPS = 8, 40


@dataclass(frozen=True)
class Game:
    """An environment and its translation."""

    reference: Any
    contract: Contract
    interface: Interface
    text: str  # of rules.py
    rules: Any  # the module
    records: Any  # the module with State, StartChance, StepChance

    @property
    def step(self) -> str:
        """What the translation of a step does, up to what it gives back."""
        return body_of(self.text, "apply").partition("return Step(")[0].rstrip()


_GAME = '''"""A game."""

import math
import random
from enum import Enum, IntEnum

import gymnasium as gym
import numpy as np
from gymnasium import spaces

{top}


class Game(gym.Env):
    def __init__(self):
        self.action_space = spaces.Discrete({actions})
        self.observation_space = spaces.Discrete(2)
{made}
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
{start}
        return 0, {{}}

    def step(self, action):
{step}

{methods}
'''


def game(
    step: str, *, top: str = "", methods: str = "", actions: int = 4, made: Mapping[str, str] | None = None,
    contract: str = "", start: str = "", **state: str,
) -> Game:  # fmt: skip
    """The translation of a game whose reset gives attributes the values of expressions, and whose step is `step`."""
    lines = plain(step)
    if "return 0," not in lines and "return obs" not in lines:
        lines += "\nreturn 0, 0.0, False, False, {}"
    begin = [f"self.{name} = {value}" for name, value in state.items()]
    source = _GAME.format(
        top=plain(top),
        actions=actions,
        made=textwrap.indent("\n".join(f"self.{k} = {v}" for k, v in (made or {}).items()), " " * 8),
        start=textwrap.indent("\n".join([*begin, plain(start)]), " " * 8),
        step=textwrap.indent(lines, " " * 8),
        methods=textwrap.indent(plain(methods), " " * 4),
    )
    with _quickly():
        return _game(written(source), tuple(state), contract)


def game_of(source: str) -> Game:
    """The translation of the class Game of a whole file."""
    with _quickly():
        return _game(written(plain(source)), (), "")


def _quickly() -> ExitStack:
    """Whoever plays the original to learn of it plays a little only."""
    stack = ExitStack()
    for place, name, value in ((trials, "_TRIAL", (40, 40)), (watch, "LIMIT", 40), (shapes, "LIMIT", 40)):
        stack.enter_context(mock.patch.object(place, name, value))
    return stack


def _game(path: Path, changed: tuple[str, ...], contract: str) -> Game:
    reference = gymnasium_reference(f"{path}:Game")
    package = f"fast_{next(NAMES)}"
    if not contract:
        tables = draft_tables(watch.watch(reference, lambda: None, 24), SourceFacts(changed=changed))
        assert not tables.problems, tables.problems
        contract = contract_text(f"{path}:Game", f"{package}.env:Game", tables)
    else:
        contract = f'version = 1\nreference = "{path}:Game"\ncandidate = "{package}.env:Game"\n' + plain(contract)
    agreed = read(contract)
    interface = shapes.interface_of(agreed, Here(reference), package, "Game")
    found = translate(reference, agreed, interface, [Asked("rules", ())])  # pyright: ignore[reportArgumentType]
    if found.refusals:
        raise Refused("\n".join(r.sentence for own in found.refusals.values() for r in own))
    scaffold = find_target("jax").scaffold(interface, ["rules"])
    module("", package)
    records = module(scaffold[f"{package}/state.py"], f"{package}.state")
    text = found.files[f"{package}/rules.py"]
    return Game(reference, agreed, interface, text, module(text, f"{package}.rules"), records)


def assert_plays_the_same(pair: Game, episodes: int = EPISODES, steps: int = STEPS) -> dict[str, np.ndarray]:
    """Starts and steps of the game and its translation, of which the latter gets the luck that the former had. Gives
    the columns that were compared."""
    plans = [EpisodePlan("random", seed) for seed in range(episodes)]
    trace = record_episodes(pair.reference, pair.contract, plans, steps, 0, lambda: None)
    assert not trace.failures, trace.failures
    ends = np.cumsum(trace.lengths)
    firsts = ends - trace.lengths
    states = part(trace.steps, "state.")
    before = {name: np.concatenate([column[:1], column[:-1]]) for name, column in states.items()}
    for name, column in part(trace.starts, "state.").items():
        before[name][firsts] = column
    luck = [_record(pair.records.StartChance, part(trace.starts, "chance."))]
    luck += [_record(pair.records.StepChance, part(trace.steps, "chance."))]
    action = narrow(np.asarray(trace.steps["action"]))
    with loosely():
        obs, began = jax.jit(jax.vmap(pair.rules.start, axis_size=len(firsts)), compiler_options=FAST)(luck[0])
        apply = jax.jit(jax.vmap(pair.rules.apply), compiler_options=FAST)
        after = apply(_record(pair.records.State, before), action, luck[1])
    _compare(part(trace.starts, "state."), began, {}, pair)
    _compare(states, after.state, {"action": action, **before}, pair)
    for name, wanted, got in (
        ("reset's observation", trace.starts["observation"], obs),
        ("observation", trace.steps["observation"], after.obs),
        ("reward", trace.steps["reward"], after.reward),
        ("ended", trace.steps["ended"], np.stack([after.terminated, after.truncated], 1)),
    ):
        _equal(name, wanted, np.asarray(got), {"action": action, **before}, pair)
    return trace.steps


def _record(made: Any, columns: Mapping[str, np.ndarray]) -> Any:
    return made(**{name: narrow(column) for name, column in columns.items()})


def _compare(states: Mapping[str, np.ndarray], got: Any, told: Mapping[str, np.ndarray], pair: Game) -> None:
    for name, wanted in states.items():
        _equal(name, wanted, np.asarray(getattr(got, name)), told, pair)


def _equal(name: str, wanted: np.ndarray, got: np.ndarray, told: Mapping[str, np.ndarray], pair: Game) -> None:
    assert wanted.shape == got.shape, f"{name} has the shape {got.shape[1:]}, not {wanted.shape[1:]}\n{pair.text}"
    same = np.isclose(got, wanted, rtol=1e-5, atol=1e-6) if wanted.dtype.kind == "f" else got == wanted
    wrong = np.flatnonzero(~same.reshape(len(same), -1).all(1))
    if len(wrong):
        i = wrong[0]
        case = {key: column[i].tolist() for key, column in told.items() if len(column) == len(wanted)}
        raise AssertionError(
            f"{name} is {got[i].tolist()}, and {wanted[i].tolist()} in Python ({len(wrong)} of {len(same)} cases), "
            f"from {case}\n{pair.text}"
        )
