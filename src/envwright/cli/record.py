"""`envwright record`"""

import argparse
from pathlib import Path

NAME = "record"
HELP = "Keep a finished run as a recording, which can be replayed free, without a line of the original."
EXAMPLES = """\
examples:
  envwright record out/translate/taxi --out recordings/taxi
  envwright translate recordings/taxi
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="the run's folder")
    parser.add_argument("--out", type=Path, required=True, help="the recording's folder")


def run(args: argparse.Namespace) -> int:
    from envwright.recipe.keep import keep_recording

    count = keep_recording(args.folder, args.out)
    print(f"{count} answers kept. Play it again with: envwright translate {args.out}")
    return 0
