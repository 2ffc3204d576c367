"""`envwright.train`: a trained policy as an object."""

import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.core import batch_of, make
from envwright.core.registry import spec
from envwright.report.html import Html, join, table, tag
from envwright.training import config as configs
from envwright.training.config import Config
from envwright.training.curve import draw_curve
from envwright.training.evaluate import Evaluation, Match, evaluate
from envwright.training.player import Player
from envwright.training.run import Progress, TrainingRun, devices_of, load_player, train

EVALUATED = 1_000_000  # games of an evaluation begin with seeds from here on, which training does not use


@dataclass(frozen=True)
class TrainedPolicy:
    """A run that is finished: its folder, its policies, and how good they are."""

    run: TrainingRun
    seconds: float = 0.0
    evaluations: Mapping[int, tuple[Evaluation | Match, ...]] = field(default_factory=dict)  # by seed
    curve: Path | None = None  # a picture; None where matplotlib is not installed

    @property
    def folder(self) -> Path:
        return self.run.folder

    def player(self, seed: int | None = None) -> Player:
        """The policy of a seed, to play with anywhere; the first one's, unless told."""
        return load_player(self.folder, seed)[0]

    def lines(self) -> list[str]:
        """What it has come to, a line for each evaluation."""
        label = "seed {}: " if len(self.run.seeds) > 1 else ""
        return [label.format(seed) + found.text() for seed, many in self.evaluations.items() for found in many]

    def __repr__(self) -> str:
        config = self.run.config
        steps = config.updates * config.batch * len(self.run.seeds)
        return "\n".join([f"{self.run.env}: {steps:,} steps in {self.seconds:.1f} s, in {self.folder}", *self.lines()])

    def _repr_html_(self) -> str:
        head, *lines = repr(self).splitlines()
        picture = None if self.curve is None else _picture(self.curve)
        return join(tag("p", head), table(["evaluation"], [[line] for line in lines]), picture)


def run(
    env: str,
    config: Path | str | Config | None,
    settings: Mapping[str, Any],
    steps: int | None,
    seed: int,
    seeds: int,
    out: Path | str | None,
    fresh: bool,
    devices: int | None,
    games: int,
    progress: Callable[[Progress], None],
) -> TrainedPolicy:
    """Train and evaluate."""
    chosen = spec(env)
    folder = Path("out") / "train" / chosen.name if out is None else Path(out)
    if not isinstance(config, Config):
        config = configs.load(Path(config)) if config else configs.for_env(chosen.id)
    config = configs.changed(configs.with_values(config, settings), total_steps=steps)
    devices = devices or (None if fresh else devices_of(folder))
    this = TrainingRun(folder, chosen.id, config, tuple(range(seed, seed + seeds)), devices)
    began = time.monotonic()
    train(this, fresh=fresh, progress=progress)
    return evaluated(this, games, time.monotonic() - began)


def evaluated(this: TrainingRun, games: int, seconds: float = 0.0) -> TrainedPolicy:
    """A finished run with games played, those for two against each opponent, and the curve."""
    batch = batch_of(make(this.env, **this.config.env_options), games)
    found = {
        seed: tuple(evaluate(spec(this.env), batch, load_player(this.folder, seed)[0], EVALUATED + seed))
        for seed in this.seeds
    }
    return TrainedPolicy(this, seconds, found, draw_curve(this.folder))


def _picture(path: Path) -> Html:
    content = base64.b64encode(path.read_bytes()).decode()
    return tag("img", src=f"data:image/png;base64,{content}", alt="learning curve", width=480)
