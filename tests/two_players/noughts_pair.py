"""The contract of the two, and their verification, as a test wants them."""

from pathlib import Path
from typing import Any

from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.engine import verify
from envwright.verifier.session import Effort, Session
from envwright.verifier.verdict import DEFAULT_LEVELS, Verdict

HERE = Path(__file__).parent
SMALL = Effort(episodes=40, limit=20, states=300, corners=100, pool=100, draws=400, watched=10)
TERMS = f"""
version = 1
reference = "{HERE / "slow_noughts.py"}:Noughts"
candidate = "{HERE / "fast_noughts.py"}:Noughts"
[candidate_options]
fault = ""
[state]
board = "board"
turn = "turn"
first = "first"
moves = "moves"
[outcome]
legal_actions = "legal"
acting = "acting"
[chance.start]
value = "draws('reset', 0)"
[[module]]
name = "placing"
owns = ["state.board", "state.moves"]
[[module]]
name = "turns"
owns = ["state.turn", "state.first", "acting"]
[[module]]
name = "moves"
owns = ["legal_actions"]
[[module]]
name = "scoring"
owns = ["reward", "terminated"]
"""


def terms(fault: str = "", *replacements: tuple[str, str]) -> str:
    """The contract's text, with a fault of fast_noughts.py, or snippets replaced that each occur exactly once."""
    text = TERMS.replace('fault = ""', f'fault = "{fault}"')
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def session(text: str = TERMS, effort: Effort = SMALL, **more: Any) -> Session:
    """A verification under way, in this process."""
    contract = contracts.read(text)
    return Session(contract, pairs.make_host(contract, apart=False), pairs.make_candidate(contract), effort, **more)


def judge(text: str = TERMS, levels: tuple[str, ...] = DEFAULT_LEVELS, **more: Any) -> Verdict:
    contract = contracts.read(text)
    host = pairs.make_host(contract, apart=False)
    try:
        return verify(contract, host, pairs.make_candidate(contract), effort=SMALL, levels=levels, **more)
    finally:
        host.close()
