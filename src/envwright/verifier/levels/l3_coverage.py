"""What of the rules was played in L3: cards, moves, pairs of them, whatever a contract or a reference names.

Two can count. The reference itself (`Reference.counted`), which sees what it does; and a function of the contract's
(`[coverage] count`), which sees the states before and after many steps at once. What there is to be met comes from
`[coverage] possible`; without it only what was met is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Counts
from envwright.verifier.counting import add
from envwright.verifier.policies import load_function
from envwright.verifier.rows import part
from envwright.verifier.session import Session
from envwright.verifier.verdict import Check

FEW = 5  # names that a line of the verdict shows; its file has all


@dataclass(frozen=True)
class Steps:
    """Steps that were played, all arrays with a leading axis of them; fields of the state by the contract's names."""

    before: Columns
    action: NDArray[Any]
    after: Columns  # where a game ended, this may be the next one's start
    ended: NDArray[np.bool_]


def count(session: Session, steps: Steps) -> None:
    """Let the contract's function count these steps."""
    named = session.contract.coverage.get("count")
    if named is None or not len(steps.ended):
        return
    counted = load_function(named, session.contract.base, "coverage")
    add(session.counts, _checked(counted(steps.before, steps.action, steps.after, steps.ended), named))


def count_trace(session: Session) -> None:
    """What the episodes met that were played one by one."""
    trace = session.trace
    add(session.counts, trace.counted)
    rows = np.arange(len(trace.steps["action"]))
    ended = np.asarray(trace.steps["ended"].any(axis=1))
    count(session, Steps(trace.states_before(rows), trace.steps["action"], part(trace.steps, "state."), ended))


def check_coverage(session: Session) -> list[Check]:
    """A line for each kind of things that was counted; whatever could be met and was not is named."""
    named = session.contract.coverage.get("possible")
    possible = {} if named is None else load_function(named, session.contract.base, "coverage")()
    kinds = [*possible, *(kind for kind in session.counts if kind not in possible)]
    return [_of_kind(kind, session.counts.get(kind, {}), possible.get(kind)) for kind in kinds]


def _of_kind(kind: str, counts: Mapping[str, int], possible: Any) -> Check:
    rarest = sorted(counts, key=lambda name: (counts[name], name))
    detail = f"{len(counts):,} different, {sum(counts.values()):,} times"
    missed: list[str] = []
    if possible is not None:
        there = list(possible)
        missed = [name for name in there if name not in counts]
        detail = f"{len(there) - len(missed):,} of {len(there):,}, {sum(counts.values()):,} times in all"
        if unforeseen := sorted(set(counts) - set(there)):
            detail += f"; not among them: {_some(unforeseen)}"
    if rarest and (possible is not None or counts[rarest[0]] > 1):
        detail += "; least often " + ", ".join(f"{name} ({counts[name]:,})" for name in rarest[:FEW])
    if missed:
        detail += f"; never: {_some(missed)}"
    numbers = {"counts": dict(counts), "missed": missed}
    return Check("L3", f"coverage: {kind}", "note" if missed else "pass", detail, len(counts), numbers=numbers)


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:FEW])
    return f"{shown} and {len(names) - FEW:,} more" if len(names) > FEW else shown


def _checked(found: Any, named: str) -> Counts:
    fits = isinstance(found, Mapping) and all(isinstance(names, Mapping) for names in found.values())
    if not fits:
        raise EnvwrightError(f"{named} must give a dict of dicts, {{kind: {{name: times}}}}, but gave {found!r}.")
    return found
