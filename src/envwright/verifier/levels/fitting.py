"""L1's single steps and L3's episodes, in the form that fits the pair: with chance of its own, rounding, or exact."""

from envwright.verifier.levels.l1_outcomes import check_outcomes
from envwright.verifier.levels.l1_steps import check_steps
from envwright.verifier.levels.l3_coverage import count_trace
from envwright.verifier.levels.l3_drift import check_drift
from envwright.verifier.levels.l3_episodes import check_episodes
from envwright.verifier.session import Session
from envwright.verifier.verdict import Check


def steps(session: Session) -> list[Check]:
    return check_outcomes(session) if session.draws_own_chance else check_steps(session)


def episodes(session: Session) -> list[Check]:
    if session.draws_own_chance:
        return [Check("L3", "episodes", "skip", "the candidate draws by itself in every step; see L1")]
    count_trace(session)
    return check_drift(session) if session.rounds else check_episodes(session)
