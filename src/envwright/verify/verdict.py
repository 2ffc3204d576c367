"""What a verification found: for machines as JSON, for people as text."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VERSION = 1


@dataclass(frozen=True)
class Divergence:
    """The first place where candidate and reference part."""

    field: str
    step: int
    env: int
    expected: str  # the reference's value
    got: str  # the candidate's
    action: str  # the action of that step
    chance: str  # its luck


@dataclass(frozen=True)
class Verdict:
    """The result of one level on one configuration."""

    level: str
    subject: str
    steps: int
    episodes: int
    fields: tuple[str, ...]
    differing_bits: int
    divergence: Divergence | None
    provenance: dict[str, Any]

    @property
    def passed(self) -> bool:
        return self.divergence is None

    def text(self) -> str:
        """One line if it passed, a few if not."""
        counts = f"{self.episodes:,} episodes, {self.steps:,} steps, {len(self.fields)} fields"
        if self.divergence is None:
            return f"{self.level} pass  {self.subject}: {counts}, {self.differing_bits} differing bits"
        d = self.divergence
        return (
            f"{self.level} FAIL  {self.subject}: {counts}, {self.differing_bits} differing bits\n"
            f"   first: field {d.field}, step {d.step}, environment {d.env}: expected {d.expected}, got {d.got}\n"
            f"          after action {d.action} with chance {d.chance}"
        )


def write(verdicts: list[Verdict], path: Path) -> None:
    """All verdicts in one versioned file, written whole or not at all."""
    content = {"version": VERSION, "passed": all(v.passed for v in verdicts)}
    content["verdicts"] = [{"passed": v.passed, **dataclasses.asdict(v)} for v in verdicts]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=2) + "\n")
    part.replace(path)
