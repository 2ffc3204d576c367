"""`envwright status`"""

import argparse
from pathlib import Path

NAME = "status"
HELP = "How far a translation is: modules, verdicts, money, the last counterexample."
EXAMPLES = """\
examples:
  envwright status out/translate/taxi
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="the run's folder")


def run(args: argparse.Namespace) -> int:
    from envwright.recipe.events import Began
    from envwright.recipe.journal import JournalError, read_journal
    from envwright.recipe.open_run import JOURNAL
    from envwright.recipe.view import text, view

    events = read_journal(args.folder / JOURNAL)
    if not any(isinstance(event, Began) for event in events):
        raise JournalError(f"The run in {args.folder} has not begun; go on with: envwright resume {args.folder}.")
    print(text(view(events)))
    return 0
