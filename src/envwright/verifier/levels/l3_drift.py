"""L3 of environments that round: whole episodes, judged against the reference's own drift.

No two programs that round differently stay together for ever. So the reference is let go too, with its state moved by
a last bit after every step, or rounding as it computes: how far that takes it from itself is how far a right candidate
may be.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.protocol import Draw, Reference, ReferenceFailedError, TapeError
from envwright.verifier.compare import SLACK, any_column, by_row
from envwright.verifier.contract import Contract
from envwright.verifier.expression import ExpressionError
from envwright.verifier.levels.l3_episodes import beginnings, blame, check_starts, failed_episodes, replay
from envwright.verifier.nudges import nudge, unit
from envwright.verifier.record import Beat, as_action
from envwright.verifier.rows import Row, stack, step_row
from envwright.verifier.sensitivity import settings
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


@dataclass
class Drift:
    """How far the nudged reference goes from itself, by column and step."""

    farthest: dict[str, NDArray[np.float64]]
    apart: NDArray[np.bool_]  # whether an end came at another step in any run so far


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
    lengths = _lengths(session)
    inside = np.concatenate([np.arange(n) < m for n, m in zip(trace.lengths, lengths, strict=True)])
    script = _script(session, lengths)
    drift = session.host.run(record_drift, session.contract, script, kind, session.sizes, range(RUNS))
    got = replay(session, precision.candidate, beginnings(session, precision.candidate))
    judged, bad = _judge(session, drift, lengths, inside, got)
    if parting := [i for i, episode in enumerate(_by_episode(lengths, any_column(bad)[inside])) if episode.any()]:
        chosen = [script[i] for i in parting]
        more = session.host.run(record_drift, session.contract, chosen, kind, session.sizes, MORE)
        judged, bad = _judge(session, _widened(drift, more, lengths, parting), lengths, inside, got)
    expected = {name: trace.steps[name] for name in session.contract.columns}
    any_bad = any_column(bad)
    detail = (
        f"{trace.episodes:,} episodes, {int((lengths == trace.lengths).sum()):,} of them whole, {len(inside):,} steps; "
        f"{int(judged.sum()):,} steps before the reference, moved by last bits of {kind}, parts from itself; the "
        f"candidate may go {SLACK:g} times as far from it as it does"
    )
    name = f"episodes in {precision.name}, free running"
    if not any_bad.any():
        return Check("L3", name, "pass", detail, int(inside.sum()))
    places = [trace.place(int(step)) for step in np.flatnonzero(any_bad)]
    first = min(places, key=lambda place: (place[1], place[0]))
    found = blame(session, bad, expected, got, first, precision)
    parted = len({episode for episode, _ in places})
    return Check("L3", name, "fail", f"{detail}; {parted:,} episodes part", int(inside.sum()), (found,))


def _judge(
    session: Session, drift: Drift, lengths: NDArray[np.int64], inside: NDArray[np.bool_], got: Columns
) -> tuple[NDArray[np.bool_], dict[str, NDArray[np.bool_]]]:
    """Which steps of the trace are compared, and which of them are farther apart than drift explains, by column."""
    judged = np.zeros(len(inside), bool)
    judged[inside] = ~_from_there_on(lengths, drift.apart | _lost(session, drift))
    bad = {name: np.zeros(len(inside), bool) for name in session.contract.columns}
    for name, rows in bad.items():
        want = session.trace.steps[name]
        rows[inside] = judged[inside] & _beyond(session, drift, name, want[inside], got[name][inside])
    return judged, bad


def _widened(drift: Drift, more: Drift, lengths: NDArray[np.int64], episodes: list[int]) -> Drift:
    """With further runs of some of the episodes."""
    rows = np.isin(np.repeat(np.arange(len(lengths)), lengths), episodes)
    farthest = {name: far.copy() for name, far in drift.farthest.items()}
    for name, far in farthest.items():
        far[rows] = np.maximum(far[rows], more.farthest[name])
    apart = drift.apart.copy()
    apart[rows] |= more.apart
    return Drift(farthest, apart)


def _lost(session: Session, drift: Drift) -> NDArray[np.bool_]:
    """Where the reference has drifted so far from itself that a comparison would say nothing."""
    lost = np.zeros(len(drift.apart), bool)
    for name, far in drift.farthest.items():
        wide = SLACK * far > LOST * np.maximum(session.scales[name], np.finfo(np.float32).tiny)
        lost |= by_row(wide)
    return lost


def _beyond(session: Session, drift: Drift, name: str, want: NDArray[Any], have: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows are farther apart than drift explains."""
    kind = np.dtype(np.float32) if want.dtype == np.float32 else have.dtype
    want, have = want.astype(np.float64), have.astype(np.float64)
    if session.contract.rounds(name):
        room = SLACK * (drift.farthest[name] + np.maximum(unit(want, kind), unit(session.scales[name], kind)))
        with np.errstate(invalid="ignore"):  # infinity from infinity
            near = (np.abs(want - have) <= room) | (want == have)
        bad = ~(near | (np.isnan(want) & np.isnan(have)))
    else:
        bad = ~((want == have) | (np.isnan(want) & np.isnan(have)))
    return by_row(np.asarray(bad))


def _from_there_on(lengths: NDArray[np.int64], there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """From the first such step of an episode to its last."""
    return np.concatenate([np.maximum.accumulate(part) if len(part) else part for part in _by_episode(lengths, there)])


def _by_episode(lengths: NDArray[np.int64], rows: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    return np.split(rows, np.cumsum(lengths)[:-1])


class Episode(NamedTuple):
    """An episode to be played again, and what came of it."""

    seed: int
    start_tape: tuple[Draw, ...]
    actions: list[Any]
    tapes: list[tuple[Draw, ...]]
    rows: list[dict[str, NDArray[Any]]]


Script = list[Episode]


def _script(session: Session, lengths: NDArray[np.int64]) -> Script:
    trace = session.trace
    columns = (*session.contract.columns, "ended")
    script: Script = []
    for i, length in enumerate(lengths):
        steps = range(int(trace.offsets[i]), int(trace.offsets[i] + length))
        rows = [{name: np.asarray(trace.steps[name][step]) for name in columns} for step in steps]
        actions = [as_action(trace.steps["action"][step]) for step in steps]
        tapes = [trace.step_tape[step] for step in steps]
        script.append(Episode(trace.seeds[i], trace.start_tape[i], actions, tapes, rows))
    return script


def _lengths(session: Session) -> NDArray[np.int64]:
    """How much of each episode is compared: one of each policy whole, of the others as much as there is time for."""
    trace = session.trace
    whole = np.array([policy not in trace.policies[:i] for i, policy in enumerate(trace.policies)])
    cap = max(1, int(trace.lengths.max()))
    while cap > 1 and np.where(whole, trace.lengths, np.minimum(trace.lengths, cap)).sum() > MOST:
        cap = cap * 9 // 10
    return np.where(whole, trace.lengths, np.minimum(trace.lengths, cap))


def record_drift(
    reference: Reference,
    contract: Contract,
    script: Script,
    dtype: str,
    sizes: dict[str, Any],
    runs: Sequence[int],
    beat: Beat,
) -> Drift:
    """Play each episode again, every number moved by a last bit: constants once, the rest at every step; and, moved at
    random, with all that is computed rounded, where the reference can. In double precision it is given actions in it
    instead, for with a float32 it may compute in float32."""
    kind = np.dtype(dtype)
    names = [name for name in contract.columns if contract.rounds(name)]
    farthest: dict[str, list[NDArray[np.float64]]] = {name: [] for name in names}
    flags: list[NDArray[np.bool_]] = []
    constants = {n: v for n, v in reference.look().items() if n not in sizes and isinstance(v, float | np.floating)}
    for episode in script:
        columns = stack([{name: row[name] for name in names} for row in episode.rows], "step")
        far = {name: np.zeros(column.shape) for name, column in columns.items()}
        apart = np.zeros(len(episode.rows), bool)
        for run in runs:
            ways = (1.0,) if run == 0 else (-1.0,) if run == 1 else (1.0, -1.0)  # all up, all down, then at random
            rng = np.random.default_rng([episode.seed, run])
            try:
                reference.restore(nudge(constants, None, kind, rng, ways))
                with _moved_otherwise(reference, contract, dtype, run):
                    how = _Nudging(kind, sizes, rng, ways, run >= 2)
                    rows = _one_run(reference, contract, episode, how, beat)
                    if not rows:  # it may want its actions in no other type
                        rows = _one_run(reference, contract, episode, how._replace(widely=False), beat)
            finally:
                reference.restore(constants)
            apart[len(rows) :] = True
            for name, column in stack(rows, "step").items():
                if name in far:
                    moved = np.abs(column.astype(np.float64) - columns[name][: len(rows)])
                    far[name][: len(rows)] = np.maximum(far[name][: len(rows)], np.nan_to_num(moved, posinf=0.0))
        for name, value in far.items():
            farthest[name].append(np.maximum.accumulate(value, axis=0))
        flags.append(apart)
    return Drift({n: np.concatenate(v) for n, v in farthest.items()}, np.concatenate(flags))


@contextmanager
def _moved_otherwise(reference: Reference, contract: Contract, dtype: str, run: int) -> Iterator[None]:
    """From the third run on: what it computes is rounded, where it can be, and it is set as tolerances say."""
    rounding = reference.rounding(run, dtype) if run >= 2 else None
    with ExitStack() as stack:
        for way in (*(settings(reference, contract) if run >= 2 else ()), rounding or nullcontext()):
            stack.enter_context(way)
        yield


class _Nudging(NamedTuple):
    kind: np.dtype[Any]
    sizes: dict[str, Any]
    rng: np.random.Generator
    ways: tuple[float, ...]
    widely: bool  # with actions of that kind, if it is wider than theirs


def _one_run(reference: Reference, contract: Contract, episode: Episode, how: _Nudging, beat: Beat) -> list[Row]:
    """One episode from its tape, nudged, until it ends elsewhere than it did."""
    reference.reset(seed=episode.seed, tape=episode.start_tape)
    rows: list[Row] = []
    for action, tape, row in zip(episode.actions, episode.tapes, episode.rows, strict=True):
        snapshot = reference.snapshot()
        state = {name: snapshot[name] for name in how.sizes}
        reference.restore(nudge(state, how.sizes, how.kind, how.rng, how.ways))
        try:
            before = reference.look() if contract.looks_back else {}
            outcome = reference.step(_moved(action, how), tape)
            now = step_row(contract, reference, outcome, action, before)
        except (ReferenceFailedError, ExpressionError, TapeError):
            break
        beat()
        if not np.array_equal(now["ended"], row["ended"]):
            break
        rows.append(now)
    return rows


def _moved(action: Any, how: _Nudging) -> Any:
    if how.widely and isinstance(action, np.ndarray) and action.dtype.kind == "f":
        action = action.astype(np.promote_types(action.dtype, how.kind))
    return nudge(action, None, how.kind, how.rng, how.ways)
