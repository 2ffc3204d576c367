"""`envwright create`"""

import argparse
from pathlib import Path

from envwright.cli.numbers import dollars_given

NAME = "create"
HELP = (
    "Make an environment from rules written for people: pages, PDFs, Markdown, data; with a coding agent and a budget."
)
EXAMPLES = """\
examples:
  envwright create rules.md cards.csv --name crossing --agent claude --budget 5
  envwright create rules.pdf --name crossing --agent handoff     you, or a tool of your own, write the files
  envwright create rules.md --name crossing --agent claude --until specification
                                                                 stop there, to read and edit it
  envwright create examples/recorded/night_ferry                 a recorded run, played again, free

The agent writes a numbered specification, then a Python reference from it, and, without seeing that, tests; the fast
version comes from envwright translate. All of it is in the folder created/ of the run (--out), and may be edited; go on
with: envwright resume DIR. See docs/create.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "documents", type=Path, nargs="+", metavar="DOCS", help="files with the rules, or the folder of a run"
    )
    parser.add_argument("--name", help="of the environment, a Python name such as crossing")
    parser.add_argument("--agent", help="who writes, see: envwright agents; several with commas")
    parser.add_argument("--model", help="for the agent, where it has a choice")
    parser.add_argument("--budget", type=dollars_given, help="dollars, for the whole run (default 10)")
    parser.add_argument("--target", choices=("jax", "rust"), help="what the fast version is in (default jax)")
    parser.add_argument(
        "--until", choices=("specification", "reference", "tests"), default="", help="stop after this, for you to look"
    )
    parser.add_argument("--out", type=Path, help="the run's folder (default out/create/NAME)")
    parser.add_argument("--fresh", action="store_true", help="begin again, deleting the run in that folder")


def run(args: argparse.Namespace) -> int:
    from envwright.cli.running import carry_out
    from envwright.recipe.create.opening import begin_creation

    project = begin_creation(
        args.documents, args.name, args.out, target=args.target, agent=args.agent, model=args.model,
        budget=args.budget, fresh=args.fresh,
    )  # fmt: skip
    return carry_out(project, until=args.until)
