"""A run in the foreground: the panel, the loop, and what is said at the end."""

import sys
from collections.abc import Sequence

from envwright.agents.protocol import Agent, Money
from envwright.api import translated
from envwright.cli.panel import Panel
from envwright.cli.screen import bold
from envwright.recipe.builtin import BuiltinAgent
from envwright.recipe.create.creation import StoppedError
from envwright.recipe.journaled_run import JournaledRun, TaskRefusedError, WaitingError
from envwright.recipe.open_run import find_agents
from envwright.recipe.project import Project
from envwright.recipe.view import text, view

WAITING = 3  # the exit code of a run that waits for a person


def carry_out(project: Project, budget: Money | None = None, until: str = "") -> int:
    """Go through a run, new or resumed, until it is finished or cannot go on."""
    found = find_agents(project)
    panel = Panel(lambda: "")

    def opened(run: JournaledRun) -> None:
        panel.state = lambda: text(view(run.journal.events, run.ledger.budget))

    try:
        result = translated.carry_out(project, found, budget, panel.say, panel.doing, opened, until)
    except TaskRefusedError:
        panel.close()
        _tell_refusals(found[0])
        raise
    except WaitingError as waiting:
        panel.close()
        print(f"{waiting}\nThen go on with: envwright resume {project.folder}", file=sys.stderr)
        return WAITING
    except StoppedError as stopped:
        panel.close()
        print(f"{stopped}, then go on with: envwright resume {project.folder}")
        return 0
    finally:
        panel.close()
    first, *others = str(result).splitlines()
    print("\n".join([bold(first), *others]))
    return 0


def _tell_refusals(agents: Sequence[Agent]) -> None:
    """All that the rules do not cover, a line each; a single one is in the sentence that follows."""
    lines = [line for agent in agents if isinstance(agent, BuiltinAgent) for line in agent.refusals()]
    if len(lines) > 1:
        print("\n".join(f"  {line}" for line in lines), file=sys.stderr)
