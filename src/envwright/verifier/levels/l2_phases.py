"""L2, interaction: whole steps, compared after each of their phases."""

from envwright.core.errors import EnvwrightError
from envwright.verifier import regressions
from envwright.verifier.phases import compare_phases
from envwright.verifier.record import Transitions
from envwright.verifier.rows import part, take
from envwright.verifier.session import Session
from envwright.verifier.trial import Precision, as_input, precisions, reference_steps
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
        done = reference_steps(session, precision, cases)
        rows = list(range(len(done.cases)))
        missing = _missing(session, precision, done)
        if missing:
            return [
                *checks,
                Check("L2", "phases", "fail", f"the contract names {missing}; the candidate's phases() does not"),
            ]
        parted, passed = compare_phases(session, precision.candidate, done, rows)
        if rows and not passed:
            raise EnvwrightError("the reference passes none of the contract's phases in any of its steps.")
        found: dict[str, Divergence] = {}
        for parting in parted:
            module = parting.module(contract)
            if module not in found:
                case = done.cases[parting.row]
                many = sum(p.module(contract) == module for p in parted)
                divergence = Divergence(module, *parting.shown, input=as_input(case), differing=many)
                found[module] = regressions.keep_step(session, divergence, case, precision.name, "L2")
        detail = f"{len(rows):,} steps, {len(contract.phases)} phases, {len(parted):,} steps differ"
        if never := [phase.name for phase in contract.phases if phase.name not in passed]:
            detail += f"; never passed: {', '.join(never)}"
        name = "phases" + (f" in {precision.name}" if precision.nudge else "")
        checks.append(Check("L2", name, "fail" if found else "pass", detail, len(rows), tuple(found.values())))
    return checks


def _missing(session: Session, precision: Precision, done: Transitions) -> str:
    """Phases and values of the contract that the candidate does not have, or not once a substep."""
    if not done.cases:
        return ""
    one = slice(0, 1)
    state, after = (take(columns, one) for columns in (part(done.before, "state."), done.after))
    chance = part(after, "chance.") if precision.candidate.takes_chance else None
    known = precision.candidate.phases(state, after["action"], chance)
    missing: list[str] = []
    for loop in session.contract.loops:
        count = loop.count(session.facts["names"]) if loop.substeps else None
        for phase, value in ((p.name, value) for p in loop.phases for value in p.values):
            there = known.get(phase, {}).get(value)
            if there is None:
                missing.append(f"{value} after {phase}")
            elif count is not None and there.shape[1:2] != (count,):
                missing.append(f"{value} after {phase} with a leading axis of {count} substeps")
    return ", ".join(missing)
