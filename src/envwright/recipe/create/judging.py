"""What is checked of the artefacts of a creation. Its verdicts are events, like those of the verifier.

specification   numbers, places, quotes, defaults
reference       its tags; random play; then all that `envwright init` asks of any reference
tests           each names its rules, and every rule is named
agreement       the tests, run on the reference
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.recipe.create import trials
from envwright.recipe.create.documents import SourceDocument
from envwright.recipe.create.rule_coverage import cover
from envwright.recipe.create.specification import Specification, read_specification
from envwright.recipe.create.tags import named_rules, tagged_lines, without
from envwright.recipe.events import Judged, RulesCovered
from envwright.recipe.new_project import init_project
from envwright.recipe.versions import digest

SPECIFICATION, REFERENCE, TESTS = "specification", "reference", "tests"  # the artefacts, and the stages that check one
AGREEMENT = "agreement"


@dataclass(frozen=True)
class CreationJudge:
    """Checks artefacts; what it says follows from them alone."""

    documents: Sequence[SourceDocument]
    name: str  # lantern: of the reference's file
    title: str  # Lantern: of its class
    progress: Callable[[str], None] = lambda what: None

    def judge(self, stage: str, files: Mapping[str, str], modules: Sequence[str], *, ahead: bool = False) -> Judged:
        """The word on these artefacts; a complaint is one sentence, fit to be told to whoever wrote it."""
        del modules, ahead
        began = time.monotonic()
        self.progress(f"checking the {stage}")
        checks = self._agreement(files) if stage == AGREEMENT else [_check(stage, self.complaint(stage, files))]
        failed = next((check for check in checks if check["status"] == "fail"), None)
        return Judged(
            version=digest(files),
            stage=stage,
            passed=failed is None,
            checks=tuple(checks),
            blamed="" if failed is None else stage,
            counterexample="" if failed is None else f"{failed['name']}: {failed['detail']}",
            seconds=round(time.monotonic() - began, 3),
        )

    def complaint(self, stage: str, files: Mapping[str, str]) -> str:
        """What is wrong with one artefact, given those before it; empty: nothing."""
        try:
            spec = self.specification(files)
            if stage == REFERENCE:
                tagged_lines(files[REFERENCE], spec.numbers)
                self._play(files[REFERENCE], spec)
            elif stage == TESTS:
                named_rules(files[TESTS], spec.numbers)
        except (MissingExtraError, trials.TrialError):  # nobody's fault who wrote anything
            raise
        except EnvwrightError as error:
            return str(error)
        return ""

    def specification(self, files: Mapping[str, str]) -> Specification:
        return read_specification(files[SPECIFICATION], self.documents)

    def cover(self, files: Mapping[str, str]) -> RulesCovered:
        """How far the rules are exercised, by tests and by rollouts."""
        self.progress("counting which rules were exercised")
        spec, game = self.specification(files), files[REFERENCE]

        def is_noticed(places: Sequence[int], names: Sequence[str]) -> bool | None:
            changed = without(game, places)
            if changed == game:
                return None
            return any(not note.passed for note in self._run({**files, REFERENCE: changed}, names))

        return cover(
            digest(files),
            spec,
            named_rules(files[TESTS], spec.numbers),
            tagged_lines(game, spec.numbers),
            trials.play(game, self.name, self.title, spec),
            is_noticed,
        )

    def _play(self, game: str, spec: Specification) -> None:
        rollouts = trials.play(game, self.name, self.title, spec)
        if rollouts.problem:
            raise EnvwrightError(f"Played with random legal actions: {rollouts.problem}")
        folder = Path(tempfile.mkdtemp(prefix="envwright-"))
        try:  # as it is done with any reference: it repeats itself, its draws are replayed, a contract can be drafted
            (folder / f"{self.name}.py").write_text(game)
            init_project(f"{folder / self.name}.py:{self.title}", folder / "project", name=self.name)
        except MissingExtraError:
            raise
        except EnvwrightError as error:
            said = str(error).replace(f"{folder}/project/", "").replace(f"{folder}/", "")
            raise EnvwrightError(f"It cannot be drafted as a reference: {said}") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _run(self, files: Mapping[str, str], names: Sequence[str] = ()) -> tuple[trials.RuleTestNote, ...]:
        return trials.run_rule_tests(files[TESTS], files[REFERENCE], self.name, self.title, names)

    def _agreement(self, files: Mapping[str, str]) -> list[dict[str, Any]]:
        named = named_rules(files[TESTS], self.specification(files).numbers)
        notes = self._run(files)
        if not notes:
            return [_check("tests", "pytest found no test in it.")]
        return [
            {**_check(note.name, note.failure), "rules": named.tests.get(note.name.partition("[")[0], ())}
            for note in notes
        ]


def _check(name: str, complaint: str) -> dict[str, Any]:
    return {
        "level": "rules", "name": name, "status": "fail" if complaint else "pass", "detail": complaint, "count": 1,
    }  # fmt: skip
