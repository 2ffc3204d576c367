"""`envwright.translate`: a translation as an object."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from envwright.agents.protocol import Agent, Money
from envwright.recipe.create.opening import begin_creation, create
from envwright.recipe.create.rule_coverage import told_coverage
from envwright.recipe.events import Measured
from envwright.recipe.journal import read_journal
from envwright.recipe.journaled_run import JournaledRun
from envwright.recipe.new_project import begin
from envwright.recipe.open_run import JOURNAL, find_agents, open_run
from envwright.recipe.project import Project
from envwright.recipe.repair_loop import translate
from envwright.recipe.result import finish
from envwright.recipe.view import current_files
from envwright.report import write_report
from envwright.report.html import join, table, tag


@dataclass(frozen=True)
class Translated:
    """A translation that is verified: what to install, and how it came about."""

    name: str
    package: Path
    wheel: Path
    report: Path  # a page with every task, verdict and cost
    speed: tuple[float, float, float] | None  # times the original: median, and a 95 % interval
    cost: str
    made: Mapping[str, str]  # constants that were drawn when the original was made

    def rows(self) -> list[tuple[str, str]]:
        """What there is to say, each with its name."""
        told = [("wheel", str(self.wheel)), ("report", str(self.report))]
        if self.speed is not None:
            median, low, high = self.speed
            told.append(("speed", f"{median:,.0f} [{low:,.0f}, {high:,.0f}] times the original"))
        return [*told, ("money", self.cost), *(("note", f"{name} is {how}") for name, how in self.made.items())]

    def __repr__(self) -> str:
        return "\n".join([f"Verified: {self.package}", *(f"  {name:7} {what}" for name, what in self.rows())])

    def _repr_html_(self) -> str:
        return join(
            tag("p", tag("b", "Verified", style="color:#1a7f37"), f" {self.name}"), table(["", ""], self.rows())
        )


def run(
    reference: str,
    target: str | None,
    options: Mapping[str, Any],
    agent: str | None,
    model: str | None,
    budget: float | None,
    transfer: bool,
    out: Path | str | None,
    fresh: bool,
    say: Callable[[str], None],
    progress: Callable[[str], None],
) -> Translated:
    """Begin a run, or go on with the one in the folder, and carry it out."""
    folder = None if out is None else Path(out)
    project = begin(
        reference, folder, target=target, agent=agent, model=model, budget=budget, fresh=fresh, options=dict(options)
    )
    if transfer:
        project = replace(project, rules=replace(project.rules, transfer=True))
    return carry_out(project, find_agents(project), None, say, progress)


def run_creation(
    documents: Sequence[Path | str],
    name: str | None,
    agent: str | None,
    model: str | None,
    budget: float | None,
    target: str | None,
    out: Path | str | None,
    fresh: bool,
    say: Callable[[str], None],
    progress: Callable[[str], None],
) -> Translated:
    """Begin to make an environment from documents, or go on with the run in the folder, and carry it out."""
    folder = None if out is None else Path(out)
    project = begin_creation(
        [Path(document) for document in documents], name, folder, target=target, agent=agent, model=model,
        budget=budget, fresh=fresh,
    )  # fmt: skip
    return carry_out(project, find_agents(project), None, say, progress)


def carry_out(
    project: Project,
    found: tuple[Sequence[Agent], Any],
    budget: Money | None,
    say: Callable[[str], None],
    progress: Callable[[str], None],
    opened: Callable[[JournaledRun], None] = lambda run: None,
    until: str = "",
) -> Translated:
    """Go through a run, new or resumed, until it is finished or cannot go on; its report is written in any case."""
    agents, secret = found
    report, creation = project.folder / "report.html", None
    if project.rulebook:
        try:
            creation = create(
                project, agents, secret=secret, budget=budget, until=until, say=say, progress=progress, opened=opened
            )
        finally:  # of an unfinished run, too
            write_report(project.name, None, read_journal(project.folder / JOURNAL), {}, report)
        say(told_coverage(creation.covered))
        project = creation.project
    with open_run(project, agents, secret=secret, budget=budget, say=say, progress=progress) as (run, brief):
        opened(run)
        contract = run.verifier.contract
        try:
            files = translate(run, brief, project.rules)
            result = finish(run, brief, project, files, progress)
        finally:  # of an unfinished run, too
            written = current_files(brief.scaffold, run.events)
            write_report(project.name, brief.interface, run.journal.events, written, report, contract)
        measured = next((e for e in run.events if isinstance(e, Measured)), None)
        speed = None if measured is None else measured.ratio
        return Translated(
            project.name, result.package, result.wheel, report, speed, run.ledger.balance.text(), contract.made
        )
