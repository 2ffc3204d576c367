"""Gemini CLI, which counts tokens and knows no prices."""

import json
from typing import Any

from envwright.agents.headless import HeadlessAgent, Program, Report, count
from envwright.agents.process import Ended
from envwright.agents.protocol import DONE, FAILED, Money, Usage, first_line

TURN_LIMIT = 53  # its exit code


def make_gemini(name: str = "gemini", **options: Any) -> HeadlessAgent:
    """Gemini CLI as an agent."""
    return HeadlessAgent(GEMINI, name, **options)


def _arguments(model: str, grant: Money) -> list[str]:
    # auto_edit lets it write files; yolo would also let it run anything
    wanted = ["--model", model] if model else []
    return ["--output-format", "json", "--approval-mode", "auto_edit", *wanted]


def _read(ended: Ended) -> Report | None:
    table = _object(ended.stdout) or _object(ended.stderr)
    if table is None:
        return None
    stats = table.get("stats")
    models = stats.get("models") if isinstance(stats, dict) else None
    used = {model: _usage(row) for model, row in models.items()} if isinstance(models, dict) else {}
    if ended.code == TURN_LIMIT:
        return Report(FAILED, used, sentence="gemini reached its turn limit; raise model.maxSessionTurns.")
    error = table.get("error")
    if error:
        why = str(error.get("message", error)) if isinstance(error, dict) else str(error)
        hint = f"; {GEMINI.way_in}" if "auth" in why.lower() or "API key" in why else ""
        return Report(FAILED, used, sentence=f"gemini failed: {first_line(why)}{hint}.")
    if "response" not in table:
        return None
    return Report(DONE, used, sentence=str(table["response"] or ""))


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object at the end of a text; warnings may stand before it."""
    starts = [0] if text.startswith("{") else []
    starts += [at + 1 for at, character in enumerate(text) if character == "\n" and text[at + 1 : at + 2] == "{"]
    for start in starts:
        try:
            value = json.loads(text[start:])
        except ValueError:
            continue
        if isinstance(value, dict) and value.keys() & {"response", "stats", "error"}:
            return value
    return None


def _usage(row: Any) -> Usage:
    tokens = row.get("tokens") if isinstance(row, dict) else None
    api = row.get("api") if isinstance(row, dict) else None
    tokens, api = (table if isinstance(table, dict) else {} for table in (tokens, api))
    read = count(tokens.get("prompt")) + count(tokens.get("tool"))
    written = count(tokens.get("candidates")) + count(tokens.get("thoughts"))
    return Usage(read, count(tokens.get("cached")), 0, written, count(api.get("totalRequests")))


GEMINI = Program(
    name="gemini",
    install="npm install -g @google/gemini-cli",
    provider="google",
    keys=("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"),
    variables=(
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_GENAI_USE_GCA",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_GEMINI_BASE_URL",
    ),
    home=("", ".gemini"),
    sign_in=("oauth_creds.json",),
    way_in="set GEMINI_API_KEY, or run gemini once and sign in",
    arguments=_arguments,
    read=_read,
    extra={"GEMINI_CLI_TRUST_WORKSPACE": "true"},  # the folder is ours; without this it would not start in it
)
