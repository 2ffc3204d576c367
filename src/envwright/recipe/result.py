"""From verified files to what a user takes home: the package's folder, a wheel, a report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from envwright.recipe.briefing import Briefing
from envwright.recipe.events import Finished, Measured
from envwright.recipe.measure import measure
from envwright.recipe.package import build_wheel
from envwright.recipe.project import CONTRACT, Project
from envwright.recipe.run import Run
from envwright.recipe.versions import write_files
from envwright.report.page import write_report

VERIFIED = "verified"


@dataclass(frozen=True)
class Result:
    """What a run leaves behind."""

    package: Path
    wheel: Path
    report: Path


def finish(
    run: Run, brief: Briefing, project: Project, files: Mapping[str, str], progress: Callable[[str], None]
) -> Result:
    """Measure, package, report; what the journal has from before is not measured again."""
    package = project.folder / "package"
    write_files(package, files)
    if not any(isinstance(e, Measured) for e in run.journal.events):
        progress("measuring")
        run.journal.append(measure(run.court.host, brief, package, project.limits))
    contract = (project.folder / CONTRACT).read_text()
    name, content = build_wheel(project, brief.interface, files, run.journal.events, contract)
    wheel = project.folder / "dist" / name
    wheel.parent.mkdir(exist_ok=True)
    wheel.write_bytes(content)
    run.note(Finished(VERIFIED))
    report = project.folder / "report.html"
    write_report(project.name, brief.interface, run.journal.events, files, report)
    return Result(package, wheel, report)
