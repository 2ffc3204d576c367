"""`envwright watch`"""

import argparse
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envwright.cli.numbers import LARGEST_SEED, whole_number
from envwright.core.errors import EnvwrightError

if TYPE_CHECKING:
    from envwright.core.spec import Spec
    from envwright.training.evaluate import Chooser

NAME = "watch"
HELP = "Show a trained policy at play: a film, as GIF or MP4, or a page with a slider."
EXAMPLES = """\
examples:
  envwright watch out/train/pong                  writes out/train/pong/game.gif
  envwright watch out/train/pong --out pong.mp4 --fps 60
  envwright watch RUN --against random            a game for two, against one of its opponents
  envwright watch ENV --out game.html             an environment's own players, on a page to click through
"""
FILM_STEPS = 300
PAGE = ".html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trained", type=Path, metavar="RUN", help="a run's folder, a checkpoint, or an environment")
    parser.add_argument(
        "--out", type=Path, help="the film, .gif or .mp4, or a page, .html (default: game.gif in the run's folder)"
    )
    parser.add_argument(
        "--steps", type=whole_number(1), help=f"show at most so many (default {FILM_STEPS}; a page has the whole game)"
    )
    parser.add_argument("--fps", type=whole_number(1), default=30, help="steps a second (default 30)")
    parser.add_argument("--scale", type=whole_number(1), default=1, help="enlarge so many times (default 1)")
    parser.add_argument("--seed", type=whole_number(0, LARGEST_SEED), default=0, help="another seed, another game")
    parser.add_argument("--of-seed", type=whole_number(0, LARGEST_SEED), help="which of a run's seeds (default: first)")
    parser.add_argument("--against", metavar="NAME", help="who has the second seat of a game for two (default: itself)")


def run(args: argparse.Namespace) -> int:
    from envwright.core import tune_cpu
    from envwright.play.film import save_film

    tune_cpu(1)
    cast = _cast(args)
    path = args.out or cast.folder / "game.gif"
    if path.suffix.lower() == PAGE:
        many = _save_page(cast, path, args)
        print(f"{many} steps of {cast.title} in {path}")
        return 0
    many = save_film(_frames(cast, args), path, fps=args.fps, scale=args.scale)
    print(f"{many} frames of {cast.title} in {path}")
    return 0


@dataclass(frozen=True)
class Lineup:
    """What is played, and who plays it."""

    spec: "Spec"
    env: Any
    names: tuple[str, ...]  # of the players
    players: tuple[Any, ...]  # of each a trained `Player`, or an opponent's function
    folder: Path  # where the film goes unless told

    @property
    def title(self) -> str:
        return " against ".join(dict.fromkeys(self.names))


def _cast(args: argparse.Namespace) -> Lineup:
    """The policy in all seats, or an opponent in the second; of an environment's name, its own players."""
    from envwright.core.errors import UnknownEnvError
    from envwright.core.native import spaces_of
    from envwright.core.registry import make, spec
    from envwright.core.versus import opponents_of
    from envwright.training.config import from_plain
    from envwright.training.run import load_player

    chosen = None
    if not args.trained.exists():
        with suppress(UnknownEnvError):
            chosen = spec(str(args.trained))
    if chosen is not None:
        env = make(chosen.id)
        opponents = opponents_of(chosen, spaces_of(env)[1])
        names = [list(opponents)[-1]] * env.players
        players = [opponents[name] for name in names]
        folder = Path()
    else:
        player, header = load_player(args.trained, args.of_seed)
        chosen = spec(header["env"])
        env = make(chosen.id, **from_plain(header["config"]).env_options)
        names, players = [player.name] * env.players, [player] * env.players
        folder = args.trained if args.trained.is_dir() else args.trained.parent
    if args.against is not None:
        if env.players != 2:
            raise EnvwrightError(f"{chosen.id} is not a game for two; leave --against out.")
        players[1] = opponents_of(chosen, spaces_of(env)[1], [args.against])[args.against]
        names[1] = args.against
    return Lineup(chosen, env, tuple(names), tuple(players), folder)


def told_apart(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of players, numbered where two are the same."""
    return names if len(set(names)) == len(names) else tuple(f"{name} ({i + 1})" for i, name in enumerate(names))


def _chooser(cast: Lineup, seed: int) -> "Chooser":
    """Who acts in a batch of one game: observations, whether it begins and legal actions to actions."""
    import numpy as np

    from envwright.core.versus import in_many_games
    from envwright.training.evaluate import by_policy
    from envwright.training.player import Player

    rng = np.random.default_rng(seed)
    choosers = []
    for i, player in enumerate(cast.players):
        if isinstance(player, Player):
            choosers.append(by_policy(player, 1, rng, True))
        else:
            answer = in_many_games(player, seed + i)
            choosers.append(lambda obs, fresh, legal, answer=answer: answer(obs, legal))

    def act(obs: Any, fresh: Any, legal: Any) -> Any:
        if len(choosers) == 1:
            return choosers[0](obs, fresh, legal)
        seats = [choose(obs[:, i], fresh, None if legal is None else legal[:, i]) for i, choose in enumerate(choosers)]
        return np.stack(seats, axis=1)

    return act


def _frames(cast: Lineup, args: argparse.Namespace) -> Iterator[Any]:
    """A game to its end, or as far as asked."""
    import numpy as np

    from envwright.core import batch_of

    batch = batch_of(cast.env, 1)
    act = _chooser(cast, args.seed)
    obs, fresh = batch.reset([args.seed]), np.ones(1, bool)
    try:
        yield batch.render(0)
    except NotImplementedError as error:
        raise EnvwrightError(str(error)) from None
    for _ in range(args.steps or FILM_STEPS):
        legal = batch.legal_actions()
        step = batch.step(act(np.asarray(obs), fresh, None if legal is None else np.asarray(legal)))
        yield batch.render(0)
        if bool(step.terminated[0] | step.truncated[0]):
            return
        obs, fresh = step.obs, np.zeros(1, bool)


def _save_page(cast: Lineup, path: Path, args: argparse.Namespace) -> int:
    """The same game as a page."""
    import numpy as np

    from envwright.core import Env
    from envwright.core.course import Course
    from envwright.core.spec import load_object
    from envwright.play.film import replacing, writing
    from envwright.play.page import page_of
    from envwright.training.evaluate import LONGEST

    if not cast.spec.replay or not isinstance(cast.env, Env):
        raise EnvwrightError(f"{cast.spec.id} has no page to show a game on; give a film, .gif or .mp4.")
    tell = load_object(cast.spec.replay, f"The page of {cast.spec.id} should be")
    with replacing(path) as part:
        course, act = Course(cast.env, args.seed), _chooser(cast, args.seed)
        for i in range(args.steps or LONGEST):
            legal = None if course.legal is None else course.legal[None]
            course.step(act(np.asarray(course.obs)[None], np.full(1, i == 0), legal)[0])
            if course.over:
                break
        page = page_of(tell(cast.env, course.start, course.moments, told_apart(cast.names)))
        with writing(path):
            part.write_text(page, encoding="utf-8")
    return len(course.moments)
