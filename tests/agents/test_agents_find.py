"""Agents are found by name; mistakes in their options are named."""

import time
from pathlib import Path
from typing import Any

import pytest

from envwright.agents.find import AGENTS, AgentError, all_agents, find_agent
from envwright.agents.protocol import Task
from envwright.core.errors import EnvwrightError

LEAST: dict[str, dict[str, Any]] = {"command": {"argv": ["true"], "free": True}, "api": {"model": "openai:gpt-5.2"}}


@pytest.mark.parametrize("name", ["builtin", "claude", "gemini", "codex", "command", "api", "handoff"])
def test_every_agent_is_found(name: str) -> None:
    assert name in all_agents()
    assert find_agent(name, LEAST.get(name)).name == name


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("clade", {}, "There is no agent 'clade'; did you mean 'claude'?"),
        ("zzz", {}, "there are builtin, claude, gemini"),
        ("zzz", {}, "and one of your own states its kind in [agents.zzz]."),
        ("mine", {"kind": "comand"}, "There is no agent 'comand'; did you mean 'command'?"),
        ("mine", {"kind": 3}, "There is no agent '3'"),
        ("mine", {"kind": ["api"]}, "There is no agent"),
        ("claude", {"modle": "opus"}, "[agents.claude] has an option 'modle'; did you mean 'model'?"),
        ("handoff", {"model": "x"}, "[agents.handoff] has an option 'model'; there are wait."),
        ("claude", {"model": 5}, "[agents.claude] has model = 5; it has to be a text."),
        ("claude", {"model": " "}, "it has to be a text."),
        ("claude", {"free": "yes"}, "free = 'yes'; it has to be true or false."),
        ("gemini", {"price": 3}, "it has to be a table."),
        ("codex", {"environment": "HOME"}, "it has to be a list of texts."),
        ("command", {"charge": True}, "it has to be a number of dollars."),
        ("command", {"charge": -1.0}, "it has to be a number of dollars."),
        ("api", {"turns": 0}, "it has to be a whole number above zero."),
        ("api", {"turns": 2.5}, "it has to be a whole number above zero."),
    ],
)
def test_a_mistake_gets_one_sentence(name: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AgentError) as caught:
        find_agent(name, options)
    assert sentence in str(caught.value)
    assert isinstance(caught.value, EnvwrightError)


def test_one_of_your_own_has_its_own_name(tmp_path: Path) -> None:
    agent = find_agent("mine", {"kind": "command", "argv": ["true"], "free": True})
    assert agent.name == "mine"
    assert agent.run(Task("t", "", ("x",)), tmp_path, 0, time.monotonic() + 300).stop == "done"


def test_every_option_of_every_kind_can_be_checked() -> None:
    for name, kind in AGENTS.items():
        for option in kind.options:
            with pytest.raises(AgentError, match="it has to be"):
                find_agent(name, {option: object()})
