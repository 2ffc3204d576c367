"""A run in the foreground: the panel, the loop, and what is said at the end."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from envwright.agents.protocol import Agent, Money
from envwright.cli.panel import Panel
from envwright.cli.screen import bold
from envwright.recipe.builtin import BuiltinAgent
from envwright.recipe.events import Event, Measured
from envwright.recipe.journaled_run import TaskRefusedError, WaitingError
from envwright.recipe.open_run import find_agents, open_run
from envwright.recipe.project import Project
from envwright.recipe.repair_loop import translate
from envwright.recipe.result import TranslationResult, finish
from envwright.recipe.view import current_files, text, view
from envwright.report import write_report

WAITING = 3  # the exit code of a run that waits for a person


def carry_out(project: Project, budget: Money | None = None) -> int:
    """Go through a run, new or resumed, until it is finished or cannot go on."""
    agents, secret = find_agents(project)
    panel = Panel(lambda: "")
    try:
        with open_run(project, agents, secret=secret, budget=budget, say=panel.say, progress=panel.doing) as (
            run,
            brief,
        ):
            panel.state = lambda: text(view(run.journal.events, run.ledger.budget))
            report = project.folder / "report.html"
            contract = run.verifier.contract
            try:
                files = translate(run, brief, project.rules)
                result = finish(run, brief, project, files, panel.doing)
            except TaskRefusedError:
                panel.close()
                _tell_refusals(agents)
                raise
            finally:  # of an unfinished run, too
                written = current_files(brief.scaffold, run.journal.events)
                write_report(project.name, brief.interface, run.journal.events, written, report, contract)
            panel.close()
            _tell(result, report, run.journal.events, run.ledger.balance.text(), contract.made)
            return 0
    except WaitingError as waiting:
        panel.close()
        print(f"{waiting}\nThen go on with: envwright resume {project.folder}", file=sys.stderr)
        return WAITING
    finally:
        panel.close()


def _tell_refusals(agents: Sequence[Agent]) -> None:
    """All that the rules do not cover, a line each; a single one is in the sentence that follows."""
    lines = [line for agent in agents if isinstance(agent, BuiltinAgent) for line in agent.refusals()]
    if len(lines) > 1:
        print("\n".join(f"  {line}" for line in lines), file=sys.stderr)


def _tell(
    result: TranslationResult, report: Path, events: tuple[Event, ...], money: str, made: Mapping[str, str]
) -> None:
    measured = next((e for e in events if isinstance(e, Measured)), None)
    print(bold(f"Verified: {result.package}"))
    print(f"  wheel   {result.wheel}")
    print(f"  report  {report}")
    if measured is not None:
        median, low, high = measured.ratio
        print(f"  speed   {median:,.0f} [{low:,.0f}, {high:,.0f}] times the original")
    print(f"  money   {money}")
    for name, how in made.items():
        print(f"  note    {name} is {how}")
