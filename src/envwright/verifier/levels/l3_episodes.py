"""L3, rollout: whole episodes to their end, put side by side once, at the start; every column after every step.

The first divergence is bisected: the step is taken again from the reference's own state, then phase by phase.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate, Columns
from envwright.verifier import regressions
from envwright.verifier.compare import any_column, unequal
from envwright.verifier.drawn import of_both
from envwright.verifier.phases import first_parting
from envwright.verifier.record_sensitivity import record_start_sensitivity
from envwright.verifier.replaying import before_step
from envwright.verifier.rows import is_standing, part, take
from envwright.verifier.session import Session
from envwright.verifier.trial import Precision, as_input, attempt, owner
from envwright.verifier.verdict import Check, Divergence


def check_episodes(session: Session) -> list[Check]:
    """Starts, then everything that follows, of exact environments."""
    session.progress("L3 episodes")
    return [*failed_episodes(session), check_starts(session), check_play(session)]


def failed_episodes(session: Session) -> list[Check]:
    """Episodes that the reference itself could not finish."""
    failures = session.trace.failures
    if not failures:
        return []
    found = tuple(
        Divergence("reference", "step", "an outcome", f.sentence, episode=f.episode, step=f.step) for f in failures[:5]
    )
    return [
        Check(
            "L3",
            "the reference plays on",
            "fail",
            f"{len(failures)} episodes could not be finished",
            len(failures),
            found,
        )
    ]


def starts(session: Session, candidate: Candidate) -> Columns:
    """The candidate's games at their start: from the reference's draws, or, if that cannot be handed in, its state."""
    trace = session.trace
    if candidate.takes_chance:
        return candidate.start(part(trace.starts, "chance."), trace.episodes)
    return {name: column for name, column in trace.starts.items() if is_standing(name)}


def beginnings(session: Session, candidate: Candidate) -> Columns:
    """Where play begins: as the candidate starts, put right where its reset was wrong, which is judged by itself."""
    right = {name: column for name, column in session.trace.starts.items() if name.startswith("state.")}
    return starts(session, candidate) | right


def check_starts(session: Session) -> Check:
    """The reset, given its random draws."""
    trace = session.trace
    if not session.candidate.takes_chance:
        return Check("L3", "starts", "skip", "the candidate draws its own; they are judged in distribution (L1)")
    got = starts(session, session.candidate)
    expected = {name: column for name, column in trace.starts.items() if is_standing(name)}
    bad = _unlike(session, expected, got)
    found: list[Divergence] = []
    wrong = [name for name, rows in bad.items() if rows.any()]
    if wrong:
        name = min(wrong, key=lambda n: not n.startswith("state."))
        row = int(np.flatnonzero(bad[name])[0])
        chance = part(trace.starts, "chance.")
        module = session.contract.owner("start" if name.startswith("state.") else name)
        divergence = Divergence(
            module, name, expected[name][row].tolist(), got[name][row].tolist(), episode=row, step=-1,
            input={"seed": trace.seeds[row], "chance": {k: v[row].tolist() for k, v in chance.items()}},
            differing=int(bad[name].sum()),
        )  # fmt: skip
        found.append(regressions.keep_start(session, divergence, trace.seeds[row], "L3"))
    detail = f"{trace.episodes:,} starts, same draws, {len(expected)} columns"
    return Check("L3", "starts", "fail" if found else "pass", detail, trace.episodes, tuple(found))


def _unlike(session: Session, expected: Columns, got: Columns) -> dict[str, NDArray[np.bool_]]:
    """The starts that differ, by column; by more than a few units, than the reference itself moves."""
    if not session.rounds:
        return unequal(session.contract, expected, got)
    bad = unequal(session.contract, expected, got, scales=session.scales)
    rows = np.flatnonzero(any_column(bad))
    if len(rows):
        begun = [(session.trace.seeds[row], session.trace.start_tape[row]) for row in rows.tolist()]
        sway = session.host.run(record_start_sensitivity, session.contract, begun, "float32")
        again = unequal(session.contract, take(expected, rows), take(got, rows), sway, session.scales)
        for name, wrong in again.items():
            bad[name][rows] = wrong
    return bad


def check_play(session: Session) -> Check:
    """Every column after every step."""
    trace = session.trace
    got = replay(session, session.candidate, beginnings(session, session.candidate))
    expected = {name: trace.steps[name] for name in session.contract.columns}
    bad = unequal(session.contract, expected, got)
    total = int(trace.lengths.sum())
    terminated, truncated = trace.steps["ended"].sum(axis=0)
    ends = f"{terminated:,} terminated, {truncated:,} truncated"
    detail = f"{trace.episodes:,} episodes ({ends}), {total:,} steps, {len(expected)} columns"
    any_bad = any_column(bad)
    if not any_bad.any():
        return Check("L3", "episodes", "pass", detail, total)
    places = [trace.place(int(step)) for step in np.flatnonzero(any_bad)]
    parted = len({episode for episode, _ in places})
    first = min(places, key=lambda place: (place[1], place[0]))
    row = int(trace.offsets[first[0]]) + first[1]
    wrong = [name for name, rows in bad.items() if rows[row]]
    found = blame(session, wrong, expected, got, first, Precision("exact", session.candidate, None))
    return Check("L3", "episodes", "fail", f"{detail}; {parted:,} episodes part", total, (found,))


def replay(session: Session, candidate: Candidate, begin: Columns) -> Columns:
    """All episodes of the trace on the candidate, each from its start; columns laid out as the trace's."""
    trace = session.trace
    rows, longest = trace.episodes, int(trace.lengths.max())
    place = np.minimum(trace.offsets[:, None] + np.arange(longest), len(trace.steps["action"]) - 1)
    chance = {n: c[place] for n, c in part(trace.steps, "chance.").items()} if candidate.takes_chance else None
    outcome = candidate.play(part(begin, "state."), trace.steps["action"][place], chance)
    inside = np.arange(longest) < trace.lengths[:, None]
    assert inside.shape == (rows, longest)
    return {name: column[inside] for name, column in outcome.items()}


def blame(
    session: Session,
    wrong: Sequence[str],
    expected: Columns,
    got: Columns,
    place: tuple[int, int],
    precision: Precision,
) -> Divergence:
    """The first divergence, in these columns, traced to a module: the same step from the reference's own state, then
    its phases."""
    trace = session.trace
    episode, step = place
    row = int(trace.offsets[episode]) + step
    column = min(wrong, key=lambda name: not name.startswith("state."))
    case = session.host.run(before_step, session.contract, trace.policies[episode], trace.seeds[episode], step)
    case = case._replace(snapshot={name: case.snapshot[name] for name in session.trace.pool[0]})
    trial = attempt(session, precision, [case])
    note, draws = "", {}
    module = session.contract.owner(column)
    if len(trial.rows):
        parting = first_parting(session, precision.candidate, trial.reference, 0)
        module = parting.module(session.contract) if parting else owner(session, trial, 0)
        note = f"they part after {parting.where}" if parting else ""
        draws = of_both(precision.candidate, trial.reference, 0)
    elif precision.nudge is None:
        note = (
            "from the reference's own state this step agrees: the candidate carries something from step to step that "
            "the contract does not map"
        )
    divergence = Divergence(
        module, column, expected[column][row].tolist(), got[column][row].tolist(), episode=episode, step=step,
        input=as_input(case), note=note, draws=draws,
    )  # fmt: skip
    return regressions.keep_episode(session, divergence, trace.policies[episode], trace.seeds[episode], precision.name)
