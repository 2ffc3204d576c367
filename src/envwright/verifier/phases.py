"""The middle of a step: what both sides know after each phase, and in which phase they part."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate, Columns
from envwright.verifier.clauses import Phase
from envwright.verifier.compare import SLACK, differs
from envwright.verifier.contract import Contract
from envwright.verifier.nudges import unit
from envwright.verifier.record import Transitions
from envwright.verifier.record_phases import Place, Seen, record_phases, widen
from envwright.verifier.rows import part, take
from envwright.verifier.sensitivity import MORE_ROUNDINGS, ROUNDINGS
from envwright.verifier.session import Session

SHOWN = 12  # numbers of a value that are shown; of more, only the one that differs most


class Parting(NamedTuple):
    """The first phase of a step after which the two sides differ, and in what."""

    row: int
    phase: Phase
    substep: tuple[int, int] | None  # which of how many, from 0
    name: str
    want: NDArray[Any]
    have: NDArray[Any]
    wrong: NDArray[np.bool_]  # which of the numbers differ, if the shapes are the same

    def module(self, contract: Contract) -> str:
        """Whom to ask."""
        return self.phase.module or contract.owner(f"state.{self.name}")

    @property
    def where(self) -> str:
        """The phase, for a person."""
        return self.phase.name + (f", substep {self.substep[0] + 1} of {self.substep[1]}" if self.substep else "")

    @property
    def shown(self) -> tuple[str, Any, Any]:
        """What differs and where, what was expected and what came."""
        if self.want.size <= SHOWN or self.want.shape != self.have.shape:
            return f"{self.name} after {self.where}", self.want.tolist(), self.have.tolist()
        apart = np.abs(self.want.astype(np.float64) - self.have.astype(np.float64))
        apart = np.where(self.wrong, np.where(np.isnan(apart), np.inf, apart), -1.0)
        worst = np.unravel_index(np.argmax(apart), apart.shape)
        index = ", ".join(map(str, worst))
        return f"{self.name}[{index}] after {self.where}", self.want[worst].tolist(), self.have[worst].tolist()


def first_parting(session: Session, candidate: Candidate, done: Transitions, row: int) -> Parting | None:
    """Where within this step the two part; None if no phase shows it."""
    found, _ = compare_phases(session, candidate, done, [row])
    return found[0] if found else None


def compare_phases(
    session: Session, candidate: Candidate, done: Transitions, rows: list[int]
) -> tuple[list[Parting], set[str]]:
    """Where those of the steps part that differ, and the phases that the reference passed in any of them."""
    contract = session.contract
    if not contract.phases or not rows:
        return [], set()
    state = take(part(done.before, "state."), rows)
    chance = take(part(done.after, "chance."), rows) if candidate.takes_chance else None
    got = candidate.phases(state, done.after["action"][rows], chance)
    if not got:
        return [], set()
    dtype = "float64" if any(c.dtype == np.float64 for p in got.values() for c in p.values()) else "float32"
    how = (dtype, session.sizes) if session.rounds else (None, {})
    cases = [done.cases[row] for row in rows]
    expected, sensitivity = session.host.run(record_phases, contract, cases, *how, ROUNDINGS)
    parted = [i for i in range(len(rows)) if _first(session, got, expected[i], sensitivity[i], i, rows[i])]
    if session.rounds and parted:  # so often that the farthest is hardly missed
        _, more = session.host.run(record_phases, contract, [cases[i] for i in parted], *how, MORE_ROUNDINGS)
        for i, farther in zip(parted, more, strict=True):
            widen(sensitivity[i], farther)
    partings = (_first(session, got, expected[i], sensitivity[i], i, rows[i]) for i in parted)
    return [found for found in partings if found is not None], {phase for seen in expected for phase, _ in seen}


def in_order(contract: Contract, names: Mapping[str, Any]) -> Iterator[tuple[Phase, tuple[int, int] | None]]:
    """The phases as a step goes through them, those of a loop once a substep."""
    for loop in contract.loops:
        if loop.substeps is None:
            yield from ((phase, None) for phase in loop.phases)
            continue
        count = loop.count(names)
        yield from ((phase, (substep, count)) for substep in range(count) for phase in loop.phases)


def _first(
    session: Session, got: Mapping[str, Columns], expected: Seen, sensitivity: Seen, i: int, row: int
) -> Parting | None:
    for phase, substep in in_order(session.contract, session.facts["names"]):
        place = phase.name, 0 if substep is None else substep[0]
        for name, want in expected.get(place, {}).items():
            have = got[phase.name][name][i]
            have = have if substep is None else have[substep[0]]
            room = None
            if session.rounds and want.shape == have.shape:
                moved = sensitivity[place][name]  # of a flag, whether rounding decides it
                room = SLACK * (moved + _units(session, place, name, want, have)) if have.dtype.kind == "f" else moved
            wrong = differs(want[None], have[None], room)[0]
            if np.any(wrong):
                return Parting(row, phase, substep, name, want, have, wrong)
    return None


def _units(session: Session, place: Place, name: str, want: NDArray[Any], have: NDArray[Any]) -> NDArray[np.float64]:
    """One unit in the last place of each number: of its usual size, if that is more than its present one."""
    units, size = unit(want, have.dtype), session.phase_scales.get(place, {}).get(name)
    return units if size is None or size.shape != want.shape else np.maximum(units, unit(size, have.dtype))
