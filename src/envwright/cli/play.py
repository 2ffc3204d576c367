"""`envwright play`"""

import argparse

from envwright.cli.numbers import LARGEST_SEED, whole_number
from envwright.core.registry import spec

NAME = "play"
HELP = "Play an environment yourself, in this terminal."
EXAMPLES = """\
examples:
  envwright play pong
  envwright play pong --fps 30   slower
  envwright play cartpole
  envwright play ENV --against random   a game for two, against one of its opponents

Keys: arrows (or w and s) move, space pauses, r begins again, q quits.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("env", help="id or short name, see: envwright list")
    parser.add_argument("--fps", type=whole_number(1), default=60, help="steps a second (default 60)")
    parser.add_argument("--seed", type=whole_number(0, LARGEST_SEED), help="play the same random draws again")
    parser.add_argument("--against", metavar="NAME", help="who has the other seat (default: its first opponent)")


def run(args: argparse.Namespace) -> int:
    from envwright.core import tune_cpu
    from envwright.play import play

    tune_cpu(1)
    play(spec(args.env).id, fps=args.fps, seed=args.seed, against=args.against)
    return 0
