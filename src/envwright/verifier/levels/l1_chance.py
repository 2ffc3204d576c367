"""L1, chance: whether the candidate's own draws are distributed as the reference's, and vary with the seed.

What is done with the draws is compared exactly, by tape. Here only the draws themselves are judged, and statistics
is all there is; the rate of false alarms is fixed for the whole verdict.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.verifier import regressions
from envwright.verifier.record import record_starts
from envwright.verifier.rows import part
from envwright.verifier.session import Session
from envwright.verifier.statistics import ALARM, holm, same_distribution
from envwright.verifier.verdict import Check, Divergence

SEEDS = 512  # with which the candidate's games are begun


def check_chance(session: Session) -> list[Check]:
    """Distribution of starts and of steps, and whether seeds matter."""
    session.progress("L1 chance")
    starts = session.host.run(record_starts, session.contract, list(range(10**6, 10**6 + session.effort.draws // 2)))
    return [_kept(session, check) for check in (_seeds(session, starts), _distribution(session, starts))]


def _kept(session: Session, check: Check) -> Check:
    """With every divergence written down; a draw has no smaller input than its seed."""
    seeds = {"seeds": [0, (SEEDS if check.name == "seeds matter" else session.effort.draws) - 1]}
    found = (regressions.keep_chance(session, replace(d, input=seeds)) for d in check.divergences)
    return replace(check, divergences=tuple(found))


def _seeds(session: Session, starts: Columns) -> Check:
    """Where the reference's games begin differently, so must the candidate's; the same seed must begin the same."""
    seeds = np.arange(SEEDS, dtype=np.uint32)
    games, again = session.candidate.init(seeds), session.candidate.init(seeds)
    names = [name for name in starts if name in games]
    owner = session.contract.owner("chance")
    found = _starts_vary(session, starts, seeds)
    # What varies is lost by the start, where the two can be told apart.
    whose = session.contract.owner("start") if session.candidate.takes_chance and not found else owner
    for name in names:
        if _must_vary(starts[name], SEEDS) and _kinds(games[name]) == 1:
            theirs = f"{_kinds(starts[name])} different starts of {len(starts[name])} seeds"
            found.append(Divergence(whose, name, theirs, f"the same for {SEEDS} seeds"))
        if not np.array_equal(games[name], again[name], equal_nan=games[name].dtype.kind == "f"):
            found.append(Divergence(owner, name, "one start a seed", "another one when asked again"))
    found += _steps_vary(session)
    told = "" if found else ": starts and draws vary where the reference's do, and repeat with the seed"
    return Check("L1", "seeds matter", "fail" if found else "pass", f"{SEEDS} seeds{told}", SEEDS, tuple(found))


def _starts_vary(session: Session, starts: Columns, seeds: NDArray[np.uint32]) -> list[Divergence]:
    chance = part(starts, "chance.")
    if not session.candidate.takes_chance or not chance:
        return []
    own = session.candidate.draw_start(seeds)
    owner = session.contract.owner("chance")
    return [
        Divergence(owner, f"start {name}", f"{_kinds(column)} different outcomes", "the same for every seed")
        for name, column in chance.items()
        if _must_vary(column, SEEDS) and _kinds(own[name]) == 1
    ]


def _steps_vary(session: Session) -> list[Divergence]:
    chance = part(session.trace.steps, "chance.")
    if not session.candidate.takes_chance or not chance:
        return []
    rows = np.arange(min(512, len(session.trace.steps["action"])))
    own = _drawn(session, rows)
    owner = session.contract.owner("chance")
    return [
        Divergence(owner, f"chance.{name}", f"{_kinds(column[rows])} different outcomes", "the same for every seed")
        for name, column in chance.items()
        if _must_vary(column[rows], len(rows)) and _kinds(own[name]) == 1
    ]


def _distribution(session: Session, starts: Columns) -> Check:
    tests: list[tuple[str, str, float]] = []
    count = session.effort.draws
    seeds = np.arange(count, dtype=np.uint32)
    if session.candidate.takes_chance:
        own = session.candidate.draw_start(seeds)
        tests += _compare(part(starts, "chance."), part(starts, "drawn."), own, "start")
        if part(session.trace.steps, "chance."):
            rows = np.arange(len(session.trace.steps["action"]))
            rows = rows[:: max(1, len(rows) // count)]
            chosen = {n: c[rows] for n, c in session.trace.steps.items()}
            tests += _compare(part(chosen, "chance."), part(chosen, "drawn."), _drawn(session, rows), "step")
    else:
        games = session.candidate.init(seeds)
        names = [name for name in starts if name in games]
        tests += _compare({n: starts[n] for n in names}, {}, games, "start")
    if not tests:
        return Check("L1", "chance in distribution", "skip", "nothing is left to chance")
    failed = holm([p for _, _, p in tests])
    owner = session.contract.owner("chance")
    found = [
        Divergence(owner, name, "the reference's distribution", f"another one ({test}, p = {p:.2g})")
        for (name, test, p), bad in zip(tests, failed, strict=True)
        if bad
    ]
    least = min(tests, key=lambda test: test[2])
    detail = (
        f"{len(tests)} tests on {min(count, len(next(iter(starts.values())))):,} and more draws, smallest p "
        f"{least[2]:.2g} ({least[1]} on {least[0]}); false alarms at most {ALARM:g} a verdict"
    )
    return Check("L1", "chance in distribution", "fail" if found else "pass", detail, len(tests), tuple(found))


def _compare(theirs: Columns, drawn: Columns, ours: Columns, when: str) -> list[tuple[str, str, float]]:
    """A test for each element of each column, on those that the reference did draw."""
    tests: list[tuple[str, str, float]] = []
    for name, column in theirs.items():
        wide, other = (c.reshape(len(c), -1) for c in (column, ours[name]))
        mask = drawn[name].reshape(len(column), -1) if name in drawn else np.ones(wide.shape, bool)
        for place in range(min(wide.shape[1], 32)):
            seen = wide[mask[:, place], place]
            if len(seen) >= 50:
                label = f"{when} {name}" + (f"[{place}]" if wide.shape[1] > 1 else "")
                # What a step draws may depend on the state: only the steps in which the reference drew are alike.
                like = other[mask[:, place], place] if when == "step" else other[:, place]
                tests.append((label, *same_distribution(seen.astype(ours[name].dtype), like)))
    return tests


def _drawn(session: Session, rows: NDArray[Any]) -> Columns:
    """The candidate's own chance for steps of the trace, in the states these were taken from."""
    trace = session.trace
    return session.candidate.draw(rows.astype(np.uint32), trace.states_before(rows), trace.steps["action"][rows])


def _must_vary(column: NDArray[Any], many: int) -> bool:
    """Whether so many outcomes of the reference's would be all alike less than once in a million times."""
    _, counts = np.unique(column.reshape(len(column), -1), axis=0, return_counts=True)
    return bool((counts.max() / counts.sum()) ** many < ALARM)


def _kinds(column: NDArray[Any]) -> int:
    return len(np.unique(column.reshape(len(column), -1), axis=0))
