"""A project: a folder that says what is to be translated, to what, by whom and for how much. All of it can be edited.

envwright.toml    this file's table
contract.toml     what must be equal
plan.toml         the modules, in order
prompts/          templates that go before ours, if there are any
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from envwright.agents.protocol import DOLLAR, Money
from envwright.core.errors import EnvwrightError
from envwright.recipe.analyse.facts import Analysis
from envwright.recipe.analyse.modules import ModulePlan
from envwright.recipe.repair_loop import LoopRules
from envwright.recipe.targets import NAMES as TARGETS
from envwright.recipe.toml import commented, dumps
from envwright.sandbox.process import Limits
from envwright.verifier.contract import Contract, unknown_key
from envwright.verifier.session import Effort

VERSION = 1
FILE, CONTRACT, PLAN = "envwright.toml", "contract.toml", "plan.toml"


HEAD = [
    "What is to be translated, to what, by whom and for how much. See docs/translate.md for all keys.",
    "budget is in dollars, for the whole run; call, too, for one call of an agent.",
]


class ProjectError(EnvwrightError, ValueError):
    """A project cannot be read."""


@dataclass(frozen=True)
class Documents:
    """What the other files of a project say, and the source of its reference: read once, and handed on."""

    contract: Contract
    plan: ModulePlan
    analysis: Analysis


@dataclass(frozen=True)
class Project:
    """What `envwright.toml` says."""

    folder: Path
    name: str  # blackjack: of the package, fast_blackjack, and of the files
    title: str  # Blackjack: of the class
    reference: str
    target: str = "jax"
    agent: tuple[str, ...] = ("builtin",)  # names; what one refuses goes to the next
    budget: Money = 10 * DOLLAR
    call: Money = 1 * DOLLAR  # the most that one call may cost
    patience: float = 1800.0  # seconds for one call
    seed: int = 0
    sources: tuple[str, ...] = ()  # of an original that is not Python: its files, from this folder
    entries: tuple[str, ...] = ()  # and the functions in them that begin an episode and make a step
    rulebook: tuple[str, ...] = ()  # of an environment that is made from documents: these, from this folder
    notes: str = ""  # for every agent
    agents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # options of each, by name
    rules: LoopRules = field(default_factory=LoopRules)
    limits: Limits = field(default_factory=Limits)
    effort: Effort = field(default=Effort(steps=50_000))  # the 100 episodes of most games; 20 if each has 2,500 steps

    documents: Documents | None = field(default=None, compare=False, repr=False)  # if they have been read already

    @property
    def package(self) -> str:
        return f"fast_{self.name}"

    @property
    def templates(self) -> Path | None:
        own = self.folder / "prompts"
        return own if own.is_dir() else None


def load_project(folder: Path) -> Project:
    """The project in a folder."""
    path = folder / FILE
    try:
        table = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise ProjectError(f"{folder} is not a project, for it has no {FILE}; make one with: envwright init.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"{path} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise ProjectError(f"{path} is not valid TOML: {error}.") from None
    return read_project(table, folder)


def read_project(table: dict[str, Any], folder: Path) -> Project:
    """A project from the content of its file."""
    table = dict(table)
    if (version := table.pop("version", None)) != VERSION:
        raise ProjectError(f"{FILE} is of version {version}; this envwright reads version {VERSION}.")
    known = {f.name for f in fields(Project)} - {"folder", "documents"}
    _only(table, known, FILE)
    for key in ("name", "title", "reference"):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise ProjectError(f"{FILE}: {key} is missing.")
    if not table["name"].isidentifier() or not table["title"].isidentifier():
        raise ProjectError(f"{FILE}: name and title become a package and a class; use letters, digits and _ only.")
    if table.get("target", "jax") not in TARGETS:
        raise ProjectError(f"{FILE}: there is no target {table['target']}; there are {' and '.join(TARGETS)}.")
    given: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}
    given["agent"] = agent_names(given.get("agent", "builtin"))
    for key in ("budget", "call"):
        if key in given:
            given[key] = money(given[key], f"{FILE}: {key}")
    for key, kind in (("rules", LoopRules), ("limits", Limits), ("effort", Effort)):
        if key in given:
            _only(given[key], {f.name for f in fields(kind)}, f"{FILE}, [{key}]")
            given[key] = kind(**given[key])
    return Project(folder=folder, **given)


def agent_names(text: Any) -> tuple[str, ...]:
    """`builtin,claude` as names."""
    names = tuple(name.strip() for name in text.split(",")) if isinstance(text, str) else ()
    if not names or not all(names):
        raise ProjectError(f"An agent is a name, or several with commas, but is {text!r}; see: envwright agents.")
    return names


def money(value: Any, where: str) -> Money:
    """Dollars as a person writes them, counted exactly."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1_000_000:
        raise ProjectError(f"{where} is an amount of dollars, but is {value}.")
    return round(value * DOLLAR)


def project_text(project: Project) -> str:
    """A new project's file."""
    table = {
        "version": VERSION,
        "name": project.name,
        "title": project.title,
        "reference": project.reference,
        "target": project.target,
        "agent": ",".join(project.agent),
        "budget": project.budget / DOLLAR,
        "call": project.call / DOLLAR,
    }
    if project.sources:
        table |= {"sources": project.sources, "entries": project.entries}
    if project.rulebook:
        table |= {"rulebook": project.rulebook}
    if project.notes:
        table["notes"] = project.notes
    return commented(HEAD) + dumps(table)


def _only(table: Any, known: set[str], where: str) -> None:
    if not isinstance(table, dict):
        raise ProjectError(f"{where} is a table; write [{where}].")
    if problem := unknown_key(table, known):
        raise ProjectError(f"{where}: {problem}")
