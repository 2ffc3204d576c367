"""A verification from end to end.

    contract ─► reference, in a process of its own ─► episodes, states, tapes ─┐
            └─► candidate ─────────────────────────────────────────────────────┴─► L0 ► L1 ► L2 ► L3 ► L4 ─► verdict

Each question is asked by itself: one that cannot be asked, or that brings a side down, becomes a failed check with a
sentence, and the rest of the run goes on.
"""

import contextlib
import platform
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np

from envwright.candidates.apart import CandidateError
from envwright.candidates.protocol import Candidate
from envwright.core.errors import EnvwrightError
from envwright.references.protocol import BatchedReference
from envwright.sandbox.process import SandboxError
from envwright.verifier.contract import Contract
from envwright.verifier.host import Host
from envwright.verifier.levels import fitting, l0_contract, l0_function
from envwright.verifier.levels.l1_chance import check_chance
from envwright.verifier.levels.l1_functions import check_functions
from envwright.verifier.levels.l2_phases import check_phases
from envwright.verifier.levels.l3_coverage import check_coverage
from envwright.verifier.levels.l3_lockstep import check_lockstep
from envwright.verifier.levels.l4_transfer import check_transfer
from envwright.verifier.levels.oracle import check_oracle
from envwright.verifier.session import Effort, Session
from envwright.verifier.verdict import DEFAULT_LEVELS, Check, Verdict

ELSEWHERE = "not the candidate's"  # the fault that keeps a question from being asked

Question = Callable[[Session], list[Check]]


QUESTIONS: dict[str, tuple[Question, ...]] = {
    "L0": (
        l0_contract.check_requirements,
        l0_contract.check_reference_itself,
        l0_contract.check_spaces,
        l0_contract.check_fields,
        l0_contract.check_names,
        l0_contract.check_kinds,
        l0_contract.check_params_agree,
        l0_function.check_repeatable,
        l0_function.check_alone,
        l0_function.check_compiled,
        l0_function.check_params_matter,
    ),
    "L1": (check_functions, fitting.steps, check_chance, check_oracle),
    "L2": (check_phases,),
    "L3": (fitting.episodes, check_lockstep, check_coverage),
    "L4": (check_transfer,),
}


def verify(
    contract: Contract,
    host: Host,
    candidate: Candidate,
    *,
    effort: Effort | None = None,
    levels: Sequence[str] = DEFAULT_LEVELS,
    regressions: Path | None = None,
    traces: Path | None = None,
    batched: Callable[[int], BatchedReference | None] = lambda num_envs: None,
    progress: Callable[[str], None] = lambda what: None,
    stop_at_failure: bool = False,
) -> Verdict:
    """Put every question of these levels to the pair; or stop after the first level that fails, for the others are
    dearer and what they find is often the same."""
    effort = effort or Effort()
    began = time.monotonic()
    pair = pair_of(contract)
    session = Session(contract, host, candidate, effort, progress, pair, regressions, traces, batched)
    checks: list[Check] = []
    if set(levels) & set(DEFAULT_LEVELS):
        _prepare(session)
    for level in levels:
        progress(level)
        for question in QUESTIONS[level]:
            checks += ask(level, question, session)
        if stop_at_failure and not all(check.passed for check in checks):
            break
    coverage: dict[str, Any] = {}
    if "trace" in vars(session):  # recorded at all
        coverage = session.trace.coverage
    return Verdict(
        subject=f"{contract.reference} and {contract.candidate}",
        checks=tuple(checks),
        provenance=_provenance(session),
        coverage=coverage,
        seconds=time.monotonic() - began,
    )


def pair_of(contract: Contract) -> dict[str, Any]:
    """All that is needed to make both sides again."""
    return {
        "reference": contract.reference,
        "candidate": contract.candidate,
        "contract": _own_path(contract),
        "reference_options": contract.reference_options,
        "candidate_options": contract.candidate_options,
        **({"setting": contract.setting} if contract.setting else {}),
    }


def _prepare(session: Session) -> None:
    """Let the reference play while the candidate is compiled. What fails here fails again where it is asked for."""
    with ThreadPoolExecutor(1) as meanwhile, contextlib.suppress(Exception):
        playing = meanwhile.submit(lambda: session.trace) if session.facts else None
        session.candidate.kinds()
        session.candidate.init(np.arange(session.effort.draws, dtype=np.uint32))
        if playing is not None:
            playing.result()


def ask(level: str, question: Question, session: Session) -> list[Check]:
    """The answer to one question; what cannot be asked is a failed check that says so."""
    try:
        return question(session)
    except (CandidateError, SandboxError) as error:  # it is in a process of its own
        return [_could_not(level, question, str(error))]
    except EnvwrightError as error:
        return [replace(_could_not(level, question, str(error)), numbers={"fault": ELSEWHERE})]
    except Exception as error:  # the candidate's own code may raise anything
        return [_could_not(level, question, _sentence(error))]


def _could_not(level: str, question: Question, sentence: str) -> Check:
    name = getattr(question, "__name__", "check").removeprefix("check_").replace("_", " ").strip()
    return Check(level, name, "fail", f"could not be made: {sentence}")


def _sentence(error: Exception) -> str:
    """What the candidate's code did, and where in the user's files rather than in JAX's."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [f for f in frames if "site-packages" not in f.filename and "/envwright/verifier/" not in f.filename]
    place = (outside or frames)[-1]
    message = str(error).strip().splitlines()[0] if str(error).strip() else ""
    return f"the candidate raised {type(error).__name__}: {message} ({Path(place.filename).name}:{place.lineno})"


def _provenance(session: Session) -> dict[str, Any]:
    return {
        "reference": session.facts["provenance"] if "facts" in vars(session) else {},
        "candidate": _candidate_provenance(session),
        "contract": {"path": _path(session.contract), "sha256": session.contract.sha256},
        "effort": vars(session.effort),
        "jax": jax.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "backend": jax.default_backend(),
    }


def _candidate_provenance(session: Session) -> dict[str, Any]:
    """What the candidate is; one that cannot even be loaded has said so in every check."""
    try:
        return session.candidate.provenance()
    except EnvwrightError as error:
        return {"candidate": session.contract.candidate, "error": str(error)}


def _own_path(contract: Contract) -> str | None:
    """Where a user's contract is; those in the box are found by the names of the pair."""
    inside = contract.path is not None and contract.path.is_relative_to(Path(__file__).parent.parent)
    return None if inside else _path(contract)


def _path(contract: Contract) -> str | None:
    return None if contract.path is None else str(contract.path)
