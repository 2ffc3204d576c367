"""L4 of a translation: `envwright verify --levels 4` in a process of its own.

Training compiles the candidate into one program with the learner, so the two cannot be kept apart by a pipe as they are
at the other levels. The whole verification runs elsewhere instead, and its verdict is read from the file it wrote.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from envwright.agents.process import run_program
from envwright.verifier.verdict import Check, Divergence

SECONDS = 3600.0


def transfer_checks(contract: Path, place: Path) -> list[Check]:
    """The checks of L4 for the candidate in `place`, by the contract at `contract`, which names it."""
    out = place / "transfer"
    argv = [sys.executable, "-m", "envwright", "verify", str(contract.resolve()), "--levels", "4", "--out", str(out)]
    here = {"PYTHONPATH": str(Path.cwd())}  # where an original given as module:Class may be
    ended = run_program(argv, place, time.monotonic() + SECONDS, extra=here)
    found = out / f"verdict-{contract.stem}.json"
    if not found.is_file():
        said = (ended.stderr.strip().splitlines() or [ended.sentence])[-1]
        return [Check("L4", "transfer", "fail", f"could not be made: {said}")]
    return [_check(row) for verdict in json.loads(found.read_text())["verdicts"] for row in verdict["checks"]]


def _check(row: dict[str, Any]) -> Check:
    divergences = tuple(Divergence(**divergence) for divergence in row["divergences"])
    return Check(**{**row, "divergences": divergences})
