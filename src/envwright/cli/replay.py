"""`envwright replay`"""

import argparse
from pathlib import Path

from envwright.cli.screen import green, red

NAME = "replay"
HELP = "Do one divergence again, and nothing else."
EXAMPLES = """\
examples:
  envwright replay out/regressions/L1-dynamics-state.theta-1a2b3c4d.json

`envwright verify` writes such a file for every divergence it finds. Exit code 0: the two sides agree now; 1: they still
part; 2: it could not be tried.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="a file that envwright verify has written")


def run(args: argparse.Namespace) -> int:
    from envwright.verifier.replay import replay
    from envwright.verifier.verdict import describe

    check = replay(args.file)
    if check.status == "pass":
        print(green(f"agrees now: {check.detail}"))
        return 0
    for divergence in check.divergences:
        print(red("\n".join(describe(divergence))))
    if not check.divergences:
        print(red(check.detail))
    return 1
