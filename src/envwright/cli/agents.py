"""`envwright agents`"""

import argparse

from envwright.cli.screen import green, red
from envwright.core.errors import EnvwrightError

NAME = "agents"
HELP = "Who can translate here: each kind of agent, whether it can be used, and if not, what to do."
EXAMPLES = """\
examples:
  envwright agents
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace) -> int:
    del args
    for name, ready, sentence in states():
        print(f"  {green('ready') if ready else red('no   ')}  {name:9} {sentence}")
    print("See docs/agents.md for how to set each up, and for agents of your own.")
    return 0


def states() -> list[tuple[str, bool, str]]:
    """Every kind of agent, whether it can be used as it is, and what was found or is to be done."""
    from envwright.agents.find import all_agents, find_agent

    found: list[tuple[str, bool, str]] = []
    for name in all_agents():
        try:
            ready, sentence = find_agent(name).readiness()
        except EnvwrightError as needed:  # some kinds have to be told something first
            ready, sentence = False, str(needed)
        found.append((name, ready, sentence))
    return found
