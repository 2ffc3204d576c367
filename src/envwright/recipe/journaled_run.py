"""A run under way: whom it asks, who judges, and the journal that has every answer.

An answer that is in the journal is not asked for again. So the loop (`repair_loop.py`) is written as if no run were
ever interrupted, and one that was killed is resumed by going through it from the start: what was paid for is read, not
bought.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from envwright.agents import protocol
from envwright.agents.handoff import HandoffAgent
from envwright.agents.protocol import Agent, Money, Task
from envwright.core.errors import EnvwrightError
from envwright.recipe.builtin import BuiltinAgent
from envwright.recipe.events import Event, Judged, Settled, is_of_creation, of_translation
from envwright.recipe.journal import Journal
from envwright.recipe.ledger import Ledger
from envwright.recipe.versions import Files, digest, write_files

ANSWERS = (protocol.DONE, protocol.REFUSED, protocol.TIMEOUT, protocol.SPENT)  # not: failed, waiting
PROMPT = "PROMPT.md"
PERSON = "person"  # who is asked when agents had their chances
SMALLEST_GRANT: Money = protocol.DOLLAR // 50  # below it no call is worth making


class Judge(Protocol):
    """Who judges: the verifier a translation, `create/judging.py` what is made from documents."""

    def judge(self, stage: str, files: Files, modules: Sequence[str], *, ahead: bool = False) -> Judged: ...


AnyJudge = TypeVar("AnyJudge", bound=Judge)

HandOn = Callable[[Task, Settled], Task]  # a task as it is put to the next agent, after somebody refused it


class AgentFailedError(EnvwrightError, RuntimeError):
    """An agent cannot be used; says why and what to do. The run can be resumed."""


class TaskRefusedError(EnvwrightError, RuntimeError):
    """Nobody is left who would do a task; says why and what to do. The run can be resumed with another agent."""


class WaitingError(EnvwrightError):
    """A person has not answered yet; says where. The run can be resumed."""


@dataclass(eq=False)
class JournaledRun(Generic[AnyJudge]):
    """What the loop works with."""

    folder: Path
    journal: Journal
    ledger: Ledger
    verifier: AnyJudge
    agents: Sequence[Agent]  # the first is asked first; what one refuses goes to the next
    grant: Money  # the most that one call may cost
    patience: float = 1800.0  # seconds for one call
    say: Callable[[str], None] = lambda line: None
    judging: dict[tuple[str, str], Future[Judged]] = field(default_factory=dict)  # ahead: by stage and version

    @property
    def events(self) -> tuple[Event, ...]:
        """What has happened to this translation; before it, there may have been another reference, or none yet."""
        return of_translation(self.journal.events)

    def ask(self, task: Task, files: Files, hand_on: HandOn = lambda task, refusal: task) -> Settled:
        """An agent's answer to a task, in a folder with these files: from the journal, or from the agent.

        What one refuses goes to the next, with what it wrote of it all the same; `hand_on` tells the next one of that.
        All of this follows from the journal, so a resumed run asks the same. An answer that was taken stays, whoever is
        asked now.
        """
        answer = self._answered(task)
        if answer is None:
            for refusal in self._refusals_of_others(task):
                task = hand_on(task, refusal)
        for agent in () if answer else self.agents:
            answer = self._refused(task, agent) or self._call(agent, task, {**files, **self._left(task)})
            if answer.stop != protocol.REFUSED or agent is self.agents[-1]:
                break
            self.say(f"{agent.name} refuses {task.name}: {_short(answer.sentence)}")
            task = hand_on(task, answer)
        assert answer is not None, "a run has at least one agent"
        return replace(answer, files={**self._left(task), **answer.files})

    def judge(self, stage: str, files: Files, modules: Sequence[str]) -> Judged:
        """The verifier's word on a version: from the journal, or from the verifier."""
        version = digest(files)
        for event in self._standing:
            if isinstance(event, Judged) and (event.stage, event.version) == (stage, version):
                return event
        judged = self._ahead(stage, version) or self.verifier.judge(stage, files, modules)
        self.journal.append(judged)
        self.say(_line(judged))
        return judged

    def judge_ahead(self, stage: str, files: Files, modules: Sequence[str]) -> None:
        """Begin to judge what will be asked next, if all goes well, beside what is judged now."""
        if any(isinstance(e, Judged) and e.stage == stage for e in self._standing):
            return
        pool = ThreadPoolExecutor(1)
        self.judging[stage, digest(files)] = pool.submit(self.verifier.judge, stage, files, modules, ahead=True)
        pool.shutdown(wait=False)

    def wait(self) -> None:
        """Until nothing is judged ahead any more: what is measured wants the machine alone."""
        wait(self.judging.values())

    def _ahead(self, stage: str, version: str) -> Judged | None:
        """What was judged ahead; if that went wrong in any way, it is judged again, and then told and kept."""
        future = self.judging.pop((stage, version), None)
        if future is None or future.exception() is not None:
            return None
        return future.result() if future.result().passed else None

    def note(self, event: Event) -> None:
        """Write an event down, unless it is there from before."""
        with self.journal.together():
            if event not in self._standing:
                self.journal.append(event)

    @property
    def _standing(self) -> list[Event]:
        """What still holds: all of a creation, and of translations the last one."""
        events = self.journal.events
        return [*(e for e in events if is_of_creation(e)), *of_translation(events)]

    # ---- asking ----

    def ask_person(self, task: Task, files: Files, why: str) -> Settled:
        """The answer of a person, who edits the files of a task where they are, and resumes the run."""
        person = HandoffAgent(PERSON, wait=False)
        try:
            return self._answered(task) or self._refused(task, person) or self._call(person, task, files)
        except WaitingError as waiting:
            raise WaitingError(f"{why}. {waiting}") from None

    @property
    def only_rules_are_left(self) -> bool:
        """Whether the last one to be asked follows rules, so that it is no use to ask again."""
        return isinstance(self.agents[-1], BuiltinAgent)

    def _answered(self, task: Task) -> Settled | None:
        """The answer that was taken, of whomever it was."""
        return next((e for e in self._calls(task) if e.stop in ANSWERS and e.stop != protocol.REFUSED), None)

    def _refused(self, task: Task, agent: Agent) -> Settled | None:
        return next((e for e in self._calls(task, agent) if e.stop == protocol.REFUSED), None)

    def _left(self, task: Task) -> dict[str, str]:
        """What those who refused a task wrote of it all the same, in order."""
        refusals = [e for e in self._calls(task) if e.stop == protocol.REFUSED]
        return {path: text for refusal in refusals for path, text in refusal.files.items()}

    def _refusals_of_others(self, task: Task) -> list[Settled]:
        """By agents who were asked before this run was resumed with other ones."""
        asked = {e.call for agent in self.agents for e in self._calls(task, agent)}
        return [e for e in self._calls(task) if e.stop == protocol.REFUSED and e.call not in asked]

    def _calls(self, task: Task, agent: Agent | None = None) -> list[Settled]:
        """All calls for a task so far, of this run and those that were killed before; of one agent, or of all."""
        whose = f"{task.name}." if agent is None else f"{task.name}.{agent.name}."
        settled = [e for e in self._standing if isinstance(e, Settled)]
        return [e for e in settled if e.task == task.name and e.call.startswith(whose)]

    def _call(self, agent: Agent, task: Task, files: Files) -> Settled:
        """Put money aside, ask, settle."""
        calls = self._calls(task, agent)
        call = f"{task.name}.{agent.name}.{len(calls) + 1}"
        earlier = sum(isinstance(e, Settled) and e.task == task.name for e in self.journal.events)
        if earlier > len(self._calls(task)):  # the same was asked about a reference that has changed since
            call = f"{task.name}.{agent.name}.{earlier + 1}"
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


def _short(sentence: str) -> str:
    """The first of several lines, and how many more there are."""
    first, *more = sentence.splitlines() or [""]
    return f"{first} (and {len(more)} more)" if more else first


def _line(judged: Judged) -> str:
    if judged.passed:
        asked = sum(c["status"] == "pass" for c in judged.checks)
        return f"{judged.stage}: ok, {asked} check{'s' * (asked != 1)} ({judged.seconds:.1f} s)"
    first = judged.counterexample.splitlines()[0]
    return f"{judged.stage}: {first}; {judged.blamed} is to blame ({judged.seconds:.1f} s)"


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
