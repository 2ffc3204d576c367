"""A `gemini` that prints what Gemini CLI prints with --output-format json."""

import json
import os
import sys

from behaviour import misbehave, say  # pyright: ignore[reportMissingImports]

if sys.argv[1:] == ["--version"]:
    print("0.61.0")
    sys.exit(0)

arguments = dict(zip(sys.argv, sys.argv[1:], strict=False))
assert arguments["--output-format"] == "json"
assert arguments["--approval-mode"] in ("auto_edit", "yolo")
if os.environ.get("GEMINI_CLI_TRUST_WORKSPACE") != "true":
    print("Gemini CLI is not running in a trusted directory.", file=sys.stderr)
    sys.exit(55)
what = misbehave(sys.stdin.read())
stats = {
    "models": {
        "gemini-2.5-flash": {
            "api": {"totalRequests": 3, "totalErrors": 0, "totalLatencyMs": 9122},
            "tokens": {
                "input": 4000,
                "prompt": 12000,
                "candidates": 900,
                "total": 13054,
                "cached": 8000,
                "thoughts": 154,
                "tool": 0,
            },
        }
    },
    "tools": {"totalCalls": 2, "totalSuccess": 2, "totalFail": 0, "totalDurationMs": 21, "byName": {}},
    "files": {"totalLinesAdded": 2, "totalLinesRemoved": 0},
}
if what in ("error", "key"):
    why = "the tool broke" if what == "error" else "API key not valid. Please pass a valid API key."
    error = {"session_id": "5c0a", "error": {"type": "Error", "message": why, "code": 1}}
    print("Loaded cached credentials.", json.dumps(error, indent=2), sep="\n", file=sys.stderr)  # not where reports go
    sys.exit(1)
say(json.dumps({"session_id": "5c0a", "response": "I wrote rules.py.", "stats": stats}, indent=2), what)
