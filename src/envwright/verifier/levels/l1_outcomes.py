"""L1 for a candidate that draws the chance of a step itself and takes none: what a step can lead to, and how often.

From the same state with the same action both sides step many times. What comes out is compared as a whole: every
outcome that differs in any column is an outcome of its own.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.protocol import Reference
from envwright.verifier.contract import Contract
from envwright.verifier.record import Beat, Case, made_legal
from envwright.verifier.rows import Row, part, stack, state_row, step_row
from envwright.verifier.session import Session
from envwright.verifier.statistics import ALARM, holm, same_distribution
from envwright.verifier.trial import as_input
from envwright.verifier.verdict import Check, Divergence

STATES = 24
TIMES = 200  # steps of the reference from each; the candidate takes four times as many


def check_outcomes(session: Session) -> list[Check]:
    """One check, over some states of the trace."""
    session.progress("L1 outcomes of a step")
    rng, pool = session.rng(4), session.trace.pool
    cases = [Case(pool[int(rng.integers(len(pool)))], session.actions(rng)) for _ in range(STATES)]
    cases, before, after = session.host.run(record_outcomes, session.contract, cases, TIMES)
    tests = [_test(session, cases[i], before, i, after[i]) for i in range(len(cases))]
    failed = holm([p for p, _ in tests])
    found = [divergence for (_, divergence), bad in zip(tests, failed, strict=True) if bad]
    by_module = {divergence.module: divergence for divergence in reversed(found)}
    detail = (
        f"{STATES} states, {TIMES} steps of the reference and {4 * TIMES} of the candidate from each; {len(found)} "
        f"differ; false alarms at most {ALARM:g} a verdict"
    )
    name = "outcomes of a step, in distribution"
    return [Check("L1", name, "fail" if found else "pass", detail, STATES, tuple(by_module.values()))]


def record_outcomes(
    reference: Reference, contract: Contract, cases: Sequence[Case], times: int, beat: Beat
) -> tuple[list[Case], Columns, list[Columns]]:
    """The steps, with actions that are legal; the states before them; and what came of each of them, many times."""
    taken: list[Case] = []
    befores: list[Row] = []
    outcomes: list[Columns] = []
    for case in cases:
        reference.restore(case.snapshot)
        before = reference.look()
        if (allowed := made_legal(reference, contract, case, before)) is None:
            continue
        case = allowed
        rows: list[Row] = []
        for _ in range(times):
            reference.restore(case.snapshot)
            rows.append(step_row(contract, reference, reference.step(case.action), case.action, before))
            beat()
        taken.append(case)
        befores.append(state_row(contract, before))
        outcomes.append(stack(rows, "step"))
    return taken, stack(befores, "state"), outcomes


def _test(session: Session, case: Case, before: Columns, i: int, after: Columns) -> tuple[float, Divergence]:
    many = 4 * TIMES
    state = {name: np.repeat(column[i : i + 1], many, axis=0) for name, column in part(before, "state.").items()}
    got = session.candidate.step(state, np.repeat(after["action"][:1], many, axis=0))
    names = session.contract.columns
    whole = _same(after, got, names)
    column = min(names, key=lambda name: _same(after, got, (name,)))
    note = (
        f"{_kinds(after, names)} different outcomes in {TIMES} steps, {_kinds(got, names)} in {many}; p = {whole:.2g}"
    )
    divergence = Divergence(
        session.contract.owner(column), column, "the reference's outcomes", "others", input=as_input(case), note=note
    )
    return whole, divergence


def _same(theirs: Columns, ours: Columns, names: Sequence[str]) -> float:
    """The p-value of both having the same outcomes as often, looking at these columns together."""
    split = len(next(iter(theirs.values())))
    labels = _labels(
        {name: np.concatenate([theirs[name].astype(ours[name].dtype), ours[name]]) for name in names}, names
    )
    return same_distribution(labels[:split], labels[split:])[1]


def _labels(columns: Columns, names: Sequence[str]) -> NDArray[np.int64]:
    rows = np.column_stack([columns[name].reshape(len(columns[name]), -1).astype(np.float64) for name in names])
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel()


def _kinds(columns: Columns, names: Sequence[str]) -> int:
    return len(np.unique(_labels(columns, names)))
