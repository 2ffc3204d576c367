"""L1, single steps: from states that were recorded, invented, or pushed into a corner, and those that failed before."""

import numpy as np

from envwright.candidates.protocol import Columns
from envwright.core.errors import EnvwrightError
from envwright.verifier import regressions
from envwright.verifier.compare import SLACK_REASON
from envwright.verifier.rows import part
from envwright.verifier.session import Session
from envwright.verifier.trial import Precision, StepTrial, attempt, explain, precisions
from envwright.verifier.verdict import Check, Divergence

MOST = 1000  # states that the invariants are asked of


def check_steps(session: Session) -> list[Check]:
    """A check for each precision, and one for the invariants."""
    rng = session.rng(1)
    cases = regressions.stored_steps(session)
    cases += session.states.invent(session.actions, session.effort.states, rng)
    cases += session.states.corners(session.actions, rng, session.effort.corners)
    checks: list[Check] = []
    trials: list[tuple[Precision, StepTrial]] = []
    for precision in precisions(session):
        session.progress(f"L1 single steps, {precision.name}")
        trial = attempt(session, precision, cases)
        if not trial.reference.cases:
            raise EnvwrightError(
                f"the original refuses all {len(trial.reference.outside):,} states from which single steps were asked "
                f"of it ({_common(trial.reference.outside)})."
            )
        trials.append((precision, trial))
        found = explain(session, precision, trial, "L1")
        checks.append(_check(precision, trial, found))
    return [*checks, *_invariants(session, trials[-1][1])]


def _check(precision: Precision, trial: StepTrial, found: list[Divergence]) -> Check:
    taken, refused = len(trial.reference.cases), len(trial.reference.outside)
    detail = f"{taken:,} steps, {len(trial.rows):,} differ"
    if trial.unjudged:
        detail += f" of {taken - trial.unjudged:,} judged"
    if refused:
        detail += f"; {refused:,} states the reference refused ({_common(trial.reference.outside)})"
    if precision.nudge:
        detail += f"; allowed: {SLACK_REASON}" if not found else ""
    name = "single steps" + (f" in {precision.name}" if precision.nudge else "")
    return Check("L1", name, "fail" if found else "pass", detail, taken, tuple(found))


def _common(sentences: list[str]) -> str:
    most = max(set(sentences), key=sentences.count)
    return most if len(most) < 140 else most[:137] + "..."


def _invariants(session: Session, trial: StepTrial) -> list[Check]:
    """What the contract says always holds, and that numbers stay finite where the reference's are."""
    found = [*_not_finite(session, trial)]
    state = part(trial.got, "state.")
    agreed = [row for row in range(len(trial.reference.cases)) if row not in set(trial.rows.tolist())][:MOST]
    for invariant in session.contract.invariants:
        games = ({name: column[row] for name, column in state.items()} for row in agreed)
        broken = [game for game in games if not np.all(invariant.holds(game))]
        if broken:
            first = {name: value.tolist() for name, value in broken[0].items()}
            found.append(Divergence(invariant.module, invariant.name, True, False, input=first, differing=len(broken)))
    detail = f"{len(session.contract.invariants)} stated, and every number finite where the reference's is"
    return [Check("L1", "invariants", "fail" if found else "pass", detail, len(trial.reference.cases), tuple(found))]


def _not_finite(session: Session, trial: StepTrial) -> list[Divergence]:
    expected: Columns = {name: trial.reference.after[name] for name in session.contract.columns}
    found: list[Divergence] = []
    for name, want in expected.items():
        have = trial.got[name]
        if have.dtype.kind == "f" and want.shape == have.shape:
            bad = np.isfinite(want.astype(np.float64)) & ~np.isfinite(have)
            if bad.any():
                row = int(np.argwhere(bad)[0][0])
                case = trial.reference.cases[row]
                found.append(
                    Divergence(
                        session.contract.owner(name),
                        name,
                        want[row].tolist(),
                        have[row].tolist(),
                        input=dict(case.snapshot),
                    )
                )
    return found
