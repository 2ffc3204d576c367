"""L0, the contract: does the reference repeat itself, and does the contract fit both sides, with nothing left out?"""

import difflib
from typing import Any

import numpy as np

from envwright.candidates.protocol import ColumnKind
from envwright.core.spaces import Box, Discrete
from envwright.references.self_check import ReferenceFinding, check_reference
from envwright.verifier import requirements
from envwright.verifier.contract import Contract
from envwright.verifier.nudges import unit
from envwright.verifier.session import Session
from envwright.verifier.verdict import Check, Divergence


def check_reference_itself(session: Session) -> list[Check]:
    """The reference first of all: same seed twice, same tape twice, what survives a reset."""
    found = session.host.run(check_self, session.effort.seed, session.effort.checked)
    faults = tuple(
        Divergence("reference", fault.where, "the same again", fault.sentence)
        for fault in found
        if _is_fault(fault, session.contract)
    )
    notes = "; ".join(fault.sentence for fault in found if not _is_fault(fault, session.contract))
    detail = notes or "same seed, same game; same tape, same game; states go back in"
    return [
        Check(
            "L0", "the reference repeats itself", "fail" if faults else "note" if notes else "pass", detail, 1, faults
        )
    ]


def _is_fault(found: ReferenceFinding, contract: Contract) -> bool:
    """Whether the contract asks for what differs, if that is info."""
    asked = found.kind == "info" and any("info" in expression.names for expression in contract.outcome.values())
    return asked or not found.note


def check_requirements(session: Session) -> list[Check]:
    """The packages that the contract was written for, of the versions that it names."""
    if not session.contract.requires:
        return []
    requirements.check(session.contract)
    return [Check("L0", "the packages that it needs", "pass", requirements.versions(session.contract))]


def check_spaces(session: Session) -> list[Check]:
    name = "spaces"
    many, have = session.facts["players"], session.candidate.players
    if many != have:
        return [_fail(name, "players", str(many), str(have))]
    theirs, ours = session.action_space, session.candidate.action_space
    if theirs is None or ours is None:
        return [Check("L0", name, "skip", "the actions are neither whole numbers nor a box")]
    same = type(theirs) is type(ours) and theirs.shape == ours.shape
    if same and isinstance(theirs, Discrete) and isinstance(ours, Discrete):
        same = theirs.n == ours.n
    if not same:
        return [_fail(name, "action space", str(theirs), str(ours))]
    if isinstance(theirs, Box) and isinstance(ours, Box):
        limits = [(np.broadcast_to(b.low, b.shape), np.broadcast_to(b.high, b.shape)) for b in (theirs, ours)]
        if not np.allclose(limits[0], limits[1]):
            return [
                Check(
                    "L0",
                    name,
                    "note",
                    f"the action boxes differ: {theirs} and {ours}; what is clipped is compared in L1",
                )
            ]
    return [Check("L0", name, "pass", str(ours))]


def check_fields(session: Session) -> list[Check]:
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
    faults += [fault for pair in MASKS for fault in _mask_faults(session, *pair)]
    detail = f"{len(contract.state)} fields mapped, {len(contract.ignored)} ignored with a reason"
    return [
        Check("L0", "every field has its counterpart", "fail" if faults else "pass", detail, len(fields), tuple(faults))
    ]


MASKS = (("legal_actions", "legal"), ("acting", "acting"))  # columns of the candidate, and the reference's names


def _mask_faults(session: Session, column: str, name: str) -> list[Divergence]:
    """A mask of either side that the contract neither maps nor ignores, or maps to one that there is not."""
    contract, facts = session.contract, session.facts
    if column in contract.outcome:
        missing = name in contract.outcome[column].names - {*facts["all_names"]} and not facts["told"][name]
        return [Divergence("contract", column, f"a reference that tells `{name}`", "it does not")] if missing else []
    if column in session.candidate.kinds():
        mapped = f'mapped in [outcome], as {column} = "{name}", or "candidate.{column}" named in [ignored]'
        is_ignored = f"candidate.{column}" in contract.ignored
        return [] if is_ignored else [Divergence("contract", column, mapped, "neither")]
    if not facts["rules"][name] or f"reference.{name}" in contract.ignored:
        return []
    wanted = f'a candidate with {column}, or "reference.{name}" named in [ignored]'
    return [Divergence("contract", f"reference.{name}", wanted, "neither")]


def check_names(session: Session) -> list[Check]:
    """What the contract ignores, allows for and blames exists; a slip of the pen would go unnoticed for ever."""
    contract = session.contract
    kinds = [*session.candidate.kinds()]
    general = {"state", "observation", "reward", "terminated", "truncated", "info", "start", "chance"}
    columns = {*kinds, *general}
    told = [name for name, is_told in session.facts["told"].items() if is_told]
    theirs = {f"reference.{name}" for name in (*session.facts["all_names"], *told)}
    ours = {f"candidate.{form}" for name in kinds for form in (name, name.removeprefix("state."))}
    places = [
        *(("[ignored]", name, theirs | ours) for name in contract.ignored),
        *(("[[tolerance]] columns", name, columns) for t in contract.tolerances for name in t.columns),
        *(("[[module]] owns", name, columns) for module in contract.modules for name in module.owns),
    ]
    faults = tuple(_unknown(where, name, known) for where, name, known in places if name not in known)
    return [Check("L0", "every name is known", "fail" if faults else "pass", "", len(places), faults)]


def _unknown(where: str, name: str, known: set[str]) -> Divergence:
    close = difflib.get_close_matches(name, sorted(known), 1)
    return Divergence(
        "contract", name, f"something that exists, in {where}", f"did you mean {close[0]}?" if close else "nothing"
    )


def check_params_agree(session: Session) -> list[Check]:
    """Where the contract says which constant is which, they are the same number, to the last place but one."""
    faults: list[Divergence] = []
    ours = session.candidate.params
    for name, want in session.params.items():
        have = np.asarray(ours[name]) if name in ours else None
        if have is None or np.any(np.abs(want - have) > _room(want, have)):
            got = "no such param" if have is None else have.tolist()
            faults.append(Divergence("params", f"params.{name}", want.tolist(), got))
    status = "fail" if faults else "pass" if session.params else "skip"
    return [
        Check(
            "L0",
            "params are the reference's constants",
            status,
            f"{len(session.params)} compared",
            len(ours),
            tuple(faults),
        )
    ]


def _room(want: Any, have: Any) -> Any:
    """One unit in the last place: a limit may be rounded so that comparing with it comes out the same."""
    return unit(np.asarray(want, np.float32), np.dtype(np.float32)) if have.dtype.kind == "f" else 0


def check_kinds(session: Session) -> list[Check]:
    """Shapes as the contract gives them; numbers of the same kind; no type so narrow that it cannot hold the values;
    and a step leaves every field of the state of the type that it had, or no loop of steps could be compiled."""
    steps = session.trace.steps
    faults: list[Divergence] = []
    kinds = session.candidate.kinds()
    for name, column in session.candidate.init(np.zeros(1, np.uint32)).items():
        if name.startswith("state.") and column.dtype != kinds[name].dtype:
            owner, note = session.contract.owner(name), "a step changes the type of this field"
            faults.append(Divergence(owner, name, f"{column.dtype}", f"{kinds[name].dtype}", note=note))
    for name, kind in kinds.items():
        if name not in steps or name not in session.contract.columns:
            continue
        theirs = ColumnKind(steps[name].shape[1:], steps[name].dtype)
        if theirs.shape != kind.shape:
            faults.append(
                Divergence(session.contract.owner(name), name, f"shape {theirs.shape}", f"shape {kind.shape}")
            )
        elif not _fits(steps[name], kind.dtype):
            faults.append(Divergence(session.contract.owner(name), name, f"{theirs.dtype}", f"{kind.dtype}"))
    return [Check("L0", "shapes and types", "fail" if faults else "pass", "", len(steps), tuple(faults))]


def _fits(values: Any, dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "b":
        return bool(np.isin(values, (0, 1)).all())
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        whole = values.dtype.kind in "biu" or bool(np.all(np.asarray(values) == np.round(values)))
        return whole and bool(np.all((values >= info.min) & (values <= info.max)))
    return True


def check_self(reference: Any, seed: int, most: tuple[int, int], beat: Any) -> Any:
    episodes, steps = most
    return check_reference(reference, episodes, seed, steps).findings


def _fail(name: str, column: str, expected: str, got: str) -> Check:
    return Check("L0", name, "fail", "", 1, (Divergence("contract", column, expected, got),))
