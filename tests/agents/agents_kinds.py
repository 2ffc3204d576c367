"""Every kind of agent, made to do the same things: write, write nothing, write elsewhere, break, hang."""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents_server import Reply, Server, Step, serve

from envwright.agents.find import find_agent
from envwright.agents.protocol import DOLLAR, AgentOutcome, Money, Task

WRITTEN = "def step(state):\n    return state\n"
GRANT = DOLLAR // 2
PRICE = {"input": 3, "cached": 0.3, "cache_write": 3.75, "output": 15}

PROGRAMS = ("claude", "gemini", "codex")
MODELS = {
    "anthropic": "anthropic:claude-sonnet-5-5",
    "openai": "openai:gpt-5.2",
    "chat": "openai:qwen3-coder",
    "google": "google:gemini-2.5-flash",
}
KINDS = (*PROGRAMS, "command", *MODELS, "handoff")

Act = Callable[[str, Path, Task, Money, float], AgentOutcome]

WRITE = Reply("I write.", (("write_file", {"path": "rules.py", "content": WRITTEN}),))
STRAY = Reply("", (("write_file", {"path": "given.py", "content": "changed"}),))
SCRIPTS: dict[str, list[Step]] = {
    "succeed": [WRITE, Reply("I wrote rules.py.")],
    "nothing": [Reply("There is nothing to do.")],
    "outside": [STRAY, WRITE, Reply("I wrote rules.py.")],
    "exit": [400],
    "key": [401],
    "prose": ["html"] * 5,
    "truncated": ["truncated"] * 5,
    "hang": ["silence"],
}


def act(
    kind: str, what: str, workspace: Path, task: Task, grant: Money = GRANT, seconds: float = 300.0
) -> AgentOutcome:
    """Let an agent of a kind do something."""
    if kind in PROGRAMS:
        options = (
            {"model": "gpt-5.2", "price": PRICE} if kind == "codex" else {"price": PRICE} if kind == "gemini" else {}
        )
        return run(kind, options, what, workspace, task, grant, seconds)
    if kind == "command":
        fake = str(Path(__file__).parent / "fakes" / "command.py")
        options = {"argv": [sys.executable, "-S", "-E", fake, "{prompt_file}"], "charge": 0.05}
        return run(kind, options, what, workspace, task, grant, seconds)
    if kind == "handoff":
        return by_hand(what, workspace, task, seconds)
    with serve(SCRIPTS[what]) as server:
        return ask(kind, server, workspace, task, grant, seconds)


def ask(
    kind: str, server: Server, workspace: Path, task: Task, grant: Money = GRANT, seconds: float = 300.0, **more: Any
) -> AgentOutcome:
    """Let a model behind an API do something."""
    options = {"model": MODELS[kind], "price": PRICE, "key": "OPENAI_API_KEY"}
    if kind != "openai":  # without a base_url it is spoken to as OpenAI itself is
        options["base_url"] = f"{server.address}/v1" if kind == "chat" else server.address
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        agent = find_agent("api", options | more)
        return agent.run(task, workspace, grant, time.monotonic() + seconds)


def run(
    name: str, options: dict[str, Any], what: str, workspace: Path, task: Task, grant: Money, seconds: float
) -> AgentOutcome:
    asked = replace(task, prompt=f"{task.prompt} [fake: {what}]")
    return find_agent(name, options).run(asked, workspace, grant, time.monotonic() + seconds)


def by_hand(what: str, workspace: Path, task: Task, seconds: float) -> AgentOutcome:
    """Be the person."""
    agent = find_agent("handoff", {"wait": what == "hang"})
    first = agent.run(task, workspace, 0, time.monotonic() + seconds)
    if what == "hang":
        return first
    if what in ("succeed", "outside"):
        (workspace / "rules.py").write_text(WRITTEN)
    if what == "outside":
        (workspace / "given.py").write_text("changed")
    (workspace / ("REFUSED" if what in ("exit", "key") else "DONE")).write_text("I have no time.")
    return agent.run(task, workspace, 0, time.monotonic() + seconds)
