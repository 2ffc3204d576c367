"""Candidates with a bug planted in them: an example's source with a snippet replaced, beside a copy of its contract."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envwright.candidates.find import find_candidate
from envwright.references.registry import find_reference
from envwright.verifier import contract as contracts
from envwright.verifier.contract import Contract
from envwright.verifier.engine import verify
from envwright.verifier.host import Here
from envwright.verifier.session import Effort
from envwright.verifier.verdict import DEFAULT_LEVELS, Divergence, Verdict

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CARTPOLE = ROOT / "src" / "envwright" / "envs" / "cartpole"
SMALL = Effort(episodes=8, limit=200, states=1200, corners=100, pool=200, draws=1000, watched=40)

Replacement = tuple[str, str]


@dataclass(frozen=True)
class Planted:
    """A pair on disk, to be put to the engine."""

    code: Path
    contract: Path
    sound: str  # the code without the bug

    def undo(self) -> None:
        self.code.write_text(self.sound)


def plant(folder: Path, example: str, bug: Sequence[Replacement] = (), contract: Sequence[Replacement] = ()) -> Planted:
    """Write an example and its contract into `folder`, with snippets replaced that each occur exactly once."""
    code, terms = _sources(example)
    (folder / "policies.py").write_text((CARTPOLE / "policies.py").read_text())
    planted = Planted(folder / f"{example}.py", folder / f"{example}.toml", code)
    planted.code.write_text(replaced(code, bug))
    planted.contract.write_text(replaced(terms, contract))
    return planted


def put_to_the_engine(
    planted: Planted, effort: Effort = SMALL, levels: Sequence[str] = DEFAULT_LEVELS, keep: Path | None = None
) -> Verdict:
    contract = contracts.load(planted.contract)
    host = Here(find_reference(contract.reference, contract.reference_options, contract.base))
    try:
        return verify(contract, host, candidate_of(contract), effort=effort, levels=levels, regressions=keep)
    finally:
        host.close()


def candidate_of(contract: Contract):
    return find_candidate(contract.candidate, contract.candidate_options, contract.base)


def divergences(verdict: Verdict) -> list[Divergence]:
    return [divergence for check in verdict.checks for divergence in check.divergences]


def kept_at(divergence: Divergence) -> Path:
    """The file that a divergence says to replay."""
    return Path(divergence.replay.removeprefix("envwright replay "))


def _sources(example: str) -> tuple[str, str]:
    if example != "cartpole":
        return (EXAMPLES / f"{example}.py").read_text(), (EXAMPLES / f"{example}.toml").read_text()
    of_rules = re.compile(r"^from envwright\.envs\.cartpole\.rules import .*\n", re.MULTILINE)
    code = (CARTPOLE / "rules.py").read_text() + of_rules.sub("", (CARTPOLE / "env.py").read_text())
    one_file = (
        'candidate = "envwright:cartpole"',
        'candidate = "cartpole.py:CartPole"\ncandidate_options = { max_episode_steps = 500 }',
    )
    return code, replaced((CARTPOLE / "contract.toml").read_text(), [one_file])


def replaced(text: str, replacements: Sequence[Replacement]) -> str:
    for old, new in replacements:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        text = text.replace(old, new)
    return text
