"""A training run from beginning to end: chunks of updates on the devices, and between them the files on the host.

folder/config.json        what the run is; another run will not be mixed with it
folder/checkpoints/       the newest states, from which a killed run goes on to the same bits
folder/metrics.jsonl      what was learned, a line an update
folder/events.out...      the same for TensorBoard
"""

import contextlib
import importlib.metadata
import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.core.registry import make, spec
from envwright.training import checkpoint, distributed, metrics
from envwright.training.config import Config, ConfigError, from_plain
from envwright.training.player import Player
from envwright.training.ppo import Trainer, TrainState, learners_template, player_of, policy_of
from envwright.training.trainers import AnyTrainer, trainer_of

CHUNK = 2**20  # steps between two looks from the host
LEAST_CHUNKS = 20  # of a run, however short
SAVE_EVERY = 5.0  # seconds of training between two checkpoints
SAVE_SHARE = 0.05  # of the time may go into writing them


@dataclass(frozen=True)
class Progress:
    """Where a run is."""

    steps: int  # of all seeds together
    total: int
    row: metrics.Row  # the last one in which an episode ended
    rate: float  # steps a second, compiling left out; not a number after the first chunk


@dataclass(frozen=True)
class TrainingRun:
    """What is trained, and where it is kept."""

    folder: Path
    env: str
    config: Config
    seeds: tuple[int, ...] = (0,)
    devices: int | None = None

    @property
    def chunk(self) -> int:
        """Updates between two looks."""
        updates = self.config.updates
        most = max(1, min(CHUNK // self.config.batch, updates // LEAST_CHUNKS))
        even = max(n for n in range(1, most + 1) if updates % n == 0)
        return even if 2 * even >= most else most  # a last chunk of another length would be compiled for itself

    def about(self) -> dict[str, Any]:
        """What decides the result, as files have it."""
        return {"env": spec(self.env).id, "config": self.config.plain(), "seeds": list(self.seeds)}


def train(run: TrainingRun, *, fresh: bool = False, progress: Callable[[Progress], None] = lambda now: None) -> None:
    """Train, or go on with what the folder holds; the finished run stays in the folder."""
    env = make(run.env, **run.config.env_options)
    trainer = trainer_of(env, run.config, run.seeds, run.devices)
    first = jax.process_index() == 0
    if first:
        _open(run, trainer.devices, fresh)
    distributed.wait_for_all("folder is there")
    state, done = resume(run, trainer)
    with _open_log(run, done) if first else contextlib.nullcontext() as log:
        _train(run, trainer, state, done, log, progress)


def _train(
    run: TrainingRun,
    trainer: AnyTrainer,
    state: TrainState,
    done: int,
    log: metrics.Log | None,
    progress: Callable[[Progress], None],
) -> None:
    an_update = run.config.batch * len(run.seeds)
    begun_at, began = done, 0.0  # of the first chunk that does not compile
    saved_at, save_seconds = time.monotonic(), 0.0
    # A batch stepped from here is compiled for no number of updates, and slow enough to be looked at after each.
    chunk = run.chunk if isinstance(trainer, Trainer) else 1
    while done < run.config.updates:
        updates = min(chunk, run.config.updates - done)
        chunk_began = time.monotonic()
        state, found = trainer.run(state, updates)
        rows = metrics.rows_of(distributed.gathered(found), done, run.config.batch, run.seeds)
        _check_finite(run, rows)
        done += updates
        now = time.monotonic()
        if log is not None:
            with _on_disk(run):
                log.write(rows, now - chunk_began)
            rate = (done - begun_at) * an_update / (now - began) if began else float("nan")
            if not began:
                begun_at, began = done, now
            row = metrics.last_with_episodes(rows)
            progress(Progress(done * an_update, run.config.updates * an_update, row, rate))
        due = now - saved_at > max(SAVE_EVERY, save_seconds / SAVE_SHARE)
        if distributed.agreed(due) or done == run.config.updates:
            save(run, trainer, state, done)
            saved_at = time.monotonic()
            save_seconds = saved_at - now


def save(run: TrainingRun, trainer: AnyTrainer, state: TrainState, done: int) -> None:
    """A checkpoint; with several processes, the first one writes for all."""
    whole = trainer.saved(state)
    _check_learner(run, whole, done)
    if jax.process_index() == 0:
        header = run.about() | {"devices": trainer.devices, "versions": versions()}
        checkpoint.save(run.folder / "checkpoints", done, header, whole)


def resume(run: TrainingRun, trainer: AnyTrainer) -> tuple[TrainState, int]:
    """The newest state of a run, or its beginning."""
    path = checkpoint.newest(run.folder / "checkpoints")
    if path is None:
        return trainer.start(), 0
    found = checkpoint.load(path)
    if found.header["devices"] != trainer.devices:
        raise checkpoint.CheckpointError(
            f"The run in {run.folder} was begun on {found.header['devices']} devices, and on {trainer.devices} its "
            f"sums would round differently; give --devices {found.header['devices']}, or --fresh to begin again."
        )
    return trainer.restored(checkpoint.fill(found, trainer.template())), found.header["updates"]


def devices_of(folder: Path) -> int | None:
    """How many devices the run in a folder was begun on; None, if there is none."""
    try:
        found = json.loads((folder / "config.json").read_text())["devices"]
        return found if isinstance(found, int) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def load_player(path: Path, seed: int | None = None) -> tuple[Player, dict[str, Any]]:
    """The policy of a run's folder or of one of its checkpoints, and what the run is."""
    where = checkpoint.newest(path / "checkpoints") if path.is_dir() else path
    if where is None or not where.exists():
        raise EnvwrightError(f"There is no checkpoint in {path}; train first, for example: envwright train pong")
    found = checkpoint.load(where)
    config, seeds = from_plain(found.header["config"]), found.header["seeds"]
    seed = seeds[0] if seed is None else seed
    if seed not in seeds:
        raise EnvwrightError(f"{path} holds no seed {seed}; it has {', '.join(map(str, seeds))}.")
    policy = policy_of(make(found.header["env"], **config.env_options), config)
    learners = checkpoint.fill(found, learners_template(policy, len(seeds)), under=".learner")
    name = f"{found.header['env']}, {found.header['updates'] * config.batch:,} steps"
    return player_of(policy, learners, seeds.index(seed), name), found.header


def versions() -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in ("envwright", "jax", "jaxlib", "numpy")}


def _open(run: TrainingRun, devices: int, fresh: bool) -> None:
    """Make the folder, or see that it holds this very run."""
    about = run.folder / "config.json"
    here = json.loads(json.dumps(run.about()))
    try:
        there = json.loads(about.read_text()) if about.exists() else None
        if there is not None and not (isinstance(there, dict) and there.keys() >= here.keys()):
            raise EnvwrightError(f"{about} is of something else than a run; give another --out.")
        if fresh and there is not None:  # only what is known to be a run is ever deleted
            shutil.rmtree(run.folder)
            there = None
        (run.folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        if there is None:
            part = about.with_suffix(".part")
            part.write_text(json.dumps({**here, "devices": devices}, indent=2) + "\n")
            part.replace(about)
            return
    except OSError as error:
        reason = error.strerror or error
        raise EnvwrightError(f"The folder {run.folder} cannot be used: {reason}; give another --out.") from None
    except ValueError:
        raise EnvwrightError(f"{about} is damaged, or not of a run; delete it, or give another --out.") from None
    there.pop("devices", None)  # judged with the checkpoint, where it matters
    if there != here:
        what = "; ".join(_differences(there, here))
        raise ConfigError(f"{run.folder} holds another run ({what}); give another --out, or --fresh to begin again.")


def _differences(there: dict[str, Any], here: dict[str, Any], prefix: str = "") -> list[str]:
    found: list[str] = []
    for name in dict.fromkeys([*there, *here]):
        a, b = there.get(name), here.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            found += _differences(a, b, f"{prefix}{name}.")
        elif a != b:
            found.append(f"{prefix}{name} is {a} there and {b} here".replace("config.", ""))
    return found


def _check_finite(run: TrainingRun, rows: Sequence[metrics.Row]) -> None:
    broken = metrics.first_broken(rows)
    if broken is None:
        return
    name = next(name for name in metrics.MUST_BE_FINITE if not np.isfinite(broken[name]))
    raise EnvwrightError(
        f"Training broke in update {broken['update']} (seed {broken['seed']}, {broken['steps']:,} steps): '{name}' is "
        f"{broken[name]}. Try a lower learning_rate or max_grad_norm; {_last_good(run)}."
    )


def _check_learner(run: TrainingRun, state: TrainState, done: int) -> None:
    """What is written must be worth going on from: infinite statistics break the losses only an update later."""
    for path, leaf in jax.tree_util.tree_flatten_with_path(state.learner)[0]:
        if not np.isfinite(leaf).all():
            raise EnvwrightError(
                f"Training broke by update {done}: {jax.tree_util.keystr(path)[1:]} is not finite. Look for infinite "
                f"observations, or try a lower learning_rate; {_last_good(run)}."
            )


def _last_good(run: TrainingRun) -> str:
    kept = checkpoint.newest(run.folder / "checkpoints")
    return f"the last good checkpoint is {kept}" if kept else "no checkpoint had been written yet"


@contextlib.contextmanager
def _open_log(run: TrainingRun, done: int) -> Iterator[metrics.Log]:
    with _on_disk(run):
        log = metrics.Log(run.folder, done)
    with contextlib.closing(log):
        yield log


@contextlib.contextmanager
def _on_disk(run: TrainingRun) -> Iterator[None]:
    """Metrics that cannot be written are a sentence."""
    try:
        yield
    except OSError as error:
        kept = checkpoint.newest(run.folder / "checkpoints")
        raise EnvwrightError(
            f"Metrics cannot be written to {run.folder}: {error.strerror}. Make room, then run the same command again "
            f"to go on from {kept or 'the beginning'}."
        ) from None
