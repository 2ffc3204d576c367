"""A `codex` that prints what `codex exec --json` prints."""

import json
import sys

from behaviour import misbehave, say  # pyright: ignore[reportMissingImports]

if sys.argv[1:] == ["--version"]:
    print("codex-cli 0.166.0")
    sys.exit(0)

assert sys.argv[1] == "exec"
assert {"--json", "--skip-git-repo-check", "-"} <= set(sys.argv)
why = "Reconnecting... 2/5 (unexpected status 503 Service Unavailable)"  # which it gets over
events = [
    {"type": "thread.started", "thread_id": "0199a213-81c0-7800-8aa1-bbab2a035a53"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "Model metadata not found."}},
    {"type": "turn.started"},
    {"type": "error", "message": why},
]
what = misbehave(sys.stdin.read())
if what in ("error", "key"):
    why = "the tool broke" if what == "error" else "unexpected status 401 Unauthorized"
    events += [{"type": "error", "message": why}, {"type": "turn.failed", "error": {"message": why}}]
else:
    usage = {
        "input_tokens": 12000,
        "cached_input_tokens": 8000,
        "cache_write_input_tokens": 0,
        "output_tokens": 1054,
        "reasoning_output_tokens": 154,
    }
    changes = [{"path": "rules.py", "kind": "add"}]
    events += [
        {"type": "item.completed", "item": {"id": "item_1", "type": "reasoning", "text": "**Writing**"}},
        {
            "type": "item.completed",
            "item": {"id": "item_2", "type": "file_change", "changes": changes, "status": "completed"},
        },
        {"type": "item.completed", "item": {"id": "item_3", "type": "agent_message", "text": "I wrote rules.py."}},
        {"type": "turn.completed", "usage": usage},
    ]
say("".join(json.dumps(event) + "\n" for event in events), what)
sys.exit(1 if what in ("error", "key") else 0)
