"""`envwright verify`"""

import argparse
from pathlib import Path

from envwright.cli.numbers import LARGEST_SEED, whole_number
from envwright.cli.screen import Progress, green, red
from envwright.core import tune_cpu
from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec

NAME = "verify"
HELP = "Compare an environment with the slow original, bit for bit."
EXAMPLES = """\
examples:
  envwright verify pong
  envwright verify pong --episodes 10000
  envwright verify pong --frameskip 4 --control continuous --seed 7

The original plays whole episodes under several policies, its luck is recorded on a tape, and the translation replays
it. Every field of the state, observation, reward and flag is compared after every step. Exit code 0: no bit differs;
1: one does, and the first is named; 2: the comparison could not be made.
"""

CONTROLS = ["discrete", "continuous"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("env", help="id or short name, see: envwright list")
    parser.add_argument("--episodes", type=whole_number(1), default=1000, help="episodes of each form (default 1000)")
    parser.add_argument(
        "--seed", type=whole_number(0, LARGEST_SEED), default=0, help="another seed, other games (default 0)"
    )
    parser.add_argument(
        "--frameskip", type=whole_number(1), nargs="+", default=[1, 8], help="frames a step (default 1 8)"
    )
    parser.add_argument(
        "--control", nargs="+", choices=CONTROLS, default=CONTROLS, help="kinds of actions (default both)"
    )
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the verdict file (default out)")


def run(args: argparse.Namespace) -> int:
    tune_cpu()
    chosen = spec(args.env)
    if chosen.name != "pong":
        raise EnvwrightError(f"{chosen.id} has no bitwise reference; its comparison with Gymnasium is in tests/envs.")
    from envwright.verify.pong import verify_pong
    from envwright.verify.verdict import write

    try:  # before the work, so that none is lost
        args.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvwrightError(
            f"The folder {args.out} cannot be made: {error.strerror}; choose another with --out."
        ) from None
    progress = Progress(args.episodes)
    verdicts = []
    for verdict in verify_pong(
        args.episodes, seed=args.seed, frameskips=args.frameskip, controls=args.control, progress=progress.update
    ):
        progress.clear()
        print(green(verdict.text()) if verdict.passed else red(verdict.text()), flush=True)
        verdicts.append(verdict)
    path = args.out / f"verdict-{chosen.name}.json"
    write(verdicts, path)
    print(f"Written to {path}")
    return 0 if all(verdict.passed for verdict in verdicts) else 1
