"""What agents are told in a creation: a task for each artefact, each with what its author may see and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from envwright.agents.protocol import Task
from envwright.recipe import prompting
from envwright.recipe.create.documents import SourceDocument
from envwright.recipe.create.judging import REFERENCE, SPECIFICATION, TESTS
from envwright.recipe.create.specification import Specification
from envwright.recipe.create.telling import told_specification
from envwright.recipe.create.trials import HELPER, given
from envwright.recipe.versions import Files

ANSWER = "ANSWER.md"
SHORT = 100_000  # characters of documents that are put into the prompt; longer ones are files in the folder


@dataclass(frozen=True)
class CreationTasks:
    """All that the prompts of a creation are made of."""

    documents: Sequence[SourceDocument]
    name: str
    title: str
    notes: str = ""
    templates: Path | None = None  # the project's own

    def file(self, artefact: str) -> str:
        """Where an artefact is, in a workspace and in the run's folder of artefacts."""
        return {SPECIFICATION: "specification.toml", REFERENCE: f"{self.name}.py", TESTS: "test_rules.py"}[artefact]

    def write(self, artefact: str, revision: int, spec: Specification | None, earlier: str) -> tuple[Task, Files]:
        """Write an artefact for the first time, or anew for a specification that was edited."""
        slots = {**self._slots(artefact, spec), "earlier": ""}
        if earlier:
            slots["earlier"] = (
                f"`{self.file(artefact)}` in your folder was written for an earlier version of the specification. Keep "
                "what is still right, and compare all of it with the rules as they are now."
            )
        files = {HELPER: given(HELPER)} if artefact == TESTS else {}
        if artefact == SPECIFICATION and self._is_long:
            files = {f"documents/{document.name}.txt": document.text() for document in self.documents}
        return self._task(f"write-{artefact}{_revised(revision)}", f"write-{artefact}", artefact, slots), {
            **files, **({self.file(artefact): earlier} if earlier else {}),
        }  # fmt: skip

    def correct(self, artefact: str, number: int, first: Task, current: str, complaint: str) -> Task:
        """Put an artefact right about which there is a complaint."""
        slots = {
            "file": self.file(artefact),
            "complaint": complaint,
            "current": current.strip() or "(nothing was written)",
            "task": first.prompt.strip(),
        }
        name = f"correct-{first.name.partition('-')[2]}-{number}"
        return self._task(name, "correct", artefact, slots)

    def question(self, artefact: str, round_: int, spec: Specification, current: str, failures: str) -> Task:
        """Who is wrong: the author of this artefact, or the other one?"""
        slots = {**self._slots(artefact, spec), "failures": failures, "current": current.strip()}
        task = self._task(f"question-{artefact}-{round_}", f"question-{artefact}", artefact, slots)
        return Task(task.name, task.prompt, (*task.writes, ANSWER))

    def _task(self, name: str, template: str, artefact: str, slots: Mapping[str, str]) -> Task:
        prompt = prompting.fill(prompting.template(template, self.templates), slots)
        return Task(name, prompt, (self.file(artefact),))

    def _slots(self, artefact: str, spec: Specification | None) -> dict[str, str]:
        slots = {"title": self.title, "class": self.title, "file": self.file(artefact), "notes": self.notes}
        if artefact == SPECIFICATION:
            return slots | {"documents": self._documents()}
        assert spec is not None, "all but the specification is written from it"
        slots |= {
            "title": spec.title,
            "specification": told_specification(spec).strip(),
            "actions": str(len(spec.actions)),
        }
        return slots | {"helper": given(HELPER).strip()} if artefact == TESTS else slots

    @property
    def _is_long(self) -> bool:
        return sum(len(document.text()) for document in self.documents) > SHORT

    def _documents(self) -> str:
        if self._is_long:
            names = "\n".join(f"- `documents/{d.name}.txt`, {len(d.lines):,} lines: {d.name}" for d in self.documents)
            return f"They are in your folder, every line with its number in front; read all of them:\n\n{names}"
        return "\n\n".join(
            f"### {d.name}\n\nEvery line has its number in front.\n\n```\n{d.text().rstrip()}\n```"
            for d in self.documents
        )


def _revised(revision: int) -> str:
    return "" if revision == 1 else f"-v{revision}"
