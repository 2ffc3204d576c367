"""The recorded creation of a small game, as material for tests: its documents, and what was answered to each task."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from envwright.agents import protocol
from envwright.agents.protocol import AgentOutcome, Money, Readiness, Task

ROOT = Path(__file__).parent.parent.parent
RECORDED = ROOT / "examples" / "recorded" / "night_ferry"
DOCUMENTS = [ROOT / "examples" / "night_ferry" / name for name in ("rules.md", "crates.csv")]
_ANSWERS = json.loads((RECORDED / "recording.json").read_text())["answers"]
SPEC = _ANSWERS["write-specification"]["files"]["specification.toml"]
GAME = _ANSWERS["write-reference"]["files"]["night_ferry.py"]
TESTS = _ANSWERS["write-tests"]["files"]["test_rules.py"]
FILES = {"specification": "specification.toml", "reference": "night_ferry.py", "tests": "test_rules.py"}
RIGHT = {"write-specification": SPEC, "write-reference": GAME, "write-tests": TESTS}


def changed(text: str, old: str, new: str) -> str:
    """A text with one place changed, which has to be there."""
    assert text.count(old) == 1, (text.count(old), old)
    return text.replace(old, new)


@dataclass
class Author:
    """Answers each task with the text it was given for it, and remembers what was asked and what was in the folder."""

    answers: Mapping[str, str | Mapping[str, str]]  # a text is that of the first file; a task that is not there fails
    name: str = "author"
    costs: bool = False
    prompts: dict[str, str] = field(default_factory=dict)
    folders: dict[str, list[str]] = field(default_factory=dict)

    def readiness(self) -> Readiness:
        return Readiness(True, "scripted")

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        del grant, deadline
        self.prompts[task.name] = task.prompt
        self.folders[task.name] = sorted(path.name for path in workspace.iterdir())
        answer = self.answers.get(task.name)
        if answer is None:
            return AgentOutcome(protocol.FAILED, sentence="nobody is there; try again later")
        return AgentOutcome(protocol.DONE, {task.writes[0]: answer} if isinstance(answer, str) else answer)
