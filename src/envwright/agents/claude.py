"""Claude Code, which keeps a budget of its own and says what it cost."""

import json
import math
import sys
from decimal import Decimal, InvalidOperation
from typing import Any

from envwright.agents.headless import HeadlessAgent, Program, Report, count
from envwright.agents.process import Ended
from envwright.agents.protocol import DOLLAR, DONE, FAILED, REFUSED, SPENT, Money, Usage, first_line

# No shell, no web, and no helpers of its own: a budget that runs out within a helper is known to hang it.
TOOLS = "Read,Write,Edit,Glob,Grep"


def make_claude(name: str = "claude", **options: Any) -> HeadlessAgent:
    """Claude Code as an agent."""
    return HeadlessAgent(CLAUDE, name, **options)


def _arguments(model: str, grant: Money) -> list[str]:
    wanted = ["--model", model] if model else []
    budget = ["--max-budget-usd", f"{grant / DOLLAR:.6f}"] if grant else []  # what is free may come with no grant
    return [
        "-p",
        *("--output-format", "json"),
        *budget,
        *("--permission-mode", "acceptEdits"),
        *("--tools", TOOLS),
        "--strict-mcp-config",
        "--no-session-persistence",
        *wanted,
    ]


def _read(ended: Ended) -> Report | None:
    table = _result(ended.stdout)
    if table is None:
        return None
    subtype, said = str(table.get("subtype", "")), str(table.get("result") or "")
    models = table.get("modelUsage")
    used = {model: _usage(row) for model, row in models.items()} if isinstance(models, dict) else {}
    paid = _money(table.get("total_cost_usd"))
    if subtype == "error_max_budget_usd":
        return Report(SPENT, used, paid, "claude stopped because its budget was used up.")
    if table.get("stop_reason") == "refusal":
        return Report(REFUSED, used, paid, said)
    if subtype != "success" or table.get("is_error"):
        errors = table.get("errors")
        why = said or (str(errors[0]) if isinstance(errors, list) and errors else subtype or "no reason given")
        hint = f"; {CLAUDE.way_in}" if "/login" in why or "API key" in why else ""
        return Report(FAILED, used, paid, f"claude failed: {first_line(why)}{hint}.")
    return Report(DONE, used, paid, said)


def _result(text: str) -> dict[str, Any] | None:
    """The result, which is the last object printed; with --verbose set at home it is the last of a list."""
    for line in (text, *reversed(text.splitlines())):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        rows = value if isinstance(value, list) else [value]
        for row in reversed(rows):
            if isinstance(row, dict) and row.get("type") == "result":
                return row
    return None


def _usage(row: Any) -> Usage:
    row = row if isinstance(row, dict) else {}
    cached, written = count(row.get("cacheReadInputTokens")), count(row.get("cacheCreationInputTokens"))
    plain = count(row.get("inputTokens"))
    return Usage(plain + cached + written, cached, written, count(row.get("outputTokens")))


def _money(value: Any) -> Money | None:
    """Dollars as millionths, rounded up; what is not an amount of money is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return max(0, math.ceil(Decimal(str(value)) * DOLLAR))
    except (InvalidOperation, ValueError, OverflowError):
        return None


CLAUDE = Program(
    name="claude",
    install="npm install -g @anthropic-ai/claude-code",
    provider="anthropic",
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    variables=("ANTHROPIC_BASE_URL",),
    home=("CLAUDE_CONFIG_DIR", ".claude"),
    # macOS keeps the sign-in where it cannot be looked at; there, having been run before has to do
    sign_in=(".credentials.json", "../.claude.json") if sys.platform == "darwin" else (".credentials.json",),
    way_in="run claude once and sign in, or set ANTHROPIC_API_KEY",
    arguments=_arguments,
    read=_read,
    extra={"CLAUDE_CODE_MAX_RETRIES": "5"},  # of itself it tries for minutes, with a wrong key too
    reports_cost=True,
)
