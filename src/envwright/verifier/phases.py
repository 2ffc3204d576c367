"""The middle of a step: what both sides know after each phase, and in which phase they part."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate
from envwright.verifier.compare import SLACK, differs
from envwright.verifier.contract import Phase
from envwright.verifier.nudges import unit
from envwright.verifier.record import Transitions, record_phases
from envwright.verifier.rows import part, take
from envwright.verifier.session import Session


def first_differing_phase(session: Session, candidate: Candidate, done: Transitions, row: int) -> str | None:
    """The module of the first phase after which the two differ in this step; None if no phase shows it."""
    found = compare_phases(session, candidate, done, [row])
    return found[0][1].module if found else None


def compare_phases(
    session: Session, candidate: Candidate, done: Transitions, rows: list[int]
) -> list[tuple[int, Phase, str, NDArray[Any], NDArray[Any]]]:
    """For each of these steps that differs: the row, the first phase that differs, the name, both values."""
    contract = session.contract
    if not contract.phases or not rows:
        return []
    state = take(part(done.before, "state."), rows)
    chance = take(part(done.after, "chance."), rows) if candidate.takes_chance else None
    got = candidate.phases(state, done.after["action"][rows], chance)
    if not got:
        return []
    dtype = "float64" if any(c.dtype == np.float64 for p in got.values() for c in p.values()) else "float32"
    nudge = dtype if session.rounds else None
    expected, sensitivity = session.host.run(
        record_phases, contract, [done.cases[row] for row in rows], nudge, session.sizes if session.rounds else {}
    )
    found: list[tuple[int, Phase, str, NDArray[Any], NDArray[Any]]] = []
    for i, row in enumerate(rows):
        first = _first(session, got, expected[i], sensitivity[i], i)
        if first is not None:
            found.append((row, *first))
    return found


def _first(session: Session, got: Any, expected: Any, sensitivity: Any, i: int) -> Any:
    for phase in session.contract.phases:
        for name, want in expected.get(phase.name, {}).items():
            have = got[phase.name][name][i]
            room = None
            if have.dtype.kind == "f" and session.rounds and want.shape == have.shape:
                room = SLACK * (sensitivity.get(phase.name, {}).get(name, 0.0) + unit(want, have.dtype))
            if np.any(differs(want[None], have[None], room)):
                return phase, name, want, have
    return None
