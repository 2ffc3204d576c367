"""`envwright watch`"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envwright.cli.numbers import LARGEST_SEED, whole_number
from envwright.core.errors import EnvwrightError

NAME = "watch"
HELP = "Film a trained policy at play, as GIF or MP4."
EXAMPLES = """\
examples:
  envwright watch out/train/pong                  writes out/train/pong/game.gif
  envwright watch out/train/pong --out pong.mp4 --fps 60
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trained", type=Path, metavar="RUN", help="a run's folder or a checkpoint")
    parser.add_argument("--out", type=Path, help="the film, .gif or .mp4 (default: game.gif in the run's folder)")
    parser.add_argument("--steps", type=whole_number(1), default=300, help="film at most so many (default 300)")
    parser.add_argument("--fps", type=whole_number(1), default=30, help="steps a second (default 30)")
    parser.add_argument("--scale", type=whole_number(1), default=1, help="enlarge so many times (default 1)")
    parser.add_argument("--seed", type=whole_number(0, LARGEST_SEED), default=0, help="another seed, another game")
    parser.add_argument("--of-seed", type=whole_number(0, LARGEST_SEED), help="which of a run's seeds (default: first)")


def run(args: argparse.Namespace) -> int:
    from envwright.play.film import save_film
    from envwright.training.config import from_plain
    from envwright.training.run import load_player

    player, header = load_player(args.trained, args.of_seed)
    folder = args.trained if args.trained.is_dir() else args.trained.parent
    path = args.out or folder / "game.gif"
    frames = _frames(header["env"], from_plain(header["config"]).env_options, player, args)
    many = save_film(frames, path, fps=args.fps, scale=args.scale)
    print(f"{many} frames of {player.name} in {path}")
    return 0


def _frames(env: str, options: Any, player: Any, args: argparse.Namespace) -> Iterator[Any]:
    """A game to its end, or as far as asked; the policy has all seats."""
    import numpy as np

    from envwright.core import batch_of, make
    from envwright.training.evaluate import in_all_seats

    batch = batch_of(make(env, **options), 1)
    act = in_all_seats(batch, player, args.seed)
    obs, fresh = batch.reset([args.seed]), np.ones(1, bool)
    try:
        yield batch.render(0)
    except NotImplementedError as error:
        raise EnvwrightError(str(error)) from None
    for _ in range(args.steps):
        legal = batch.legal_actions()
        step = batch.step(act(np.asarray(obs), fresh, None if legal is None else np.asarray(legal)))
        yield batch.render(0)
        if bool(step.terminated[0] | step.truncated[0]):
            return
        obs, fresh = step.obs, np.zeros(1, bool)
