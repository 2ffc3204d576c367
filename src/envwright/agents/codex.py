"""Codex, which counts tokens at the end of a turn and knows no prices."""

import json
from collections.abc import Iterator
from typing import Any

from envwright.agents.headless import HeadlessAgent, Program, Report, count
from envwright.agents.process import Ended
from envwright.agents.protocol import DONE, FAILED, Money, Usage, first_line


def make_codex(name: str = "codex", **options: Any) -> HeadlessAgent:
    """Codex as an agent."""
    return HeadlessAgent(CODEX, name, **options)


def _arguments(model: str, grant: Money) -> list[str]:
    wanted = ["--model", model] if model else []
    return [
        *("exec", "--json", "--ephemeral", "--ignore-user-config", "--skip-git-repo-check"),
        *("--sandbox", "workspace-write"),
        *wanted,
        "-",  # the prompt comes from standard input
    ]


def _read(ended: Ended) -> Report | None:
    used, said, failure, finished = Usage(), "", "", False
    for event in _events(ended.stdout):
        kind, item = event.get("type"), event.get("item")
        if kind == "turn.completed":
            used, finished = used + _usage(event.get("usage")), True
        elif kind in ("turn.failed", "error"):
            error = event.get("error")
            failure = str((error if isinstance(error, dict) else event).get("message") or "no reason given")
        elif kind == "item.completed" and isinstance(item, dict) and item.get("type") == "agent_message":
            said = str(item.get("text") or "")
    if finished:  # an error before that was got over
        return Report(DONE, {"": used}, sentence=said)
    if failure:
        hint = f"; {CODEX.way_in}" if "401" in failure or "auth" in failure.lower() else ""
        return Report(FAILED, {}, sentence=f"codex failed: {first_line(failure)}{hint}.")
    return None


def _events(text: str) -> Iterator[dict[str, Any]]:
    """The events, one a line; a line that was cut off is none."""
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _usage(row: Any) -> Usage:
    row = row if isinstance(row, dict) else {}
    return Usage(
        *(count(row.get(f"{kind}_tokens")) for kind in ("input", "cached_input", "cache_write_input", "output"))
    )


CODEX = Program(
    name="codex",
    install="npm install -g @openai/codex",
    provider="openai",
    keys=("CODEX_API_KEY",),
    variables=(),
    home=("CODEX_HOME", ".codex"),
    sign_in=("auth.json",),
    way_in="run codex login, or set CODEX_API_KEY",
    arguments=_arguments,
    read=_read,
    names_model=False,
)
