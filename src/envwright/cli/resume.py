"""`envwright resume`"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from envwright.cli.numbers import dollars_given

if TYPE_CHECKING:
    from envwright.recipe.events import Began, Event

NAME = "resume"
HELP = "Go on with a translation that was stopped, killed, or waits for you; nothing is paid for twice."
EXAMPLES = """\
examples:
  envwright resume out/translate/taxi
  envwright resume out/translate/taxi --budget 15       with more money
  envwright resume out/translate/taxi --agent builtin,claude
                                                        claude for what no rule covers, from here on
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="the run's folder")
    parser.add_argument("--agent", help="who translates from here on, see: envwright agents")
    parser.add_argument("--budget", type=dollars_given, help="dollars, for the whole run, what was spent included")


def _asked_before(began: "Began", events: "Iterable[Event]") -> tuple[str, ...]:
    """The agents that the run began with, and then those that it was resumed with."""
    from envwright.recipe.events import Reserved
    from envwright.recipe.journaled_run import PERSON

    later = [e.agent for e in events if isinstance(e, Reserved) and e.agent != PERSON]
    return tuple(dict.fromkeys([*began.agents, *later]))


def run(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from envwright.cli.running import carry_out
    from envwright.recipe.events import Began
    from envwright.recipe.journal import read_journal
    from envwright.recipe.open_run import JOURNAL
    from envwright.recipe.project import agent_names, load_project, money

    project = load_project(args.folder)
    events = read_journal(args.folder / JOURNAL)
    began = next((e for e in events if isinstance(e, Began)), None)
    if args.agent is not None:
        project = replace(project, agent=agent_names(args.agent))
    elif began is not None:
        project = replace(project, agent=_asked_before(began, events))
    return carry_out(project, None if args.budget is None else money(args.budget, "--budget"))
