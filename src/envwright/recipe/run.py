"""A run under way: whom it asks, who judges, and the journal in which every answer stands.

An answer that is in the journal is not asked for again. So the loop (`loop.py`) is written as if nothing ever went
wrong, and a run that was killed is resumed by going through it from the start: what was paid for is read, not bought.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from envwright.agents import protocol
from envwright.agents.handoff import HandoffAgent
from envwright.agents.protocol import Agent, Money, Task
from envwright.core.errors import EnvwrightError
from envwright.recipe.events import Event, Judged, Settled
from envwright.recipe.journal import Journal
from envwright.recipe.judge import Court
from envwright.recipe.ledger import Ledger
from envwright.recipe.versions import Files, digest, write_files

ANSWERS = (protocol.DONE, protocol.REFUSED, protocol.TIMEOUT, protocol.SPENT)  # not: failed, waiting
PROMPT = "PROMPT.md"
SMALLEST_GRANT: Money = protocol.DOLLAR // 50  # below it no call is worth making


class AgentFailedError(EnvwrightError, RuntimeError):
    """An agent cannot be used; says why and what to do. The run can be resumed."""


class WaitingError(EnvwrightError):
    """A person has not answered yet; says where. The run can be resumed."""


@dataclass(eq=False)
class Run:
    """What the loop works with."""

    folder: Path
    journal: Journal
    ledger: Ledger
    court: Court
    agents: Sequence[Agent]  # the first is asked first; what one refuses goes to the next
    grant: Money  # the most that one call may cost
    patience: float = 1800.0  # seconds for one call
    say: Callable[[str], None] = lambda line: None

    def ask(self, task: Task, files: Files) -> Settled:
        """An agent's answer to a task, in a folder with these files: from the journal, or from the agent."""
        for agent in self.agents:
            answer = self._answered(task, agent) or self._call(agent, task, files)
            if answer.stop != protocol.REFUSED or agent is self.agents[-1]:
                return answer
            self.say(f"{agent.name} refuses {task.name}: {answer.sentence}")
        raise AssertionError("a run has at least one agent")

    def judge(self, stage: str, files: Files, modules: Sequence[str]) -> Judged:
        """The court's word on a version: from the journal, or from the court."""
        version = digest(files)
        for event in self.journal.events:
            if isinstance(event, Judged) and (event.stage, event.version) == (stage, version):
                return event
        judged = self.court.judge(stage, files, modules)
        self.journal.append(judged)
        self.say(_line(judged))
        return judged

    def note(self, event: Event) -> None:
        """Write an event down, unless it is there from before."""
        with self.journal.together():
            if event not in self.journal.events:
                self.journal.append(event)

    # ---- asking ----

    def ask_person(self, task: Task, files: Files, why: str) -> Settled:
        """The answer of a person, who edits the files of a task where they are, and resumes the run."""
        person = HandoffAgent("person", wait=False)
        try:
            return self._answered(task, person) or self._call(person, task, files)
        except WaitingError as waiting:
            raise WaitingError(f"{why}. {waiting}") from None

    def _answered(self, task: Task, agent: Agent) -> Settled | None:
        return next((e for e in self._calls(task, agent) if e.stop in ANSWERS), None)

    def _calls(self, task: Task, agent: Agent) -> list[Settled]:
        """All calls for a task so far, of this run and those that were killed before."""
        events = self.journal.events
        return [e for e in events if isinstance(e, Settled) and e.call.startswith(f"{task.name}.{agent.name}.")]

    def _call(self, agent: Agent, task: Task, files: Files) -> Settled:
        """Put money aside, ask, settle."""
        calls = self._calls(task, agent)
        call = f"{task.name}.{agent.name}.{len(calls) + 1}"
        grant = min(self.grant, max(self.ledger.balance.left, SMALLEST_GRANT)) if agent.costs else 0
        self.ledger.reserve(call, task.name, agent.name, grant)
        self.say(f"{task.name}: {agent.name} ({self.ledger.balance.text()})")
        workspace = self.folder / "work" / task.name
        if not calls or calls[-1].stop != protocol.WAITING:  # else a person is at work there
            write_files(workspace, {**files, PROMPT: task.prompt})
        began = time.monotonic()
        outcome = agent.run(task, workspace, grant, began + self.patience)
        settled = self.ledger.settle(call, task.name, outcome, time.monotonic() - began)
        if outcome.transcript:
            _keep(self.folder / "transcripts" / f"{call}.txt", outcome.transcript)
        if outcome.stop == protocol.FAILED:
            raise AgentFailedError(f"{agent.name} failed at {task.name}: {outcome.sentence}")
        if outcome.stop == protocol.WAITING:
            raise WaitingError(outcome.sentence)
        return settled


def _line(judged: Judged) -> str:
    if judged.passed:
        asked = sum(c["status"] == "pass" for c in judged.checks)
        return f"{judged.stage}: ok, {asked} questions ({judged.seconds:.1f} s)"
    first = judged.counterexample.splitlines()[0]
    return f"{judged.stage}: {first}; {judged.blamed} is to blame ({judged.seconds:.1f} s)"


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
