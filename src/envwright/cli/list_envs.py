"""`envwright list`"""

import argparse
import sys

from envwright.cli.screen import bold
from envwright.core import Spec
from envwright.core.registry import registered, spec

NAME = "list"
HELP = "Show the environments there are."
EXAMPLES = """\
examples:
  envwright list
  envwright list | cut -f1       the ids alone: without a terminal, columns are divided by tabs

The columns are id, short name, the original it is translated from, and what it is.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace) -> int:
    del args
    rows = [_row(one) for one in registered()]
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row))
        return 0
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        id, name, reference = (text.ljust(width) for text, width in zip(row, widths, strict=False))
        print(f"{bold(id)}  {name}  {reference}  {row[3]}")
    return 0


def _row(one: Spec) -> tuple[str, str, str, str]:
    try:
        whole = spec(one.id)
        return one.id, one.name, whole.reference or "-", whole.summary
    except Exception as error:  # what others have installed may fail in any way; the rest is still wanted
        reason = (str(error).strip().splitlines() or [""])[0]
        return one.id, one.name, "-", f"broken: {type(error).__name__}: {reason}"
