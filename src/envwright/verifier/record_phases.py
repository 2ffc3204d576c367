"""The middle of a step of the reference: what it knows after each phase, and how sensitive to rounding that is.

All are plain functions of a reference, as those of record.py are.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.references.protocol import Reference, ReferenceFailedError, TapeError
from envwright.verifier.contract import Contract, ContractError
from envwright.verifier.expression import ExpressionError
from envwright.verifier.nudges import nudge
from envwright.verifier.record import Beat, Case, Plain
from envwright.verifier.sensitivity import NUDGES, distance, roundings

Place = tuple[str, int]  # a phase, and the substep of it; 0 where it has none
Seen = dict[Place, dict[str, NDArray[Any]]]  # what is known there, by name


def record_phases(
    reference: Reference,
    contract: Contract,
    cases: Sequence[Case],
    dtype: str | None,
    sizes: Plain,
    seeds: range,
    beat: Beat,
) -> tuple[list[Seen], list[Seen]]:
    """What the reference knows after each phase of these steps, if it is passed, and how far it moves if all that is
    computed is rounded, with each of the seeds, and, with the first of them, if its state is moved by a last bit."""
    rng = np.random.default_rng(0)
    found: list[Seen] = []
    sensitivities: list[Seen] = []
    for case in cases:
        beat()
        seen = _watch(reference, contract, case)
        sensitivity: Seen = {
            place: {name: np.zeros(v.shape) for name, v in values.items()} for place, values in seen.items()
        }
        for _ in range(NUDGES if dtype and seeds.start == 0 else 0):
            nudged = nudge(case.snapshot, sizes, np.dtype(dtype), rng)
            try:
                other = _watch(reference, contract, case._replace(snapshot=nudged))
            except (ReferenceFailedError, ExpressionError, TapeError):
                continue
            widen(sensitivity, _apart(other, seen))
        for way in roundings(reference, contract, dtype, seeds):
            with way:
                widen(sensitivity, _apart(_watch(reference, contract, case), seen))
        found.append(seen)
        sensitivities.append(sensitivity)
    return found, sensitivities


def widen(sensitivity: Seen, other: Seen) -> None:
    """The farther of two distances, everywhere."""
    for place, values in other.items():
        for name, value in values.items():
            sensitivity[place][name] = np.maximum(sensitivity[place][name], value)


def _apart(other: Seen, seen: Seen) -> Seen:
    """How far one is from the other, where both were."""
    return {
        place: {name: distance(other[place][name], value) for name, value in values.items()}
        for place, values in seen.items()
        if place in other
    }


def _watch(reference: Reference, contract: Contract, case: Case) -> Seen:
    by_name = {phase.name: phase for phase in contract.phases}
    reference.restore(case.snapshot)
    held = reference.look()
    before, substeps = SimpleNamespace(**held), _Substeps(contract, held)
    glimpses, outcome = reference.watch([phase.point for phase in contract.phases], case.action, case.tape)
    seen: Seen = {}
    for glimpse in glimpses:
        names = {"before": before, **glimpse.names, "action": case.action}
        values = by_name[glimpse.phase].values
        place = glimpse.phase, substeps.enter(glimpse.phase)
        seen[place] = {key: _array(e(names, outcome.draws)) for key, e in values.items()}
    return seen


class _Substeps:
    """Counts substeps while the phases of a step go by. The first phase of a loop is passed in each of its substeps,
    the others may be passed over."""

    def __init__(self, contract: Contract, held: Plain) -> None:
        self.first = {p.name: loop.phases[0].name for loop in contract.loops if loop.substeps for p in loop.phases}
        self.most = {loop.phases[0].name: loop.count(held) for loop in contract.loops}
        self.begun = dict.fromkeys(self.most, 0)

    def enter(self, phase: str) -> int:
        """The substep in which this phase is passed now, from 0."""
        if phase not in self.first:
            return 0
        first = self.first[phase]
        self.begun[first] += phase == first
        if not self.begun[first]:
            raise ContractError(
                f"[[phase]] {phase}: the reference passes it before {first}, which should begin each of its substeps; "
                "write the phases in the order in which they are passed."
            )
        if self.begun[first] > self.most[first]:
            raise ContractError(
                f"[[phase]] {first}: the reference passes it more than {self.most[first]} times in a step; correct its "
                "`substeps`."
            )
        return self.begun[first] - 1


def _array(value: Any) -> NDArray[Any]:
    return np.asarray(value.filled() if isinstance(value, np.ma.MaskedArray) else value)
