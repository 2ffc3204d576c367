"""The walk's contract, written where a test wants it."""

from pathlib import Path
from typing import Any

from envwright.verify import contract as contracts
from envwright.verify import pairs
from envwright.verify.contract import Contract
from envwright.verify.engine import QUESTIONS, verify
from envwright.verify.host import Apart
from envwright.verify.session import Effort, Session
from envwright.verify.verdict import Check, Verdict

HERE = Path(__file__).parent
SMALL = Effort(episodes=12, limit=100, states=60, corners=40, pool=50, draws=400, watched=10)

TERMS = f"""
version = 1
reference = "{HERE / "games.py"}:Walk"
candidate = "{HERE / "walks.py"}:Walk"
[candidate_options]
fault = ""
[state]
at = "at"
[chance.start]
value = "draws('reset', 0)"
[chance.step]
value = "draws('step', 0)"
"""


def terms(reference: str = "Walk", fault: str = "", more: str = "", **replaced: str) -> str:
    """The contract's text, with another class of games.py, a fault of walks.py, and lines replaced."""
    text = TERMS.replace("games.py:Walk", f"games.py:{reference}").replace('fault = ""', f'fault = "{fault}"')
    for old, new in replaced.items():
        assert text.count(f"\n{old} = ") >= 1
        text = "\n".join(new if line.startswith(f"{old} = ") else line for line in text.split("\n"))
    return text + more


def contract(text: str = TERMS) -> Contract:
    return contracts.read(text)


def session(text: str = TERMS, **more: Any) -> Session:
    """A verification under way, in this process."""
    found = contract(text)
    return Session(found, pairs.make_host(found, apart=False), pairs.make_candidate(found), SMALL, **more)


def judge(text: str = TERMS, *, levels: tuple[str, ...] = tuple(QUESTIONS), apart: bool = False, **host: Any) -> Verdict:
    found = contract(text)
    lives = pairs.make_host(found, apart=False)
    if apart:
        lives = Apart(lambda: None) if False else _apart(found, **host)
    try:
        return verify(found, lives, pairs.make_candidate(found), effort=SMALL, levels=levels)
    finally:
        lives.close()


def _apart(found: Contract, **host: Any) -> Apart:
    from functools import partial

    return Apart(partial(pairs.find_reference, found.reference, found.reference_options, found.base), **host)


def failed(verdict: Verdict) -> dict[str, Check]:
    return {check.name: check for check in verdict.checks if not check.passed}
