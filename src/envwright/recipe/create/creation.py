"""From documents to a reference with tests: specification, reference, tests, and whether the last two agree.

    documents ─► specification ─┬─► reference ──┐
                                └─► tests ──────┴─► agreement ─► which rules are exercised
                      ▲ a complaint goes back to whoever wrote it; a disagreement to both ◄──┘

What was accepted is in the journal, so this is written as if no run were ever interrupted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envwright.agents import protocol
from envwright.core.errors import EnvwrightError
from envwright.recipe.create.artefacts import Artefacts, artefacts, take_edits, write_artefacts
from envwright.recipe.create.judging import AGREEMENT, REFERENCE, SPECIFICATION, TESTS, CreationJudge
from envwright.recipe.create.specification import Specification
from envwright.recipe.create.tags import function_sources
from envwright.recipe.create.tasks import ANSWER, CreationTasks
from envwright.recipe.events import Accepted, Judged, Kept, RulesCovered, Settled
from envwright.recipe.journaled_run import JournaledRun, TaskRefusedError
from envwright.recipe.versions import Files, digest

CORRECTIONS = 5  # of one artefact by agents; then a person is asked
ROUNDS = 5  # of questions who is wrong
SHOWN = 6  # failures that are told at once
STAGES = (SPECIFICATION, REFERENCE, TESTS)


class DisagreementError(EnvwrightError, RuntimeError):
    """Reference and tests read a rule in two ways; says which, and what to do. The run can be resumed."""


class StoppedError(EnvwrightError):
    """The run was asked to stop here, for somebody to look; says where to look and how to go on."""


@dataclass(eq=False)
class CreationLoop:
    """The stages, in order."""

    run: JournaledRun[CreationJudge]
    tasks: CreationTasks
    say: Callable[[str], None]
    until: str = ""  # the stage to stop after

    def create(self) -> tuple[Files, RulesCovered]:
        """The artefacts, and how far they exercise the rules."""
        for artefact in take_edits(self.run.folder, self.run.journal, self.run.verifier, self._paths):
            self.say(f"{artefact}: edited, and taken as it is")
        for artefact in STAGES:
            if artefact not in self.held.files:
                self._write(artefact)
            self._put()
            if artefact == self.until and artefact != TESTS:
                self._stop()
        self._agree()
        self._put()
        if self.until == TESTS:
            self._stop()
        return self.held.files, self._covered()

    @property
    def held(self) -> Artefacts:
        return artefacts(self.run.journal.events)

    # ---- one artefact ----

    def _write(self, artefact: str) -> None:
        """Ask for it, and have it corrected until there is nothing to complain about."""
        held = self.held
        spec = None if artefact == SPECIFICATION else self._spec(held.files)
        task, files = self.tasks.write(artefact, held.revision, spec, held.outdated.get(artefact, ""))
        first, path = task, self.tasks.file(artefact)
        text = self._asked(task, files).files.get(path, held.outdated.get(artefact, ""))
        number = 0
        while not (judged := self.run.judge(artefact, {**held.files, artefact: text}, (artefact,))).passed:
            complaint, number = judged.checks[0]["detail"], number + 1
            task, given = self.tasks.correct(artefact, number, first, text, complaint), {**files, path: text}
            if number <= CORRECTIONS:
                answer = self._asked(task, given)
            else:
                why = f"{CORRECTIONS} corrections of the {artefact} were not enough; the last complaint: {complaint}"
                answer = self.run.ask_person(task, given, why.rstrip("."))
            text = answer.files.get(path, text)
        self.run.note(Kept(task.name, artefact))
        self.run.journal.append(Accepted({artefact: text}))

    def _asked(self, task: protocol.Task, files: Files) -> Settled:
        answer = self.run.ask(task, files)
        if answer.stop == protocol.REFUSED:
            raise TaskRefusedError(
                f"{task.name} was refused: {answer.sentence.rstrip('.') or 'no reason was given'}. Ask another agent "
                f"with: envwright resume {self.run.folder} --agent NAME."
            )
        return answer

    # ---- reference and tests ----

    def _agree(self) -> None:
        """Until all tests pass on the reference, ask both who is wrong."""
        for round_ in range(1, ROUNDS + 2):
            files = self.held.files
            judged = self.run.judge(AGREEMENT, files, STAGES)
            if judged.passed:
                return
            spec, failures = self._spec(files), _failures(judged)
            # Rounds are numbered over the whole run, so that after an edit nobody gets an answer to another question.
            number = 1 + sum(isinstance(e, Accepted) for e in self.run.journal.events)
            if round_ > ROUNDS:
                raise DisagreementError(self._undecided(judged, f"after {ROUNDS} rounds"))
            found, said = {}, []
            for artefact, shown in ((REFERENCE, _with_sources(judged, files[TESTS])), (TESTS, failures)):
                task = self.tasks.question(artefact, number, spec, files[artefact], shown)
                path = self.tasks.file(artefact)
                answer = self._asked(task, {**self._workspace(artefact), path: files[artefact]})
                said.append(f"{artefact}: {' '.join(answer.files.get(ANSWER, answer.sentence).split())}")
                text = answer.files.get(path, files[artefact])
                if text == files[artefact]:
                    continue
                if complaint := self.run.verifier.complaint(artefact, {**files, artefact: text}):
                    said.append(f"(its new version is not taken: {complaint})")
                    continue
                found[artefact] = text
                self.run.note(Kept(task.name, artefact))
            if not found:
                raise DisagreementError(self._undecided(judged, "; ".join(said)))
            self.run.journal.append(Accepted(found))

    def _workspace(self, artefact: str) -> Files:
        """What is given to whoever looks after an artefact, beside it."""
        return self.tasks.write(artefact, 1, self._spec(self.held.files), "")[1]

    def _undecided(self, judged: Judged, why: str) -> str:
        failed = next(check for check in judged.checks if check["status"] == "fail")
        rules = ", ".join(failed.get("rules", ())) or "unknown"
        place = self.run.folder / "created"
        return (
            f"Reference and tests disagree in {failed['name']}, about rule {rules} ({why.rstrip('.')}). Say what the "
            f"rule means in {place / self.tasks.file(SPECIFICATION)}, or correct {self.tasks.file(REFERENCE)} or "
            f"{self.tasks.file(TESTS)} there, and go on with: envwright resume {self.run.folder}."
        )

    # ---- the rest ----

    def _covered(self) -> RulesCovered:
        files = self.held.files
        version = digest(files)
        for event in self.run.journal.events:
            if isinstance(event, RulesCovered) and event.version == version:
                return event
        covered = self.run.verifier.cover(files)
        self.run.journal.append(covered)
        return covered

    def _spec(self, files: Files) -> Specification:
        return self.run.verifier.specification(files)

    @property
    def _paths(self) -> dict[str, str]:
        return {artefact: self.tasks.file(artefact) for artefact in STAGES}

    def _put(self) -> None:
        write_artefacts(self.run.folder, self.held.files, self._paths)

    def _stop(self) -> None:
        place = self.run.folder / "created" / self.tasks.file(self.until)
        raise StoppedError(f"Stopped after the {self.until}. Look at {place}, and edit it if you like")


def _failures(judged: Judged) -> str:
    """The failures as the author of the tests is told of them."""
    failed = [check for check in judged.checks if check["status"] == "fail"]
    more = f"\n\nand {len(failed) - SHOWN} more." if len(failed) > SHOWN else ""
    return "\n\n".join(_failure(check) for check in failed[:SHOWN]) + more


def _failure(check: Mapping[str, Any]) -> str:
    about = f" (rules {', '.join(check['rules'])})" if check.get("rules") else ""
    return f"`{check['name']}`{about}:\n\n```\n{check['detail']}\n```"


def _with_sources(judged: Judged, tests: str) -> str:
    """As the author of the reference is told of them: with the tests that fail, but not the others."""
    sources = function_sources(tests)
    names: Sequence[str] = [c["name"].partition("[")[0] for c in judged.checks if c["status"] == "fail"][:SHOWN]
    shown = [f"```python\n{sources[name]}\n```" for name in dict.fromkeys(names) if name in sources]
    return "\n\n".join([_failures(judged), "The tests that fail:", *shown])
