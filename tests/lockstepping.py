"""Whole games of a Pong beside C's, for tests."""

from pathlib import Path

from envwright.candidates.native import native_candidate
from envwright.core.spec import Form
from envwright.envs.pong import Params, Pong
from envwright.envs.pong.batched import PongBatchedReference
from envwright.verifier import pairs
from envwright.verifier.levels.l3_lockstep import check_lockstep
from envwright.verifier.session import Effort, Session
from envwright.verifier.verdict import Check


def lockstep(env: Pong, games: int, folder: Path | None = None, params: Params | None = None) -> Check:
    """At least so many games to their end, all columns."""
    options = {"frameskip": env.frameskip, "continuous": env.continuous}
    form = Form("of a test", options, phases=env.frameskip == 1)
    contract = pairs.of_form(pairs.find_contract(["pong"]), form)
    session = Session(
        contract, pairs.make_host(contract, apart=False), native_candidate(env),
        Effort(games=games, episodes=2, limit=400),
        pair={}, regressions=folder,
        batched=lambda num_envs: PongBatchedReference(num_envs, **options, params=params),
    )  # fmt: skip
    (check,) = check_lockstep(session)
    return check
