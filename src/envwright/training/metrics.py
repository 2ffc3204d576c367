"""What a run reports while it learns: a line of JSON an update and seed, TensorBoard's file, the time apart.

`metrics.jsonl` holds nothing that depends on the clock: the same run writes the same bytes, interrupted or not. How
long things took is in `timing.jsonl`.
"""

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envwright.training.tensorboard import EventFile

METRICS, TIMING = "metrics.jsonl", "timing.jsonl"
MUST_BE_FINITE = ("policy", "value", "entropy", "kl", "gradient")  # a return is not a number while no episode ends

Row = dict[str, Any]


def rows_of(metrics: Mapping[str, Any], first_update: int, batch: int, seeds: Sequence[int]) -> list[Row]:
    """A chunk's metrics, (updates, seeds) each, as rows; what is not a number becomes null."""
    columns = {name: np.asarray(values, np.float32) for name, values in metrics.items()}
    updates = next(iter(columns.values())).shape[0]
    rows: list[Row] = []
    for update in range(updates):
        done = first_update + update + 1
        for i, seed in enumerate(seeds):
            values = {name: column[update, i].item() for name, column in columns.items()}
            rows.append({"update": done, "steps": done * batch, "seed": seed} | values)
    return rows


def first_broken(rows: Sequence[Row]) -> Row | None:
    """The first row in which learning went out of bounds."""
    return next((row for row in rows if not np.isfinite([row[name] for name in MUST_BE_FINITE]).all()), None)


def last_with_episodes(rows: Sequence[Row]) -> Row:
    """The last row in which an episode ended; episodes of the same length all end in the same update."""
    return next((row for row in reversed(rows) if np.isfinite(row["return"])), rows[-1])


class Log:
    """The files of a run. What is behind update `updates`, written by a run that was killed later, is dropped."""

    def __init__(self, folder: Path, updates: int) -> None:
        self.folder = folder
        kept = [row for row in read(folder) if row["update"] <= updates]
        part = folder / f"{METRICS}.part"
        part.write_text("".join(map(_line, kept)))
        part.replace(folder / METRICS)
        for old in folder.glob("events.out.tfevents.*"):
            old.unlink()
        self._began = time.time()
        self._events = EventFile(folder)
        self._to_tensorboard(kept)

    def write(self, rows: Sequence[Row], seconds: float) -> None:
        """Add a chunk that took so long."""
        with (self.folder / METRICS).open("a") as file:
            file.writelines(map(_line, rows))
        with (self.folder / TIMING).open("a") as file:
            file.write(json.dumps({"steps": rows[-1]["steps"], "seconds": seconds, "at": time.time()}) + "\n")
        self._to_tensorboard(rows)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what a full disk did not take is in metrics.jsonl, or was said to be lost
            self._events.close()

    def _to_tensorboard(self, rows: Sequence[Row]) -> None:
        many = len({row["seed"] for row in rows}) > 1
        for row in rows:
            values = {
                f"{name}/seed_{row['seed']}" if many else name: value
                for name, value in row.items()
                if name not in ("update", "steps", "seed") and value is not None and np.isfinite(value)
            }
            self._events.scalars(row["steps"], values, time.time())


def read(folder: Path) -> list[Row]:
    """The rows of a run; a last line that was cut short is left out."""
    path = folder / METRICS
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def _line(row: Row) -> str:
    return json.dumps({name: _plain(value) for name, value in row.items()}) + "\n"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value
