"""L2, interaction: whole steps, compared after each of their phases."""

import numpy as np

from envwright.verifier import regressions
from envwright.verifier.phases import compare_phases
from envwright.verifier.rows import part, take
from envwright.verifier.session import Session
from envwright.verifier.trial import Precision, StepTrial, as_input, attempt, precisions
from envwright.verifier.verdict import Check, Divergence


def check_phases(session: Session) -> list[Check]:
    """A check for each precision."""
    contract = session.contract
    if not contract.phases:
        return [Check("L2", "phases", "skip", "the contract names no phases; a step is compared as a whole")]
    cases = session.states.invent(session.actions, session.effort.watched, session.rng(3))
    checks: list[Check] = []
    for precision in precisions(session):
        session.progress(f"L2 phases, {precision.name}")
        trial = attempt(session, precision, cases)
        rows = list(range(len(trial.reference.cases)))
        missing = _missing(session, precision, trial)
        if missing:
            return [
                *checks,
                Check("L2", "phases", "fail", f"the contract names {missing}; the candidate's phases() does not"),
            ]
        parted = compare_phases(session, precision.candidate, trial.reference, rows)
        found: dict[str, Divergence] = {}
        for row, phase, name, want, have in parted:
            if phase.module not in found:
                case = trial.reference.cases[row]
                divergence = Divergence(
                    phase.module, f"{name} after {phase.name}", np.asarray(want).tolist(), have.tolist(),
                    input=as_input(case), differing=sum(p[1].module == phase.module for p in parted),
                )  # fmt: skip
                found[phase.module] = regressions.keep_step(session, divergence, case, precision.name, "L2")
        detail = f"{len(rows):,} steps, {len(contract.phases)} phases, {len(parted):,} steps differ"
        name = "phases" + (f" in {precision.name}" if precision.nudge else "")
        checks.append(Check("L2", name, "fail" if found else "pass", detail, len(rows), tuple(found.values())))
    return checks


def _missing(session: Session, precision: Precision, trial: StepTrial) -> str:
    """Phases and values of the contract that the candidate does not have."""
    if not trial.reference.cases:
        return ""
    one = slice(0, 1)
    state, after = (take(columns, one) for columns in (part(trial.reference.before, "state."), trial.reference.after))
    chance = part(after, "chance.") if precision.candidate.takes_chance else None
    known = precision.candidate.phases(state, after["action"], chance)
    wanted = [(phase.name, value) for phase in session.contract.phases for value in phase.values]
    return ", ".join(f"{value} after {phase}" for phase, value in wanted if value not in known.get(phase, {}))
