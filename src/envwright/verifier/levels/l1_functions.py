"""L1, functions: each one that exists on both sides, alone, on arguments it is really called with and others."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.verifier import regressions
from envwright.verifier.clauses import Function
from envwright.verifier.compare import SLACK, by_row, differs
from envwright.verifier.domain import mine, size
from envwright.verifier.nudges import unit, usual
from envwright.verifier.policies import load_function
from envwright.verifier.record import EpisodePlan, FunctionCall, mine_calls, record_calls
from envwright.verifier.record_sensitivity import record_call_sensitivity
from envwright.verifier.session import Session
from envwright.verifier.verdict import Check, Divergence

EPISODES = 40  # at most, played to see what the functions are called with
INVENTED = 300  # further arguments a function, put together from those seen


def check_functions(session: Session) -> list[Check]:
    """A check for each function of the contract."""
    if not session.contract.functions:
        return []
    session.progress("L1 functions")
    plans = [EpisodePlan("random", session.game_seed(i)) for i in range(min(EPISODES, session.effort.episodes))]
    seen = session.host.run(mine_calls, session.contract, plans, 200)
    calls = {name: _invent(rows, session.rng(2)) for name, rows in seen.items()}
    made = [function for function in session.contract.functions if function.cases is not None]
    calls |= {function.reference: _made(session, str(function.cases)) for function in made}
    table = session.host.run(record_calls, session.contract, calls)
    return [check_function(session, function, table[function.reference]) for function in session.contract.functions]


def check_function(session: Session, function: Function, rows: Sequence[FunctionCall]) -> Check:
    """One function on calls that the reference has answered."""
    name = f"function {function.reference}"
    if not rows:
        return Check("L1", name, "skip", "the reference never called it in the episodes played")
    arguments = [np.stack(column) for column in zip(*(row.given for row in rows), strict=True)]
    got = session.candidate.call(function.candidate, arguments)
    want = np.stack([row.result for row in rows])
    bad = _differing(session, function, rows, want, got)
    if not bad.any():
        return Check("L1", name, "pass", f"{len(rows):,} calls", len(rows))
    row = min(np.flatnonzero(bad).tolist(), key=lambda i: size(list(rows[i].arguments.values())))
    found = Divergence(
        function.module, f"{function.candidate}()", want[row].tolist(), got[row].tolist(),
        input=dict(rows[row].arguments), differing=int(bad.sum()),
    )  # fmt: skip
    found = regressions.keep_call(session, found, function.reference, rows[row].arguments)
    return Check("L1", name, "fail", f"{len(rows):,} calls, {int(bad.sum()):,} differ", len(rows), (found,))


def _differing(
    session: Session, function: Function, rows: Sequence[FunctionCall], want: NDArray[Any], got: NDArray[Any]
) -> NDArray[np.bool_]:
    """The calls with another result; if by more than a few units in the last place, than the reference itself moves."""
    rounds = got.dtype.kind == "f" and session.rounds and got.shape == want.shape
    room = (
        SLACK * np.maximum(unit(want, got.dtype), unit(np.median(np.abs(want), axis=0), got.dtype)) if rounds else None
    )
    bad = by_row(differs(want, got, room))
    if room is not None and bad.any():
        which = np.flatnonzero(bad)
        sizes = usual([dict(row.arguments) for row in rows])
        suspects = [rows[i] for i in which.tolist()]
        sensitivity = session.host.run(record_call_sensitivity, session.contract, function, suspects, "float32", sizes)
        bad[which] = by_row(differs(want[which], got[which], room[which] + SLACK * sensitivity))
    return bad


def _invent(rows: list[dict[str, Any]], rng: np.random.Generator) -> list[Mapping[str, Any]]:
    """The calls that were seen, and others with arguments drawn from the same domains."""
    if not rows or not rows[0]:
        return list(rows)
    domains = {name: mine([row[name] for row in rows]) for name in rows[0]}
    return [*rows, *({name: domain.sample(rng) for name, domain in domains.items()} for _ in range(INVENTED))]


def _made(session: Session, named: str) -> list[Mapping[str, Any]]:
    """Arguments by the author's own function, as many as the effort says."""
    return load_function(named, session.contract.base, "cases")(session.rng(5), session.effort.calls)
