"""Games and their tests, run: in processes with limits and a clean environment, like all generated code."""

import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from envwright.agents.process import Ended, run_program
from envwright.core.errors import EnvwrightError
from envwright.recipe.create.specification import Specification
from envwright.recipe.create.telling import told_kind

HELPER = "rulebook_tests.py"
SECONDS, FEW_SECONDS = 120.0, 30.0  # for all games or tests; for a few tests
EPISODES, STEPS, LONGEST = 300, 30_000, 2_000  # of rollouts: at most, in all, and of one episode


class TrialError(EnvwrightError, RuntimeError):
    """Nothing can be tried here, whoever wrote it."""


@dataclass(frozen=True)
class Rollouts:
    """What random play has shown."""

    problem: str  # empty: none
    episodes: int
    steps: int
    lines: Mapping[int, int]  # of the game: in how many episodes each ran


@dataclass(frozen=True)
class RuleTestNote:
    """How one test ended."""

    name: str
    passed: bool
    failure: str


def given(name: str) -> str:
    """A file that is given to those who write or run tests."""
    return (files("envwright.recipe.create.given") / name).read_text()


def play(game: str, name: str, title: str, spec: Specification) -> Rollouts:
    """Random play, and whether the game is what the specification says that it looks like."""
    settings = {
        "episodes": EPISODES, "steps": STEPS, "longest": LONGEST, "actions": len(spec.actions),
        "seen": spec.observation, "state": [{**asdict(field), "told": told_kind(field)} for field in spec.state],
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="envwright-") as scratch:
        folder = Path(scratch).resolve()
        (folder / f"{name}.py").write_text(game)
        (folder / "rollouts.py").write_text(given("rollouts.py"))
        (folder / "settings.json").write_text(json.dumps(settings))
        argv = ["rollouts.py", str(folder / f"{name}.py"), title, "settings.json", "result.json"]
        ended = _python(argv, folder, {})
        found = _read(folder / "result.json")
    if found is None:
        return Rollouts(f"the process {ended.sentence}{_last(ended)}", 0, 0, {})
    return Rollouts(
        found["problem"], found["episodes"], found["steps"], {int(line): n for line, n in found["lines"].items()}
    )


def run_rule_tests(tests: str, game: str, name: str, title: str, names: Sequence[str] = ()) -> tuple[RuleTestNote, ...]:
    """The tests on a game; or some of them, until the first fails."""
    with tempfile.TemporaryDirectory(prefix="envwright-") as scratch:
        folder = Path(scratch).resolve()
        texts = {
            f"{name}.py": game,
            "test_rules.py": tests,
            HELPER: given(HELPER),
            "conftest.py": given("trial_conftest.py"),
        }
        for path, text in texts.items():
            (folder / path).write_text(text)
        argv = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", "."]
        argv += ["-x", *(f"test_rules.py::{one}" for one in names)] if names else ["test_rules.py"]
        variables = {
            "RULEBOOK_GAME": f"{name}:{title}",
            "RULEBOOK_NOTES": str(folder / "notes.json"),
            "PYTHONPATH": str(folder),
        }
        ended = _python(argv, folder, variables, FEW_SECONDS if names else SECONDS)
        notes = _read(folder / "notes.json")
    if notes is None:
        if "No module named pytest" in ended.stderr:
            raise TrialError("Tests are run by pytest, which is not installed; run: pip install pytest")
        return (RuleTestNote("all tests", False, f"the process {ended.sentence}{_last(ended)}"),)
    return tuple(RuleTestNote(test or "all tests", note["passed"], note["failure"]) for test, note in notes.items())


def _python(argv: list[str], folder: Path, extra: Mapping[str, str], seconds: float = SECONDS) -> Ended:
    variables = {"PYTHONDONTWRITEBYTECODE": "1", "HOME": str(folder), **extra}
    return run_program([sys.executable, *argv], folder, time.monotonic() + seconds, extra=variables)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def _last(ended: Ended) -> str:
    lines = ended.stderr.strip().splitlines()
    return f": {lines[-1]}" if lines else ""
