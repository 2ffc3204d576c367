"""A finished run, opened to try things on its result."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.recipe.ablate.trial import Judge
from envwright.recipe.events import Judged
from envwright.recipe.open_run import open_run
from envwright.recipe.project import load_project
from envwright.verifier.session import Effort

EFFORT = Effort(episodes=60, states=600, corners=300, pool=300, draws=2000, watched=100)  # for many trials; both arms


@dataclass(frozen=True)
class FinishedRun:
    """A verified translation, and verifiers to judge changes of it."""

    name: str
    files: Mapping[str, str]
    modules: Mapping[str, str]  # module -> its file
    judge_for: Callable[[str, int], Judge]


@contextmanager
def open_finished(folder: Path, progress: Callable[[str], None]) -> Iterator[FinishedRun]:
    """The result of the run in a folder."""
    project = load_project(folder)
    package = folder / "package"
    if not package.is_dir() or project.target != "jax":
        raise EnvwrightError(
            f"{folder} holds no finished translation to JAX; finish it with: envwright resume {folder}."
        )
    files = {str(p.relative_to(package)): p.read_text() for p in sorted(package.rglob("*.py"))}
    with open_run(project, [], progress=progress) as (run, brief), tempfile.TemporaryDirectory() as scratch:
        modules = {name: brief.target.written(brief.interface, name) for name in brief.names}

        def judge_for(arm: str, seed: int) -> Judge:
            """A verifier without memory of other trials, but with the games that were recorded."""
            place = Path(scratch) / f"{arm}-{seed}"
            verifier = replace(run.verifier, folder=place, traces=Path(scratch) / "seen.trace", effort=EFFORT)

            def judge(stage: str, changed: Mapping[str, str]) -> Judged:
                progress(f"set {seed}, {stage}")
                return verifier.judge(stage, changed, brief.names)

            return judge

        yield FinishedRun(project.name, files, modules, judge_for)
