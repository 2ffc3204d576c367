"""Rules that always hold, told by a function of the contract's author, of both sides: a reference can be wrong, too.

    check(before, action, after, options) -> what is wrong, in words

`before` and `after` are states of the contract's [state] as plain numbers and lists, `before` None where a game begins;
`options` are what the environment is made with.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.protocol import ReferenceFailedError
from envwright.verifier.policies import load_function
from envwright.verifier.rows import part
from envwright.verifier.session import Session
from envwright.verifier.trial import Precision, attempt
from envwright.verifier.verdict import Check, Divergence

REFERENCE = "reference"  # who is blamed, if it is not the candidate
STEPS, RECORDED = 1000, 1000  # single steps, and steps of whole episodes
SAMPLE = 64  # of each part of games in lock-step


def check_oracle(session: Session) -> list[Check]:
    """A check, if the contract names an oracle: single steps of both sides, and recorded games of the reference."""
    if session.contract.oracle is None:
        return []
    session.progress("L1 the oracle")
    exact = Precision("exact", session.candidate, None)
    trial = attempt(session, exact, session.states.invent(session.actions, STEPS, session.rng(8)))
    before, action = part(trial.reference.before, "state."), trial.reference.after["action"]
    trace = session.trace
    rows = np.arange(min(RECORDED, len(trace.steps["action"])))
    recorded = trace.states_before(rows), trace.steps["action"][rows], part(trace.steps, "state.")
    asked = {
        session.contract.candidate: [(before, action, part(trial.got, "state."))],
        REFERENCE: [(before, action, part(trial.reference.after, "state.")), recorded],
    }
    found: list[Divergence] = []
    for side, steps in asked.items():
        broken = [each for some in steps for each in wrong(session, *some)]
        found += _divergences(session, side, broken)
    count = 2 * len(action) + len(rows)
    detail = f"{len(action):,} single steps of each side, {len(rows):,} of recorded games"
    return [Check("L1", "the oracle, of both sides", "fail" if found else "pass", detail, count, tuple(found))]


def sampled(session: Session, before: Columns, action: NDArray[Any], after: Columns, ended: NDArray[np.bool_]) -> int:
    """The oracle on some of these steps, that did not end a game; how many. What is wrong is raised."""
    if session.contract.oracle is None:
        return 0
    rows = np.flatnonzero(~ended)
    rows = rows[np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows))).astype(int)]
    steps = {n: c[rows] for n, c in before.items()}, action[rows], {n: c[rows] for n, c in after.items()}
    for row, sentence in wrong(session, *steps):
        state = {name: column[row].tolist() for name, column in steps[0].items()}
        raise ReferenceFailedError(f"the oracle says: {sentence}; before it {state}, action {steps[1][row].tolist()}")
    return len(rows)


def wrong(session: Session, before: Columns, action: NDArray[Any], after: Columns) -> Iterator[tuple[int, str]]:
    """Each row in which something is wrong, and what."""
    named = session.contract.oracle
    assert named is not None
    check = load_function(named, session.contract.base, "oracle")
    for row in range(len(action)):
        given = ({name: column[row].tolist() for name, column in states.items()} for states in (before, after))
        first, last = given
        for sentence in check(first, action[row].tolist(), last, session.contract.reference_options):
            yield row, sentence


def _divergences(session: Session, side: str, broken: list[tuple[int, str]]) -> list[Divergence]:
    """One for each sentence."""
    many = Counter(sentence for _, sentence in broken)
    return [
        Divergence(REFERENCE if side == REFERENCE else session.contract.owner("oracle"), sentence, True, False,
                   differing=times, note=f"{side} breaks what always holds")
        for sentence, times in many.most_common(5)
    ]  # fmt: skip
