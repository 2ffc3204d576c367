"""Traces: episodes of the reference, recorded once, with the tape of their chance. One file, versioned and hashed.

header.json   version, hash, key (what it was recorded from), policies, seeds, failures, coverage, counts, provenance
columns.npz   actions, chance and everything that is compared, as arrays
tape.jsonl    the chance as the reference drew it, a line a start, then a line a step
pool.jsonl    a sample of the reference's states, a line each
"""

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.plain import from_json, to_json
from envwright.references.protocol import Counts, Draw, TapeError

VERSION = 2


class Failure(NamedTuple):
    """An episode that the reference could not finish."""

    episode: int
    step: int
    sentence: str


@dataclass
class Trace:
    """Whole episodes, one after another. The state before a step is that after the step before, or the start."""

    starts: Columns  # an axis of episodes
    steps: Columns  # an axis of all steps of all episodes
    lengths: NDArray[np.int64]
    policies: list[str]
    seeds: list[int]
    start_tape: list[tuple[Draw, ...]]
    step_tape: list[tuple[Draw, ...]]
    failures: list[Failure] = field(default_factory=list)
    pool: list[dict[str, Any]] = field(default_factory=list)  # some of the states on the way, as the reference has them
    coverage: dict[str, Any] = field(default_factory=dict)  # which lines of the reference these episodes ran
    counted: Counts = field(default_factory=dict)  # what of its rules the reference says they met
    key: str = ""  # what it was recorded from: reference, contract, effort
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def episodes(self) -> int:
        return len(self.lengths)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each episode's steps begin."""
        return np.concatenate([[0], np.cumsum(self.lengths)])[:-1].astype(np.int64)

    def place(self, step: int) -> tuple[int, int]:
        """Episode and step within it, of a step of the whole trace."""
        episode = int(np.searchsorted(self.offsets, step, side="right")) - 1
        return episode, step - int(self.offsets[episode])

    def states_before(self, rows: NDArray[Any]) -> Columns:
        """The reference's states before these steps, by the names of their fields."""
        offsets = self.offsets
        episode = np.searchsorted(offsets, rows, side="right") - 1
        first = offsets[episode] == rows
        return {
            name.removeprefix("state."): np.where(
                first.reshape(-1, *([1] * (column.ndim - 1))), self.starts[name][episode], column[rows - 1]
            )
            for name, column in self.steps.items()
            if name.startswith("state.")
        }


def save(trace: Trace, path: Path) -> str:
    """Write a trace; returns its hash."""
    arrays = io.BytesIO()
    columns = {f"start/{name}": c for name, c in trace.starts.items()} | {
        f"step/{name}": c for name, c in trace.steps.items()
    }
    np.savez(arrays, lengths=trace.lengths, **columns)  # pyright: ignore[reportArgumentType]
    tape = "\n".join(json.dumps(to_json([tuple(d) for d in draws])) for draws in (*trace.start_tape, *trace.step_tape))
    pool = "\n".join(json.dumps(to_json(state)) for state in trace.pool)
    digest = hashlib.sha256(arrays.getvalue() + tape.encode() + pool.encode()).hexdigest()
    header = {
        "version": VERSION,
        "sha256": digest,
        "key": trace.key,
        "coverage": trace.coverage,
        "counted": trace.counted,
        "policies": trace.policies,
        "seeds": trace.seeds,
        "failures": [list(f) for f in trace.failures],
        "provenance": trace.provenance,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(path.suffix + ".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(header, indent=2))
        file.writestr("columns.npz", arrays.getvalue())
        file.writestr("tape.jsonl", tape)
        file.writestr("pool.jsonl", pool)
    part.replace(path)
    return digest


def load(path: Path) -> Trace:
    """Read a trace; refuses one of another version or one that was changed."""
    try:
        with zipfile.ZipFile(path) as file:
            header = json.loads(file.read("header.json"))
            if header.get("version") != VERSION:
                raise TapeError(
                    f"{path} is of version {header.get('version')}; this envwright reads {VERSION}: record it anew."
                )
            arrays = file.read("columns.npz")
            tape, pool = (file.read(name).decode() for name in ("tape.jsonl", "pool.jsonl"))
    except (OSError, KeyError, zipfile.BadZipFile, json.JSONDecodeError):
        raise TapeError(f"{path} is not a trace of envwright's, or is damaged; record it anew.") from None
    if hashlib.sha256(arrays + tape.encode() + pool.encode()).hexdigest() != header["sha256"]:
        raise TapeError(f"{path} has been changed since it was written (its hash differs); record it anew.")
    columns = dict(np.load(io.BytesIO(arrays), allow_pickle=False))
    lengths = columns.pop("lengths")
    tapes = [tuple(Draw(*draw) for draw in from_json(json.loads(line))) for line in tape.split("\n")]
    return Trace(
        starts={n.removeprefix("start/"): c for n, c in columns.items() if n.startswith("start/")},
        steps={n.removeprefix("step/"): c for n, c in columns.items() if n.startswith("step/")},
        lengths=lengths,
        policies=header["policies"],
        seeds=header["seeds"],
        start_tape=tapes[: len(lengths)],
        step_tape=tapes[len(lengths) :],
        failures=[Failure(*f) for f in header["failures"]],
        pool=[from_json(json.loads(line)) for line in pool.splitlines()],
        coverage=header["coverage"],
        counted=header["counted"],
        key=header["key"],
        provenance=header["provenance"],
    )
