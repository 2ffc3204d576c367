"""L3 in lock-step: whole games, many at once, where the reference can be had in batches.

    reference ──► Recording: actions, chance, every column ──► candidate, same actions, same chance ──► first difference

The two are put side by side once, at the first reset. After that each goes on from its own state, so that an error
of one bit in one column stays visible in every later step that depends on it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.one_game import LOG
from envwright.candidates.protocol import Columns
from envwright.references.protocol import BatchedOutcome, BatchedReference, BatchPolicy
from envwright.verifier.counting import add, since
from envwright.verifier.levels.l3_coverage import Steps, count
from envwright.verifier.levels.oracle import sampled
from envwright.verifier.record import Case, as_action
from envwright.verifier.rows import part
from envwright.verifier.session import Session
from envwright.verifier.trial import Precision, as_input, attempt, explain_one
from envwright.verifier.verdict import Check, Divergence, short

CHUNK = 256  # steps recorded before they are compared
HELD = 2**16  # steps of all games together that are recorded at once: memory is finite
NAME = "whole games in lock-step, bit for bit"
FEWEST, MOST = 60, 1024  # games at once
EACH = 8  # games of each place of the batch: of many at once the first to end are lost ones


class Recording(NamedTuple):
    """Some steps of the reference; every array has an axis of steps, then one of games."""

    actions: NDArray[Any]
    chance: Columns
    start: Columns
    columns: Columns

    @property
    def ended(self) -> NDArray[np.bool_]:
        return self.columns["terminated"] | self.columns["truncated"]


class Difference(NamedTuple):
    """The first value that differs."""

    column: str
    game: int
    step: int  # of the recording
    expected: Any
    got: Any


class Clock:
    """For each game of a batch, how many episodes it has finished, and how many steps of the present one."""

    def __init__(self, games: int, policies: Iterable[str]) -> None:
        self.policies = tuple(policies)
        self.episode, self.step, self.steps = np.zeros(games, np.int64), np.zeros(games, np.int64), 0

    @property
    def finished(self) -> int:
        return int(self.episode.sum())

    @property
    def by_policy(self) -> dict[str, int]:
        """How many episodes each policy has finished: game i is played by policy i modulo their number."""
        many = len(self.policies)
        return {name: int(self.episode[i::many].sum()) for i, name in enumerate(self.policies)}

    def go_on(self, ended: NDArray[np.bool_]) -> None:
        since = np.argmax(ended[::-1], axis=0)
        self.step = np.where(ended.any(axis=0), since, self.step + len(ended))
        self.episode = self.episode + ended.sum(axis=0)
        self.steps += ended.size

    def at(self, ended: NDArray[np.bool_], game: int, step: int) -> tuple[int, int]:
        """Episode and step within it, of a step of the recording that follows."""
        before = ended[:step, game]
        since = int(np.argmax(before[::-1])) if before.any() else int(self.step[game]) + step
        return int(self.episode[game] + before.sum()), since


def check_lockstep(session: Session) -> list[Check]:
    """Play at least as many whole games as the effort says on both sides, or as many of each policy where the reference
    wants that, and compare every column after every step."""
    games = session.effort.games
    batched = session.batched(min(MOST, max(FEWEST, games // EACH)))
    if batched is None:
        return []
    try:
        return _side_by_side(session, batched)
    finally:
        batched.close()


def _side_by_side(session: Session, batched: BatchedReference) -> list[Check]:
    candidate = session.candidate
    if session.rounds or not candidate.takes_chance:
        why = "rounds" if session.rounds else "takes no chance"
        return [Check("L3", NAME, "skip", f"the candidate {why}, so its games would part from the reference's")]
    began = batched.reset(session.effort.seed)
    got = candidate.start(began.start, batched.num_envs)
    bits, found = compare(_one_step({name: c for name, c in began.columns.items() if name in got}), _one_step(got))
    if found is not None:
        module = session.contract.owner("start" if found.column.startswith("state.") else found.column)
        divergence = _divergence(session, module, found, (0, -1), {}, "the first reset")
        return [Check("L3", NAME, "fail", f"{bits:,} bits of the first states differ", 1, (divergence,))]
    return [_play(session, batched, began, part(got, "state."))]


def _one_step(columns: Columns) -> Columns:
    return {name: column[None] for name, column in columns.items()}


def _play(session: Session, batched: BatchedReference, began: BatchedOutcome, state: Columns) -> Check:
    clock, before, games = Clock(batched.num_envs, batched.policies), began.columns, session.effort.games
    met, asked = batched.counted(), 0
    for recording in record(batched, began, np.random.default_rng(session.effort.seed)):
        got = session.candidate.play_on(state, recording.actions, recording.chance, recording.start)
        bits, found = compare(recording.columns, got)
        if found is not None:
            add(session.counts, since(met, batched.counted()))
            divergence = blame(session, batched, recording, before, found, clock)
            detail = (
                f"{_played(clock, before)}; {bits:,} bits differ in the {len(recording.actions)} steps around the first"
            )
            return Check("L3", NAME, "fail", detail, clock.finished, (divergence,))
        if session.contract.oracle or "count" in session.contract.coverage:
            steps = _steps(before, recording)
            count(session, steps)
            asked += sampled(session, steps.before, steps.action, steps.after, steps.ended)
        clock.go_on(recording.ended)
        counted = min(clock.by_policy.values()) if batched.games_of_each_policy else clock.finished
        session.progress(f"L3 lock-step, {min(counted, games):,} games")
        before = {name: column[-1] for name, column in recording.columns.items()}
        if counted >= games:
            break
        last = {name: column[-1] for name, column in got.items()}
        state = part(last, "state.") | {name: column for name, column in last.items() if name.startswith(LOG)}
    add(session.counts, since(met, batched.counted()))
    told = f"{_played(clock, before)}; 0 bits differ"
    told += f"; nothing wrong by the oracle in {asked:,} of them" if asked else ""
    return Check("L3", NAME, "pass", told, clock.finished)


def _steps(before: Columns, recording: Recording) -> Steps:
    """All steps of a recording, one after another."""
    states = {name: column for name, column in recording.columns.items() if name.startswith("state.")}
    earlier = {name: np.concatenate([before[name][None], column[:-1]]) for name, column in states.items()}
    flat = lambda column: column.reshape(-1, *column.shape[2:])  # noqa: E731
    of_all = lambda columns: part({name: flat(column) for name, column in columns.items()}, "state.")  # noqa: E731
    return Steps(of_all(earlier), flat(recording.actions), of_all(states), flat(recording.ended))


def _played(clock: Clock, columns: Columns) -> str:
    of_each = ", ".join(f"{name} {games:,}" for name, games in clock.by_policy.items())
    return f"{clock.finished:,} games to their end ({of_each}), {clock.steps:,} steps, {len(columns)} columns"


def record(batched: BatchedReference, began: BatchedOutcome, rng: np.random.Generator) -> Iterator[Recording]:
    """Play for ever, a chunk at a time; game i is played by policy i modulo their number."""
    now = began
    while True:
        actions: list[NDArray[Any]] = []
        outcomes: list[BatchedOutcome] = []
        for _ in range(max(1, min(CHUNK, HELD // batched.num_envs))):
            actions.append(act(batched.policies, now.columns, rng))
            now = batched.step(actions[-1])
            outcomes.append(now)
        chance, start, columns = (
            _stacked([getattr(outcome, name) for outcome in outcomes]) for name in ("chance", "start", "columns")
        )
        yield Recording(np.stack(actions), chance, start, columns)


def act(policies: Mapping[str, BatchPolicy], columns: Columns, rng: np.random.Generator) -> NDArray[Any]:
    """The actions of all games, each by its own policy."""
    obs, legal = columns["observation"], columns.get("legal_actions")
    many, actions = len(policies), None
    for i, policy in enumerate(policies.values()):
        chosen = policy(obs[i::many], rng, None if legal is None else legal[i::many])
        if actions is None:
            actions = np.zeros((len(obs), *chosen.shape[1:]), chosen.dtype)
        actions[i::many] = chosen
    assert actions is not None
    return actions


def _stacked(columns: list[Columns]) -> Columns:
    return {name: np.stack([one[name] for one in columns]) for name in columns[0]}


def compare(expected: Columns, got: Columns) -> tuple[int, Difference | None]:
    """How many bits differ, and the first difference by step; within a step the state explains what is seen of it."""
    apart, first = 0, None
    for name, want in expected.items():
        have = got.get(name)
        if have is None or have.dtype != want.dtype or have.shape != want.shape:
            kinds = ("no such column" if c is None else f"{c.dtype} of shape {c.shape[2:]}" for c in (want, have))
            return apart + want.size, Difference(name, 0, 0, *kinds)
        unequal = bits_of(want) ^ bits_of(have)
        if not unequal.any():
            continue
        apart += int(np.bitwise_count(unequal).sum())
        bad = np.asarray(unequal.reshape(*unequal.shape[:2], -1).any(axis=2))
        step = int(np.argmax(bad.any(axis=1)))
        game = int(np.argmax(bad[step]))
        place = (step, game, *np.argwhere(unequal[step, game])[0])
        here = Difference(name, game, step, want[place], have[place])
        if first is None or _rank(here) < _rank(first):
            first = here
    return apart, first


def _rank(difference: Difference) -> tuple[int, bool, int]:
    return difference.step, not difference.column.startswith("state."), difference.game


def bits_of(array: NDArray[Any]) -> NDArray[Any]:
    """An array's bits as unsigned integers of the same width."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def blame(
    session: Session,
    batched: BatchedReference,
    recording: Recording,
    before: Columns,
    found: Difference,
    clock: Clock,
) -> Divergence:
    """Whom to ask: the step again from the reference's own state, and, where it differs, phase by phase."""
    game, step = found.game, found.step
    if step:
        before = {name: column[step - 1] for name, column in recording.columns.items()}
    at = clock.at(recording.ended, game, step)
    case = Case(batched.snapshot(before, game), as_action(recording.actions[step, game]))
    chance = {name: column[step] for name, column in recording.chance.items()}
    exact = Precision("exact", session.candidate, None)
    drawn = attempt(session, exact, [case]).reference.cases[0].tape or ()
    trial = attempt(session, exact, [case._replace(tape=batched.tape(drawn, chance, game))])
    if len(trial.rows):
        divergence = explain_one(session, exact, trial, 0, 1, "L3")
        expected, got = (short(_plain(value)) for value in (found.expected, found.got))
        note = f"in game {game} {found.column} was to be {expected} and was {got}"
        notes = "; ".join(filter(None, (note, divergence.note)))
        return replace(divergence, episode=at[0], step=at[1], note=notes)
    if recording.ended[step, game]:
        note = "the step itself agrees; they part in the new game that follows, or in what is reported of the old one"
        column = "start" if found.column.startswith("state.") else found.column
        return _divergence(session, session.contract.owner(column), found, at, as_input(case), note)
    note = (
        "from the reference's own state this step agrees: something is carried from step to step outside of the state"
    )
    return _divergence(session, session.contract.owner(found.column), found, at, as_input(case), note)


def _divergence(
    session: Session, module: str, found: Difference, at: tuple[int, int], given: dict[str, Any], note: str
) -> Divergence:
    expected, got = _plain(found.expected), _plain(found.got)
    return Divergence(module, found.column, expected, got, episode=at[0], step=at[1], input=given, note=note)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value
