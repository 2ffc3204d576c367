"""What agents are told: the tasks of a run, each from one template and what is known of the module."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from envwright.agents.protocol import Task
from envwright.recipe import prompting
from envwright.recipe.events import Judged, Settled
from envwright.recipe.targets import TranslationTarget
from envwright.recipe.versions import Files
from envwright.verifier.interface import Interface

FREE = "What is in this module and how it is called is for you to decide; the modules after it are shown this file."


@dataclass(frozen=True)
class ModuleBrief:
    """A module as an agent is told of it."""

    name: str
    source: str  # of the original, word for word, with file names and line numbers
    lines: int
    needs: tuple[str, ...] = ()
    purpose: str = ""


@dataclass(frozen=True)
class Briefing:
    """All that prompts are made of."""

    reference: str
    interface: Interface
    target: TranslationTarget
    pieces: Sequence[ModuleBrief]  # in the order of translation
    language: str = "python"  # of the original
    notes: str = ""  # what the user wants every agent to know
    templates: Path | None = None  # the project's own
    exact: bool = True  # whether every bit counts
    scaffold: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(piece.name for piece in self.pieces)

    def needs(self, name: str) -> tuple[str, ...]:
        return self._piece(name).needs

    def has_functions(self, name: str) -> bool:
        """Whether a module can be judged alone."""
        return any(signature.module == name for signature in self.interface.functions)

    def translate(self, name: str, files: Files) -> Task:
        """Write a module."""
        piece = self._piece(name)
        slots = self._slots(piece, files) | {
            "lines": str(piece.lines),
            "purpose": piece.purpose,
            "tests": self.tests(name),
            "notes": self.notes,
        }
        return self._task(f"translate-{name}", prompting.TRANSLATE, name, slots)

    def repair(self, name: str, number: int, files: Files, judged: Judged, failed: Sequence[str]) -> Task:
        """Put a module right, given one smallest input that shows what is wrong."""
        history = ""
        if failed:
            history = "Repairs that did not help:\n\n" + "\n".join(f"- {why}" for why in failed)
        slots = self._slots(self._piece(name), files) | {
            "counterexample": judged.counterexample,
            "current": files[self.target.written(self.interface, name)],
            "history": history,
            "notes": self.notes,
        }
        return self._task(f"repair-{name}-{number}", prompting.REPAIR, name, slots)

    def rest(self, task: Task, refusal: Settled) -> Task:
        """A task as the next agent is told of it: with what is there already, and what is missing and why."""
        if not refusal.files:
            return task
        slots = {
            "files": ", ".join(f"`{path}`" for path in sorted(refusal.files)),
            "missing": "\n".join(f"- {line}" for line in refusal.sentence.splitlines()),
        }
        told = prompting.fill(prompting.template(prompting.REST, self.templates), slots)
        return replace(task, prompt=f"{task.prompt}\n{told}")

    def tests(self, name: str) -> str:
        """The file for the tests that an agent writes."""
        return f"tests/test_{name}.py"

    def _task(self, title: str, template: str, name: str, slots: Mapping[str, str]) -> Task:
        text = prompting.fill(prompting.template(template, self.templates), slots)
        return Task(title, text, (self.target.written(self.interface, name), self.tests(name)))

    def _slots(self, piece: ModuleBrief, files: Files) -> dict[str, str]:
        language = prompting.template(f"from-{self.language}", self.templates).strip()
        rules = prompting.template(f"constraints-{self.target.NAME}", self.templates)
        constraints = prompting.fill(rules, {"language": language})
        return {
            "module": piece.name,
            "reference": self.reference,
            "target": {"jax": "JAX", "rust": "Rust"}.get(self.target.NAME, self.target.NAME),
            "writes": f"`{self.target.written(self.interface, piece.name)}`",
            "constraints": constraints.strip(),
            "signatures": self._signatures(piece.name),
            "given": self._given(piece, files),
            "source": f"```\n{piece.source.strip()}\n```",
        }

    def _signatures(self, name: str) -> str:
        """The functions that a module must have."""
        known = self.target.signatures(self.interface, name).strip()
        if not known:
            return FREE
        return f"These functions must be there, with these names and arguments:\n\n```\n{known}\n```"

    def _given(self, piece: ModuleBrief, files: Files) -> str:
        """The files that an agent writes against: the state, and the modules that this one may call."""
        shown = [*self.target.shown(self.interface), *(self.target.written(self.interface, n) for n in piece.needs)]
        parts = [f"`{path}`, which is given:\n\n```\n{files[path].strip()}\n```" for path in shown if path in files]
        return "\n\n".join([*parts, *self._told()])

    def _told(self) -> list[str]:
        """What the expressions beside the fields mean, and what the original was made with."""
        told = [
            "`pad(x, n)` is the list x in an array with n places, 0 in those that are not in use; `draws('f')` are the "
            "values that the function f of the original drew in this reset or step, in order, `draws('f', 0)` one, and "
            "`draws('f:87')` those drawn in line 87. "
            "Where the original drew less, the verifier fills the rest with 0: do not depend on it. Random draws that "
            "only the drawing of a screen needs are left out."
        ]
        if not self.exact:
            told.append("Real numbers are compared up to the rounding of float32.")
        constants = [f"{name} = {text}" for name, text in self.interface.constants]
        if constants:
            told.append(
                "What the original was made with, and its attributes that never change; other arguments of its "
                "constructor have their defaults:\n\n```\n" + "\n".join(constants) + "\n```"
            )
        return told

    def _piece(self, name: str) -> ModuleBrief:
        return next(piece for piece in self.pieces if piece.name == name)
