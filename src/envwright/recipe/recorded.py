"""Recordings: a whole run that can be played again, without the agent, and without a line of the original.

    envwright.toml, contract.toml, plan.toml     the project
    recording.json                               what was answered to every task, in files, and hashes of what was asked

Prompts hold the original word for word, so they are not kept: they are made again from the installed original, which
must have the hash it had. Answers are found by the name of their task, so that a recording outlives changes of the
templates and of the verifier; if the prompt is no longer the same, the transcript says so.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.agents import protocol
from envwright.agents.protocol import AgentOutcome, Money, Readiness, Task, Usage
from envwright.core.errors import EnvwrightError
from envwright.recipe.events import Began, Event, Settled

VERSION = 1
FILE = "recording.json"
RECORDED = "recorded"
SHORT = 30  # characters of a line


class RecordingError(EnvwrightError, ValueError):
    """A recording cannot be played."""


def make_recording(events: list[Event], prompts: Mapping[str, str]) -> dict[str, Any]:
    """A recording of a run: the answers in its journal, by task. `prompts` are the tasks as they were asked."""
    begun = [e for e in events if isinstance(e, Began)]
    began = begun[-1]  # of a creation there is one before, with the hash of its documents
    answers: dict[str, Any] = {}
    for event in events:
        if isinstance(event, Settled) and event.stop not in (protocol.FAILED, protocol.WAITING):
            before = answers.get(event.task, {"files": {}})  # of one who refused
            answers[event.task] = {
                "stop": event.stop,
                "files": {**before["files"], **event.files},
                "sentence": event.sentence,
                "usage": list(event.usage),
                "model": event.model,
                "prompt_sha256": _hash(prompts[event.task]) if event.task in prompts else "",
            }
    return {
        "version": VERSION,
        "source_sha256": began.hashes["source"],
        **({"rulebook_sha256": begun[0].hashes["rulebook"]} if "rulebook" in begun[0].hashes else {}),
        "seed": began.seed,
        "secret": began.secret,
        "answers": answers,
    }


def copied_lines(content: Mapping[str, Any], original: Iterable[str]) -> list[str]:
    """Lines of the original that stand in the answers; those too short to be anybody's are passed over."""
    answered = {
        line.strip() for a in content["answers"].values() for text in a["files"].values() for line in text.splitlines()
    }
    return sorted({line.strip() for line in original if len(line.strip()) > SHORT} & answered)


def load_recording(folder: Path) -> dict[str, Any]:
    """The recording in a project's folder."""
    path = folder / FILE
    try:
        content = json.loads(path.read_text())
    except FileNotFoundError:
        raise RecordingError(f"{folder} holds no recording, for it has no {FILE}.") from None
    except (OSError, ValueError):
        raise RecordingError(f"{path} cannot be read as a recording.") from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise RecordingError(f"{path} is not a recording that this version of envwright can play.")
    return content


@dataclass(frozen=True)
class RecordedAgent:
    """Answers as somebody did before."""

    content: Mapping[str, Any]
    name: str = RECORDED
    price: Money = 0  # what a call costs, for trying out budgets

    @property
    def costs(self) -> bool:
        return self.price > 0

    def readiness(self) -> Readiness:
        return Readiness(True, f"{len(self.content['answers'])} answers")

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        del workspace, deadline
        answer = self.content["answers"].get(task.name)
        if answer is None:
            known = ", ".join(self.content["answers"])
            return AgentOutcome(
                protocol.FAILED,
                sentence=f"the recording has no answer to {task.name}; it has {known}. Record it again.",
            )
        if self.price > grant:
            return AgentOutcome(protocol.SPENT, sentence="the grant is smaller than the price")
        said = (
            "" if answer["prompt_sha256"] in ("", _hash(task.prompt)) else "Asked in other words than when recorded.\n"
        )
        files = {path: text for path, text in answer["files"].items() if path in task.writes}
        return AgentOutcome(
            answer["stop"], files, sentence=answer["sentence"], usage=Usage(*answer["usage"]), model=answer["model"],
            cost=self.price, cost_source=protocol.REPORTED if self.price else protocol.FREE,
            transcript=said + answer["sentence"],
        )  # fmt: skip


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
