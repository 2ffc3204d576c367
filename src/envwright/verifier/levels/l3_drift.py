"""L3 of environments that round: whole episodes, judged against the reference's own drift.

No two programs that round differently stay together for ever. So the reference is let go too, with its state moved by
a last bit after every step, or rounding as it computes: how far that takes it from itself is how far a right candidate
may be.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.verifier.compare import SLACK, by_row
from envwright.verifier.levels.l3_episodes import beginnings, blame, check_starts, failed_episodes, replay
from envwright.verifier.nudges import unit
from envwright.verifier.record import as_action
from envwright.verifier.record_drift import Drift, Episode, record_drift
from envwright.verifier.session import Session
from envwright.verifier.trial import Precision, precisions
from envwright.verifier.verdict import Check

RUNS = 3  # nudged runs of the reference, each with bits of its own
# Further runs of an episode in which the candidate goes too far: three may all stay near by chance. Were their drift
# and the candidate's normal and alike, one number in 650 would be more than eight times the farthest of three, and one
# in 50 million more than eight times the farthest of eleven.
MORE = range(RUNS, RUNS + 8)
LOST = 0.1  # of a number's usual size; a drift beyond it is not compared any more
MOST = 3000  # steps of the reference that are nudged, in each run

Bad = dict[str, NDArray[np.bool_]]  # by column, which steps of an episode are farther apart than drift explains


def check_drift(session: Session) -> list[Check]:
    """A check for each precision."""
    checks = [*failed_episodes(session), check_starts(session)]
    for precision in precisions(session):
        session.progress(f"L3 episodes, {precision.name}")
        checks.append(check_play_rounded(session, precision))
    return checks


def check_play_rounded(session: Session, precision: Precision) -> Check:
    """Every column after every step, as far as drift explains."""
    trace, kind = session.trace, str(precision.nudge)
    script, drifts = _played(session, kind)
    got = replay(session, precision.candidate, beginnings(session, precision.candidate))
    bad = {episode: _beyond(session, episode, drift, got) for episode, drift in drifts.items()}
    if parting := [episode for episode, columns in bad.items() if _first(columns) is not None]:
        more = _drift(session, [script[episode] for episode in parting], kind, MORE)
        for episode, farther in zip(parting, more, strict=True):
            drifts[episode] = drifts[episode].widened(farther)
            bad[episode] = _beyond(session, episode, drifts[episode], got)
    whole = sum(len(script[episode].rows) == trace.lengths[episode] for episode in drifts)
    judged = sum(drift.reach for drift in drifts.values())
    detail = (
        f"{trace.episodes:,} episodes, {whole:,} of them whole, {int(trace.lengths.sum()):,} steps; {judged:,} steps "
        f"before the reference, moved by last bits of {kind}, parts from itself; the candidate may go {SLACK:g} times "
        "as far from it as it does"
    )
    name = f"episodes in {precision.name}, free running"
    count = sum(len(script[episode].rows) for episode in drifts)
    places = [(step, episode) for episode, columns in bad.items() if (step := _first(columns)) is not None]
    if not places:
        return Check("L3", name, "pass", detail, count)
    step, episode = min(places)
    wrong = [column for column, rows in bad[episode].items() if rows[step]]
    expected = {column: trace.steps[column] for column in session.contract.columns}
    found = blame(session, wrong, expected, got, (episode, step), precision)
    return Check("L3", name, "fail", f"{detail}; {len(places):,} episodes part", count, (found,))


def _played(session: Session, kind: str) -> tuple[dict[int, Episode], dict[int, Drift]]:
    """Episodes with their drift: one of each policy whole, of the others as much as there is time for."""
    trace = session.trace
    first = [i for i, policy in enumerate(trace.policies) if policy not in trace.policies[:i]]
    others = [i for i in range(trace.episodes) if i not in first]
    script = {i: _episode(session, i, int(trace.lengths[i])) for i in first}
    drifts = dict(zip(first, _drift(session, list(script.values()), kind, range(RUNS)), strict=True))
    # A run that is lost is left, so that there is more time for others.
    left = MOST - sum(drift.reach for drift in drifts.values())
    lasts = max(drift.reach for drift in drifts.values())
    cap = max(1, int(trace.lengths.max()))
    while cap > 1 and np.minimum(trace.lengths[others], min(cap, lasts)).sum() > left:
        cap = min(cap, lasts) * 9 // 10
    script |= {i: _episode(session, i, min(cap, int(trace.lengths[i]))) for i in others}
    more = _drift(session, [script[i] for i in others], kind, range(RUNS))
    return script, drifts | dict(zip(others, more, strict=True))


def _drift(session: Session, script: Sequence[Episode], kind: str, runs: Sequence[int]) -> list[Drift]:
    lost = {
        name: LOST / SLACK * np.maximum(session.scales[name], np.finfo(np.float32).tiny)
        for name in session.contract.columns
        if session.contract.rounds(name)
    }
    return session.host.run(record_drift, session.contract, script, kind, session.sizes, lost, runs)


def _episode(session: Session, index: int, length: int) -> Episode:
    trace, columns = session.trace, (*session.contract.columns, "ended")
    steps = range(int(trace.offsets[index]), int(trace.offsets[index] + length))
    rows = [{name: np.asarray(trace.steps[name][step]) for name in columns} for step in steps]
    actions = [as_action(trace.steps["action"][step]) for step in steps]
    return Episode(
        trace.seeds[index], trace.start_tape[index], actions, [trace.step_tape[step] for step in steps], rows
    )


def _first(bad: Bad) -> int | None:
    """The first step in which anything is."""
    steps = np.flatnonzero(np.any(np.stack(list(bad.values())), axis=0))
    return int(steps[0]) if len(steps) else None


def _beyond(session: Session, episode: int, drift: Drift, got: Columns) -> Bad:
    """Which steps are farther apart than drift explains, as far as it does."""
    first = int(session.trace.offsets[episode])
    steps = slice(first, first + drift.reach)
    return {
        name: _too_far(session, name, session.trace.steps[name][steps], got[name][steps], drift)
        for name in session.contract.columns
    }


def _too_far(session: Session, name: str, want: NDArray[Any], have: NDArray[Any], drift: Drift) -> NDArray[np.bool_]:
    if not len(want):
        return np.zeros(0, bool)
    kind = np.dtype(np.float32) if want.dtype == np.float32 else have.dtype
    want, have = want.astype(np.float64), have.astype(np.float64)
    same = (want == have) | (np.isnan(want) & np.isnan(have))
    if not session.contract.rounds(name):
        return by_row(~same)
    units = np.maximum(unit(want, kind), unit(session.scales[name], kind))
    with np.errstate(invalid="ignore"):  # infinity from infinity
        near = np.abs(want - have) <= SLACK * (drift.farthest[name][: drift.reach] + units)
    return by_row(~(near | same))
