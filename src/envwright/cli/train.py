"""`envwright train`"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING

from envwright.cli.numbers import LARGEST_SEED, whole_number
from envwright.cli.screen import Status, bold
from envwright.core import layouts, tune_cpu
from envwright.core.registry import spec

if TYPE_CHECKING:
    from envwright.training.run import Progress

NAME = "train"
HELP = "Train a policy with PPO; run the same command again to go on after an interruption."
EXAMPLES = """\
examples:
  envwright train pong                     with the tuned settings that ship with it
  envwright train pong --seeds 3           three runs at once
  envwright train gameboy --rom my_game.toml    any Game Boy ROM, by a short file that names what is rewarded
  envwright train cartpole --set learning_rate=0.001 --set network.hidden=[256,256]
  envwright eval out/train/pong            how good it is
  envwright watch out/train/pong           what it looks like

Everything goes to --out: checkpoints, metrics.jsonl, TensorBoard's event file, the learning curve. A run that was
killed goes on from its last checkpoint to exactly the curve it would have had. Across machines, start the same command
on each with --coordinator HOST:PORT --processes N --process I.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("env", help="id or short name, see: envwright list")
    parser.add_argument("--config", type=Path, help="settings (default: the ppo.toml beside the environment)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change one setting")
    parser.add_argument(
        "--rom", metavar="ROM", help="of an environment that runs them: a ROM, its TOML file, or the name of a game"
    )
    parser.add_argument("--steps", type=whole_number(1), help="total steps of all environments (default: the config's)")
    parser.add_argument("--seed", type=whole_number(0, LARGEST_SEED), default=0, help="the first seed (default 0)")
    parser.add_argument("--seeds", type=whole_number(1), default=1, help="how many seeds to train at once (default 1)")
    parser.add_argument("--out", type=Path, help="the run's folder (default out/train/ENV)")
    parser.add_argument("--fresh", action="store_true", help="begin again, deleting the run in that folder")
    parser.add_argument(
        "--devices", type=whole_number(1), help="devices to share the work (default: as was fastest here)"
    )
    parser.add_argument("--games", type=whole_number(1), default=100, help="games to play at the end (default 100)")
    parser.add_argument("--coordinator", metavar="HOST:PORT", help="where several processes meet")
    parser.add_argument("--processes", type=whole_number(1), help="how many processes there are")
    parser.add_argument("--process", type=whole_number(0), help="which of them this is, from 0")


def run(args: argparse.Namespace) -> int:
    chosen = spec(args.env)
    name = f"{chosen.name}-{Path(args.rom).stem}" if args.rom else chosen.name
    folder = args.out or Path("out") / "train" / name
    devices = _set_up(args, chosen.id, folder)
    from envwright.training import distributed

    distributed.join(args.coordinator, args.processes, args.process)
    import jax

    from envwright.api import trained
    from envwright.training import config as configs
    from envwright.training.run import TrainingRun, train

    config = configs.load(args.config) if args.config else configs.for_env(chosen.id)
    settings = [*args.set, *([f"env_options.rom={json.dumps(_rom(args.rom))}"] if args.rom else [])]
    config = configs.changed(configs.with_settings(config, settings), total_steps=args.steps)
    this = TrainingRun(folder, chosen.id, config, tuple(range(args.seed, args.seed + args.seeds)), devices)
    began = time.monotonic()
    train(this, fresh=args.fresh, progress=Show(chosen.name))
    if jax.process_index():
        return 0
    found = trained.evaluated(this, args.games, time.monotonic() - began)
    print(found)
    if found.curve:
        print(f"Learning curve: {found.curve}")
    return 0


def _rom(rom: str) -> str:
    """A file by its whole path, for the run may go on from elsewhere; a game's name as it is."""
    return str(Path(rom).resolve()) if Path(rom).is_file() else rom


def _set_up(args: argparse.Namespace, env: str, folder: Path) -> int | None:
    """Set JAX up: as asked, as the run was begun, or in the layout that was the fastest here; how many devices."""
    from envwright.training.run import devices_of

    if args.processes:
        tune_cpu(1)  # each process brings one, and all of them are used
        return None
    devices = args.devices or (None if args.fresh else devices_of(folder))
    if devices is None and layouts.recall(env, "ppo") == layouts.PLAIN:
        return 1
    tune_cpu(devices)
    return devices


class Show:
    """Progress: one line rewritten in a terminal, ten lines in a log."""

    def __init__(self, name: str) -> None:
        self._name, self._status, self._tenth, self._score = name, Status(), 0, "-"

    def __call__(self, now: "Progress") -> None:
        share = now.steps / now.total
        if not math.isnan(now.row["return"]):  # as it is while no episode ends
            self._score = f"{now.row['return']:.2f}"
        text = (
            f"{self._name} {share:4.0%}  {now.steps / 1e6:.1f}M of {now.total / 1e6:.1f}M steps  return {self._score}"
        )
        if not math.isnan(now.rate):
            left = (now.total - now.steps) / now.rate
            text += f"  {now.rate / 1e6:.2f}M steps/s  {left:.0f} s left"
        self._status.show(text)
        if share == 1:
            self._status.clear()
        if not self._status.shown and int(share * 10) > self._tenth:
            self._tenth = int(share * 10)
            print(bold(text) if share == 1 else text, flush=True)
