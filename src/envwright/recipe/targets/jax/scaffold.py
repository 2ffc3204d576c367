"""The files of a JAX translation that follow from its interface, so that an agent only writes the rules.

fast_blackjack/
  __init__.py   what users import           given
  state.py      State, StartChance, ...     given
  env.py        the environment             given, calls rules.py
  cards.py      a module of the plan        to be written
  rules.py      the last module             to be written
"""

from collections.abc import Sequence

import numpy as np

from envwright.core.spaces import Discrete, Space
from envwright.verifier.interface import NARROW, Field, Interface, Signature

LAST = "rules"


def scaffold(interface: Interface, modules: Sequence[str]) -> dict[str, str]:
    """Every file of the package by its path; those of the modules are only there to be replaced."""
    package = interface.package
    files = {
        f"{package}/__init__.py": _init(interface),
        f"{package}/state.py": _state(interface),
        f"{package}/env.py": _env(interface),
    }
    return files | {written(interface, module): _stub(interface, module) for module in modules}


def written(interface: Interface, module: str) -> str:
    """The file that a module is written to."""
    return f"{interface.package}/{module}.py"


def signatures(interface: Interface, module: str) -> str:
    """The functions that a module has to have, as Python writes them."""
    own = [_signature(s) for s in interface.functions if s.module == module]
    if module == LAST:
        own += [*_rules(interface), *_phases(interface)]
    return "\n".join(own)


def _rules(interface: Interface) -> list[str]:
    info = ", ".join(f"{f.name.removeprefix('info.')!r}: {_kind(f)}" for f in interface.info)
    return [
        "def draw_start(key: jax.Array) -> StartChance: ...  # all random draws of a new episode",
        "def start(chance: StartChance) -> tuple[jax.Array, State]: ...  # observation, state; nothing is drawn here",
        "def draw(key: jax.Array, state: State, action: jax.Array) -> StepChance: ...  # all random draws of a step",
        "def apply(state: State, action: jax.Array, chance: StepChance) -> Step: ...  # all else that a step does",
        f"# observation {_kind(interface.observation)}; action {interface.action_space}; info {{{info}}}",
    ]


_PHASES = (
    "def phases(state: State, action: jax.Array, chance: StepChance) -> dict[str, dict[str, jax.Array]]: ..."
    "  # what is known after each phase"
)


def _phases(interface: Interface) -> list[str]:
    """What is to be known after each phase of a step, if the contract names any."""
    known = [f"#   {name!r}: {', '.join(f'{f.name} {_kind(f)}' for f in fields)}" for name, fields in interface.phases]
    return [_PHASES, *known] if known else []


def _signature(function: Signature) -> str:
    arguments = ", ".join(f"{f.name}: jax.Array" for f in function.arguments)
    kinds = ", ".join(f"{f.name} {_kind(f)}" for f in (*function.arguments, function.result))
    name = function.name.rpartition(".")[2]
    return f"def {name}({arguments}) -> jax.Array: ...  # {kinds}; is {function.reference} of the original"


# ---- the files ----


def _init(interface: Interface) -> str:
    return (
        f'"""{interface.title}, translated to JAX and verified against its original."""\n\n'
        f"from {interface.package}.env import {interface.title} as {interface.title}\n"
    )


def _state(interface: Interface) -> str:
    return "\n\n".join(
        [
            f'"""What {interface.title} consists of: its state, and its random draws. Follows from the contract."""\n\n'
            "import jax\n\nfrom envwright.core import Record\n",
            _record("Params", "Nothing: the options of the original are fixed.", ()),
            _record("State", "A game between two steps.", own_state(interface)),
            _record("StartChance", "The random draws of a new episode.", interface.start_luck),
            _record("StepChance", "The random draws of a step.", interface.step_luck),
        ]
    )


def own_state(interface: Interface) -> tuple[Field, ...]:
    """The state without what a time limit around the environment counts."""
    if interface.max_episode_steps is None:
        return interface.state
    return tuple(f for f in interface.state if f.source != "elapsed_steps")


def _record(name: str, what: str, fields: Sequence[Field]) -> str:
    lines = [f"    {f.name}: jax.Array  # {_kind(f)}{_told(f)}" for f in fields]
    return "\n".join([f"class {name}(Record):", f'    """{what}"""', *([""] if lines else []), *lines]) + "\n"


def _told(field: Field) -> str:
    text = " ".join(field.source.split())
    return f": {text} of the original" if text and len(text) < 60 else ""


def _kind(field: Field) -> str:
    return f"{field.shape} {NARROW.get(field.dtype, field.dtype)}"


def _env(interface: Interface) -> str:
    spaces = ", ".join(sorted({type(s).__name__ for s in (interface.action_space, interface.observation_space)}))
    numpy = "import jax\nimport numpy as np\n" if "np." in _both(interface) else "import jax\n"
    phases = _PHASES_METHOD if interface.phases else ""
    return f'''"""{interface.title} as a reinforcement-learning environment. The rules are in rules.py."""

from dataclasses import dataclass

{numpy}
from envwright.core import {spaces}, Env, Space, Step
from {interface.package} import rules
from {interface.package}.state import Params, StartChance, State, StepChance


@dataclass(frozen=True)
class {interface.title}(Env[State, Params]):
    """{interface.title}."""

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return {space_text(interface.observation_space)}

    def action_space(self, params: Params) -> Space:
        del params
        return {space_text(interface.action_space)}

    def draw_start(self, key: jax.Array, params: Params) -> StartChance:
        del params
        return rules.draw_start(key)

    def start(self, chance: StartChance, params: Params) -> tuple[jax.Array, State]:
        del params
        return rules.start(chance)

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> StepChance:
        del params
        return rules.draw(key, state, action)

    def apply(self, state: State, action: jax.Array, chance: StepChance, params: Params) -> Step:
        del params
        return rules.apply(state, action, chance)
{phases}'''


_PHASES_METHOD = """
    def phases(
        self, state: State, action: jax.Array, chance: StepChance, params: Params
    ) -> dict[str, dict[str, jax.Array]]:
        del params
        return rules.phases(state, action, chance)
"""


def _both(interface: Interface) -> str:
    return space_text(interface.observation_space) + space_text(interface.action_space)


def space_text(space: Space) -> str:
    """A space as Python writes it."""
    if isinstance(space, Discrete):
        return f"Discrete({space.n})"
    low, high = (_bound(b) for b in (space.low, space.high))
    dtype = "" if space.dtype == np.float32 else f", np.dtype(np.{space.dtype.name})"
    return f"Box({low}, {high}, {space.shape}{dtype})"


def _bound(bound: float | tuple[float, ...]) -> str:
    if isinstance(bound, tuple):
        return "(" + ", ".join(_bound(b) for b in bound) + ("," if len(bound) == 1 else "") + ")"
    if np.isinf(bound):
        return "np.inf" if bound > 0 else "-np.inf"
    return repr(float(bound)) if float(bound) != int(bound) else repr(int(bound))


def _stub(interface: Interface, module: str) -> str:
    """What stands in a module's file until somebody writes it."""
    names = [s.name.rpartition(".")[2] for s in interface.functions if s.module == module]
    names += (
        ["draw_start", "start", "draw", "apply", *(["phases"] if interface.phases else [])] if module == LAST else []
    )
    functions = [
        f"def {name}(*arguments: object) -> Any:\n"
        f'    """Not written yet."""\n    del arguments\n    raise NotImplementedError("{module}.{name}")\n'
        for name in names
    ]
    return "\n\n".join([f'"""{module}: not written yet."""\n\nfrom typing import Any\n', *functions])
