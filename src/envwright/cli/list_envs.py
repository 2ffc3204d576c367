"""`envwright list`"""

import argparse
import sys

from envwright.cli.screen import bold
from envwright.core.registry import registered

NAME = "list"
HELP = "Show the environments there are."
EXAMPLES = """\
examples:
  envwright list
  envwright list | cut -f1       the ids alone: without a terminal, columns are divided by tabs
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace) -> int:
    del args
    rows = [(spec.id, spec.name, spec.summary) for spec in registered()]
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row))
        return 0
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for id, name, summary in rows:
        print(f"{bold(id.ljust(widths[0]))}  {name.ljust(widths[1])}  {summary}")
    return 0
