"""The walk's contract, and its verification, as a test wants them."""

from functools import partial
from pathlib import Path
from typing import Any

from envwright.references.registry import find_reference
from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.engine import verify
from envwright.verifier.host import Apart, Here
from envwright.verifier.session import Effort, Session
from envwright.verifier.verdict import DEFAULT_LEVELS, Check, Verdict

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


def terms(reference: str = "Walk", fault: str = "", more: str = "", **lines: str) -> str:
    """The contract's text, with another class of games.py, a fault of walks.py, or whole lines replaced."""
    text = TERMS.replace("games.py:Walk", f"games.py:{reference}").replace('fault = ""', f'fault = "{fault}"')
    for name, line in lines.items():
        assert f"\n{name} = " in text
        text = "\n".join(line if old.startswith(f"{name} = ") else old for old in text.split("\n"))
    return text + more


def session(text: str = TERMS, **more: Any) -> Session:
    """A verification under way, in this process."""
    contract = contracts.read(text)
    return Session(contract, pairs.make_host(contract, apart=False), pairs.make_candidate(contract), SMALL, **more)


def judge(text: str = TERMS, levels: tuple[str, ...] = DEFAULT_LEVELS, apart: dict[str, Any] | None = None) -> Verdict:
    """A verdict; with the reference in a process of its own if that is described."""
    contract = contracts.read(text)
    make = partial(find_reference, contract.reference, contract.reference_options, contract.base)
    host = Here(make()) if apart is None else Apart(make, **apart)
    try:
        return verify(contract, host, pairs.make_candidate(contract), effort=SMALL, levels=levels)
    finally:
        host.close()


def failed(verdict: Verdict) -> dict[str, Check]:
    return {check.name: check for check in verdict.checks if not check.passed}
