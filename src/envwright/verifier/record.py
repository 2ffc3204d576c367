"""What is done where the reference lives: whole episodes, single steps from chosen states, one function at a time.

Each of these is a plain function of a reference, so that it can be run in another process (host.py). `beat` is called
after every step, so that whoever waits can tell slow from stuck.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references import legality
from envwright.references.protocol import Draw, Outcome, Reference, ReferenceFailedError, TapeError
from envwright.verifier import policies
from envwright.verifier.clauses import Function
from envwright.verifier.contract import Contract
from envwright.verifier.expression import ExpressionError
from envwright.verifier.rows import Row, legal_after, legal_where, stack, start_row, state_row, step_row
from envwright.verifier.trace import Failure, Trace

Beat = Callable[[], None]
Plain = dict[str, Any]


class EpisodePlan(NamedTuple):
    """An episode to be played."""

    policy: str
    seed: int


class Case(NamedTuple):
    """A single step to be taken."""

    snapshot: Plain
    action: Any
    tape: tuple[Draw, ...] | None = None  # chance to be replayed; without it the reference draws


@dataclass
class Transitions:
    """Single steps of the reference from chosen states."""

    cases: list[Case]  # with the chance that was drawn
    before: Columns  # state.* before the step
    after: Columns  # action, chance and everything that is compared
    outside: list[str]  # states that the reference refused, each with its reason


def record_episodes(
    reference: Reference,
    contract: Contract,
    plans: Sequence[EpisodePlan],
    limit: int,
    keep: int,
    beat: Beat,
    most: int | None = None,
) -> Trace:
    """Play episodes to their end, and keep a sample of the states on the way; after `most` steps none is begun."""
    starts: list[Row] = []
    steps: list[Row] = []
    start_tape: list[tuple[Draw, ...]] = []
    step_tape: list[tuple[Draw, ...]] = []
    lengths: list[int] = []
    failures: list[Failure] = []
    played: list[EpisodePlan] = []
    pool: list[Plain] = []
    rng = np.random.default_rng(len(plans))
    for episode, plan in enumerate(plans):
        if most is not None and len(steps) >= most:
            break
        act = policies.find(plan.policy, reference, contract.base)
        policy_rng = np.random.default_rng([plan.seed, 1])
        length = 0
        try:
            outcome = reference.reset(seed=plan.seed)
            starts.append(start_row(contract, reference, outcome))
            start_tape.append(outcome.draws)
            while not (outcome.terminated or outcome.truncated) and length < limit:
                _sample(pool, reference, keep, len(steps), rng)
                action = act(outcome.obs, policy_rng, legal_after(contract, reference, outcome))
                before = reference.look() if contract.looks_back else {}
                outcome = reference.step(action)
                steps.append(step_row(contract, reference, outcome, action, before))
                step_tape.append(outcome.draws)
                length += 1
                beat()
        except ReferenceFailedError as error:
            failures.append(Failure(episode, length, str(error)))
            if len(starts) == len(lengths):  # not even begun
                continue
        lengths.append(length)
        played.append(plan)
        beat()
    return Trace(
        stack(starts, "start"),
        stack(steps, "step"),
        np.array(lengths, np.int64),
        [plan.policy for plan in played],
        [plan.seed for plan in played],
        start_tape,
        step_tape,
        failures,
        pool,
        provenance=reference.provenance(),
    )


def replay_actions(reference: Reference, trace: Trace, beat: Beat) -> None:
    """The episodes of a trace once more, for whoever watches the reference meanwhile."""
    for episode, (begin, length) in enumerate(zip(trace.offsets, trace.lengths, strict=True)):
        reference.reset(seed=trace.seeds[episode], tape=trace.start_tape[episode])
        for step in range(int(begin), int(begin + length)):
            reference.step(as_action(trace.steps["action"][step]), trace.step_tape[step])
            beat()


def as_action(value: Any) -> Any:
    """An action of a trace as it was given to the reference: a number or an array."""
    return int(value) if np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iu" else np.asarray(value)


def record_transitions(reference: Reference, contract: Contract, cases: Sequence[Case], beat: Beat) -> Transitions:
    """Single steps from given states; those that the contract calls out of reach are passed over."""
    done = _transitions(reference, contract, cases, beat)
    while reference.late_changes():  # was read as it had been at first, so all of it again
        done = _transitions(reference, contract, cases, beat)
    return done


def _transitions(reference: Reference, contract: Contract, cases: Sequence[Case], beat: Beat) -> Transitions:
    kept: list[Case] = []
    befores: list[Row] = []
    afters: list[Row] = []
    outside: list[str] = []
    for case in cases:
        beat()
        try:
            reference.restore(case.snapshot)
            before = reference.look()
            if not all(reach.holds(before) for reach in contract.reachable):
                continue
            allowed = made_legal(reference, contract, case, before)
            if allowed is None:
                outside.append("no action is legal there")
                continue
            case = allowed
            before_row = state_row(contract, before)
            outcome, after = one_step(reference, contract, case, before)
        except (ReferenceFailedError, ExpressionError, TapeError) as error:
            outside.append(str(error))
            continue
        befores.append(before_row)
        afters.append(after)
        kept.append(case._replace(tape=outcome.draws))
    return Transitions(kept, stack(befores, "state"), stack(afters, "step"), outside)


def made_legal(reference: Reference, contract: Contract, case: Case, held: Plain) -> Case | None:
    """The step with a legal action in place of one that is not, where the reference stands; None, if there is none."""
    legal = legal_where(contract, reference, held)
    if legality.is_stuck(legal):
        return None
    return case._replace(action=legality.nearest(case.action, legal))


def record_starts(reference: Reference, contract: Contract, seeds: Sequence[int], beat: Beat) -> Columns:
    """New games only."""
    rows: list[Row] = []
    for seed in seeds:
        rows.append(start_row(contract, reference, reference.reset(seed=seed)))
        beat()
    return stack(rows, "start")


class FunctionCall(NamedTuple):
    """A call of one of the reference's functions."""

    arguments: Mapping[str, Any]
    given: list[NDArray[Any]]  # the candidate's arguments
    result: NDArray[Any]  # what the candidate must return


def record_calls(
    reference: Reference, contract: Contract, calls: Mapping[str, Sequence[Mapping[str, Any]]], beat: Beat
) -> dict[str, list[FunctionCall]]:
    """The reference's functions on given arguments; those outside of what a function is for are left out."""
    table: dict[str, list[FunctionCall]] = {}
    for function in contract.functions:
        rows = table.setdefault(function.reference, [])
        for arguments in calls.get(function.reference, ()):
            beat()
            try:
                result = result_of(reference, function, arguments)
                given = [np.asarray(_plain(e(arguments))) for e in function.arguments]
                rows.append(FunctionCall(arguments, given, result))
            except (ReferenceFailedError, ExpressionError):
                continue
    return table


def result_of(reference: Reference, function: Function, arguments: Mapping[str, Any]) -> NDArray[Any]:
    """What a function of the reference gives, as the candidate must return it."""
    result = reference.call(function.reference, list(arguments.values()))
    return np.asarray(_plain(function.result({**arguments, "result": result})))


def look_back(reference: Reference, contract: Contract) -> dict[str, Any]:
    """What is known before a step, if the contract asks for it."""
    return reference.look() if contract.looks_back else {}


def one_step(reference: Reference, contract: Contract, case: Case, before: dict[str, Any]) -> tuple[Outcome, Row]:
    """A step from where the reference stands."""
    outcome = reference.step(case.action, case.tape)
    return outcome, step_row(contract, reference, outcome, case.action, before)


def _plain(value: Any) -> Any:
    return value.filled() if isinstance(value, np.ma.MaskedArray) else value


def _sample(pool: list[Plain], reference: Reference, keep: int, seen: int, rng: np.random.Generator) -> None:
    """Keep an even sample of all states, without knowing how many there will be."""
    if len(pool) < keep:
        pool.append(reference.snapshot())
    else:
        place = int(rng.integers(seen + 1))
        if place < keep:
            pool[place] = reference.snapshot()


def mine_calls(
    reference: Reference, contract: Contract, plans: Sequence[EpisodePlan], limit: int, beat: Beat
) -> dict[str, list[dict[str, Any]]]:
    """The arguments that the contract's functions are called with while the reference plays."""
    names = [function.reference for function in contract.functions if function.cases is None]
    if not names:
        return {}

    def play() -> None:
        record_episodes(reference, contract, plans, limit, 0, beat)

    return reference.record_calls(names, play)
