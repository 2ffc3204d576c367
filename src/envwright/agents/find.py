"""Agents by name, with the options a user wrote into the table [agents.NAME] of envwright.toml.

A name is one of `AGENTS`, or any other one if its table says of which kind it is:

    [agents.local]
    kind = "api"
    model = "openai:qwen3-coder"
    base_url = "http://localhost:11434/v1"
    free = true
"""

import difflib
import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from envwright.agents.protocol import Agent
from envwright.core.errors import EnvwrightError


class AgentError(EnvwrightError, ValueError):
    """There is no such agent, or not with these options."""


class AgentKind(NamedTuple):
    """A kind of agent."""

    maker: str  # "module:function", called with the name and the options
    options: tuple[str, ...]


_PROGRAM = ("model", "free", "price", "environment", "arguments")

AGENTS: dict[str, AgentKind] = {
    "builtin": AgentKind("envwright.recipe.builtin:make_builtin", ()),  # of another room: imported when asked for
    "claude": AgentKind("envwright.agents.claude:make_claude", ("model", "free", "environment", "arguments")),
    "gemini": AgentKind("envwright.agents.gemini:make_gemini", _PROGRAM),
    "codex": AgentKind("envwright.agents.codex:make_codex", _PROGRAM),
    "command": AgentKind("envwright.agents.command:make_command", ("argv", "charge", "free", "environment")),
    "api": AgentKind(
        "envwright.agents.api:make_api", ("model", "base_url", "key", "free", "price", "max_output", "turns")
    ),
    "handoff": AgentKind("envwright.agents.handoff:make_handoff", ("wait",)),
}

_TEXT = "a text"
_FLAG = "true or false"
_TEXTS = "a list of texts"
_COUNT = "a whole number above zero"
_OPTIONS = {
    "model": _TEXT,
    "base_url": _TEXT,
    "key": _TEXT,
    "free": _FLAG,
    "wait": _FLAG,
    "price": "a table",
    "environment": _TEXTS,
    "arguments": _TEXTS,
    "argv": _TEXTS,
    "charge": "a number of dollars",
    "max_output": _COUNT,
    "turns": _COUNT,
}
_FITS: dict[str, Callable[[Any], bool]] = {
    _TEXT: lambda value: isinstance(value, str) and bool(value.strip()),
    _FLAG: lambda value: isinstance(value, bool),
    "a table": lambda value: isinstance(value, Mapping),
    _TEXTS: lambda value: isinstance(value, list | tuple) and all(isinstance(word, str) for word in value),
    "a number of dollars": lambda value: type(value) in (int, float) and 0 <= value < float("inf"),
    _COUNT: lambda value: type(value) is int and value > 0,
}


def all_agents() -> tuple[str, ...]:
    """The names of all kinds of agents."""
    return tuple(AGENTS)


def find_agent(name: str, options: Mapping[str, Any] | None = None) -> Agent:
    """The agent of that name; nothing is started, and no key is looked for."""
    given = dict(options or {})
    chosen = given.pop("kind", name)
    if not isinstance(chosen, str) or chosen not in AGENTS:
        own = "" if "kind" in (options or {}) else f", and one of your own states its kind in [agents.{name}]"
        raise AgentError(f"There is no agent {str(chosen)!r}; {_near(str(chosen), AGENTS, own)}")
    kind = AGENTS[chosen]
    for option, value in given.items():
        if option not in kind.options:
            known = _near(option, kind.options) if kind.options else "this kind has none."
            raise AgentError(f"[agents.{name}] has an option {option!r}; {known}")
        if not _FITS[wanted := _OPTIONS[option]](value):
            raise AgentError(f"[agents.{name}] has {option} = {value!r}; it has to be {wanted}.")
    module, _, maker = kind.maker.partition(":")
    return getattr(importlib.import_module(module), maker)(name, **given)


def _near(name: str, known: Iterable[str], more: str = "") -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}{more}."
