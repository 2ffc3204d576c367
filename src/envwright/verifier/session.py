"""What the levels share: the pair, the contract, and what has been recorded so far."""

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate, Columns
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space
from envwright.references.protocol import BatchedReference, Reference, ReferenceFailedError, TapeError
from envwright.verifier import constraints, policies
from envwright.verifier.contract import Contract
from envwright.verifier.counting import since
from envwright.verifier.domain import Domain, mine_states
from envwright.verifier.host import Host
from envwright.verifier.nudges import usual
from envwright.verifier.policies import load_function
from envwright.verifier.record import (
    Beat,
    Case,
    EpisodePlan,
    Plain,
    record_episodes,
    record_transitions,
    replay_actions,
)
from envwright.verifier.record_phases import Place, Seen, record_phases
from envwright.verifier.synthesis import ActionSource, States
from envwright.verifier.trace import Failure, Trace, load, save

MOST_FAILURES = 3  # episodes that may bring the reference down before no more are tried
PHASES_MEASURED = 64  # recorded steps from which the usual size of what phases compute is taken


@dataclass(frozen=True)
class Effort:
    """How much is tried."""

    episodes: int = 100
    seed: int = 0
    limit: int = 5000  # steps after which an episode that does not end is left
    steps: int | None = None  # in all, after which no episode is begun
    states: int = 3000  # single steps from recorded and invented states
    corners: int = 2000
    pool: int = 1000  # recorded states that are kept to invent others from
    calls: int = 3000  # of each function whose arguments the contract makes
    draws: int = 10_000  # samples of each kind of chance
    watched: int = 300  # steps looked at phase by phase
    smaller: int = 4096  # inputs tried in place of one that shows a difference, in a round of making it smaller
    checked: tuple[int, int] = (6, 200)  # episodes of the reference, and steps of each, that it has to repeat exactly
    games: int = 1000  # whole games in lock-step, of a reference that plays many at once


@dataclass(eq=False)
class Session:
    """One verification under way."""

    contract: Contract
    host: Host
    candidate: Candidate
    effort: Effort
    progress: Callable[[str], None] = lambda what: None
    pair: dict[str, Any] = field(default_factory=dict)  # what the two sides and their contract are called
    regressions: Path | None = None  # the folder for failing inputs
    traces: Path | None = None  # the file for what is recorded
    batched: Callable[[int], BatchedReference | None] = lambda num_envs: None  # the reference, many games at once
    counts: dict[str, dict[str, int]] = field(default_factory=dict)  # what of the rules L3 has met

    def rng(self, purpose: int) -> np.random.Generator:
        """Chance for one purpose, apart from that for others."""
        return np.random.default_rng([self.effort.seed, purpose])

    def game_seed(self, i: int) -> int:
        """The seed of the i-th game; some references take no more than 32 bits."""
        return (self.effort.seed * 1_000_003 + i) % 2**32

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What there is to know of the reference without playing."""
        return self.host.run(gather)

    @property
    def action_space(self) -> Space | None:
        return self.facts["action_space"]

    @cached_property
    def trace(self) -> Trace:
        """Whole episodes of the reference, with a sample of the states on the way: recorded once, then read again."""
        names = [*self.facts["policies"], *self.contract.policies]
        plans = [EpisodePlan(names[i % len(names)], self.game_seed(i)) for i in range(self.effort.episodes)]
        key = self._key(plans)
        if self.traces is not None and self.traces.exists():
            with contextlib.suppress(TapeError):  # one that is damaged or of another version is recorded anew
                trace = load(self.traces)
                if trace.key == key:
                    return trace
        trace = self._play(plans)
        trace.key = key
        if self.traces is not None:
            save(trace, self.traces)
        return trace

    def _key(self, plans: list[EpisodePlan]) -> str:
        """What a trace depends on."""
        players = [policies.source(name, self.contract.base) for name in self.contract.policies]
        origin = (self.facts["provenance"], self.contract.reference_options, self.contract.setting)
        about = (*origin, self.contract.sha256, players, plans, self.effort)
        return hashlib.sha256(repr(about).encode()).hexdigest()

    def _play(self, plans: list[EpisodePlan]) -> Trace:
        try:
            return self._record(plans)
        except ReferenceFailedError:  # it died or hung; which episodes do that?
            return self._play_around(plans)

    def _play_around(self, plans: list[EpisodePlan]) -> Trace:
        """Every episode by itself, then all that could be played together; the others are failures."""
        good: list[EpisodePlan] = []
        failures: list[Failure] = []
        for episode, plan in enumerate(plans):
            if len(failures) == MOST_FAILURES:
                break
            try:
                self._record([plan])
                good.append(plan)
            except ReferenceFailedError as error:
                failures.append(Failure(episode, -1, str(error)))
        if not good:
            raise ReferenceFailedError(failures[0].sentence)
        trace = self._record(good)
        trace.failures += failures
        return trace

    def _record(self, plans: list[EpisodePlan]) -> Trace:
        effort = self.effort
        return self.host.run(play_covered, self.contract, plans, effort.limit, effort.pool, effort.steps)

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """What each part of the reference's state may be."""
        pool = self.trace.pool
        domains = mine_states(pool, tuple(self.facts["numbers"]), self.contract.domain)
        limit = self.facts["max_episode_steps"]
        if limit is not None and "elapsed_steps" in domains and "elapsed_steps" not in self.contract.domain:
            domains |= mine_states([{"elapsed_steps": 0}, {"elapsed_steps": limit - 1}], (), {})
        return domains

    @cached_property
    def states(self) -> States:
        """Recorded states, and how others are made of them."""
        contract, pool = self.contract, self.trace.pool
        stated = {name for group in contract.together for name in group} - set(pool[0])
        if stated:
            raise EnvwrightError(
                f"[domain] together: the reference's state has no {min(stated)}; it has {', '.join(pool[0])}."
            )
        # The count of a time limit around the environment is no part of it.
        free = [name for name in pool[0] if name not in contract.domain and name != "elapsed_steps"]
        possible = None if contract.states is None else load_function(contract.states, contract.base, "states")
        together = constraints.joined([*contract.together, *constraints.groups(pool, free)])
        return States(pool, self.domains, together, possible)

    @cached_property
    def actions(self) -> ActionSource:
        samples = self.facts["actions"]
        return ActionSource(
            self.action_space, lambda rng: samples[int(rng.integers(len(samples)))], self.facts["players"]
        )

    @cached_property
    def double(self) -> Candidate | None:
        """The candidate in double precision with the reference's own numbers, if it can be had. A reference that keeps
        numbers in float32 rounds what it computes with them, so it would be another one."""
        names = {name for expression in self.contract.state.values() for name in expression.names}
        kept = {name: value for name, value in self.trace.pool[0].items() if name in names}
        wide = self.candidate.in_float64() if not _is_single(kept) else None
        return wide.with_params(self.params) if wide is not None and self.params else wide

    @cached_property
    def params(self) -> Columns:
        """The candidate's params as the reference has them."""
        names = self.facts["names"]
        return {key: np.asarray(e(names)) for key, e in self.contract.params.items()}

    @cached_property
    def sizes(self) -> Plain:
        """The usual size of the numbers in the reference's state."""
        pool = self.trace.pool
        return {name: usual([state[name] for state in pool]) for name in pool[0]}

    @cached_property
    def scales(self) -> Columns:
        """The usual size of the numbers in each column."""
        steps = self.trace.steps
        return {
            name: np.median(np.abs(steps[name]), axis=0)
            for name in self.contract.columns
            if steps[name].dtype.kind == "f"
        }

    @cached_property
    def phase_scales(self) -> Seen:
        """The usual size of the numbers after each phase, where they are not 0: what is not active is 0 exactly."""
        rng = self.rng(6)
        cases = [Case(state, self.actions(rng)) for state in self.trace.pool[:PHASES_MEASURED]]
        taken = self.host.run(record_transitions, self.contract, cases).cases  # by legal actions
        recorded, _ = self.host.run(record_phases, self.contract, taken, None, {}, range(0))
        found: dict[Place, dict[str, list[NDArray[Any]]]] = {}
        for seen in recorded:
            for place, values in seen.items():
                for name, value in values.items():
                    found.setdefault(place, {}).setdefault(name, []).append(value)
        return {
            place: {name: _usual_size(many) for name, many in values.items() if many[0].dtype.kind == "f"}
            for place, values in found.items()
        }

    @cached_property
    def draws_own_chance(self) -> bool:
        """Whether the candidate draws chance in a step and takes none; then a single step cannot be compared."""
        if self.candidate.takes_chance:
            return False
        steps, many = self.trace.steps, 32
        rows = np.repeat(np.arange(min(16, len(steps["action"]))), many)
        outcome = self.candidate.step(self.trace.states_before(rows), steps["action"][rows])
        games = [column.reshape(-1, many, *column.shape[1:]) for column in outcome.values()]
        return any(not _all_same(column) for column in games)

    @property
    def rounds(self) -> bool:
        """Whether anything is only equal up to rounding."""
        return bool(self.contract.tolerances)


def gather(reference: Reference, beat: Beat) -> dict[str, Any]:
    """Facts about a reference: spaces, names, and the numbers that its rules may compare with."""
    outcome = reference.reset(seed=0)
    names = reference.look()
    moving = set(reference.snapshot())
    told = {"legal": outcome.legal is not None, "acting": outcome.acting is not None}
    reference.restore(reference.snapshot())  # what is only told with an outcome is not a rule of every state
    rng = np.random.default_rng(0)
    constants = {name: value for name, value in names.items() if name not in moving}
    beat()
    return {
        "name": reference.name,
        "action_space": reference.action_space,
        "players": reference.players,
        "told": told,
        "rules": told | {"legal": reference.legal() is not None},
        "observation_shape": reference.observation_shape,
        "actions": [reference.sample_action(rng) for _ in range(256)],
        "policies": list(policies.builtin(reference)),
        "moving": sorted(moving),
        "all_names": sorted(names.keys() | moving),  # some are there only after a step
        "names": {n: v for n, v in names.items() if _is_numeric(v)},
        "numbers": sorted({float(v) for c in constants.values() for v in _numbers(c)})[:64],
        "max_episode_steps": names.get("max_episode_steps"),
        "provenance": reference.provenance(),
    }


def play_covered(
    reference: Reference,
    contract: Contract,
    plans: list[EpisodePlan],
    limit: int,
    keep: int,
    most: int | None,
    beat: Beat,
) -> Trace:
    """Episodes, with the lines of the reference that they ran, where that can be seen."""
    counted = reference.counted()
    trace = record_episodes(reference, contract, plans, limit, keep, beat, most)
    while reference.late_changes():  # was read as it had been at first, so all of it again
        counted = reference.counted()
        trace = record_episodes(reference, contract, plans, limit, keep, beat, most)
    trace.counted = since(counted, reference.counted())
    with reference.covering() as covered:  # again, without the recording, which would be measured and slowed down too
        replay_actions(reference, trace, beat)
    trace.coverage = covered.report()
    return trace


def _all_same(grid: NDArray[Any]) -> bool:
    """Whether every row along the second axis is like the first."""
    return np.array_equal(grid, np.broadcast_to(grid[:, :1], grid.shape), equal_nan=grid.dtype.kind == "f")


def _usual_size(values: list[NDArray[Any]]) -> NDArray[np.float64]:
    """The median of each number's size where it is not 0; 0 of those that always are."""
    sizes = np.ma.masked_equal(np.abs(np.stack(values).astype(np.float64)), 0.0)
    return np.asarray(np.ma.filled(np.ma.median(sizes, axis=0), 0.0)) if sizes.size else np.zeros(values[0].shape)


def _is_numeric(value: Any) -> bool:
    """Whether it is a number, or an array, list or tuple of them."""
    if isinstance(value, list | tuple):
        return all(map(_is_numeric, value))
    return isinstance(value, bool | int | float | np.number) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
    )


def _is_single(value: Any) -> bool:
    """Whether any number in it is a float32."""
    if isinstance(value, Mapping | list | tuple):
        return any(map(_is_single, value.values() if isinstance(value, Mapping) else value))
    return getattr(value, "dtype", None) == np.float32


def _numbers(value: Any) -> list[float] | NDArray[Any]:
    if isinstance(value, float | int) and not isinstance(value, bool):
        return [v for v in (float(value), -float(value)) if np.isfinite(v)]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size <= 8:
        return value[np.isfinite(value)].ravel()
    if isinstance(value, list | tuple) and len(value) <= 8:
        return [number for part in value for number in _numbers(part)]
    return []
