"""L1, functions: each one that exists on both sides, alone, on arguments it is really called with and others."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envwright.verify import regressions
from envwright.verify.compare import SLACK, differs
from envwright.verify.contract import Function
from envwright.verify.domain import mine, size
from envwright.verify.nudges import unit
from envwright.verify.record import Call, Plan, mine_calls, record_calls
from envwright.verify.session import Session
from envwright.verify.verdict import Check, Divergence

EPISODES = 40  # at most, played to see what the functions are called with
INVENTED = 300  # further arguments a function, put together from those seen


def check_functions(session: Session) -> list[Check]:
    """A check for each function of the contract."""
    if not session.contract.functions:
        return []
    session.progress("L1 functions")
    plans = [Plan("random", session.game_seed(i)) for i in range(min(EPISODES, session.effort.episodes))]
    seen = session.host.run(mine_calls, session.contract, plans, 200)
    calls = {name: _invent(rows, session.rng(2)) for name, rows in seen.items()}
    table = session.host.run(record_calls, session.contract, calls, precision(session))
    return [check_function(session, function, table[function.reference]) for function in session.contract.functions]


def precision(session: Session) -> str | None:
    """In whose last bits arguments are moved to learn how far results may be apart."""
    return "float32" if session.rounds else None


def check_function(session: Session, function: Function, rows: Sequence[Call]) -> Check:
    """One function on calls that the reference has answered."""
    name = f"function {function.reference}"
    if not rows:
        return Check("L1", name, "skip", "the reference never called it in the episodes played")
    arguments = [np.stack(column) for column in zip(*(row.given for row in rows), strict=True)]
    got = session.candidate.call(function.candidate, arguments)
    want = np.stack([row.result for row in rows])
    room = None
    if got.dtype.kind == "f" and session.rounds and got.shape == want.shape:
        usual = np.median(np.abs(want), axis=0)
        room = SLACK * (
            np.stack([row.sway for row in rows]) + np.maximum(unit(want, got.dtype), unit(usual, got.dtype))
        )
    bad = differs(want, got, room).reshape(len(rows), -1).any(axis=1)
    if not bad.any():
        return Check("L1", name, "pass", f"{len(rows):,} calls", len(rows))
    row = min(np.flatnonzero(bad).tolist(), key=lambda i: size(list(rows[i].arguments.values())))
    found = Divergence(
        function.module, f"{function.candidate}()", want[row].tolist(), got[row].tolist(),
        input=dict(rows[row].arguments), differing=int(bad.sum()),
    )  # fmt: skip
    found = regressions.keep_call(session, found, function.reference, rows[row].arguments)
    return Check("L1", name, "fail", f"{len(rows):,} calls, {int(bad.sum()):,} differ", len(rows), (found,))


def _invent(rows: list[dict[str, Any]], rng: np.random.Generator) -> list[Mapping[str, Any]]:
    """The calls that were seen, and others with arguments drawn from the same domains."""
    if not rows or not rows[0]:
        return list(rows)
    domains = {name: mine([row[name] for row in rows]) for name in rows[0]}
    return [*rows, *({name: domain.sample(rng) for name, domain in domains.items()} for _ in range(INVENTED))]
