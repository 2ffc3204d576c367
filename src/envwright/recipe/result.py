"""From verified files to what a user takes home: the package's folder and a wheel."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from envwright.recipe.briefing import Briefing
from envwright.recipe.events import Event, Finished, Judged, Measured, Packaged, Reserved, Settled, Tested
from envwright.recipe.journaled_run import ANSWERS, JournaledRun
from envwright.recipe.own_tests import run_tests
from envwright.recipe.package import build_wheel
from envwright.recipe.project import Project
from envwright.recipe.speed import measure
from envwright.recipe.verifier import Verifier
from envwright.recipe.versions import write_files

VERIFIED = "verified"


@dataclass(frozen=True)
class TranslationResult:
    """What a run leaves behind."""

    package: Path
    wheel: Path


def finish(
    run: JournaledRun[Verifier],
    brief: Briefing,
    project: Project,
    files: Mapping[str, str],
    progress: Callable[[str], None],
) -> TranslationResult:
    """Test, measure, package; what the journal has from before is not measured again."""
    package = project.folder / "package"
    write_files(package, files)
    brief.target.build(package)
    tested = {e.path for e in run.events if isinstance(e, Tested)}
    for path in sorted(path for path in files if path.startswith("tests/") and path not in tested):
        progress(f"running {path}")
        run.journal.append(run_tests(package, path, brief.target.IMPORTED_FROM))
    if not any(isinstance(e, Measured) for e in run.events):
        progress("measuring")
        run.wait()
        with run.verifier.host() as host:
            run.journal.append(measure(host, brief, package, project.limits))
    contract = run.verifier.contract
    name, content = build_wheel(project, brief.interface, files, lasting(run.events), contract, package)
    wheel = project.folder / "dist" / name
    wheel.parent.mkdir(exist_ok=True)
    wheel.write_bytes(content)
    run.note(Packaged({f"dist/{name}": hashlib.sha256(content).hexdigest()}))
    run.note(Finished(VERIFIED))
    return TranslationResult(package, wheel)


def lasting(events: Sequence[Event]) -> tuple[Event, ...]:
    """The events that would be the same if the run were made again: no times, no speeds, no calls that came to nothing.
    What is made from these alone, the wheel, is the same byte for byte, however often the run was interrupted."""
    kept: list[Event] = []
    for event in events:
        if isinstance(event, Settled) and event.stop in ANSWERS:
            kept.append(replace(event, call=event.task, seconds=0.0))
        elif isinstance(event, Judged):
            kept.append(replace(event, seconds=0.0))
        elif not isinstance(event, Reserved | Settled | Measured | Packaged | Finished):
            kept.append(event)
    return tuple(kept)
