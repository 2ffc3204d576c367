"""What a verification found: for machines as JSON, for people as text."""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from envwright.verifier.domain import digits

VERSION = 3
LEVELS = ("L0", "L1", "L2", "L3", "L4")
DEFAULT_LEVELS = LEVELS[:4]  # L4 trains, which takes its time, so it is done when asked for


@dataclass(frozen=True)
class Divergence:
    """A place where candidate and reference part, and an input that shows it."""

    module: str  # whom to ask
    column: str  # state.NAME, observation, reward, terminated, truncated, info.KEY, or what a function returned
    expected: Any  # the reference's value
    got: Any  # the candidate's
    allowed: float | None = None  # how far apart they may be; None: not at all
    episode: int | None = None
    step: int | None = None
    input: dict[str, Any] = field(default_factory=dict)  # state, action and chance, by name
    smallest: bool = False  # whether the input was made as small as it could be
    differing: int = 1  # how many of the inputs tried show it
    replay: str = ""  # the command that does just this again
    note: str = ""
    draws: dict[str, list[list[Any]]] = field(default_factory=dict)  # random numbers of this step, by side, in order


@dataclass(frozen=True)
class Check:
    """One question that was put to the pair."""

    level: str
    name: str
    status: str  # pass, fail, open (not enough to tell), note (worth knowing, not a fault) or skip (could not be asked)
    detail: str = ""
    count: int = 0  # how much was compared
    divergences: tuple[Divergence, ...] = ()
    numbers: dict[str, Any] = field(default_factory=dict)  # what a statistical question was decided by

    @property
    def passed(self) -> bool:
        return self.status not in ("fail", "open")


@dataclass(frozen=True)
class Verdict:
    """All that was asked about one pair."""

    subject: str
    checks: tuple[Check, ...]
    provenance: dict[str, Any] = field(default_factory=dict)
    coverage: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> bool:
        return any(check.status == "fail" for check in self.checks)

    @property
    def open(self) -> bool:
        """Neither passed nor failed: nothing is wrong, but something could not be told."""
        return not self.passed and not self.failed

    @property
    def word(self) -> str:
        return "PASS" if self.passed else "OPEN" if self.open else "FAIL"

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that were blamed, each once, in the order of the levels."""
        return tuple(dict.fromkeys(d.module for check in self.checks for d in check.divergences))

    def text(self) -> str:
        """The verdict for a person: a line a check, and under a failed one where it failed."""
        lines = [f"{self.word}  {self.subject}   ({self.seconds:.1f} s)"]
        for check in self.checks:
            lines.append(
                f"  {check.level} {_MARKS[check.status]} {check.name}{': ' + check.detail if check.detail else ''}"
            )
            for divergence in check.divergences:
                lines += [f"       {line}" for line in describe(divergence)]
        if self.coverage:
            lines += [f"  {line}" for line in _coverage(self.coverage)]
        return "\n".join(lines)


MOST_DRAWS = 24  # that a line shows; the verdict's file has all
_MARKS = {"pass": "ok  ", "fail": "FAIL", "open": "open", "note": "note", "skip": "skip"}


def describe(d: Divergence) -> list[str]:
    """A divergence in a few lines."""
    where = f", episode {d.episode}, step {d.step}" if d.episode is not None else ""
    lines = [f"module {d.module}, {d.column}{where}: expected {short(d.expected)}, got {short(d.got)}"]
    if d.allowed is not None:
        lines[0] += f" (rounding explains {d.allowed:.2g})"
    if d.differing > 1:
        lines[0] += f"; so in {d.differing:,} inputs"
    if d.input:
        lines.append(
            ("smallest input: " if d.smallest else "input: ")
            + ", ".join(f"{name} = {short(value)}" for name, value in d.input.items())
        )
    lines += [f"{side} drew {_drawn(draws)}" for side, draws in d.draws.items()]
    if d.note:
        lines.append(d.note)
    if d.replay:
        lines.append(f"again: {d.replay}")
    return lines


def _drawn(draws: list[list[Any]]) -> str:
    """Random numbers in their order, each with its place in the code."""
    listed = ", ".join(f"{' '.join(map(str, place))} = {short(value)}" for *place, value in draws[:MOST_DRAWS])
    more = f" and {len(draws) - MOST_DRAWS:,} more" if len(draws) > MOST_DRAWS else ""
    return f"{len(draws):,}: {listed}{more}" if draws else "nothing"


def short(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, float):
        return digits(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple) and len(value) <= 12:
        return "[" + ", ".join(short(v) for v in value) + "]"
    text, room = str(value), 400 if isinstance(value, str) else 100  # a sentence is to be read to its end
    return text if len(text) <= room else text[: room - 3] + "..."


def _coverage(coverage: dict[str, Any]) -> list[str]:
    lines, branches = coverage["lines"], coverage["branches"]
    text = f"coverage of the reference: {lines[0]} of {lines[1]} lines, {branches[0]} of {branches[1]} branches"
    missed = coverage.get("missing", [])
    shown = [f"  never run: {place}" for place in missed[:8]]
    return [text, *shown, *([f"  and {len(missed) - 8} more, see the verdict file"] if len(missed) > 8 else [])]


def write(verdicts: Sequence[Verdict], path: Path) -> None:
    """All verdicts in one versioned file, written whole or not at all."""
    content: dict[str, Any] = {"version": VERSION, "passed": all(v.passed for v in verdicts)}
    content["open"] = any(v.open for v in verdicts) and not any(v.failed for v in verdicts)
    content["verdicts"] = [
        {"passed": v.passed, "open": v.open, "modules": v.modules, **dataclasses.asdict(v)} for v in verdicts
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=2, default=_plain) + "\n")
    part.replace(path)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return repr(value)
