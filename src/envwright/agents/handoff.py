"""A person, or a tool of theirs: the task is put into the workspace, and a file there says that it is done."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from envwright.agents.protocol import DONE, REFUSED, WAITING, AgentOutcome, Money, Readiness, Task
from envwright.agents.workspace import Snapshot, collect, look, put

PROMPT_FILE = "PROMPT.md"
DONE_FILE = "DONE"
REFUSED_FILE = "REFUSED"
MEMORY = ".handoff.json"  # what was there before, for the call that comes when it is done
OURS = (PROMPT_FILE, DONE_FILE, REFUSED_FILE, MEMORY)

_TICK = 0.5  # seconds between two looks


@dataclass(frozen=True)
class HandoffAgent:
    """Someone outside who writes the files."""

    name: str = "handoff"
    wait: bool = True  # until the deadline; if not, the answer is taken by a later call

    @property
    def costs(self) -> bool:
        return False

    def readiness(self) -> Readiness:
        return Readiness(True, "waits for you" if self.wait else "leaves the task for you")

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        before = _remember(task, workspace)
        while not (answer := _answer(workspace)):
            left = deadline - time.monotonic()
            if not self.wait or left <= 0:
                said = f"{task.name} is waiting for you: do what {workspace / PROMPT_FILE} says."
                return AgentOutcome(WAITING, sentence=said)
            time.sleep(min(_TICK, left))
        files, strays = collect(workspace, task, before)
        return AgentOutcome(
            DONE if answer == DONE_FILE else REFUSED,
            files,
            tuple(stray for stray in strays if stray not in OURS),
            sentence=_said(workspace / answer),
        )


def make_handoff(name: str = "handoff", wait: bool = True) -> HandoffAgent:
    """A person as an agent."""
    return HandoffAgent(name, wait)


def _remember(task: Task, workspace: Path) -> Snapshot:
    """What was there before the task was handed over, which it is now, unless it was before."""
    memory = workspace / MEMORY
    try:
        known = json.loads(memory.read_text(encoding="utf-8"))
        if known["task"] == task.name:  # whoever is at work goes on, even if it is asked in other words now
            return {str(name): str(mark) for name, mark in known["before"].items()}
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # somebody wrote into it
        if _answer(workspace):
            return {name: mark for name, mark in look(workspace).items() if name not in task.writes}
    for stale in (DONE_FILE, REFUSED_FILE):  # the answer to another task
        (workspace / stale).unlink(missing_ok=True)
    before = {name: mark for name, mark in look(workspace).items() if name not in OURS}
    put(workspace, [(PROMPT_FILE, _prompt(task))])
    put(workspace, [(MEMORY, json.dumps({"task": task.name, "prompt": task.prompt, "before": before}))])
    return before


def _answer(workspace: Path) -> str:
    return next((name for name in (DONE_FILE, REFUSED_FILE) if (workspace / name).is_file()), "")


def _said(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").strip()[:1000]


def _prompt(task: Task) -> str:
    files = "\n".join(f"- `{name}`" for name in task.writes)
    return f"""{task.prompt.rstrip()}

---

Write these files, in this folder; no other file is taken over:

{files}

When you are finished, make an empty file `{DONE_FILE}` in this folder. If it cannot be done, write the reason into
`{REFUSED_FILE}` instead.
"""
