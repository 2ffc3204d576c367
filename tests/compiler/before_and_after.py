"""Python before, JAX after: small pieces of an original, translated and run beside it.

`function` translates a function of numbers and arrays; `game` a whole environment, of which a test writes the reset as
expressions and the step as text. Both go the way of every translation, but for the processes around it.
"""

import ast
import importlib.util
import itertools
import sys
import tempfile
import textwrap
import types
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import jax
import numpy as np

from envwright.compiler import translate
from envwright.compiler.back.entries import write_functions
from envwright.compiler.back.tidy import tidy
from envwright.compiler.back.write import module_text
from envwright.compiler.ir import indexing
from envwright.compiler.ir.program import Program
from envwright.compiler.middle.calls import call
from envwright.recipe import shapes
from envwright.recipe.builtin import Asked
from envwright.recipe.drafting import Source, contract_text, draft_tables
from envwright.recipe.targets import find_target
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.python import reference as trials
from envwright.verify import draft
from envwright.verify.contract import Contract, read
from envwright.verify.host import Here
from envwright.verify.interface import Field, Interface, Signature
from envwright.verify.record import Plan, record_episodes
from envwright.verify.rows import part

FAST = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}  # to compile
_names = itertools.count()
EPISODES, STEPS = 8, 40


class Refused(Exception):  # noqa: N818 - the answer of the translator, not a mistake
    """The translator says no; its sentences."""


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="before_and_after_"))


def _written(text: str) -> Path:
    """A file with this text: the translator reads sources from files."""
    path = _folder() / f"original_{next(_names)}.py"
    path.write_text(text)
    return path


def _module(text: str, name: str) -> types.ModuleType:
    made = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), made.__dict__)
    return made


def body_of(text: str, name: str) -> str:
    """The lines of a function below its docstring."""
    tree = ast.parse(text)
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    has_doc = ast.get_docstring(node) is not None
    first = (node.body[0].end_lineno or 0) if has_doc else node.body[0].lineno - 1
    return textwrap.dedent("\n".join(text.splitlines()[first : node.end_lineno]))


def plain(text: str) -> str:
    """A text of a test without the indentation and the empty lines around it."""
    return textwrap.dedent(text).strip("\n").rstrip()


# ---- functions ----


@dataclass(frozen=True)
class Function:
    """A function of an original and its translation."""

    original: Callable[..., Any]
    translation: Callable[..., Any]
    text: str  # of the module


def function(text: str, *, top: str = "", **examples: Any) -> Function:
    """The translation of `text`, an expression or the body of a function of the examples' names. An example is an array
    with a row a case; a list of lists is a list of changing length."""
    lines = plain(text)
    if "return" not in lines:
        lines = f"return {lines}"
    source = f"import math\nimport numpy as np\n{plain(top)}\n\n\ndef rule({', '.join(examples)}):\n" + textwrap.indent(
        lines, "    "
    )
    original = _import(_written(source + "\n"))
    arguments = [field for name, rows in examples.items() for field in _fields(name, rows)]
    given = zip(*([row(rows, i) for i in range(len(rows))] for rows in examples.values()), strict=False)
    results = [np.asarray(original.rule(*case)) for case in given]
    result = Field("result", results[0].shape, np.result_type(*results).name)
    signature = Signature("rules", "rules.rule", "rule", tuple(arguments), result)
    program, refusals = Program(), []
    for _ in range(2):  # as `translate` does
        program, refusals = Program(flowing=set(program.flowing)), []
        program.call, program.luck = call, {"start": {}, "step": {}}
        indexing.use(program)
        reference: Any = SimpleNamespace(driver=SimpleNamespace(parts=lambda made: [made]), object=original)
        wanted: Any = SimpleNamespace(functions=[signature])
        write_functions(program, wanted, SimpleNamespace(reference=reference), refusals)  # pyright: ignore
    if refusals:
        raise Refused("\n".join(r.sentence for r in refusals))
    for one in program.functions.values():
        tidy(one, {*program.functions, *program.constants})
    written = module_text("Rules.", "rules", [*program.functions.values()], program.constants, {})
    return Function(original.rule, _module(written, f"after_{next(_names)}").rule, written)


def _import(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def _fields(name: str, rows: Any) -> list[Field]:
    if isinstance(rows, np.ndarray):
        return [Field(name, rows.shape[1:], rows.dtype.name, name)]
    room = max(map(len, rows)) + 4
    inner = np.asarray(max(rows, key=len))
    return [
        Field(name, (room, *inner.shape[1:]), inner.dtype.name, f"pad({name}, {room})"),
        Field(f"{name}_count", (), "int64", f"len({name})"),
    ]


def row(rows: Any, i: int) -> Any:
    """A case as the original gets it."""
    if not isinstance(rows, np.ndarray):
        return list(rows[i])
    return rows[i].copy() if rows.ndim > 1 else rows[i].item()


def _columns(rows: Any) -> list[Any]:
    if isinstance(rows, np.ndarray):
        return [_narrow(rows)]
    room = max(map(len, rows)) + 4
    inner = np.asarray(max(rows, key=len))
    padded = np.zeros((len(rows), room, *inner.shape[1:]), inner.dtype)
    for i, one in enumerate(rows):
        padded[i, : len(one)] = np.asarray(one, inner.dtype).reshape(-1, *inner.shape[1:])
    return [_narrow(padded), np.array([len(one) for one in rows], np.int32)]


def _narrow(rows: np.ndarray) -> np.ndarray:
    return rows.astype({"int64": np.int32, "float64": np.float32}.get(rows.dtype.name, rows.dtype))


def after(text: str, *, top: str = "", **examples: Any) -> str:
    """The lines of the translation of a function."""
    return body_of(function(text, top=top, **examples).text, "rule")


def assert_same(text: str, *, top: str = "", **examples: Any) -> Function:
    """A function and its translation give the same for all examples."""
    pair = function(text, top=top, **examples)
    count = min(len(rows) for rows in examples.values())
    expected = [pair.original(*(row(rows, i) for rows in examples.values())) for i in range(count)]
    inputs = [column[:count] for rows in examples.values() for column in _columns(rows)]
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        got = jax.jit(jax.vmap(pair.translation), compiler_options=FAST)(*inputs)
    got = np.stack([np.asarray(g) for g in got], 1) if isinstance(got, tuple) else np.asarray(got)
    for i, wanted in enumerate(expected):
        case = {name: row(rows, i) for name, rows in examples.items()}
        told = f"{case}: Python gives {wanted!r}, the translation {got[i]!r}\n{pair.text}"
        assert np.shape(wanted) == got[i].shape, told
        if np.asarray(wanted).dtype.kind == "f":
            np.testing.assert_allclose(got[i], wanted, rtol=1e-5, atol=1e-6, err_msg=told)
        else:
            assert np.array_equal(wanted, got[i]), told
    return pair


# ---- games ----


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
        return _game(_written(source), tuple(state), contract)


def _quickly() -> ExitStack:
    """Whoever plays the original to learn of it plays a little only."""
    stack = ExitStack()
    for place, name, value in ((trials, "_TRIAL", (40, 40)), (draft, "LIMIT", 40), (shapes, "LIMIT", 40)):
        stack.enter_context(mock.patch.object(place, name, value))
    return stack


def _game(path: Path, changed: tuple[str, ...], contract: str) -> Game:
    reference = gymnasium_reference(f"{path}:Game")
    package = f"fast_{next(_names)}"
    if not contract:
        tables = draft_tables(draft.watch(reference, lambda: None, 24), Source(changed=changed))
        assert not tables.problems, tables.problems
        contract = contract_text(f"{path}:Game", f"{package}.env:Game", tables, None, [])
    else:
        contract = f'version = 1\nreference = "{path}:Game"\ncandidate = "{package}.env:Game"\n' + plain(contract)
    agreed = read(contract)
    interface = shapes.interface_of(agreed, Here(reference), package, "Game")
    found = translate(reference, agreed, interface, [Asked("rules", ())])  # pyright: ignore[reportArgumentType]
    if found.refusals:
        raise Refused("\n".join(r.sentence for own in found.refusals.values() for r in own))
    scaffold = find_target("jax").scaffold(interface, ["rules"])
    _module("", package)
    records = _module(scaffold[f"{package}/state.py"], f"{package}.state")
    text = found.files[f"{package}/rules.py"]
    return Game(reference, agreed, interface, text, _module(text, f"{package}.rules"), records)


def assert_plays_the_same(pair: Game, episodes: int = EPISODES, steps: int = STEPS) -> dict[str, np.ndarray]:
    """Starts and steps of the game and its translation, of which the latter gets the luck that the former had. Gives
    the columns that were compared."""
    plans = [Plan("random", seed) for seed in range(episodes)]
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
    action = _narrow(np.asarray(trace.steps["action"]))
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
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
    return made(**{name: _narrow(column) for name, column in columns.items()})


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
