"""Pong against PufferLib's C, in each form that changes the rules: frames a step, and the kind of actions.

Each form is put to the engine, by the contract beside the environment; then thousands of games are played in lockstep,
C's own way: one after another in the same memory, what a reset forgets to clear and the log included.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from envwright.candidates.find import find_candidate
from envwright.candidates.native import native_candidate
from envwright.envs.pong import Pong, policies, rules
from envwright.envs.pong.game import PongGame
from envwright.envs.pong.reference import PongReference
from envwright.envs.pong.state import State
from envwright.verify import contract as contracts
from envwright.verify import engine, regressions
from envwright.verify.contract import Contract
from envwright.verify.host import Here
from envwright.verify.lockstep import Parting, as_divergence, verify_lockstep
from envwright.verify.phases import first_differing_phase
from envwright.verify.record import Case
from envwright.verify.session import Effort, Session
from envwright.verify.trial import Precision, StepTrial, as_input, attempt, owner
from envwright.verify.verdict import DEFAULT_LEVELS, Check, Divergence, Verdict

SIDE_BY_SIDE = (60, 1024)  # games at a time, at least and at most
CONTRACT = Path(rules.__file__).with_name("contract.toml")
EPISODES = 6  # of those the engine plays, one at a time; two by each policy


def verify_pong(
    episodes: int,
    *,
    seed: int = 0,
    frameskips: Sequence[int] = (1, 8),
    controls: Sequence[str] = ("discrete", "continuous"),
    levels: Sequence[str] = DEFAULT_LEVELS,
    regressions: Path | None = None,
    progress: Callable[[str], None] = lambda what: None,
) -> Iterator[Verdict]:
    """A verdict for each combination, as it is reached; `episodes` whole games of each in lockstep."""
    for frameskip in frameskips:
        for control in controls:
            form = form_of(contracts.load(CONTRACT), frameskip, control == "continuous")
            folder = None if regressions is None else regressions / f"pong-{frameskip}-{control}"
            yield _verify_form(form, episodes, seed, levels, folder, progress)


def form_of(contract: Contract, frameskip: int, continuous: bool) -> Contract:
    """The contract of another form: its options, who plays, and, of steps of many frames, no phases."""
    options = {"frameskip": frameskip, "continuous": continuous}
    attack = f"attack{'' if frameskip == 1 else '_8'}_{'continuous' if continuous else 'discrete'}"
    return dataclasses.replace(
        contract,
        reference_options=options,
        candidate_options=options,
        policies=(f"policies.py:{attack}",),
        phases=contract.phases if frameskip == 1 else (),
    )


def _verify_form(
    contract: Contract,
    episodes: int,
    seed: int,
    levels: Sequence[str],
    folder: Path | None,
    progress: Callable[[str], None],
) -> Verdict:
    began = time.monotonic()
    frameskip, continuous = contract.candidate_options["frameskip"], contract.candidate_options["continuous"]
    subject = f"Pong, frameskip {frameskip}, {'continuous' if continuous else 'discrete'} actions"
    effort = Effort(
        episodes=min(episodes, EPISODES), seed=seed, limit=8000, states=2000, corners=1000, draws=4000, watched=300
    )
    verdict = engine.verify(
        contract,
        Here(PongGame(**contract.reference_options)),
        find_candidate(contract.candidate, contract.candidate_options, contract.base),
        effort=effort,
        levels=levels,
        regressions=folder,
        progress=lambda what: progress(f"{subject}: {what}"),
    )
    checks = verdict.checks
    if "L3" in levels:
        env = Pong(**contract.candidate_options)
        checks += (
            lockstep(contract, env, episodes, seed, folder, lambda n: progress(f"{subject}: L3 lockstep, {n:,} games")),
        )
    about = {**verdict.provenance, "policies": list(policies.all_policies(frameskip)), "seed": seed}
    seconds = time.monotonic() - began
    return dataclasses.replace(verdict, subject=subject, checks=checks, provenance=about, seconds=seconds)


def lockstep(
    contract: Contract,
    env: Pong,
    episodes: int,
    seed: int = 0,
    folder: Path | None = None,
    progress: Callable[[int], None] = lambda games: None,
) -> Check:
    """Whole games, many at a time, under every policy."""
    few, many = SIDE_BY_SIDE
    games = min(many, max(few, episodes // 8))  # several each: of many at once the first to end are lost ones
    reference = PongReference(games, frameskip=env.frameskip, continuous=env.continuous)
    reference.seed(seed)
    play = policies.mixed(env.frameskip)
    return verify_lockstep(
        env,
        reference,
        lambda obs, rng: policies.as_actions(play(obs, rng), env.continuous),
        episodes=episodes,
        seed=seed,
        summarise=log_of,
        blame=lambda parting: blame(contract, env, parting, folder),
        progress=progress,
    )


def blame(contract: Contract, env: Pong, parting: Parting, folder: Path | None = None) -> Divergence:
    """Whom to ask: the step again from C's own state, frame by frame, and the frame that parts phase by phase."""
    if parting.step < 0:
        return as_divergence(
            parting, contract.owner("start" if parting.column.startswith("state.") else parting.column)
        )
    options = {"frameskip": 1, "continuous": env.continuous}
    single = dataclasses.replace(
        contract, reference_options=options, candidate_options=options, phases=contracts.load(CONTRACT).phases
    )
    game = PongGame(**options)
    candidate = native_candidate(dataclasses.replace(env, frameskip=1))
    session = Session(
        single, Here(game), candidate, Effort(episodes=1, limit=50), pair=engine.pair_of(single), regressions=folder
    )
    snapshot = _snapshot(parting.before)
    for frame in range(env.frameskip):
        case, trial = _frame(session, Case(snapshot, _action(parting, env)), int(parting.chance) + 1)
        if len(trial.rows):
            module = first_differing_phase(session, candidate, trial.reference, 0) or owner(session, trial, 0)
            note = f"game {parting.game}" + (f", frame {frame + 1} of the step" if env.frameskip > 1 else "")
            found = as_divergence(parting, module, input=as_input(case), note=note)
            return regressions.keep_step(session, found, case, "exact", "L3")
        if case.tape:  # a point ends the step
            break
        snapshot = game.snapshot()
    between = parting.ended and not parting.column.startswith("log")
    module = "summary" if parting.column.startswith("log") else contract.owner("start" if between else parting.column)
    return as_divergence(parting, module, note=_note(parting, env))


def _frame(session: Session, case: Case, rand: int) -> tuple[Case, StepTrial]:
    """One frame on both sides; if it asks for luck, with that of the game."""
    exact = Precision("exact", session.candidate, None)
    trial = attempt(session, exact, [case])
    tape = trial.reference.cases[0].tape
    case = case._replace(tape=tuple(draw._replace(value=rand) for draw in tape or ()))
    return case, attempt(session, exact, [case])


def _snapshot(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a batch as a game takes them."""
    log = {name.removeprefix("log."): value for name, value in fields.items() if name.startswith("log.")}
    rest = {name: value for name, value in fields.items() if name != "observation" and not name.startswith("log.")}
    return {**rest, "log": log, "elapsed_steps": 0}


def _action(parting: Parting, env: Pong) -> Any:
    return parting.action if env.continuous else int(parting.action)


def _note(parting: Parting, env: Pong) -> str:
    if parting.ended:
        return "the step itself agrees; they part in the new game that follows, or in what is written of the old one"
    if env.frameskip > 1:
        return "each frame agrees by itself; they part in how a step is made of frames"
    return "from C's own state this step agrees: something is carried from step to step that is not in the state"


def log_of(final: State) -> dict[str, jax.Array]:
    """What the reference adds to its log when a game ends, under its names."""
    summary = rules.summary(final)
    entries = {f"log.{field.name}": getattr(summary, field.name) for field in dataclasses.fields(summary)}
    return entries | {"log.n": jnp.float32(1)}
