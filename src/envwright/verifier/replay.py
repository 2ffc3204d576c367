"""One divergence again: read it from its file, make the pair, do just that."""

from collections.abc import Callable
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.references.plain import from_json
from envwright.verifier import pairs, regressions
from envwright.verifier.levels.l1_chance import check_chance
from envwright.verifier.levels.l1_functions import check_function
from envwright.verifier.levels.l3_drift import check_play_rounded
from envwright.verifier.levels.l3_episodes import check_play, check_starts
from envwright.verifier.record import EpisodePlan, record_calls
from envwright.verifier.session import Effort, Session, play_covered
from envwright.verifier.trial import attempt, precisions, shown
from envwright.verifier.verdict import Check


def replay(path: Path) -> Check:
    """Whether the two sides still part there."""
    content = regressions.load(path)
    pair = content["pair"]
    contract = pairs.find_contract([pair["contract"]] if pair["contract"] else [pair["reference"], pair["candidate"]])
    contract = changed(contract, reference=pair["reference"], candidate=pair["candidate"])
    contract = pairs.with_options(contract, pair.get("reference_options", {}), pair.get("candidate_options", {}))
    contract = pairs.with_setting(contract, pair.get("setting", ""))
    host = pairs.make_host(contract)
    try:
        session = Session(contract, host, pairs.make_candidate(contract), Effort())
        return _KINDS[content["kind"]](session, content)
    except KeyError as error:
        raise EnvwrightError(f"{path} lacks {error}; it is not a whole regression.") from None
    finally:
        host.close()


def _step(session: Session, content: dict[str, Any]) -> Check:
    which = next(p for p in precisions(session) if p.name == content["precision"])
    case = regressions.step_of(content)
    vars(session).update(scales=from_json(content["scales"]), sizes=from_json(content["sizes"]))
    trial = attempt(session, which, [case])
    if not trial.reference.cases:
        return Check("L1", "step", "fail", f"the reference refuses this state: {trial.reference.outside[0]}")
    return shown(session, which, trial, content)


def _call(session: Session, content: dict[str, Any]) -> Check:
    function = next(f for f in session.contract.functions if f.reference == content["function"])
    calls = {function.reference: [from_json(content["arguments"])]}
    rows = session.host.run(record_calls, session.contract, calls)[function.reference]
    return check_function(session, function, rows)


def _chance(session: Session, content: dict[str, Any]) -> Check:
    session.effort = Effort(**content["effort"])
    checks = check_chance(session)
    return next((check for check in checks if not check.passed), checks[-1])


def _start(session: Session, content: dict[str, Any]) -> Check:
    _play_only(session, EpisodePlan("random", content["seed"]), 1)
    return check_starts(session)


def _episode(session: Session, content: dict[str, Any]) -> Check:
    _play_only(session, EpisodePlan(content["policy"], content["seed"]), content["steps"])
    which = next(p for p in precisions(session) if p.name == content["precision"])
    return check_play_rounded(session, which) if which.nudge else check_play(session)


def _play_only(session: Session, plan: EpisodePlan, steps: int) -> None:
    """Let the session's recording be this one episode, as far as it goes."""
    vars(session)["trace"] = session.host.run(play_covered, session.contract, [plan], steps, 1, None)
    if not len(session.trace.lengths) or int(np.max(session.trace.lengths)) == 0:
        raise EnvwrightError("The reference did not get as far as this step again; it may not be reproducible.")


_KINDS: dict[str, Callable[[Session, dict[str, Any]], Check]] = {
    "step": _step,
    "call": _call,
    "chance": _chance,
    "luck": _chance,  # as it was called in files of earlier versions
    "start": _start,
    "episode": _episode,
}
