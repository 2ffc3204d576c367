"""L0, the contract: does it fit both sides, does the reference repeat itself, is the candidate a function?"""

import difflib
from typing import Any

import numpy as np

from envwright.candidates.protocol import Columns, Kind
from envwright.core.spaces import Box, Discrete
from envwright.references.self_check import check_reference
from envwright.verify.compare import unequal
from envwright.verify.rows import part
from envwright.verify.session import Session
from envwright.verify.verdict import Check, Divergence


def check_contract(session: Session) -> list[Check]:
    """Each question is a check of its own, so that one answer does not hide another."""
    session.progress("L0 contract")
    return [
        _reference(session),
        _spaces(session),
        *_fields(session),
        _kinds(session),
        _repeatable(session),
        _alone_as_in_a_batch(session),
        _compiled_or_not(session),
        _params(session),
    ]


def _reference(session: Session) -> Check:
    """The reference first of all: same seed twice, same tape twice, what survives a reset."""
    found = session.host.run(check_self, session.effort.seed)
    faults = tuple(
        Divergence("reference", fault.where, "the same again", fault.sentence) for fault in found if not fault.note
    )
    notes = "; ".join(fault.sentence for fault in found if fault.note)
    detail = notes or "same seed, same game; same tape, same game; states go back in"
    return Check(
        "L0", "the reference repeats itself", "fail" if faults else "note" if notes else "pass", detail, 1, faults
    )


def _spaces(session: Session) -> Check:
    name = "spaces"
    theirs, ours = session.action_space, session.candidate.action_space
    if theirs is None or ours is None:
        return Check("L0", name, "skip", "the actions are neither whole numbers nor a box")
    same = type(theirs) is type(ours) and theirs.shape == ours.shape
    if same and isinstance(theirs, Discrete) and isinstance(ours, Discrete):
        same = theirs.n == ours.n
    if not same:
        return _fail(name, "action space", str(theirs), str(ours))
    if isinstance(theirs, Box) and isinstance(ours, Box):
        limits = [(np.broadcast_to(b.low, b.shape), np.broadcast_to(b.high, b.shape)) for b in (theirs, ours)]
        if not np.allclose(limits[0], limits[1]):
            return Check(
                "L0", name, "note", f"the action boxes differ: {theirs} and {ours}; what is clipped is compared in L1"
            )
    return Check("L0", name, "pass", str(ours))


def _fields(session: Session) -> list[Check]:
    """Everything that changes on either side is mapped, or ignored with a reason."""
    contract, candidate = session.contract, session.candidate
    kinds = candidate.kinds()
    fields = [name.removeprefix("state.") for name in kinds if name.startswith("state.")]
    faults: list[Divergence] = []
    for name in contract.state:
        if name not in fields:
            close = difflib.get_close_matches(name, fields, 1)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(fields)}"
            faults.append(Divergence("contract", f"state.{name}", "a field of the candidate", f"there is none; {hint}"))
    for name in fields:
        if name not in contract.state and f"candidate.{name}" not in contract.ignored:
            faults.append(
                Divergence("contract", f"state.{name}", "mapped in [state], or named in [ignored]", "neither")
            )
    read = {n for table in (contract.state, contract.outcome) for e in table.values() for n in e.names}
    for name in session.facts["moving"]:
        if name not in read and f"reference.{name}" not in contract.ignored and name != "elapsed_steps":
            faults.append(
                Divergence("contract", f"reference.{name}", "mapped in [state], or named in [ignored]", "neither")
            )
    for name in contract.outcome:
        if name not in kinds:
            faults.append(Divergence("contract", name, "an outcome of the candidate", f"it has {', '.join(kinds)}"))
    detail = f"{len(contract.state)} fields mapped, {len(contract.ignored)} ignored with a reason"
    return [
        Check("L0", "every field has its counterpart", "fail" if faults else "pass", detail, len(fields), tuple(faults))
    ]


def _kinds(session: Session) -> Check:
    """Shapes as the contract gives them; numbers of the same kind; no type so narrow that it cannot hold the values."""
    steps = session.trace.steps
    faults: list[Divergence] = []
    for name, kind in session.candidate.kinds().items():
        if name not in steps or name not in session.contract.columns:
            continue
        theirs = Kind(steps[name].shape[1:], steps[name].dtype)
        if theirs.shape != kind.shape:
            faults.append(
                Divergence(session.contract.owner(name), name, f"shape {theirs.shape}", f"shape {kind.shape}")
            )
        elif not _fits(steps[name], kind.dtype):
            faults.append(Divergence(session.contract.owner(name), name, f"{theirs.dtype}", f"{kind.dtype}"))
    return Check("L0", "shapes and types", "fail" if faults else "pass", "", len(steps), tuple(faults))


def _fits(values: Any, dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "b":
        return bool(np.isin(values, (0, 1)).all())
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        whole = values.dtype.kind in "biu" or bool(np.all(np.asarray(values) == np.round(values)))
        return whole and bool(np.all((values >= info.min) & (values <= info.max)))
    return True


def _repeatable(session: Session) -> Check:
    """The same step twice gives the same; nothing is carried outside of the state."""
    state, actions, chance = some_steps(session, 64)
    first, second = (session.candidate.step(state, actions, chance) for _ in range(2))
    wrong = [
        name for name in first if not np.array_equal(first[name], second[name], equal_nan=first[name].dtype.kind == "f")
    ]
    faults = tuple(Divergence(session.contract.owner(n), n, "the same twice", "another result") for n in wrong)
    return Check("L0", "the same step twice is the same", "fail" if faults else "pass", "", len(actions), faults)


def _alone_as_in_a_batch(session: Session) -> Check:
    """One game by itself is what it is among many, and steps one by one are what they are in a row."""
    state, actions, chance = some_steps(session, 64)
    many = session.candidate.step(state, actions, chance)
    faults: list[Divergence] = []
    for i in (0, len(actions) // 2, len(actions) - 1):
        one = slice(i, i + 1)
        alone = session.candidate.step(_rows(state, one), actions[one], None if chance is None else _rows(chance, one))
        for name, column in alone.items():
            if (
                not np.array_equal(column, many[name][one], equal_nan=column.dtype.kind == "f")
                and session.candidate.takes_chance
            ):
                faults.append(Divergence(session.contract.owner(name), name, _plain(many[name][i]), _plain(column[0])))
    played = session.candidate.play(
        state, actions[:, None], None if chance is None else {k: v[:, None] for k, v in chance.items()}
    )
    for name, column in played.items():
        exact = not session.contract.rounds(name) or column.dtype.kind != "f"
        same = np.array_equal(column[:, 0], many[name], equal_nan=column.dtype.kind == "f")
        near = not exact and np.allclose(column[:, 0], many[name], rtol=1e-5, atol=1e-6)
        if not same and not near and session.candidate.takes_chance:
            faults.append(
                Divergence(session.contract.owner(name), name, "as a single step", "another in a row of steps")
            )
    return Check("L0", "alone as in a batch", "fail" if faults else "pass", "", len(actions), tuple(faults))


def _compiled_or_not(session: Session) -> Check:
    """What the compiler made of a step is what was written."""
    state, actions, chance = some_steps(session, 4)
    scales = session.scales if session.rounds else None
    compiled = session.candidate.step(state, actions, chance)
    written = session.candidate.step_uncompiled(state, actions, chance)
    bad = unequal(session.contract, {name: written[name] for name in session.contract.columns}, compiled, None, scales)
    wrong = [name for name, rows in bad.items() if rows.any()]
    faults = tuple(
        Divergence(session.contract.owner(n), n, _plain(written[n]), _plain(compiled[n]), note="compiled")
        for n in wrong
    )
    return Check("L0", "compiled or not, it is the same", "fail" if faults else "pass", "", len(actions), faults)


def _params(session: Session) -> Check:
    """Each number of the rules changes something; one that does not is either dead or tested by nothing."""
    params = session.candidate.params
    if not params or len(params) > 64:
        return Check("L0", "every param matters", "skip", f"{len(params)} params")
    state, actions, chance = some_steps(session, 256)
    before = session.candidate.step(state, actions, chance)
    first = session.candidate.init(np.arange(64, dtype=np.uint32))
    dead: list[str] = []
    for name, value in params.items():
        if value.dtype.kind not in "iuf":
            continue
        other = session.candidate.with_params({name: (value * 0.5 + 1).astype(value.dtype)})
        if _same(other.step(state, actions, chance), before) and _same(
            other.init(np.arange(64, dtype=np.uint32)), first
        ):
            dead.append(name)
    detail = f"{len(params)} params" + (f"; without effect on the steps tried: {', '.join(dead)}" if dead else "")
    return Check("L0", "every param matters", "note" if dead else "pass", detail, len(params))


def some_steps(session: Session, count: int) -> tuple[Columns, Any, Columns | None]:
    """States of the trace after a step, with the next action and its luck."""
    steps = session.trace.steps
    rows = np.arange(min(count, max(1, len(steps["action"]) - 1)))
    state = {name: column[rows] for name, column in part(steps, "state.").items()}
    following = np.minimum(rows + 1, len(steps["action"]) - 1)
    chance = {name: column[following] for name, column in part(steps, "chance.").items()}
    return state, steps["action"][following], chance if session.candidate.takes_chance else None


def check_self(reference: Any, seed: int, beat: Any) -> Any:
    return check_reference(reference, 6, seed).findings


def _rows(columns: Columns, rows: slice) -> Columns:
    return {name: column[rows] for name, column in columns.items()}


def _same(a: Columns, b: Columns) -> bool:
    return all(np.array_equal(a[n], b[n], equal_nan=a[n].dtype.kind == "f") for n in a)


def _plain(value: Any) -> Any:
    return np.asarray(value).tolist()


def _fail(name: str, column: str, expected: str, got: str) -> Check:
    return Check("L0", name, "fail", "", 1, (Divergence("contract", column, expected, got),))
