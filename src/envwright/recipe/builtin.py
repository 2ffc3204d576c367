"""The builtin agent: translates Python to JAX by rule, free. What its rules do not cover, it refuses by line.

    envwright.compiler.translate ◄── in the reference's process, once a run
              │ files, refusals
              ▼
    run(translate-cards) ──► done, with the file; or refused, with what there is of it and a sentence for each gap

It is an agent like any other: the verifier judges what it wrote. It has no second answer, so it refuses all repairs.
"""

import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from envwright.agents.protocol import DONE, REFUSED, AgentOutcome, Money, Readiness, Task
from envwright.core.errors import EnvwrightError
from envwright.core.version import VERSION
from envwright.recipe.analyse.modules import ModulePlan
from envwright.references.protocol import Reference
from envwright.verifier.contract import Contract
from envwright.verifier.interface import Interface
from envwright.verifier.record import Beat

NAME = "builtin"
TARGET, LANGUAGE = "jax", "python"
TRANSLATE = "translate-"  # how tasks that are not repairs begin
NO_SECOND_ANSWER = "it follows rules and has no second answer"
MODEL = f"envwright {VERSION}"

Beside = Callable[..., Any]  # calls a function beside the reference, while nobody judges: `Verifier.beside`


class Asked(NamedTuple):
    """A module as the compiler is told of it."""

    name: str
    functions: tuple[str, ...]  # qualified names in the original


class BuiltinTranslation(NamedTuple):
    """A translation, as plain texts."""

    files: Mapping[str, str]  # by path, those with gaps included
    refusals: Mapping[str, tuple[str, ...]]  # by module, a sentence each
    broke: str = ""  # why there is none at all


@dataclass(frozen=True)
class Lesson:
    """What a translation is made of."""

    contract: Contract
    interface: Interface
    plan: ModulePlan
    target: str
    language: str
    beside: Beside


@dataclass(eq=False)
class BuiltinAgent:
    """Rules instead of a model."""

    name: str = NAME
    _lesson: Lesson | None = None
    _made: BuiltinTranslation | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)  # modules are asked for at the same time

    @property
    def costs(self) -> bool:
        return False

    def readiness(self) -> Readiness:
        return Readiness(True, "rule-based, free, needs no key")

    def learn(self, lesson: Lesson) -> None:
        """What it is about, before it is asked; nothing is translated yet."""
        self._lesson, self._made = lesson, None

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        del workspace, grant, deadline  # it writes no file itself, costs nothing and takes seconds
        if not task.name.startswith(TRANSLATE):
            return AgentOutcome(REFUSED, sentence=NO_SECOND_ANSWER, model=MODEL)
        made = self._translation()
        files = {path: made.files[path] for path in task.writes if path in made.files}
        said = (made.broke,) if made.broke else made.refusals.get(task.name.removeprefix(TRANSLATE), ())
        if not files and not said:  # nothing was written of it, because of gaps elsewhere
            said = self.refusals()
        if said:
            return AgentOutcome(REFUSED, files, sentence="\n".join(said), transcript="\n".join(said), model=MODEL)
        return AgentOutcome(DONE, files, sentence="Translated by rule.", model=MODEL)

    def refusals(self) -> tuple[str, ...]:
        """Everything that it cannot translate, in all modules."""
        made = self._translation()
        every = (made.broke,) if made.broke else [line for lines in made.refusals.values() for line in lines]
        return tuple(dict.fromkeys(every))

    def _translation(self) -> BuiltinTranslation:
        """The whole translation, made when it is first asked for."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> BuiltinTranslation:
        if self._lesson is None:
            return _broke("it works in a run of envwright translate only")
        lesson = self._lesson
        if lesson.language != LANGUAGE:
            return _broke(f"it translates from Python, and {lesson.contract.reference} is in {lesson.language}")
        if lesson.target != TARGET:
            return _broke(f"it translates to JAX, not to {lesson.target}")
        try:
            return lesson.beside(_translate, lesson.contract, lesson.interface, _asked(lesson.plan))
        except EnvwrightError as error:  # the reference's process died or hung
            return _broke(str(error))


def make_builtin(name: str = NAME) -> BuiltinAgent:
    """The rules as an agent."""
    return BuiltinAgent(name)


def _asked(plan: ModulePlan) -> tuple[Asked, ...]:
    return tuple(Asked(m.name, tuple(f for part in m.parts for f in part.functions)) for m in plan.modules)


def _translate(
    reference: Reference, contract: Contract, interface: Interface, modules: Sequence[Asked], beat: Beat
) -> BuiltinTranslation:
    """In the reference's process: the translation, or the sentence why there is none."""
    beat()
    try:
        from envwright import compiler

        made = compiler.translate(reference, contract, interface, modules)
    except EnvwrightError as error:
        return _broke(str(error))
    except Exception as error:  # a mistake in the rules must not end a run in which others may go on
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return _broke(f"its rules broke with {type(error).__name__}: {error} ({where})")
    sentences = {
        name: tuple(" ".join(one.sentence.split()) for one in found) for name, found in made.refusals.items() if found
    }
    return BuiltinTranslation(dict(made.files), sentences)


def _broke(sentence: str) -> BuiltinTranslation:
    return BuiltinTranslation({}, {}, sentence)
