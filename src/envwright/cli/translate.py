"""`envwright translate`"""

import argparse
from pathlib import Path

from envwright.cli.numbers import dollars_given

NAME = "translate"
HELP = "Translate a slow environment into a fast one, verified: by rule, or with any coding agent and a budget."
EXAMPLES = """\
examples:
  envwright translate gymnasium:Taxi-v4                       by rule, free
  envwright translate gymnasium:FrozenLake-v1 --set is_slippery=false --set map_name=8x8
  envwright translate my_module:MyEnv --agent builtin,claude --budget 5
                                                              what no rule covers, a coding agent writes
  envwright translate path/to/file.py:MyEnv --agent handoff   you, or a tool of your own, write the files
  envwright translate my_project/ --agent api                 a folder with envwright.toml: C, TypeScript, anything
  envwright translate examples/recorded/cart_pole             a recorded run, played again, free

The run's folder (--out) has the journal, the prompts, what was answered, the verdicts; at the end the package, its
wheel and a report. A run that was stopped, or killed, goes on with: envwright resume DIR. See docs/translate.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reference", help="a Gymnasium id, minatar:GAME, module:Class, file.py:Class or a project's folder"
    )
    parser.add_argument(
        "--target", choices=("jax", "rust"), help="what to translate to (default: as the plan suggests)"
    )
    parser.add_argument(
        "--set", dest="options", action="append", default=[], metavar="NAME=VALUE", help="an option of the original"
    )
    parser.add_argument(
        "--agent",
        help="who translates, see: envwright agents; several with commas, what one refuses goes to the next "
        "(default builtin: by rule, free)",
    )
    parser.add_argument("--model", help="for the agent, where it has a choice")
    parser.add_argument("--budget", type=dollars_given, help="dollars, for the whole run (default 10)")
    parser.add_argument(
        "--transfer", action="store_true", help="train on both sides, too, and compare (L4); takes minutes"
    )
    parser.add_argument("--out", type=Path, help="the run's folder (default out/translate/NAME)")
    parser.add_argument("--fresh", action="store_true", help="begin again, deleting the run in that folder")


def run(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from envwright.cli.running import carry_out
    from envwright.recipe.naming import read_options
    from envwright.recipe.new_project import begin

    project = begin(
        args.reference, args.out, target=args.target, agent=args.agent, model=args.model, budget=args.budget,
        fresh=args.fresh, options=read_options(args.options),
    )  # fmt: skip
    if args.transfer:
        project = replace(project, rules=replace(project.rules, transfer=True))
    return carry_out(project)
