"""`envwright eval`"""

import argparse
from pathlib import Path

from envwright.cli.numbers import LARGEST_SEED, whole_number

NAME = "eval"
HELP = "Play games with a trained policy and say how good it is."
EXAMPLES = """\
examples:
  envwright eval out/train/pong
  envwright eval out/train/pong --on reference     in the slow original
  envwright eval out/train/pong --likeliest        the likeliest action always, instead of drawing
  envwright eval RUN --against random              a game for two: the win rate against one of its opponents
  envwright eval out/train/tcgpocket --set env_options.decks=held_out      with other options than it learned with
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trained", type=Path, metavar="RUN", help="a run's folder or a checkpoint")
    parser.add_argument("--games", type=whole_number(1), default=100, help="how many (default 100)")
    parser.add_argument("--on", choices=("envwright", "reference"), default="envwright", help="where to play")
    parser.add_argument(
        "--against", action="append", metavar="NAME", help="in a game for two, who is played against (default: all)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change an option of the environment"
    )
    parser.add_argument("--likeliest", action="store_true", help="take the likeliest action instead of drawing one")
    parser.add_argument("--seed", type=whole_number(0, LARGEST_SEED), default=1_000_000, help="other games")
    parser.add_argument("--of-seed", type=whole_number(0, LARGEST_SEED), help="which of a run's seeds (default: first)")


def run(args: argparse.Namespace) -> int:
    from envwright.core import batch_of, make, tune_cpu
    from envwright.core.registry import spec
    from envwright.training.config import from_plain, with_options
    from envwright.training.evaluate import evaluate
    from envwright.training.run import load_player

    tune_cpu(1)
    player, header = load_player(args.trained, args.of_seed)
    options = with_options(from_plain(header["config"]), args.set).env_options
    if args.on == "reference":
        from envwright.verifier import pairs
        from envwright.verifier.transfer.sides import reference_batch

        contract = pairs.with_options(pairs.find_contract([header["env"]]), dict(options), dict(options))
        batch = reference_batch(contract, args.games, player.policy.observations, player.policy.action_space)
    else:
        batch = batch_of(make(header["env"], **options), args.games)
    chosen, sample = spec(header["env"]), not args.likeliest
    for found in evaluate(chosen, batch, player, args.seed, against=args.against, sample=sample):
        print(f"{player.name}, on {args.on}: {found.text()}", flush=True)
    return 0
