"""A `claude` that prints what Claude Code prints with -p --output-format json."""

import json
import sys

from behaviour import misbehave, say  # pyright: ignore[reportMissingImports]

if sys.argv[1:] == ["--version"]:
    print("2.1.325 (Claude Code)")
    sys.exit(0)

arguments = dict(zip(sys.argv, sys.argv[1:], strict=False))
assert "-p" in sys.argv
assert arguments["--output-format"] == "json"
assert float(arguments.get("--max-budget-usd", 1)) > 0
what = misbehave(sys.stdin.read())
result = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "duration_ms": 5123,
    "duration_api_ms": 4100,
    "num_turns": 3,
    "result": "I wrote rules.py.",
    "stop_reason": "end_turn",
    "session_id": "0d6e2ac3-5a3f-4f0c-9d2a-6f6f6a9c1f10",
    "total_cost_usd": 0.0123451,
    "usage": {
        "input_tokens": 12,
        "cache_creation_input_tokens": 3000,
        "cache_read_input_tokens": 9000,
        "output_tokens": 800,
        "server_tool_use": {"web_search_requests": 0},
        "service_tier": "standard",
    },
    "modelUsage": {
        "claude-sonnet-5-5": {
            "inputTokens": 12,
            "outputTokens": 800,
            "cacheReadInputTokens": 9000,
            "cacheCreationInputTokens": 3000,
            "webSearchRequests": 0,
            "costUSD": 0.0123451,
            "contextWindow": 200000,
        }
    },
    "permission_denials": [],
    "uuid": "5b1b2c4e-7a1e-4a57-8a4d-c1f1f63e0d5a",
}
if what == "error":
    result |= {"subtype": "error_during_execution", "is_error": True, "errors": ["the tool broke"]}
    del result["result"]
if what == "budget":
    result |= {"subtype": "error_max_budget_usd", "is_error": True, "errors": ["Reached maximum budget"]}
if what == "key":
    result |= {"is_error": True, "result": "Invalid API key · Please run /login", "total_cost_usd": 0, "modelUsage": {}}
say(json.dumps(result), what)
sys.exit(1 if result["is_error"] else 0)
