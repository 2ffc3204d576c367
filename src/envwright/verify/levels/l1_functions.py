"""L1, functions: each one that exists on both sides, alone, on arguments it is really called with and others."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from envwright.verify import regressions
from envwright.verify.contract import Function
from envwright.verify.domain import mine, size
from envwright.verify.record import Plan, mine_calls, record_calls
from envwright.verify.session import Session
from envwright.verify.verdict import Check, Divergence

EPISODES = 40  # at most, played to see what the functions are called with
INVENTED = 300  # further arguments a function, put together from those seen

Call = Mapping[str, Any]


def check_functions(session: Session) -> list[Check]:
    """A check for each function of the contract."""
    if not session.contract.functions:
        return []
    session.progress("L1 functions")
    plans = [Plan("random", session.effort.seed * 1_000_003 + i) for i in range(min(EPISODES, session.effort.episodes))]
    seen = session.host.run(mine_calls, session.contract, plans, 200)
    calls = {name: _invent(rows, session.rng(2)) for name, rows in seen.items()}
    table = session.host.run(record_calls, session.contract, calls)
    return [check_function(session, function, table[function.reference]) for function in session.contract.functions]


def check_function(session: Session, function: Function, rows: list[Any]) -> Check:
    """One function on calls that the reference has answered."""
    name = f"function {function.reference}"
    if not rows:
        return Check("L1", name, "skip", "the reference never called it in the episodes played")
    arguments = [np.stack(column) for column in zip(*(given for _, given, _ in rows), strict=True)]
    got = session.candidate.call(function.candidate, arguments)
    want = np.stack([result for _, _, result in rows])
    if got.shape != want.shape:
        note = f"expected the shape {want.shape[1:]}, got {got.shape[1:]}"
        return Check(
            "L1", name, "fail", note, len(rows), (Divergence(function.module, name, want[0].tolist(), got[0].tolist()),)
        )
    if got.dtype.kind == "f" and session.rounds:
        unit = np.spacing(np.abs(want.astype(got.dtype)))
        bad = ~(np.abs(want - got) <= 64 * unit + 1e-6 * np.abs(want).max())
    else:
        bad = want.astype(got.dtype) != got
    bad = bad.reshape(len(bad), -1).any(axis=1)
    if not bad.any():
        return Check("L1", name, "pass", f"{len(rows):,} calls", len(rows))
    row = min(np.flatnonzero(bad), key=lambda i: size(list(rows[i][0].values())))
    about: Call = rows[row][0]
    found = Divergence(
        function.module, f"{function.candidate}()", want[row].tolist(), got[row].tolist(), input=dict(about),
        differing=int(bad.sum()),
    )  # fmt: skip
    found = regressions.keep_call(session, found, function.reference, about)
    return Check("L1", name, "fail", f"{len(rows):,} calls, {int(bad.sum()):,} differ", len(rows), (found,))


def _invent(rows: list[dict[str, Any]], rng: np.random.Generator) -> list[Call]:
    """The calls that were seen, and others with arguments drawn from the same domains."""
    if not rows or not rows[0]:
        return list(rows)
    domains = {name: mine([row[name] for row in rows]) for name in rows[0]}
    return [*rows, *({name: domain.sample(rng) for name, domain in domains.items()} for _ in range(INVENTED))]
